"""What NumPy does with tensors on the host, and for `like=` makes on the device."""

from __future__ import annotations

import io

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout, channels_last
from dml_vk.tensor.core import Tensor
from tests.kernel.answers import check_same

M = np.array([[0.25, -1.5, 3.0], [2.5, 0.75, -0.5]], np.float32)


def test_files_and_texts_are_of_the_numbers():
    x = dml_vk.asarray(M)
    for file in (np.save, lambda file, x: np.save(file, arr=x)):
        written = [io.BytesIO(), io.BytesIO()]
        file(written[0], x)
        np.save(written[1], M)
        assert written[0].getvalue() == written[1].getvalue()
    for file in (np.savez, np.savez_compressed):
        archive = io.BytesIO()
        file(archive, x, M + 1, turned=x.T)
        found = np.load(io.BytesIO(archive.getvalue()))
        assert sorted(found) == ["arr_0", "arr_1", "turned"]
        assert np.array_equal(found["arr_0"], M)
        assert np.array_equal(found["arr_1"], M + 1)
        assert np.array_equal(found["turned"], M.T)
    texts = [io.StringIO(), io.StringIO()]
    np.savetxt(texts[0], x, fmt="%.3f")
    np.savetxt(texts[1], M, fmt="%.3f")
    assert texts[0].getvalue() == texts[1].getvalue()
    for text in (np.array_str, np.array_repr, np.array2string):
        assert text(x) == text(M)
        assert text(x, precision=1) == text(M, precision=1)


def pairs():
    """Views of one memory, of a tensor's and of an array's."""
    array = np.arange(64, dtype=np.int32)
    x = dml_vk.asarray(array)
    for one in (Layout((8,), (2,)), Layout((8,), (-3,), 40), Layout((2, 3), (7, 2), 5)):
        for two in (one, Layout((8,), (2,), 1), Layout((0,)), Layout((4, 1), (0, 9), 9)):
            views = [
                np.lib.stride_tricks.as_strided(
                    array[layout.offset :], layout.sizes, [4 * step for step in layout.strides]
                )
                for layout in (one, two)
            ]
            yield (x.over(one), x.over(two)), views
    yield (x, x.view("int8")[5:7]), (array, array.view("int8")[5:7])


def test_shares_memory_is_numpys():
    for tensors, arrays in pairs():
        for function in (np.shares_memory, np.may_share_memory):
            for named in ({}, {"max_work": -1}):
                assert function(*tensors, **named) is function(*arrays, **named)
        assert not np.shares_memory(tensors[0], dml_vk.asarray(arrays[0]))
        assert not np.may_share_memory(tensors[0], arrays[0])
        assert not np.shares_memory(arrays[1], tensors[1])


@pytest.mark.parametrize("name", ["shares_memory", "may_share_memory"])
def test_shares_memory_with_arrays_of_the_host(name):
    function, x = getattr(np, name), dml_vk.asarray(M)
    lent = np.asarray(x)
    assert function(x, lent) is x.device.unified
    assert function(lent[:, 1:], x[:, 1]) is x.device.unified
    assert function(lent[:, ::2], x[:, 1]) is (x.device.unified and name == "may_share_memory")
    assert not function(lent, x.clone())


def test_like_makes_tensors():
    like, array = dml_vk.asarray(M), np.ones(1)
    small = {"dtype": np.dtype("int8")}
    for function, args, named in (
        (np.asarray, (M,), {}),
        (np.asarray, ([[1, 2]], "int8"), {"order": "K"}),
        (np.asanyarray, (M[0],), small),
        (np.ascontiguousarray, (M.T,), {}),
        (np.array, (M,), {"copy": True, "ndmin": 0, "subok": False}),
        (np.array, ([True, False],), {}),
        (np.array, (M,), {"ndmin": 4}),
        (np.zeros, (3,), small),
        (np.ones, ((2, 1), np.float32), {"order": "C"}),
        (np.full, ((2, 2), 7), {}),
        (np.full, (2, 7.5, np.dtype("float16")), {}),
        (np.arange, (5,), {}),
        (np.arange, (1, 7, 2), small),
        (np.arange, (), {"stop": 4}),
        (np.eye, (2,), small),
        (np.eye, (2, 3), {"k": 1, **small}),
        (np.identity, (3, np.float32), {}),
        (np.tri, (3, 4, 1, np.float32), {}),
    ):
        found = function(*args, **named, like=like)
        assert isinstance(found, Tensor)
        assert found.device is like.device
        check_same(function.__name__, found, function(*args, **named, like=array))
    assert np.empty((2, 3), like=like).shape == (2, 3)
    assert np.zeros(3, like=like).dtype is dml_vk.float32  # where NumPy has float64
    last = dml_vk.zeros((2, 3, 4, 5), memory_format=channels_last)
    assert np.ascontiguousarray(last, like=like).is_contiguous()
    assert np.array(like, like=last) is not like
    assert np.asarray(like, like=last) is like


def test_orders_of_memory():
    like, turned = dml_vk.asarray(M), dml_vk.asarray(M.T)
    for call in (
        lambda order: np.zeros((2, 3), order=order, like=like),
        lambda order: np.ones((2, 3), order=order, like=like),
        lambda order: np.full((2, 3), 1.5, order=order, like=like),
        lambda order: np.empty((2, 3), order=order, like=like),
        lambda order: np.eye(2, 3, order=order, like=like),
        lambda order: np.array(M, order=order, like=like),
        lambda order: np.asarray(M, order=order, like=like),
        lambda order: np.copy(like, order=order),
        lambda order: np.zeros_like(like, order=order),
        lambda order: np.full_like(like, 2, order=order),
    ):
        assert call("C").strides == (3, 1)
        assert call("F").strides == (1, 2)
    for order, strides in (("K", (1, 3)), ("A", (1, 3)), ("C", (2, 1)), ("F", (1, 3))):
        assert np.copy(turned.T.clone().T, order=order).strides == strides
        assert np.ones_like(turned.T.clone().T, order=order).strides == strides


def test_like_says_what_it_cannot_make():
    like = dml_vk.asarray(M)
    for call, said in (
        (
            lambda: np.fromiter([1.0], float, like=like),
            "numpy.fromiter: not available for tensors",
        ),
        (lambda: np.arange(like=like), "arange: stop must be a real number; got stop=None"),
    ):
        with pytest.raises(DTypeError, match=said):
            call()
    with pytest.raises(
        LayoutError, match="copy: order must be 'K', 'A', 'C' or 'F'; got order='X'"
    ):
        np.copy(like, order="X")
    with pytest.raises(LayoutError, match="array: copy=False needs "):
        np.array(M, copy=False, like=like)
