"""Trigonometric functions and their inverses."""

from __future__ import annotations

from functools import partial
from math import inf, nan, pi

from dml_vk.kernels.operators.row import COMPLEX, FLOATS, Operator
from dml_vk.kernels.operators.special import NAN, NANS, NO_INFINITIES, even, joined, odd

# Cases of atan2 with y >= 0, as (y, x, angle).
_ANGLES = joined(
    [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, inf, 0.0), (0.0, inf, 0.0)],
    [(0.0, -0.0, pi), (0.0, -1.0, pi), (1.0, -inf, pi), (0.0, -inf, pi)],
    [(y, x, pi / 2) for y in (1.0, inf) for x in (0.0, -0.0)],
    [(inf, 1.0, pi / 2), (inf, -1.0, pi / 2), (inf, inf, pi / 4), (1.0, 1.0, pi / 4)],
    [(inf, -inf, 3 * pi / 4), (1.0, -1.0, 3 * pi / 4)],
)

_function = partial(
    Operator,
    chapter="Trigonometric functions",
    dtypes=FLOATS,
    family="arc",
    ulp=2.0,
    array_api=True,
)

ROWS = (
    _function(
        "sin",
        code=70,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="trig",
        doc="The sine of an angle in radians.",
        example="[0.5, 2.0] -> [0.4794921875, 0.9091796875]",
        special=[*odd((0.0, 0.0)), *NO_INFINITIES, NAN],
        directml=("ELEMENT_WISE_SIN",),
    ),
    _function(
        "cos",
        code=71,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="trig",
        doc="The cosine of an angle in radians.",
        example="[0.5, 2.0] -> [0.87744140625, -0.416259765625]",
        special=[*even((0.0, 1.0)), *NO_INFINITIES, NAN],
        directml=("ELEMENT_WISE_COS",),
    ),
    _function(
        "tan",
        code=72,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="trig",
        doc="The tangent of an angle in radians.",
        example="[0.5, 2.0] -> [0.54638671875, -2.185546875]",
        special=[*odd((0.0, 0.0)), *NO_INFINITIES, NAN],
        directml=("ELEMENT_WISE_TAN",),
    ),
    _function(
        "asin",
        code=73,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="The arc sine in radians; NaN outside [-1, 1].",
        example="[0.5, -1.0] -> [0.5234375, -1.5703125]",
        special=[*odd((0.0, 0.0), (1.0, pi / 2)), *even((1.5, nan), (inf, nan)), NAN],
        numpy="arcsin",
        directml=("ELEMENT_WISE_ASIN",),
    ),
    _function(
        "acos",
        code=74,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="The arc cosine in radians; NaN outside [-1, 1].",
        example="[0.5, -1.0] -> [1.046875, 3.140625]",
        special=[(1.0, 0.0), (-1.0, pi), *even((0.0, pi / 2), (1.5, nan), (inf, nan)), NAN],
        numpy="arccos",
        directml=("ELEMENT_WISE_ACOS",),
    ),
    _function(
        "atan",
        code=75,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="The arc tangent in radians.",
        example="[0.5, 2.0] -> [0.463623046875, 1.107421875]",
        special=[*odd((0.0, 0.0), (1.0, pi / 4), (inf, pi / 2)), NAN],
        numpy="arctan",
        directml=("ELEMENT_WISE_ATAN",),
    ),
    _function(
        "atan2",
        code=76,
        arity=2,
        doc="The angle in radians of the point (x2, x1), from the positive x axis.",
        example="[1.0, 1.0], [-1.0, 2.0] -> [2.35546875, 0.463623046875]",
        special=joined([(s * y, x, s * angle) for s in (1, -1) for y, x, angle in _ANGLES], NANS),
        numpy="arctan2",
        directml=("ELEMENT_WISE_ATAN_YX",),
    ),
)
