"""Hyperbolic functions, the error function, and relatives of the gamma and Bessel functions."""

from __future__ import annotations

from functools import partial
from math import inf, nan

from dml_vk.kernels.operators.row import COMPLEX, FLOATS, Operator
from dml_vk.kernels.operators.special import NAN, STAY, even, joined, odd

_function = partial(
    Operator, chapter="Hyperbolic and other functions", dtypes=FLOATS, ulp=2.0, array_api=True
)
# Computed in float64 for all floats.
_special = partial(_function, family="special", ulp=2.0, array_api=False, numpy=None)

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
    _special(
        "erfc",
        code=98,
        arity=1,
        doc="1 - erf(x), accurate also where it is small.",
        example="[0.5, 2.0] -> [0.4794921875, 0.00467681884765625]",
        special=[*even((0.0, 1.0)), (-10.0, 2.0), (inf, 0.0), (-inf, 2.0), NAN],
    ),
    _special(
        "gammaln",
        code=99,
        arity=1,
        doc="The logarithm of the magnitude of the gamma function.",
        example="[0.5, 4.0] -> [0.572265625, 1.7919921875]",
        special=[*even((0.0, inf), (inf, inf)), (1.0, 0.0), (2.0, 0.0), (-1.0, inf), NAN],
        others=("lgamma",),
    ),
    _special(
        "digamma",
        code=100,
        arity=1,
        doc="The derivative of the logarithm of the gamma function.",
        example="[0.5, 4.0] -> [-1.9638671875, 1.255859375]",
        special=[(0.0, -inf), (-0.0, inf), (inf, inf), (-inf, nan), (-1.0, nan), NAN],
    ),
    _special(
        "xlogy",
        code=101,
        arity=2,
        doc="x1 * log(x2), and 0 where x1 is 0 unless x2 is NaN.",
        example="[0.5, 0.0], [2.0, 0.0] -> [0.3466796875, 0.0]",
        special=joined(
            [(0.0, y, 0.0) for y in (0.0, 1.0, -1.0, inf)],
            [(2.0, 0.0, -inf), (2.0, inf, inf), (-2.0, 0.0, inf), (2.0, 1.0, 0.0)],
            [(inf, 2.0, inf), (inf, 1.0, nan), (2.0, -1.0, nan), (0.0, nan, nan), (nan, 2.0, nan)],
        ),
    ),
    _special(
        "i0e",
        code=102,
        arity=1,
        doc="The modified Bessel function of the first kind of order 0, times exp(-|x|).",
        example="[0.5, 4.0] -> [0.64501953125, 0.20703125]",
        special=[*even((0.0, 1.0), (inf, 0.0)), NAN],
    ),
    _special(
        "i1e",
        code=103,
        arity=1,
        doc="The modified Bessel function of the first kind of order 1, times exp(-|x|).",
        example="[0.5, 4.0] -> [0.1563720703125, 0.1787109375]",
        special=[*odd((0.0, 0.0), (inf, 0.0)), NAN],
    ),
)
