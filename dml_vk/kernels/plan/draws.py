"""Kernels that draw from parametrized random distributions."""

from __future__ import annotations

from collections.abc import Mapping

from dml_vk.kernels.kernel import PATH_SPEC, SUMS, WRITES, Kernel, index_push
from dml_vk.kernels.plan.rounds import SQRT, loop

RANK = 4  # dims in one launch: parameters take up the rest of the push block
PARAM_WORDS = 6  # parameters of the distribution
# Estimated time per element on one slow core, by the first letter of the variant. "w" is wide64,
# which takes two random words per element.
NS = {
    "uniform": {"f": 5.0},
    "normal": {"f": 15.0},
    "integers": {"i": 16.0, "w": 40.0},
}
# Loop iterations. "normal" corrects two square roots. "integers" rejects at most half of all words,
# so an invocation with hundreds of work items does not average 12 draws for each.
ROUNDS = {"uniform": 0, "normal": 2 * SQRT, "integers": loop(12)}
_PUSH = index_push(
    ("dst_base",),
    RANK,
    (("index_base", 1), ("counter", 4), ("key", 2), ("told", PARAM_WORDS)),
)

# Macros of each variant: bits per element, and random words per element.
_ONE = {bits: {"BITS": bits, "EACH": "1"} for bits in ("8", "16", "32", "64")}
_FLOATS = {"words": {"float32": _ONE["32"]}, "packed": {"float16": _ONE["16"]}}
_VARIANTS: Mapping[str, Mapping[str, Mapping[str, Mapping[str, str]]]] = {
    "uniform": _FLOATS,
    "normal": _FLOATS,
    "integers": {
        "words": {"int32": _ONE["32"], "int64": _ONE["64"], "wide64": {**_ONE["64"], "EACH": "2"}},
        "packed": {"int8": _ONE["8"], "int16": _ONE["16"]},
    },
}

_RESTS = {"uniform": SUMS, "normal": (*SUMS, "divides"), "integers": ()}

KERNELS = tuple(
    Kernel(
        f"{name}_{path}",
        by_position=True,
        inlines=(WRITES,),
        rests=_RESTS[name],
        bindings=("Dst",),
        spec=PATH_SPEC[path],
        push=_PUSH,
        variants=variants,
        body=name,
        params=("counter", "key", "told"),
    )
    for name, paths in _VARIANTS.items()
    for path, variants in paths.items()
)
