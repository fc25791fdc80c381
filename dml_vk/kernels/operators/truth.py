"""Logical functions, and predicates of floats."""

from __future__ import annotations

from functools import partial
from math import inf, nan

from dml_vk.kernels.operators.row import ALL, COMPLEX, FLOATS, NUMBERS, Operator
from dml_vk.kernels.operators.special import even

_TRUTHS = [(a, bool(a)) for a in (0.0, -0.0, 1.0, -2.0, inf, -inf, nan)]

_logic = partial(Operator, chapter="Logic", family="compare", result="bool_", array_api=True)
_question = partial(
    Operator, chapter="Tests of floats", family="compare", result="bool_", array_api=True
)

ROWS = (
    _logic(
        "logical_and",
        code=44,
        arity=2,
        dtypes=ALL + COMPLEX,
        doc="Whether both x1 and x2 are true (not 0).",
        example="[True, True], [True, False] -> [True, False]",
        special=[(a, b, p and q) for a, p in _TRUTHS for b, q in _TRUTHS],
        directml=("ELEMENT_WISE_LOGICAL_AND",),
    ),
    _logic(
        "logical_or",
        code=45,
        arity=2,
        dtypes=ALL + COMPLEX,
        doc="Whether x1 or x2 is true (not 0), or both.",
        example="[True, False], [False, False] -> [True, False]",
        special=[(a, b, p or q) for a, p in _TRUTHS for b, q in _TRUTHS],
        directml=("ELEMENT_WISE_LOGICAL_OR",),
    ),
    _logic(
        "logical_xor",
        code=46,
        arity=2,
        dtypes=ALL + COMPLEX,
        doc="Whether exactly one of x1 and x2 is true (not 0).",
        example="[True, True], [True, False] -> [False, True]",
        special=[(a, b, p != q) for a, p in _TRUTHS for b, q in _TRUTHS],
        directml=("ELEMENT_WISE_LOGICAL_XOR",),
    ),
    _logic(
        "logical_not",
        code=47,
        arity=1,
        dtypes=ALL + COMPLEX,
        doc="Whether x is 0.",
        example="[True, False] -> [False, True]",
        special=[*even((0.0, 1), (1.0, 0), (inf, 0)), (nan, 0)],
        directml=("ELEMENT_WISE_LOGICAL_NOT",),
    ),
    _question(
        "isnan",
        code=48,
        arity=1,
        dtypes=NUMBERS + COMPLEX,
        doc="Whether x is NaN.",
        example='[float("nan"), 1.5] -> [True, False]',
        special=[*even((0.0, 0), (1.0, 0), (inf, 0)), (nan, 1)],
        directml=("ELEMENT_WISE_IS_NAN",),
    ),
    _question(
        "isinf",
        code=49,
        arity=1,
        dtypes=NUMBERS + COMPLEX,
        doc="Whether x is positive or negative infinity.",
        example='[float("-inf"), 1.5] -> [True, False]',
        special=[*even((0.0, 0), (1.0, 0), (inf, 1)), (nan, 0)],
        directml=("ELEMENT_WISE_IS_INFINITY",),
    ),
    _question(
        "isposinf",
        code=50,
        arity=1,
        dtypes=FLOATS,
        doc="Whether x is positive infinity.",
        example='[float("-inf"), float("inf")] -> [False, True]',
        special=[*even((0.0, 0), (1.0, 0)), (inf, 1), (-inf, 0), (nan, 0)],
        array_api=False,
        directml=("ELEMENT_WISE_IS_INFINITY",),
    ),
    _question(
        "isneginf",
        code=51,
        arity=1,
        dtypes=FLOATS,
        doc="Whether x is negative infinity.",
        example='[float("-inf"), float("inf")] -> [True, False]',
        special=[*even((0.0, 0), (1.0, 0)), (inf, 0), (-inf, 1), (nan, 0)],
        array_api=False,
        directml=("ELEMENT_WISE_IS_INFINITY",),
    ),
    _question(
        "isfinite",
        code=52,
        arity=1,
        dtypes=NUMBERS + COMPLEX,
        doc="Whether x is neither infinite nor NaN.",
        example='[float("nan"), 1.5] -> [False, True]',
        special=[*even((0.0, 1), (1.0, 1), (inf, 0)), (nan, 0)],
    ),
    _question(
        "signbit",
        code=53,
        arity=1,
        dtypes=FLOATS,
        doc="Whether the sign bit is set: true for negative numbers and -0.0.",
        example="[-0.0, 1.5] -> [True, False]",
        special=[(0.0, 0), (-0.0, 1), (1.0, 0), (-1.0, 1), (inf, 0), (-inf, 1)],
    ),
)
