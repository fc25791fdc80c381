"""Which keys and values are refused, and that they write nothing then."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.array.indexing.api import read, write
from dml_vk.array.indexing.take import take
from dml_vk.errors import DeviceError, DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import Layout
from dml_vk.ops.view import View
from dml_vk.tensor.core import Tensor
from tests.chance import chance
from tests.kernel.ops.test_scatter import on_device

EVERY = slice(None)


INDEX_ERRORS = {
    5: r"getitem: index is out of bounds for axis 0 with size 2; got index=5",
    (0, -4): r"index is out of bounds for axis 1 with size 3; got index=-4",
    (0, 0, 0): r"too many indexes for 2 dims; got indexes=3",
    (..., ...): r"a key may contain \.\.\. only once",
    1.5: r"a key may contain integers, slices, .*got key='float'",
    "a": r"a key may contain integers, slices, .*got key='str'",
}


@pytest.mark.parametrize("key", INDEX_ERRORS)
def test_invalid_keys_are_refused(key):
    x = dml_vk.asarray(np.zeros((2, 3), np.float32))
    for call in (read, lambda x, key: write(x, key, 0)):
        with pytest.raises(LayoutIndexError, match=INDEX_ERRORS[key].replace("getitem: ", "")):
            call(x, key)


def test_indexes_that_are_outside_write_nothing():
    array = chance().integers(0, 100, (4, 3))
    x = dml_vk.asarray(array)
    outside = [np.array([[0, 1], [2, value]]) for value in (4, -5, 2**40)]
    must = r"index is out of bounds for axis 0 with size 4; got index=(4|-5|10995116)"
    for key in outside:
        for one in (key, on_device(key), on_device((EVERY, None, key))[2]):
            with pytest.raises(LayoutIndexError, match="getitem: " + must):
                read(x, one)
            with pytest.raises(LayoutIndexError, match="setitem: " + must):
                write(x, one, 7)
    with pytest.raises(LayoutIndexError, match=r"axis 1 with size 3; got index=3"):
        write(x, on_device((np.array([0, 1]), np.array([0, 3]))), 7)
    with pytest.raises(LayoutIndexError, match=r"axis 1 with size 0; got index=0"):
        read(dml_vk.asarray(np.zeros((2, 0))), on_device((EVERY, np.array([0]))))
    assert np.array_equal(x.numpy(), array)


def test_keys_of_wrong_types_and_shapes():
    x = dml_vk.asarray(np.zeros((2, 3), np.float32))
    for key in ([1.5], ["a"], np.zeros(2), dml_vk.asarray([1.0]), [[0, 1], [0]], [2**70]):
        with pytest.raises(DTypeError, match="index arrays must be of integers or bools"):
            read(x, key)
    for mask in (np.ones(3, bool), np.ones((2, 2), bool)):
        with pytest.raises(LayoutIndexError, match=r"a mask at axis 0 must have shape"):
            read(x, on_device(mask))
    with pytest.raises(LayoutIndexError, match=r"index arrays must broadcast together; got shap"):
        read(x, ([0, 1], [0, 1, 2]))
    with pytest.raises(LayoutIndexError, match=r"too many indexes for 2 dims; got indexes=3"):
        read(x, np.ones((2, 3, 1), bool))


def test_values_that_do_not_fit():
    x = dml_vk.asarray(np.zeros((2, 3), np.int32))
    for key in (EVERY, on_device(np.array([0, 1])), on_device(np.ones(2, bool))):
        must = r"value must broadcast to .*shape \(2, 3\).*value=\(2,\)"
        with pytest.raises(LayoutError, match=must):
            write(x, key, dml_vk.asarray(np.zeros(2, np.int32)))
        with pytest.raises(LayoutError, match=r"setitem: value must broadcast to shape \(2, 3\)"):
            write(x, key, dml_vk.asarray(np.zeros((2, 2, 3), np.int32)))
        for value in (1.5, 1j, [1.5], [[0.0] * 3]):
            with pytest.raises(DTypeError, match="cannot store a number of this kind"):
                write(x, key, value)
        for value in ("a", None):
            with pytest.raises(DTypeError, match="value must be a number, a tensor, an array"):
                write(x, key, value)
        with pytest.raises(DTypeError, match="an integer that int32 can hold"):
            write(x, key, 2**40)
    write(x, EVERY, np.ones((1, 1, 2, 3), np.int32))
    write(x, on_device(np.array([True, False])), np.full((1, 1, 1, 1), 5, np.int32))
    assert x.tolist() == [[5, 5, 5], [1, 1, 1]]
    repeated = x.over(Layout((2, 3), (0, 1)))
    for key in (EVERY, [0, 1], on_device(np.ones(2, bool))):
        with pytest.raises(LayoutError, match=r"setitem: .* has overlapping elements"):
            write(repeated, key, 1)


def test_operands_are_on_one_device():
    x = dml_vk.asarray([1, 2, 3])
    device = object.__new__(type(x.device))
    device.__dict__.update(x.device.__dict__)
    elsewhere = Tensor(View(device, x.allocation, x.layout, x.dtype))
    with pytest.raises(DeviceError, match="getitem: operands must be on one device"):
        read(x, elsewhere)
    with pytest.raises(DeviceError, match="setitem: operands must be on one device"):
        write(x, EVERY, elsewhere)
    with pytest.raises(DeviceError, match="take: operands must be on one device"):
        take(x, elsewhere)
