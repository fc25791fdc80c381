"""Exponentials and logarithms."""

from __future__ import annotations

from functools import partial
from math import e, inf, nan

from dml_vk.kernels.operators.row import COMPLEX, FLOATS, Operator
from dml_vk.kernels.operators.special import NAN, NANS, either_way, even, joined, odd

_EXPONENTIAL = [*even((0.0, 1.0)), (inf, inf), (-inf, 0.0), NAN]
_LOGARITHM = [*even((0.0, -inf)), (1.0, 0.0), (inf, inf), (-1.0, nan), (-inf, nan), NAN]

_function = partial(
    Operator,
    chapter="Exponentials and logarithms",
    dtypes=FLOATS,
    family="log",
    ulp=2.0,
    array_api=True,
)

ROWS = (
    _function(
        "exp",
        code=56,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="exp",
        doc="e to the power of x.",
        example="[0.5, 2.0] -> [1.6484375, 7.390625]",
        special=[*_EXPONENTIAL, (1.0, e)],
        directml=("ELEMENT_WISE_EXP",),
    ),
    _function(
        "exp2",
        code=57,
        arity=1,
        family="exp",
        doc="2 to the power of x.",
        example="[3.0, -1.0] -> [8.0, 0.5]",
        special=[*_EXPONENTIAL, (1.0, 2.0), (10.0, 1024.0), (-3.0, 0.125)],
        array_api=False,
    ),
    _function(
        "expm1",
        code=58,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="exp",
        doc="exp(x) - 1, accurate also near 0.",
        example="[0.5, 1.0] -> [0.64892578125, 1.71875]",
        special=[*odd((0.0, 0.0)), (inf, inf), (-inf, -1.0), NAN],
    ),
    _function(
        "log",
        code=62,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="The natural logarithm; NaN for negative numbers.",
        example="[0.5, 2.0] -> [-0.693359375, 0.693359375]",
        special=_LOGARITHM,
        directml=("ELEMENT_WISE_LOG",),
    ),
    _function(
        "log2",
        code=63,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="The logarithm to base 2; NaN for negative numbers.",
        example="[8.0, 0.5] -> [3.0, -1.0]",
        special=[*_LOGARITHM, (2.0, 1.0), (1024.0, 10.0), (0.125, -3.0)],
    ),
    _function(
        "log10",
        code=64,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="The logarithm to base 10; NaN for negative numbers.",
        example="[100.0, 1000.0] -> [2.0, 3.0]",
        special=[*_LOGARITHM, (10.0, 1.0), (1000.0, 3.0)],
    ),
    _function(
        "log1p",
        code=65,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        doc="log(1 + x), accurate also near 0.",
        example="[0.5, 1.0] -> [0.405517578125, 0.693359375]",
        special=[*odd((0.0, 0.0)), (-1.0, -inf), (inf, inf), (-2.0, nan), (-inf, nan), NAN],
    ),
    _function(
        "logaddexp",
        code=69,
        arity=2,
        doc="log(exp(x1) + exp(x2)), without intermediate overflow.",
        example="[1.0, 2.0], [3.0, -1.0] -> [3.126953125, 2.048828125]",
        special=joined(
            [*either_way((inf, 1.0, inf), (inf, -inf, inf), (-inf, 2.0, 2.0)), *NANS],
            [(inf, inf, inf), (-inf, -inf, -inf), (0.0, 0.0, 0.6931471805599453)],
        ),
    ),
)
