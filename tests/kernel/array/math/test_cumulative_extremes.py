"""The extremes so far, their indexes, and logarithms of cumulative sums, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError
from tests.chance import chance
from tests.kernel.forms import few_forms, mixed

DTYPES = ("float32", "float16", "float64", "int64", "uint64", "int8", "uint32", "bool")
FUNCTIONS = ((dml_vk.cummax, np.maximum), (dml_vk.cummin, np.minimum))


def indexes_of(array, axis, function):
    """The index of the last element so far that is the extreme, one after the other."""
    rows = np.moveaxis(array, axis, -1)
    found = np.zeros(rows.shape, np.int64)
    for place in np.ndindex(rows.shape[:-1]):
        best = 0
        for k, one in enumerate(rows[place]):
            if one != one or function(one, rows[place][best]) == one:
                best = k
            found[(*place, k)] = best
    return np.moveaxis(found, -1, axis)


@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes_and_where_they_are(dtype):
    array = mixed(dtype, (3, 67, 4), nan=0.01)
    if np.dtype(dtype).kind in "iu":
        ends = np.iinfo(dtype)
        array = chance().integers(ends.min, ends.max, array.shape, dtype, endpoint=True)
    for turn, axis in enumerate((0, 1, -1)):
        for x in few_forms(array, turn):
            for call, function in FUNCTIONS:
                values, indexes = call(x, axis)
                expected = function.accumulate(array, axis)
                np.testing.assert_array_equal(values.numpy(), expected)
                assert values.numpy().dtype == array.dtype
                np.testing.assert_array_equal(indexes.numpy(), indexes_of(array, axis, function))
                found = function.accumulate(x, axis)
                np.testing.assert_array_equal(found.numpy(), expected)


def test_long_rows_and_signed_zeros():
    for length in (1, 64, 65, 4097, 70_001):
        array = chance().normal(size=(2, length)).astype(np.float32)
        for call, function in FUNCTIONS:
            found = call(dml_vk.asarray(array), 1)[0].numpy()
            assert np.array_equal(found, function.accumulate(array, 1))
    zeros = dml_vk.asarray([-0.0, 0.0, -0.0])
    assert np.signbit(dml_vk.cummax(zeros)[0].numpy()).tolist() == [True, False, False]
    assert dml_vk.cummin(dml_vk.asarray([0.0, -0.0]))[1].tolist() == [0, 1]
    assert dml_vk.cummax(dml_vk.zeros((0, 3)))[0].shape == (0, 3)


def test_of_bools_as_conditions():
    array = chance().random((5, 9)) < 0.7
    for function in (np.logical_and, np.logical_or):
        found = function.accumulate(dml_vk.asarray(array), axis=1).numpy()
        np.testing.assert_array_equal(found, function.accumulate(array, axis=1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_logarithms_of_cumulative_sums(dtype):
    array = (chance().normal(size=(3, 77)) * 50).astype(dtype)
    expected = np.logaddexp.accumulate(array.astype(np.float64), axis=1)
    limit = {"float64": 1e-13, "float16": 4e-3}.get(dtype, 3e-6)
    for turn in range(4):
        for x in few_forms(array, turn):
            out = dml_vk.empty_like(x, dtype=dtype if dtype != "int32" else "float32")
            assert dml_vk.logcumsumexp(x, 1, out=out) is out
            np.testing.assert_allclose(out.numpy(), expected, limit, limit)
    infinite = np.float32([-np.inf, 1, np.inf, 2])
    found = dml_vk.logcumsumexp(dml_vk.asarray(infinite)).numpy()
    np.testing.assert_array_equal(found, np.logaddexp.accumulate(infinite))


def test_complex_numbers_have_no_order():
    with pytest.raises(DTypeError, match=r"^cummax: dtype must be one of"):
        dml_vk.cummax(dml_vk.ones(2, dtype="complex64"))
