"""The families of elementwise kernels: a row has all that planning and fusion know of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels import finishes
from dml_vk.kernels.kernel import (
    COMPUTED_RANK,
    PATH_SPEC,
    SCALAR_WORDS,
    SUMS,
    WRITES,
    Kernel,
    index_push,
    native,
    unless_scalar,
)
from dml_vk.kernels.operators import CASTS, OF_CODES, Operator, opcodes_of
from dml_vk.kernels.plan.rounds import DIVIDE, RSQRT, SQRT, loop


@dataclass(frozen=True)
class Family:
    """Kernels that compute the same operators, and differ in how they read and write."""

    sources: int
    variants: tuple[str, ...]  # by the path, and the bits of an element of the result
    ns: float  # estimated, for an element on one slow core, without reading and writing it
    rounds: int = 0  # a bound on the loop iterations for an element: see plan/rounds.py
    rounds_of: dict[str, int] = field(default_factory=dict)  # by operator, where they differ
    opcodes: Mapping[str, str] | None = None  # if they are not those of its operators
    inlines: tuple[str, ...] | str = "it is part of chains itself"
    rests: tuple[str, ...] | None = None  # as Kernel.rests
    native: str = ""  # the dtype whose operations of a device it may use: float32's division
    # It has a slow branch for a few values. In a chain it computes common ones alone at first.
    is_rare: bool = False
    # What a driver may do with operands that it knows. Operations on integers stay the same. What
    # others give it could know, as it knows that x < x is 0, and then it errs in what uses it.
    is_exact: bool = False
    is_knowable: bool = False
    is_short: bool = False  # where it has no loops, it takes an instruction or two
    is_long: bool = False  # in a chain it takes a driver tenths of a second to compile
    by_parts: bool = False  # of real numbers, but it also does both parts of complex ones
    wide: str = ""  # the variant for elements of 128 bits, if there is one
    words: int = 1  # of a scalar; twice as many where it computes with elements of 128 bits
    takes_all: bool = False  # operators of one operand read the scalar of the second as well


_WORDS_64, _FLOATS, _BOOLS = ("words_64",), ("words_32", "packed_16"), ("packed_8", "words_32")
_COMPLEX = ("words_64", "words_128")
_NARROW = ("packed_8", "packed_16", "words_32")

_HYPOT = loop(7)
# Steps of 22 bits, each with a small correction in either direction.
_FMOD = loop(1, loop(13, 2 * loop(2)))
_EXTENDED_SQRT = loop(32)  # one iteration per bit of half the root
_DOUBLE_FMOD = loop(66)  # steps of 32 bits through 2098 exponents
_COMPLEX_ARC = 5 * _EXTENDED_SQRT  # two complex roots, and one of an inverse hyperbolic sine
_BOTH_PARTS = loop(2)  # of a complex number
_OF_COMPLEX = {
    **{name: loop(3) for name in ("divide", "reciprocal")},
    "sqrt": 2 * _EXTENDED_SQRT,
    "sign": _EXTENDED_SQRT,
}
# Activations that are products, sums and choices.
_WITHOUT_LOOPS = (
    *("relu", "leaky_relu", "thresholded_relu", "parameterized_relu", "linear", "shrink"),
    *("hard_sigmoid", "hard_swish"),
)

COMPUTED = {
    "float_arithmetic": Family(
        2,
        (*_FLOATS, "tile_32"),
        3.0,
        rounds_of={
            "divide": DIVIDE,
            "reciprocal": DIVIDE,
            "sqrt": SQRT,
            "rsqrt": RSQRT,
            "hypot": _HYPOT,
            "fmod": _FMOD,
            "remainder": _FMOD,
            "floor_divide": _FMOD + DIVIDE,
            "whole_power": loop(3),
        },
        native="float32",
        is_short=True,
        by_parts=True,
        rests=(*SUMS, "compares", "divides"),
    ),
    "float_activation": Family(
        2, (*_FLOATS, "tile_32"), 6.0, DIVIDE, dict.fromkeys(_WITHOUT_LOOPS, 0), rests=SUMS
    ),
    "float_compare": Family(
        2, _BOOLS, 2.0, is_knowable=True, is_short=True, rests=(*SUMS, "compares")
    ),
    "float_exp": Family(1, _FLOATS, 4.0, rests=SUMS),
    "float_log": Family(2, _FLOATS, 7.0, SQRT, rests=SUMS),
    "float_trig": Family(1, _FLOATS, 5.0, loop(1), is_rare=True, rests=SUMS),
    "float_arc": Family(2, _FLOATS, 8.0, SQRT, rests=SUMS),
    "float_erf": Family(1, _FLOATS, 6.0, rests=SUMS),
    "float_pow": Family(2, _FLOATS, 12.0, rests=SUMS),
    "int_arithmetic": Family(
        2,
        (*_NARROW, "tile_32"),
        3.0,
        rounds_of={"pow": loop(32)},  # one iteration per bit of the exponent
        is_exact=True,
        is_knowable=True,
        is_short=True,
        rests=("divides_integers", "shifts"),
    ),
    "int_compare": Family(2, _BOOLS, 2.0, is_exact=True, is_knowable=True, is_short=True, rests=()),
    "long_arithmetic": Family(
        2,
        _WORDS_64,
        8.0,
        rounds_of={"pow": loop(64)},
        is_exact=True,
        is_knowable=True,
        words=2,
        rests=("divides_integers", "shifts"),
    ),
    "long_compare": Family(2, _BOOLS, 5.0, is_exact=True, is_knowable=True, words=2, rests=()),
    "double_arithmetic": Family(
        2,
        _WORDS_64,
        20.0,
        rounds_of={
            "whole_power": loop(64),
            "sqrt": loop(28),
            "fmod": _DOUBLE_FMOD,
            "remainder": _DOUBLE_FMOD,
            "floor_divide": _DOUBLE_FMOD,
            "rsqrt": _EXTENDED_SQRT,
            "hypot": _EXTENDED_SQRT,
        },
        native="float64",
        by_parts=True,
        words=2,
        rests=SUMS,
    ),
    "double_compare": Family(2, _BOOLS, 6.0, is_knowable=True, words=2, rests=SUMS),
    "complex_arithmetic": Family(
        2, _WORDS_64, 20.0, rounds_of=_OF_COMPLEX, native="float64", words=2, rests=SUMS
    ),
    "complex_compare": Family(2, _BOOLS, 4.0, is_knowable=True, words=2, rests=SUMS),
    "double_complex_arithmetic": Family(
        2, ("words_128",), 80.0, rounds_of=_OF_COMPLEX, native="float64", words=4, rests=SUMS
    ),
    "double_complex_compare": Family(
        2, _BOOLS, 10.0, is_knowable=True, words=4, takes_all=True, rests=SUMS
    ),
    "double_exp": Family(1, _WORDS_64, 20.0, words=2, rests=SUMS),
    "double_log": Family(
        2,
        _WORDS_64,
        30.0,
        rounds_of=dict.fromkeys(("asinh", "acosh"), _EXTENDED_SQRT),
        words=2,
        rests=SUMS,
    ),
    "double_trig": Family(1, _WORDS_64, 30.0, words=2, rests=SUMS),
    "double_arc": Family(
        2,
        _WORDS_64,
        40.0,
        rounds_of=dict.fromkeys(("asin", "acos"), _EXTENDED_SQRT),
        words=2,
        rests=SUMS,
    ),
    "double_erf": Family(1, _WORDS_64, 60.0, words=2, rests=SUMS),
    "double_pow": Family(2, _WORDS_64, 60.0, words=2, rests=SUMS),
    "double_activation": Family(2, _WORDS_64, 60.0, native="float64", words=2, rests=SUMS),
    "double_special": Family(
        2,
        (*_WORDS_64, *_FLOATS),
        90.0,
        rounds_of={
            **dict.fromkeys(("gammaln", "digamma"), loop(6)),
            **dict.fromkeys(("i0e", "i1e"), _EXTENDED_SQRT),
        },
        words=2,
        rests=SUMS,
    ),
    "complex_exp": Family(
        1, _COMPLEX, 120.0, rounds=2 * _BOTH_PARTS, is_long=True, words=4, rests=SUMS
    ),
    "complex_log": Family(
        1,
        _COMPLEX,
        150.0,
        rounds=_BOTH_PARTS,
        rounds_of=dict.fromkeys(("asinh", "acosh"), _COMPLEX_ARC),
        is_long=True,
        words=4,
        rests=SUMS,
    ),
    "complex_trig": Family(
        1, _COMPLEX, 120.0, rounds=_BOTH_PARTS, is_long=True, words=4, rests=SUMS
    ),
    "complex_arc": Family(
        1,
        _COMPLEX,
        300.0,
        rounds_of=dict.fromkeys(("asin", "acos"), _COMPLEX_ARC),
        is_long=True,
        words=4,
        rests=SUMS,
    ),
    "complex_pow": Family(
        2, _COMPLEX, 250.0, rounds=2 * _BOTH_PARTS, is_long=True, words=4, rests=SUMS
    ),
    "complex_size": Family(
        1,
        ("words_32", "words_64"),
        60.0,
        rounds_of={"abs": _EXTENDED_SQRT},
        wide="words_64",
        words=2,
        rests=SUMS,
    ),
    "cast": Family(
        1,
        (*_NARROW, "words_64"),
        5.0,
        opcodes=CASTS,
        is_knowable=True,
        is_short=True,
        by_parts=True,
        rests=(*SUMS, "converts", "narrows"),
    ),
    "where": Family(
        3,
        (*_NARROW, "words_64", "words_128", "tile_32"),
        2.0,
        is_exact=True,
        is_knowable=True,
        is_short=True,
        wide="words_128",
        words=2,
        rests=SUMS,
    ),
}
"""Those that compute operators."""
FAMILIES = {
    **COMPUTED,
    "finish": Family(3, _FLOATS, 4.0, opcodes=finishes.OPCODES, inlines=(WRITES,), rests=SUMS),
    "pairs": Family(
        2,
        _WORDS_64,
        4.0,
        RSQRT,
        opcodes=finishes.PAIRS_OPCODES,
        inlines="a pair of numbers is no element",
        rests=(*SUMS, "divides"),
    ),
}
SCALED, ADDED, AWAY = 1, 2, 3  # what is computed before an operator: see families/prologue.glsl


class Applied(NamedTuple):
    """How a kernel applies an operator: its constants after those of the variant, by name."""

    opcode: int
    before: int  # the step before the operator
    absent: int  # a bit for each source that is a scalar or missing
    target: int  # the code of the result's dtype
    common: int  # of the dtype of the computation
    sources: Ints  # of the dtype of each source

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(spec: Ints) -> Applied:
        opcode, before, absent, target, common, *sources = spec
        return Applied(opcode, before, absent, target, common, tuple(sources))

    @property
    def spec(self) -> Ints:
        return (*self[:5], *self.sources)

    @property
    def types(self) -> Ints:
        """The codes of all dtypes."""
        return self.target, self.common, *self.sources


def operator_of(kernel: str, opcode: int) -> Operator | None:
    """The operator that an opcode of a kernel is; None for casts, which have other opcodes."""
    return None if FAMILIES[kernel].opcodes else OF_CODES[opcode]


def element_rounds(kernel: str, opcode: int, step: int = 0) -> int:
    """The bound for computing one element, without reading and writing it.

    The step of a kernel `finish` is an activation.
    """
    if kernel == "finish" and step:
        return COMPUTED["float_activation"].rounds
    family = FAMILIES[kernel]
    if not family.rounds_of:
        return family.rounds
    return family.rounds_of.get(OF_CODES[opcode].name, family.rounds)


def _kernels() -> Iterator[Kernel]:
    """Make one kernel for every path of a family; all have the same interface."""
    for name, family in FAMILIES.items():
        operands = ("a", "b", "c")[: family.sources]
        bases = (*(f"{operand}_base" for operand in operands), "dst_base")
        constants = ("OP", "BEFORE", "SCALARS", "TYPE", "COMMON", "A_TYPE", "B_TYPE", "C_TYPE")
        scalars = (("scalars", SCALAR_WORDS[family.sources]),)
        for path, before in PATH_SPEC.items():
            spec = (*before, *constants[: 5 + family.sources])
            macros = {
                **(family.opcodes or opcodes_of(name)),
                **({"TILE": "1"} if path == "tile" else {}),
                **(native(spec) if family.native else {}),
            }
            variants = {
                bits: {**macros, "BITS": bits}
                for of_path, bits in [variant.split("_") for variant in family.variants]
                if of_path == path
            }
            if variants:
                yield Kernel(
                    f"{name}_{path}",
                    bindings=(*(f"{operand}_words" for operand in operands), "Dst"),
                    optional={
                        f"{operand}_words": unless_scalar(k) for k, operand in enumerate(operands)
                    },
                    spec=spec,
                    push=index_push(bases, COMPUTED_RANK[family.sources], scalars, family.sources),
                    params=("scalars",),
                    variants=variants,
                    body=name,
                    by_position=True,
                    inlines=family.inlines,
                    rests=family.rests,
                    native=family.native or "float64",
                )


KERNELS = tuple(_kernels())
