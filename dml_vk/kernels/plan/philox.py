"""Kernels of Philox: random bits and uniform floats in any layout, and the next state."""

from __future__ import annotations

from dml_vk.kernels.kernel import (
    BY_WORDS,
    MADE_RANK,
    PACKED_SPEC,
    SUMS,
    WORDS_SPEC,
    WRITES,
    Kernel,
    index_push,
    is_set,
)

NS = {"philox": {"f": 5.0, "u": 5.0}}  # per element on one slow core, by the kind of its dtype
ROUNDS = {"philox": 0}
_PUSH = index_push(
    ("state_base", "dst_base"), MADE_RANK, (("index_base", 1), ("counter", 4), ("key", 2))
)
_WORDS_32, _WORDS_64 = BY_WORDS["32"], BY_WORDS["64"]
KERNELS = (
    Kernel(
        "philox_words",
        by_position=True,
        inlines=(WRITES,),
        rests={"uint32": (), "uint64": (), "float32": SUMS, "float64": ()},
        bindings=("State", "Dst"),
        optional={"State": is_set("FROM_BUFFER")},
        spec=(*WORDS_SPEC, "FROM_BUFFER"),
        push=_PUSH,
        params=("counter", "key"),
        variants={
            "uint32": {**_WORDS_32, "MAKE": ""},
            "uint64": {**_WORDS_64, "MAKE": ""},
            "float32": {**_WORDS_32, "MAKE": "uniform32"},
            "float64": {**_WORDS_64, "MAKE": "uniform64"},
        },
    ),
    Kernel(
        "philox_packed",
        by_position=True,
        inlines=(WRITES,),
        rests=SUMS,
        bindings=("State", "Dst"),
        optional={"State": is_set("FROM_BUFFER")},
        spec=(*PACKED_SPEC, "FROM_BUFFER"),
        push=_PUSH,
        params=("counter", "key"),
        variants={"float16": {"BITS": "16", "MAKE": "uniform16"}},
    ),
    Kernel(
        "philox_advance",
        inlines="it moves a state on",
        rests=(),
        bindings=("State", "Dst"),
        writes=("State", "Dst"),
        spec=("LOCAL_SIZE",),
        push=(
            *(("first", 1), ("end", 1), ("state_base", 1), ("dst_base", 1)),
            *(("blocks", 1), ("state_stride", 1), ("dst_stride", 1)),
        ),
        variants={"uint32": {}},
    ),
)
