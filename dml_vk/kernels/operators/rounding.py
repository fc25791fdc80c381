"""Rounding to whole numbers."""

from __future__ import annotations

from functools import partial

from dml_vk.kernels.operators.row import COMPLEX, NUMBERS, Operator
from dml_vk.kernels.operators.special import WHOLE, odd

_rounding = partial(Operator, chapter="Rounding", array_api=True)

ROWS = (
    _rounding(
        "floor",
        code=19,
        arity=1,
        dtypes=NUMBERS,
        doc="The greatest whole number less than or equal to x.",
        example="[1.5, -1.5] -> [1.0, -2.0]",
        special=[*WHOLE, (0.5, 0.0), (-0.5, -1.0), (1.5, 1.0), (-1.5, -2.0)],
        directml=("ELEMENT_WISE_FLOOR",),
    ),
    _rounding(
        "ceil",
        code=20,
        arity=1,
        dtypes=NUMBERS,
        doc="The smallest whole number greater than or equal to x.",
        example="[1.5, -1.5] -> [2.0, -1.0]",
        special=[*WHOLE, (0.5, 1.0), (-0.5, -0.0), (1.5, 2.0), (-1.5, -1.0)],
        directml=("ELEMENT_WISE_CEIL",),
    ),
    _rounding(
        "trunc",
        code=21,
        arity=1,
        dtypes=NUMBERS,
        doc="x without its fractional part: rounded towards zero.",
        example="[1.5, -1.5] -> [1.0, -1.0]",
        special=[*WHOLE, *odd((0.5, 0.0), (1.5, 1.0), (2.75, 2.0))],
        directml=("ELEMENT_WISE_ROUND",),
    ),
    _rounding(
        "round",
        code=22,
        by_parts=True,
        arity=1,
        dtypes=NUMBERS + COMPLEX,
        doc="The nearest whole number; halves are rounded to even. Of complex numbers, each part.",
        example="[2.5, -1.75] -> [2.0, -2.0]",
        special=[*WHOLE, *odd((0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (2.75, 3.0), (0.25, 0.0))],
        directml=("ELEMENT_WISE_ROUND",),
    ),
)
