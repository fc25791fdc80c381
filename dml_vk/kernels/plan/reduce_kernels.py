"""The kernels of reductions: one of each kind, and what they have in common."""

from __future__ import annotations

from collections.abc import Mapping

from dml_vk.kernels.kernel import INDEX_SPEC, READS, SUMS, WRITES, Kernel, index_push, native
from dml_vk.kernels.reductions import opcodes_of

# Pairs of numbers that softmax and norms need of each row; the kind of kernel that computes each.
PAIRS = {
    **dict.fromkeys(("exp_sum", "log_sum"), "softmax"),
    **dict.fromkeys(("statistics", "means", "scale", "squares", "norm_1", "norm_2"), "moments"),
    "weights": "softmax",
}
PAIR_OPCODES = {f"REDUCE_{name.upper()}": str(code) for code, name in enumerate(PAIRS)}
RANK, LEAF_RANK = 4, 4  # dims of one launch, and of leaves
# The kinds of means and variances, by the words of a real number and whether elements are complex.
# Their launches have fewer dims, since means are an operand more.
VARIANCES = {
    (1, False): "variance",
    (1, True): "complex_variance",
    (2, False): "double_variance",
    (2, True): "double_complex_variance",
}
VARIANCE_RANK, VARIANCE_LEAF_RANK = 3, 2
# What their kernels add, and what they make of the sum: see glsl/include/families/variance.glsl.
ELEMENTS, FROM_MEANS, FROM_OWN_MEAN = range(3)
SUM, QUOTIENT, ROOT = range(3)

CHUNKED = ("softmax", "moments")  # kinds whose leaves are chunks of elements
_SPEC = (
    *("OP", "TYPE", "A_TYPE", "READ", "LEAF_RANK"),
    *("TIERS", "GAPS", "DST_QUADS", "MEMBERS"),
)
_VARIANCE_SPEC = ("SQUARES", "MAKES")
OWN_SPEC = {"moments": ("EPS",), **dict.fromkeys(VARIANCES.values(), _VARIANCE_SPEC)}
_EXTRA = (("block", 1), ("leaves", 1), ("ends", LEAF_RANK - 1), ("steps", LEAF_RANK))
_VARIANCE_EXTRA = (
    *(("block", 1), ("leaves", 1), ("ends", VARIANCE_LEAF_RANK - 1)),
    ("steps", VARIANCE_LEAF_RANK),
)
_WHOLE_SPEC = (*INDEX_SPEC, *_SPEC)
# Which results a work item makes: one, or four neighbours "across" memory. Those of a team are
# made by a workgroup together, which reads along rows, or across "columns".
_ONE_EACH: dict[str, dict[str, str]] = {
    "along": {},
    "team": {"TEAM": "1"},
    "team_columns": {"TEAM": "1", "COLUMNS": "1"},
}
_FOUR_EACH: dict[str, dict[str, str]] = {
    "along": {},
    "across": {"ACROSS": "1"},
    "team": {"TEAM": "1"},
    "team_across": {"TEAM": "1", "ACROSS": "1"},
}


def _paired(ways: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The variants of results of two words, and of partial results of four."""
    results = {way: {**macros, "BITS": "64"} for way, macros in ways.items()}
    partial = {partial_of(way): {**macros, "BITS": "128"} for way, macros in ways.items()}
    return results | partial


def partial_of(way: str) -> str:
    return "partial" if way == "along" else f"{way}_partial"


_VARIANTS: dict[str, dict[str, dict[str, str]]] = {
    "tree": _FOUR_EACH,
    "int": _FOUR_EACH,
    "long": _FOUR_EACH,
    "double": {way: {**macros, **native(_WHOLE_SPEC)} for way, macros in _ONE_EACH.items()},
    "complex": _ONE_EACH,
    "double_complex": {way: {**macros, **native(_WHOLE_SPEC)} for way, macros in _ONE_EACH.items()},
    "arg": _paired(_ONE_EACH),
    "softmax": _paired(_FOUR_EACH),
    "moments": _paired(_FOUR_EACH),
}
_OF_INTEGERS = {"int", "long", "arg"}
_OF_TWO = [
    Kernel(
        f"reduce_{kind}",
        by_position=True,
        inlines=(READS, WRITES),
        rests=() if kind in _OF_INTEGERS else SUMS,
        bindings=("Src", "Dst"),
        spec=(*_WHOLE_SPEC, *OWN_SPEC.get(kind, ())),
        push=index_push(("src_base", "dst_base"), RANK, _EXTRA, 2),
        variants={
            name: {**(PAIR_OPCODES if kind in CHUNKED else opcodes_of(kind)), **macros}
            for name, macros in variants.items()
        },
    )
    for kind, variants in _VARIANTS.items()
]


def _of_variances(words: int, is_complex: bool) -> Kernel:
    spec, pushed = (*_WHOLE_SPEC, *_VARIANCE_SPEC), (("size", words), ("divisor", words))
    macros = {**(native(spec) if words > 1 else {}), **({"COMPLEX": "1"} if is_complex else {})}
    return Kernel(
        f"reduce_{VARIANCES[words, is_complex]}",
        body=f"reduce_{VARIANCES[words, False]}",
        by_position=True,
        inlines=(READS, WRITES),
        rests=SUMS,
        bindings=("Src", "Means", "Dst"),
        optional={"Means": lambda values: values["SQUARES"] == FROM_MEANS},
        spec=spec,
        push=index_push(
            *(("src_base", "mean_base", "dst_base"), VARIANCE_RANK),
            *((*_VARIANCE_EXTRA, *pushed), 3),
        ),
        variants={way: {**own, **macros} for way, own in _ONE_EACH.items()},
    )


KERNELS: tuple[Kernel, ...] = (*_OF_TWO, *[_of_variances(*key) for key in VARIANCES])
