"""Where tensors meet NumPy's functions, and when `asarray` copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.observe import dispatches
from dml_vk.runtime import transfer

A = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def test_asarray_of_a_tensor_is_itself_unless_asked_to_copy():
    x = dml_vk.asarray(A)
    assert dml_vk.asarray(x) is x
    y = dml_vk.asarray(x, copy=True)
    dml_vk.copy(dml_vk.full((2, 3, 4), 5.0), x)
    assert np.array_equal(y.numpy(), A)
    assert dml_vk.asarray(x, copy=False) is x


def test_what_must_be_copied_is_refused_where_copy_is_false():
    x = dml_vk.asarray(A)
    for obj, options in ((A, {}), ([1], {}), (x, {"memory_format": dml_vk.channels_last})):
        with pytest.raises(LayoutError, match="asarray: copy=False needs "):
            dml_vk.asarray(obj, copy=False, **options)
    converted = dml_vk.asarray(x, copy=True, memory_format=dml_vk.channels_last)
    assert converted.memory_format is dml_vk.channels_last
    assert np.array_equal(converted.numpy(), A)


@pytest.mark.parametrize("memory_format", [dml_vk.contiguous_format, dml_vk.channels_last])
def test_arrays_go_down_by_pieces_between_which_ctrl_c_may_come(monkeypatch, memory_format):
    array = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
    x = dml_vk.asarray(array, memory_format=memory_format)
    moved = []
    monkeypatch.setattr(dispatches.Moving, "moved", lambda self, nbytes: moved.append(nbytes))
    monkeypatch.setattr(transfer, "CHUNK_BYTES", 64)
    for view, expected in ((x, array), (x[:, ::2, ::-1], array[:, ::2, ::-1])):
        moved.clear()
        assert np.array_equal(view.numpy(), expected)
        assert max(moved) <= 64
        # Where the host sees no memory, what has gaps comes with them, and is put together after.
        whole = 0 if x.device.unified or view is x else 4 * view.layout.span
        assert sum(moved) == expected.nbytes + whole


def test_a_tensor_is_what_it_is_made():
    x = dml_vk.asarray(A)
    for name, value in (("dtype", dml_vk.int32), ("device", None), ("layout", x.layout)):
        with pytest.raises(AttributeError):
            setattr(x, name, value)
    assert dml_vk.asarray(x) is x
    assert x.to(x.memory_format) is x
    assert x.contiguous() is x


def test_truth_and_equality_are_never_silently_wrong():
    assert [bool(dml_vk.asarray(value)) for value in (0, [0], [[3]], 0.5)] == [
        False,
        False,
        True,
        True,
    ]
    with pytest.raises(ValueError, match="bool: x must have exactly one element: use any"):
        bool(dml_vk.asarray([1, 2]))
    assert dml_vk.asarray(1) == 1
    with pytest.raises(ValueError, match="bool: x must have exactly one element: use any"):
        assert dml_vk.asarray([1, 2]) == 1
    assert len({dml_vk.asarray(1), dml_vk.asarray(1)}) == 2


def test_a_c_contiguous_array_is_row_major_however_it_came_about():
    grey = np.zeros((1, 3, 4), np.uint8)
    for array in (
        np.ascontiguousarray(grey.transpose(1, 2, 0)),
        np.array([[1, 2]]),
        grey[:, :1, :1],
    ):
        x = dml_vk.asarray(array)
        assert x.layout.order == tuple(range(array.ndim))
        assert x.memory_format is dml_vk.contiguous_format
    batch = np.ascontiguousarray(np.zeros((1, 1, 4, 5)).transpose(0, 2, 3, 1))
    x = dml_vk.asarray(batch)
    assert x.over(x.layout.permute(0, 3, 1, 2)).memory_format is dml_vk.channels_last


def test_a_fill_value_that_is_no_number_is_named():
    for wrong in ("a", None, [1]):
        with pytest.raises(DTypeError, match="full: fill_value must be a number; got fill_value"):
            dml_vk.full((2, 3), wrong)
    assert dml_vk.full((2,), np.array(3, np.int16)).tolist() == [3, 3]


def test_numpy_functions_take_tensors():
    x = dml_vk.asarray(A)
    assert np.array_equal(np.asarray(x), A)
    assert np.asarray(x, np.int16).dtype == np.int16
    assert np.add(x, 1)[1, 2, 3] == 24
    with pytest.raises(ValueError, match="__array__: copy=False needs "):
        x.__array__(np.int16, copy=False)


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, 1, 1), (0, 3), ()])
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, copy.copy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_pickles_and_copies_keep_values_type_and_order(copied, shape):
    array = np.arange(1, 1 + int(np.prod(shape)), dtype=np.float16).reshape(shape)
    x = dml_vk.asarray(array)
    if x.layout.rank >= 3:
        x = x.to(dml_vk.channels_last)
    y = copied(x)
    assert (y.layout, y.dtype) == (x.layout, x.dtype)
    assert np.array_equal(y.numpy(), array)
    dml_vk.copy(dml_vk.full(shape, 9, np.float16), x)
    assert np.array_equal(y.numpy(), array), "it has memory of its own"


def test_a_view_is_pickled_without_what_surrounds_it():
    x = dml_vk.asarray(A)
    view = x.over(x.layout.flip(2).slice(2, 0, None, 2))
    y = pickle.loads(pickle.dumps(view))
    assert np.array_equal(y.numpy(), A[:, :, ::-2])
    assert len(pickle.dumps(view)) < 500


def test_a_device_that_is_not_there_is_named_however_long():
    with pytest.raises(dml_vk.DeviceError, match="must be a device's index or part of its name"):
        dml_vk.device("9" * 5000)


def test_what_chose_the_device_is_named(monkeypatch):
    monkeypatch.setenv("DML_VK_DEVICE", "no such device")
    with pytest.raises(dml_vk.DeviceError, match="got DML_VK_DEVICE='no such device', devices="):
        dml_vk.device()
    assert dml_vk.device(dml_vk.devices()[0]) is dml_vk.device(0)
