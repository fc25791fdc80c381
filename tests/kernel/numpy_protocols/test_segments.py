"""`np.add.reduceat` and kin, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms

UFUNCS = (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or)


@tier.parametrize("function dtype", UFUNCS, ["float32", "int8", "uint64", "float64", "bool"])
def test_indexes_in_any_order(function, dtype):
    array = chance().integers(0, 4, (4, 70, 3)).astype(dtype)
    for turn, axis in enumerate((0, 1, -1)):
        size = array.shape[axis]
        some = chance().integers(0, size, 6)
        for indexes in (some, np.sort(some), np.arange(size), [0], [size - 1, 0], np.unique(some)):
            for x in few_forms(array, turn):
                expected = function.reduceat(array, indexes, axis)
                found = function.reduceat(x, indexes, axis).numpy()
                assert found.dtype.kind == expected.dtype.kind
                np.testing.assert_array_equal(found, expected)


def test_dtype_out_and_tensors_as_indexes():
    x, out = dml_vk.asarray([1.5, 2.5, 3.0, 4.0]), dml_vk.empty(2, dtype="float64")
    indexes = dml_vk.asarray([0, 2])
    assert np.add.reduceat(x, indexes, dtype="float64", out=out) is out
    assert out.tolist() == [4.0, 7.0]
    assert np.add.reduceat(x, np.array([], np.int64)).shape == (0,)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda x: np.add.reduceat(x, [3]),
            IndexError,
            "numpy.add.reduceat: index is out of bounds",
        ),
        (lambda x: np.add.reduceat(x, [-1]), IndexError, "index is out of bounds"),
        (lambda x: np.add.reduceat(x, [0.5]), LayoutError, "indices must be one dim of integers"),
        (lambda x: np.subtract.reduceat(x, [0]), DTypeError, "not available for tensors"),
        (lambda x: np.maximum.reduceat(x * 1j, [0]), DTypeError, "dtype must be real"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call(dml_vk.ones(3))
