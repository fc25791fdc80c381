"""Kernels that write an arithmetic sequence, exactly, in any layout."""

from __future__ import annotations

from dml_vk.kernels.kernel import (
    BY_WORDS,
    MADE_RANK,
    PACKED_SPEC,
    WORDS_SPEC,
    WRITES,
    Kernel,
    index_push,
)
from dml_vk.kernels.plan.rounds import loop

# Estimated time per element on one slow core, by the kind of its dtype, and loop iterations.
NS = {"sequence": {"f": 14.0, "i": 3.0}}
ROUNDS = {"sequence": 3 * loop(4)}
_PUSH = index_push(("dst_base",), MADE_RANK, (("index_base", 1), ("start", 2), ("delta", 2)))
_WORDS_32, _WORDS_64 = BY_WORDS["32"], BY_WORDS["64"]
_INTEGER = "sequence_int(i, start, delta)"
_FLOAT = "sequence_float(i, start, delta, {}u, {}u)"
KERNELS = (
    Kernel(
        "sequence_words",
        by_position=True,
        inlines=(WRITES,),
        rests=(),
        bindings=("Dst",),
        spec=WORDS_SPEC,
        push=_PUSH,
        params=("start", "delta"),
        variants={
            "int32": {**_WORDS_32, "ELEMENT": _INTEGER},
            "int64": {**_WORDS_64, "ELEMENT": _INTEGER},
            "float32": {**_WORDS_32, "ELEMENT": _FLOAT.format(23, 8)},
            "float64": {**_WORDS_64, "ELEMENT": _FLOAT.format(52, 11)},
        },
    ),
    Kernel(
        "sequence_packed",
        by_position=True,
        inlines=(WRITES,),
        rests=(),
        bindings=("Dst",),
        spec=PACKED_SPEC,
        push=_PUSH,
        params=("start", "delta"),
        variants={
            "int8": {"BITS": "8", "ELEMENT": _INTEGER},
            "int16": {"BITS": "16", "ELEMENT": _INTEGER},
            "float16": {"BITS": "16", "ELEMENT": _FLOAT.format(10, 5)},
        },
    ),
)
