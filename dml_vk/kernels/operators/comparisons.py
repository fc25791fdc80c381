"""Comparisons."""

from __future__ import annotations

from functools import partial
from math import inf

from dml_vk.kernels.operators.row import ALL, COMPLEX, Operator
from dml_vk.kernels.operators.special import NANS, Binary, joined

_EQUAL = [(inf, inf), (-inf, -inf), (0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (1.0, 1.0)]
_RISING = [(-inf, inf), (-inf, 1.0), (1.0, inf), (-1.0, -0.0), (0.0, 1.0), (-inf, 0.0), (2.0, 3.0)]


def _cases(equal: int, rising: int, falling: int, unordered: int = 0) -> list[Binary]:
    """Special values: results for x1 == x2, x1 < x2, x1 > x2, and if either is NaN."""
    return joined(
        [(a, b, equal) for a, b in _EQUAL],
        [(a, b, rising) for a, b in _RISING],
        [(b, a, falling) for a, b in _RISING],
        [(a, b, unordered) for a, b, _ in NANS],
    )


_comparison = partial(
    Operator, chapter="Comparisons", family="compare", result="bool_", array_api=True
)

ROWS = (
    _comparison(
        "equal",
        code=38,
        arity=2,
        dtypes=ALL + COMPLEX,
        doc="Whether x1 == x2.",
        example="[1, 2], [1, 3] -> [True, False]",
        special=_cases(1, 0, 0),
        others=("eq",),
        directml=("ELEMENT_WISE_LOGICAL_EQUALS",),
    ),
    _comparison(
        "not_equal",
        code=39,
        arity=2,
        dtypes=ALL + COMPLEX,
        doc="Whether x1 != x2.",
        example="[1, 2], [1, 3] -> [False, True]",
        special=_cases(0, 1, 1, unordered=1),
        others=("ne",),
    ),
    _comparison(
        "less",
        code=40,
        arity=2,
        dtypes=ALL,
        doc="Whether x1 < x2.",
        example="[1, 2], [1, 3] -> [False, True]",
        special=_cases(0, 1, 0),
        others=("lt",),
        directml=("ELEMENT_WISE_LOGICAL_LESS_THAN",),
    ),
    _comparison(
        "less_equal",
        code=41,
        arity=2,
        dtypes=ALL,
        doc="Whether x1 <= x2.",
        example="[1, 2], [1, 1] -> [True, False]",
        special=_cases(1, 1, 0),
        others=("le",),
        directml=("ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL",),
    ),
    _comparison(
        "greater",
        code=42,
        arity=2,
        dtypes=ALL,
        doc="Whether x1 > x2.",
        example="[1, 2], [1, 1] -> [False, True]",
        special=_cases(0, 0, 1),
        others=("gt",),
        directml=("ELEMENT_WISE_LOGICAL_GREATER_THAN",),
    ),
    _comparison(
        "greater_equal",
        code=43,
        arity=2,
        dtypes=ALL,
        doc="Whether x1 >= x2.",
        example="[1, 2], [1, 3] -> [True, False]",
        special=_cases(1, 0, 1),
        others=("ge",),
        directml=("ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL",),
    ),
)
