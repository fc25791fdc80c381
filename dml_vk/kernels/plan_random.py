"""The kernels that draw numbers from a stream of random words and are told how."""

from __future__ import annotations

from collections.abc import Mapping

from dml_vk.kernels.kernel import PATH_SPEC, Kernel, index_push
from dml_vk.kernels.rounds import SQRT, loop

DRAWN_RANK = 4  # dims in one launch, beside all that these are told
TOLD_WORDS = 6
# What it takes one slow core to draw an element, by the kind of its type: `w` has two words.
DRAWN_NS = {
    "uniform": {"f": 5.0},
    "normal": {"f": 15.0},
    "integers": {"i": 16.0, "w": 40.0},
}
# Of loops: roots are put right; and where at most half of all words are refused, an invocation that
# has hundreds of units does not draw them twelve times each.
DRAWN_ROUNDS = {"uniform": 0, "normal": 2 * SQRT, "integers": loop(12)}
_PUSH = index_push(
    ("dst_base",), DRAWN_RANK, (("index_base", 1), ("counter", 4), ("key", 2), ("told", TOLD_WORDS))
)

# What a variant makes: bits of an element, and random words that each takes.
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

KERNELS = tuple(
    Kernel(
        f"{name}_{path}",
        bindings=("Dst",),
        writes=("Dst",),
        spec=PATH_SPEC[path],
        push=_PUSH,
        variants=variants,
        body=name,
    )
    for name, paths in _VARIANTS.items()
    for path, variants in paths.items()
)
