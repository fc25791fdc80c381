"""`reduce` and `accumulate` of ufuncs of two operands, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests import tier
from tests.chance import chance

BITS = (
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.gcd,
    np.lcm,
    np.subtract,
    np.fmax,
    np.fmin,
)
FLOATS = (np.hypot, np.logaddexp, np.arctan2, np.divide, np.subtract, np.fmax, np.fmin, np.copysign)
CASES = [(function, "int32") for function in (*BITS, np.logical_xor, np.floor_divide)]
CASES += [(function, "float64") for function in (*FLOATS, np.logical_xor, np.nextafter)]
CASES += [(function, "bool") for function in (*BITS[:3], np.logical_xor)]
CASES += [(np.bitwise_and, "uint8")]


def operand(dtype, *shape):
    values = chance().integers(1, 9, shape)
    return (values > 4) if dtype == "bool" else values.astype(dtype)


FIRST = list({function: (function, dtype) for function, dtype in CASES[::-1]}.values())


@tier.parametrize("case size", tier.some(CASES, 3), [1, 2, 3, 8])
def test_folded_at_other_sizes(case, size):
    check(*case, size)


@pytest.mark.parametrize(
    ("function", "dtype"), tier.plus(FIRST, [case for case in CASES if case not in FIRST])
)
def test_folded_as_by_numpy(function, dtype):
    check(function, dtype, 7)


def check(function, dtype, size):
    values = operand(dtype, size, 3, 2)
    x = dml_vk.asarray(values)
    for named in ({}, {"axis": 0, "keepdims": True}, {"axis": -2}):
        expected, found = function.reduce(values, **named), function.reduce(x, **named)
        assert found.dtype.numpy_name == expected.dtype.name
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14)
    for axis in (0, 1, -1):
        expected, found = function.accumulate(values, axis=axis), function.accumulate(x, axis=axis)
        assert (found.dtype.numpy_name, found.shape) == (expected.dtype.name, expected.shape)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14)


def test_options_of_a_reduction():
    values, mask = operand("int32", 4, 3), operand("bool", 4, 3)
    x = dml_vk.asarray(values)
    for function in (np.bitwise_or, np.bitwise_xor, np.bitwise_and, np.gcd, np.fmax):
        assert function.reduce(x, axis=None).tolist() == function.reduce(values, axis=None)
        assert function.reduce(x, axis=(0, 1)).tolist() == function.reduce(values, axis=(0, 1))
        chosen = function.reduce(x, initial=6, where=dml_vk.asarray(mask))
        assert chosen.tolist() == function.reduce(values, initial=6, where=mask).tolist()
    assert (
        np.subtract.reduce(x, initial=100).tolist()
        == np.subtract.reduce(values, initial=100).tolist()
    )
    target = dml_vk.zeros(3, dtype="int64")
    assert np.bitwise_or.reduce(x, out=target) is target
    assert target.tolist() == np.bitwise_or.reduce(values).tolist()
    wide = np.subtract.reduce(x, dtype="float32")
    assert wide.dtype is dml_vk.float32


def test_nothing_is_left_of_no_elements_but_an_identity():
    for dtype in ("int8", "uint8", "bool"):
        none = np.zeros((0, 2), dtype)
        for function in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor):
            expected = function.reduce(none)
            found = function.reduce(dml_vk.asarray(none))
            assert (found.tolist(), found.dtype.numpy_name) == (expected.tolist(), expected.dtype)
    with pytest.raises(RangeError, match=r"subtract.reduce: an axis without elements needs"):
        np.subtract.reduce(dml_vk.zeros((0, 2)))
    assert np.subtract.accumulate(dml_vk.zeros((0, 2))).shape == (0, 2)


def test_what_numpy_refuses_is_refused():
    x = dml_vk.ones((2, 3))
    with pytest.raises(RangeError, match="axis must be one"):
        np.subtract.reduce(x, axis=(0, 1))
    with pytest.raises(RangeError, match="where needs an initial value"):
        np.subtract.reduce(x, where=x > 0)
    with pytest.raises(LayoutError, match="axis"):
        np.hypot.accumulate(x, axis=2)
    with pytest.raises(LayoutError, match="out must have the shape"):
        np.hypot.reduce(x, out=dml_vk.zeros(2))
    with pytest.raises(DTypeError, match="same_kind"):
        np.hypot.reduce(x, out=dml_vk.zeros(3, dtype="int32"))


def test_a_tensor_without_dims_has_an_axis_as_in_numpy():
    x, value = dml_vk.asarray(5.0), np.array(5.0, np.float32)
    for axis in (0, -1):
        assert np.squeeze(x, axis=axis).tolist() == np.squeeze(value, axis=axis)
        assert np.take(x, 0, axis=axis).tolist() == np.take(value, 0, axis=axis)
        assert np.repeat(x, 3, axis=axis).tolist() == np.repeat(value, 3, axis=axis).tolist()
