"""Operations on 32-bit words, beside those of NumPy and Python."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from dml_vk.spirv.integers import evaluate

EDGES = (0, 1, 2, 3, 7, 31, 32, 33, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 7, 2**32 - 1)
UNSIGNED = {
    128: np.add,
    130: np.subtract,
    132: np.multiply,
    170: np.equal,
    171: np.not_equal,
    172: np.greater,
    174: np.greater_equal,
    176: np.less,
    178: np.less_equal,
    197: np.bitwise_or,
    198: np.bitwise_xor,
    199: np.bitwise_and,
}
SIGNED = {173: np.greater, 175: np.greater_equal, 177: np.less, 179: np.less_equal}
DIVISIONS = {
    134: (np.floor_divide, np.uint32),
    137: (np.remainder, np.uint32),
    138: (np.fmod, np.int32),  # with the sign of the dividend
    139: (np.remainder, np.int32),  # with that of the divisor
}
SHIFTS = {
    194: (np.right_shift, np.uint32),
    195: (np.right_shift, np.int32),
    196: (np.left_shift, np.uint32),
}
BOOLEANS = {164: operator.eq, 165: operator.ne, 166: operator.or_, 167: operator.and_}


def numpys(function, dtype, *words):
    given = np.array(words, np.uint32).view(dtype)
    with np.errstate(over="ignore"):
        result = function(*given)
    return int(result) % 2**32


@pytest.mark.parametrize("a", EDGES)
def test_words(a):
    assert evaluate(124, a) == a
    assert evaluate(126, a) == numpys(np.negative, np.int32, a)
    assert evaluate(200, a) == numpys(np.invert, np.uint32, a)
    for b in EDGES:
        for opcode, function in UNSIGNED.items():
            assert evaluate(opcode, a, b) == numpys(function, np.uint32, a, b), opcode
        for opcode, function in SIGNED.items():
            assert evaluate(opcode, a, b) == numpys(function, np.int32, a, b), opcode
        if b:
            for opcode, (function, dtype) in DIVISIONS.items():
                assert evaluate(opcode, a, b) == numpys(function, dtype, a, b), opcode
            x, y = (int(np.uint32(one).view(np.int32)) for one in (a, b))
            assert evaluate(135, a, b) == int(x / y) % 2**32
        if b < 32:
            for opcode, (function, dtype) in SHIFTS.items():
                assert evaluate(opcode, a, b) == numpys(function, dtype, a, b), opcode


@pytest.mark.parametrize("a", [0, 1])
def test_booleans(a):
    assert evaluate(168, a) == (not a)
    assert evaluate(169, a, 7, 9) == (7 if a else 9)
    for b in (0, 1):
        for opcode, function in BOOLEANS.items():
            assert evaluate(opcode, a, b) == function(a, b)


def test_what_is_undefined_or_unknown_has_no_value():
    assert [evaluate(opcode, 7, 0) for opcode in (134, 135, 137, 138, 139)] == [None] * 5
    assert [evaluate(opcode, 7, 32) for opcode in SHIFTS] == [None] * 3
    assert evaluate(129, 7, 9) is None
