"""Bitwise functions of integers and bools."""

from __future__ import annotations

from functools import partial

from dml_vk.kernels.operators.row import BITS, INTEGERS, Operator

_bits = partial(Operator, chapter="Bitwise functions", array_api=True)

ROWS = (
    _bits(
        "bitwise_and",
        code=26,
        arity=2,
        dtypes=BITS,
        doc="The bitwise and of x1 and x2.",
        example="[12, 10], [10, 6] -> [8, 2]",
        directml=("ELEMENT_WISE_BIT_AND",),
    ),
    _bits(
        "bitwise_or",
        code=27,
        arity=2,
        dtypes=BITS,
        doc="The bitwise or of x1 and x2.",
        example="[12, 10], [10, 6] -> [14, 14]",
        directml=("ELEMENT_WISE_BIT_OR",),
    ),
    _bits(
        "bitwise_xor",
        code=28,
        arity=2,
        dtypes=BITS,
        doc="The bitwise exclusive or of x1 and x2.",
        example="[12, 10], [10, 6] -> [6, 12]",
        directml=("ELEMENT_WISE_BIT_XOR",),
    ),
    _bits(
        "bitwise_invert",
        code=31,
        arity=1,
        dtypes=BITS,
        doc="All bits inverted; logical not of bools.",
        example="[5, -8] -> [-6, 7]",
        numpy="invert",
        others=("bitwise_not",),
        directml=("ELEMENT_WISE_BIT_NOT",),
    ),
    _bits(
        "bitwise_left_shift",
        code=29,
        arity=2,
        dtypes=INTEGERS,
        doc="x1 shifted left by x2 bits; 0 if x2 is negative or at least the width.",
        example="[1, 5], [4, 2] -> [16, 20]",
        numpy="left_shift",
        directml=("ELEMENT_WISE_BIT_SHIFT_LEFT",),
    ),
    _bits(
        "bitwise_right_shift",
        code=30,
        arity=2,
        dtypes=INTEGERS,
        doc=(
            "x1 shifted right by x2 bits, keeping its sign; 0 or -1 if x2 is negative or at least "
            "the width."
        ),
        example="[-16, 40], [2, 3] -> [-4, 5]",
        numpy="right_shift",
        directml=("ELEMENT_WISE_BIT_SHIFT_RIGHT",),
    ),
    _bits(
        "bitwise_count",
        code=32,
        arity=1,
        dtypes=INTEGERS,
        doc="The number of ones in the bits of the magnitude.",
        example="[7, -255] -> [3, 8]",
        array_api=False,
        directml=("ELEMENT_WISE_BIT_COUNT",),
    ),
)
