"""Hyperbolic functions, and the error function."""

from __future__ import annotations

from functools import partial
from math import inf, nan

from dml_vk.kernels.operators.row import COMPLEX, FLOATS, Operator
from dml_vk.kernels.operators.special import NAN, STAY, even, odd

_function = partial(
    Operator, chapter="Hyperbolic and other functions", dtypes=FLOATS, ulp=2.0, array_api=True
)

ROWS = (
    _function(
        "sinh",
        code=59,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="exp",
        doc="The hyperbolic sine.",
        example="[0.5, 2.0] -> [0.52099609375, 3.626953125]",
        special=[*STAY, NAN],
        directml=("ELEMENT_WISE_SINH",),
    ),
    _function(
        "cosh",
        code=60,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="exp",
        doc="The hyperbolic cosine.",
        example="[0.5, 2.0] -> [1.1279296875, 3.76171875]",
        special=[*even((0.0, 1.0), (inf, inf)), NAN],
        directml=("ELEMENT_WISE_COSH",),
    ),
    _function(
        "tanh",
        code=61,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="exp",
        doc="The hyperbolic tangent.",
        example="[0.5, 2.0] -> [0.462158203125, 0.9638671875]",
        special=[*odd((0.0, 0.0), (inf, 1.0), (100.0, 1.0)), NAN],
        directml=("ELEMENT_WISE_TANH", "ACTIVATION_TANH"),
        extra_kernels=("float_activation",),
    ),
    _function(
        "asinh",
        code=66,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="log",
        doc="The inverse hyperbolic sine.",
        example="[0.5, 2.0] -> [0.481201171875, 1.443359375]",
        special=[*STAY, NAN],
        numpy="arcsinh",
        directml=("ELEMENT_WISE_ASINH",),
    ),
    _function(
        "acosh",
        code=67,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="log",
        doc="The inverse hyperbolic cosine; NaN below 1.",
        example="[1.5, 4.0] -> [0.96240234375, 2.0625]",
        special=[(1.0, 0.0), (inf, inf), (0.5, nan), (0.0, nan), (-1.0, nan), (-inf, nan), NAN],
        numpy="arccosh",
        directml=("ELEMENT_WISE_ACOSH",),
    ),
    _function(
        "atanh",
        code=68,
        arity=1,
        dtypes=FLOATS + COMPLEX,
        family="log",
        doc="The inverse hyperbolic tangent; NaN outside [-1, 1].",
        example="[0.5, -0.75] -> [0.54931640625, -0.97314453125]",
        special=[*odd((0.0, 0.0), (1.0, inf)), *even((2.0, nan), (inf, nan)), NAN],
        numpy="arctanh",
        directml=("ELEMENT_WISE_ATANH",),
    ),
    _function(
        "erf",
        code=77,
        arity=1,
        family="erf",
        doc="The error function.",
        example="[0.5, 2.0] -> [0.5205078125, 0.9951171875]",
        special=[*odd((0.0, 0.0), (10.0, 1.0), (inf, 1.0)), NAN],
        array_api=False,
        numpy=None,
        directml=("ELEMENT_WISE_ERF",),
    ),
)
