"""Powers and roots."""

from __future__ import annotations

from functools import partial
from math import inf, nan

from dml_vk.kernels.operators.row import COMPLEX, FLOATS, NUMBERS, Operator
from dml_vk.kernels.operators.special import NAN, either_way, joined, odd

_HYPOTENUSES = joined(
    either_way((0.0, 0.0, 0.0), (0.0, 2.0, 2.0), (3.0, 4.0, 5.0), (inf, 2.0, inf)),
    either_way((inf, inf, inf), (inf, nan, inf), (-inf, nan, inf), (-3.0, -4.0, 5.0)),
)

_power = partial(Operator, chapter="Powers and roots", array_api=True)

ROWS = (
    _power(
        "pow",
        code=78,
        arity=2,
        dtypes=NUMBERS + COMPLEX,
        family="pow",
        ulp=4.0,
        doc="x1 to the power of x2; integers wrap.",
        example="[3.0, 2.0], [2.0, -1.0] -> [9.0, 0.5]",
        special=joined(
            [(x, y, 1.0) for x in (0.0, -0.0, 1.0, -2.0, inf, -inf, nan) for y in (0.0, -0.0)],
            [(1.0, y, 1.0) for y in (nan, inf, -inf, 3.5)],
            [
                (-1.0, inf, 1.0),
                (-1.0, -inf, 1.0),
                (nan, 1.0, nan),
                (2.0, nan, nan),
                (0.0, nan, nan),
            ],
            [(x, y, inf) for x, y in ((2.0, inf), (-2.0, inf), (0.5, -inf), (-0.5, -inf))],
            [(x, y, 0.0) for x, y in ((2.0, -inf), (-2.0, -inf), (0.5, inf), (-0.5, inf))],
            [(inf, 2.0, inf), (inf, 0.5, inf), (inf, -2.0, 0.0), (inf, -0.5, 0.0), (inf, inf, inf)],
            [(-inf, 3.0, -inf), (-inf, 2.0, inf), (-inf, 0.5, inf), (-inf, -3.0, -0.0)],
            [(-inf, -2.0, 0.0), (-inf, -0.5, 0.0), (-inf, inf, inf), (-inf, -inf, 0.0)],
            [
                (0.0, 3.0, 0.0),
                (0.0, 0.5, 0.0),
                (-0.0, 3.0, -0.0),
                (-0.0, 2.0, 0.0),
                (-0.0, 0.5, 0.0),
            ],
            [(0.0, -3.0, inf), (0.0, -0.5, inf), (-0.0, -3.0, -inf), (-0.0, -2.0, inf)],
            [
                (-0.0, -0.5, inf),
                (0.0, inf, 0.0),
                (0.0, -inf, inf),
                (-0.0, inf, 0.0),
                (-0.0, -inf, inf),
            ],
            [
                (-8.0, 0.5, nan),
                (-2.0, 1.5, nan),
                (-1.0, 0.5, nan),
                (-2.0, 3.0, -8.0),
                (-2.0, 4.0, 16.0),
            ],
            [(-2.0, -1.0, -0.5), (2.0, 10.0, 1024.0), (4.0, 0.5, 2.0), (10.0, 3.0, 1000.0)],
        ),
        numpy="power",
        directml=("ELEMENT_WISE_POW", "ELEMENT_WISE_CONSTANT_POW"),
    ),
    _power(
        "whole_power",
        code=25,
        arity=2,
        dtypes=FLOATS,
        by_device=True,
        public=False,
        array_api=False,
        numpy=None,
    ),
    _power(
        "sqrt",
        code=23,
        divides=True,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="The square root; NaN for negative numbers.",
        example="[2.25, 9.0] -> [1.5, 3.0]",
        special=[(0.0, 0.0), (-0.0, -0.0), (4.0, 2.0), (inf, inf), (-1.0, nan), (-inf, nan), NAN],
        directml=("ELEMENT_WISE_SQRT",),
    ),
    _power(
        "rsqrt",
        code=54,
        arity=1,
        dtypes=FLOATS,
        ulp=1.0,
        doc="1 / sqrt(x).",
        example="[4.0, 0.25] -> [0.5, 2.0]",
        special=[*odd((0.0, inf)), (4.0, 0.5), (inf, 0.0), (-1.0, nan), (-inf, nan), NAN],
        array_api=False,
        numpy=None,
    ),
    _power(
        "hypot",
        code=55,
        arity=2,
        dtypes=FLOATS,
        ulp=2.0,
        doc="sqrt(x1 * x1 + x2 * x2), without intermediate overflow.",
        example="[3.0, 5.0], [4.0, 12.0] -> [5.0, 13.0]",
        special=joined(
            [
                case
                for s in (1, -1)
                for a, b, y in _HYPOTENUSES
                for case in ((s * a, b, y), (a, s * b, y))
            ],
            [(nan, 1.0, nan), (1.0, nan, nan), (nan, nan, nan)],
        ),
    ),
)
