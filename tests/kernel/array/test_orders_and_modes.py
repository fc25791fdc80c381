"""NumPy's orders of elements and modes of indexes out of range."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import LayoutError, RangeError
from dml_vk.layout import channels_last
from tests.kernel.forms import few_forms

A = np.arange(1, 121).reshape(2, 3, 4, 5)
MEMORIES = {
    "C": (A, dml_vk.asarray),
    "F": (np.asfortranarray(A), dml_vk.asarray),
    "turned": (A.transpose(0, 2, 3, 1), lambda a: dml_vk.asarray(A).permute(0, 2, 3, 1)),
}


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "f"])
@pytest.mark.parametrize("memory", MEMORIES)
def test_ravel_and_reshape(order, memory):
    array, make = MEMORIES[memory]
    x = make(array)
    assert np.ravel(x, order).tolist() == x.ravel(order).tolist() == np.ravel(array, order).tolist()
    if order == "K":
        return
    for shape in ((-1, 6), (5, 4, 3, 2), (120,), (2, 1, 60)):
        expected = np.reshape(array, shape, order=order)
        for found in (np.reshape(x, shape, order=order), x.reshape(shape, order=order)):
            assert found.shape == expected.shape
            assert np.array_equal(found.numpy(), expected)
    assert np.reshape(dml_vk.asarray(7), (1, 1), order=order).tolist() == [[7]]


def test_a_view_where_strides_allow_one():
    x = dml_vk.asarray(np.asfortranarray(A))
    assert x.ravel("F").allocation is x.allocation
    assert x.reshape(6, 20, order="F").allocation is x.allocation
    image = dml_vk.asarray(A, memory_format=channels_last)
    assert image.ravel("K").allocation is image.allocation
    with pytest.raises(LayoutError, match="reshape: copy=False needs strides that allow a view"):
        dml_vk.reshape(x, 120, copy=False)
    for call in (lambda: x.ravel("B"), lambda: x.reshape(120, order=None)):
        with pytest.raises(RangeError, match=r"order must be one of 'C', 'F', 'A'"):
            call()


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_take(mode):
    index = np.array([[-7, 5, 0], [100, 1, -1]])
    for turn, axis in enumerate((None, 0, 2, -1)):
        expected = np.take(A, index, axis, mode=mode)
        for x in few_forms(A, turn):
            assert np.array_equal(np.take(x, index, axis, mode=mode).numpy(), expected)
            found = dml_vk.take(x, dml_vk.asarray(index), axis=axis, mode=mode)
            assert np.array_equal(found.numpy(), expected)
    x, out = dml_vk.asarray(A), dml_vk.empty((2, 3, 4, 2), "int64")
    assert dml_vk.take(x, [9, -9], axis=3, mode=mode, out=out) is out
    assert np.array_equal(out.numpy(), np.take(A, [9, -9], 3, mode=mode))
    with pytest.raises(RangeError, match="take: mode must be 'raise', 'wrap' or 'clip'"):
        dml_vk.take(x, [0], mode="other")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_indexes_whose_dtype_does_not_hold_the_size(dtype):
    array = np.arange(40_000)
    index = np.array([3, 120, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    for mode in ("wrap", "clip"):
        found = dml_vk.take(dml_vk.asarray(array), dml_vk.asarray(index), mode=mode)
        assert found.tolist() == np.take(array, index, mode=mode).tolist()
    places = np.ravel_multi_index((dml_vk.asarray(index),), (40_000,), "wrap")
    assert places.tolist() == np.ravel_multi_index((index,), (40_000,), "wrap").tolist()


def test_coordinates():
    places = np.array([[1, 5], [0, 11]])
    given = np.array([1, 5, -1]), np.array([7, 2, 1])
    for order in ("C", "F"):
        found = np.unravel_index(dml_vk.asarray(places), (3, 4), order)
        expected = np.unravel_index(places, (3, 4), order)
        assert [one.tolist() for one in found] == [one.tolist() for one in expected]
        back = np.ravel_multi_index(found, (3, 4), order=order)
        assert back.tolist() == places.tolist()
        for mode in ("wrap", "clip", ("wrap", "clip")):
            found = np.ravel_multi_index(tuple(map(dml_vk.asarray, given)), (3, 4), mode, order)
            assert found.tolist() == np.ravel_multi_index(given, (3, 4), mode, order).tolist()
    with pytest.raises(LayoutError, match="ravel_multi_index: mode must be one of"):
        dml_vk.ravel_multi_index(tuple(map(dml_vk.asarray, given)), (3, 4), ("wrap",))


def test_thin_grids():
    vectors = [dml_vk.arange(n) for n in (3, 4, 2)]
    for indexing in ("xy", "ij"):
        plain = [np.arange(n) for n in (3, 4, 2)]
        for found in (
            np.meshgrid(*vectors, sparse=True, indexing=indexing),
            dml_vk.meshgrid(*vectors, sparse=True, indexing=indexing),
        ):
            expected = np.meshgrid(*plain, sparse=True, indexing=indexing)
            for one, wanted in zip(found, expected, strict=True):
                assert (one.shape, one.tolist()) == (wanted.shape, wanted.tolist())
