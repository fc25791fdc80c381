"""`take` and `take_along_axis` against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.array.indexing.api import read
from dml_vk.array.indexing.take import take, take_along_axis
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import Layout, channels_last
from tests.chance import chance
from tests.kernel.ops.test_scatter import on_device


def test_take_along_an_axis_or_of_all():
    array = chance().integers(0, 100, (4, 5, 6))
    for order in (None, channels_last):
        x = dml_vk.asarray(array, memory_format=order)
        for indices in (np.array([3, -1, 0]), np.array(2), np.array([[0, 1], [2, -3]])):
            for axis, one in ((0, indices), (1, on_device(indices)), (None, on_device(indices))):
                expected = np.take(array, indices, axis)
                assert np.array_equal(take(x, one, axis=axis).numpy(), expected)
    x = dml_vk.asarray(np.arange(7))
    assert take(x, dml_vk.asarray([3, -1])).tolist() == [3, 6]
    assert take(x, []).tolist() == read(x, range(0)).tolist() == []
    assert take(dml_vk.full((), 5), [0, -1]).tolist() == [5, 5]
    out = dml_vk.empty(7, dml_vk.int64)
    assert take(x, x.over(x.layout.flip(0)), out=out) is out
    assert out.tolist() == [6, 5, 4, 3, 2, 1, 0]
    take(out, out, out=out)
    assert out.tolist() == [0, 1, 2, 3, 4, 5, 6]
    take(out, [3, 4, 5, 6, 0, 1, 2], out=out)
    take(out, [4, 5, 6, 0, 1, 2, 3], out=out)
    assert out.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_take_along_axis():
    array = chance().integers(0, 100, (4, 5, 6))
    for order in (None, channels_last):
        x = dml_vk.asarray(array, memory_format=order)
        for axis in (0, 1, 2, -1):
            indices = np.argsort(array, axis)
            found = take_along_axis(x, on_device(indices), axis=axis)
            assert np.array_equal(found.numpy(), np.sort(array, axis))
            assert found.memory_format is x.memory_format
            few = indices.take([0, 1], axis)[:, :1] if axis != 1 else indices[:, :2, :1]
            found = take_along_axis(x, few, axis=axis)
            assert np.array_equal(found.numpy(), np.take_along_axis(array, few, axis))
    rows = dml_vk.asarray(array[0, :, :1])
    repeated = rows.over(rows.layout.expand(5, 6))
    wide = dml_vk.asarray(np.zeros((5, 2), int))
    assert take_along_axis(repeated, wide.over(wide.layout.to((1, 0))[0])).layout.order == (1, 0)
    out = dml_vk.asarray(array)
    take_along_axis(out, on_device(np.argsort(array, 0)), axis=0, out=out)
    assert np.array_equal(out.numpy(), np.sort(array, 0))


def test_what_take_refuses():
    x = dml_vk.asarray(np.zeros((4, 5), np.float32))
    index = dml_vk.asarray([0, 4])
    with pytest.raises(LayoutIndexError, match=r"take: axis must be from -2 to 1; got axis=2"):
        take(x, index, axis=2)
    with pytest.raises(
        LayoutIndexError, match=r"take: index is out .* axis 0 .*size 4; got index=4"
    ):
        take(x, index, axis=0)
    with pytest.raises(LayoutIndexError, match=r"for all elements with size 20; .*=20"):
        take(x, [20])
    with pytest.raises(DTypeError, match=r"take: indices must be integers; got dtype=.*bool"):
        take(x, [True, False], axis=0)
    with pytest.raises(DTypeError, match=r"take: indices must be integers; got dtype=.*float64"):
        take(x, [0.0, 1.0], axis=0)
    with pytest.raises(DTypeError, match=r"take: x must be a Tensor"):
        take([1, 2], [0])
    with pytest.raises(DTypeError, match=r"take: out must be a Tensor"):
        take(x, index, axis=1, out=3)
    with pytest.raises(LayoutError, match=r"take: out must have the shape \(4, 2\)"):
        take(x, index, axis=1, out=x)
    large = x.over(Layout((2**16, 2**16), (0, 0)))
    with pytest.raises(LayoutError, match=r"take: cannot index over more than 2147483648 el"):
        take(large, index)
    with pytest.raises(
        LayoutError, match=r"take_along_axis: x and indices must have the same number of dims"
    ):
        take_along_axis(x, index)
    with pytest.raises(LayoutError, match=r"take_along_axis: sizes must agree or be 1"):
        take_along_axis(x, np.zeros((3, 2), int))
    with pytest.raises(
        LayoutIndexError, match=r"take_along_axis: index is out .* axis 1 .*index=5"
    ):
        take_along_axis(x, np.full((4, 1), 5))
