"""Tensors as people who know NumPy expect them: what goes in, what comes out, in which order."""

from __future__ import annotations

import array
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import DTYPES
from dml_vk.errors import DeviceMemoryError, DTypeError, LayoutError
from dml_vk.layout import Layout, channels_last, contiguous_format, preserve_format
from dml_vk.tensor import host
from dml_vk.testing.strategies import layouts
from tests import tier

RECORDS = np.array(
    [(k, k + 0.5, -k) for k in range(1, 13)], [("a", "u1"), ("b", "f8"), ("c", "i2")]
)
READ_ONLY = np.arange(1, 7, dtype=np.int16)
READ_ONLY.flags.writeable = False
GRID = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)

ARRAYS = {
    "plain": GRID,
    "fortran": np.asfortranarray(GRID),
    "transposed": GRID.transpose(2, 0, 3, 1),
    "reversed": GRID[::-1, :, ::-1],
    "sliced": GRID[:, 1:, ::2, 3:0:-2],
    "broadcast": np.broadcast_to(GRID[0, :1], (3, 2, 4, 5)),
    "one broadcast": np.broadcast_to(np.float32(7), (3, 4)),
    "rank 0": np.array(5, np.int16),
    "rank 10": np.arange(1, 1025, dtype=np.uint16).reshape((2,) * 10).transpose(range(9, -1, -1)),
    "size 1 dims": GRID[:1, None, :, :1],
    "empty": GRID[:, 3:],
    "empty, reversed": GRID[::-1, 3:, ::-1],
    "big-endian": GRID.astype(">f4")[::-1],
    "read-only": READ_ONLY,
    "bytes of records": RECORDS["a"],
    "doubles of records": RECORDS["b"].reshape(3, 4),
    "doubles of records, backwards": RECORDS["b"].reshape(3, 4)[::-1, ::-1].T,
    "shorts of records": RECORDS["c"].reshape(2, 6)[:, ::-3],
    "bools": GRID > 50,
    "numpy scalar": np.float64(2.5),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_any_strides_arrive_and_come_back(name):
    given = ARRAYS[name]
    x = dml_vk.asarray(given)
    found = x.numpy()
    assert x.shape == found.shape == given.shape
    assert found.dtype == given.dtype.newbyteorder("=")
    assert np.array_equal(found, given)
    assert x.tolist() == given.tolist()
    assert x.nbytes == found.nbytes
    assert found.flags.writeable


@pytest.mark.parametrize("name", ["plain", "fortran", "transposed", "rank 10", "big-endian"])
def test_the_order_in_memory_is_kept(name):
    given = ARRAYS[name]
    found = dml_vk.asarray(given).numpy()
    assert found.strides == given.copy(order="K").strides


def test_an_intent_that_only_size_1_dims_carry_survives_the_way_out_and_in():
    for sizes in ((2, 1, 4, 5), (1, 3, 1, 1), (2, 3, 1, 1)):
        x = dml_vk.full(sizes, 2.0, memory_format=channels_last)
        assert dml_vk.asarray(x.numpy()).memory_format is channels_last


def test_fortran_order_is_kept():
    x = dml_vk.asarray(np.asfortranarray(GRID))
    assert x.layout.order == (3, 2, 1, 0)
    for y in (x, x.clone(), x.to(preserve_format)):
        assert y.numpy().strides == np.asfortranarray(GRID).strides
    assert x.contiguous().numpy().strides == GRID.strides
    assert np.array_equal(x.contiguous().numpy(), GRID)


@tier.examples(200)
@given(st.data(), st.sampled_from([np.uint8, np.float16, np.int32, np.float64]))
def test_any_layout_comes_back_as_an_array_of_its_own(data, kind):
    layout = data.draw(layouts())
    memory = np.arange(layout.offset + layout.span + 100).astype(kind)
    x = dml_vk.asarray(memory)
    view = x.over(layout)
    found = view.numpy()
    expected = np.array([memory[at] for at in layout.offsets()], kind).reshape(layout.sizes)
    assert np.array_equal(found, expected)
    if found.size:
        assert found.strides == tuple(found.itemsize * s for s in view.clone().layout.strides)
    assert found.flags.writeable
    found[...] = 99
    assert np.array_equal(x.numpy(), memory), "the array is the user's own"


@pytest.mark.parametrize("memory_format", [contiguous_format, channels_last])
@pytest.mark.parametrize("name", ["plain", "fortran", "transposed", "reversed", "broadcast"])
def test_memory_format_on_the_way_in(name, memory_format):
    given = ARRAYS[name]
    x = dml_vk.asarray(given, memory_format=memory_format)
    assert x.memory_format is memory_format
    assert x.layout == Layout.packed(given.shape, memory_format)
    assert np.array_equal(x.numpy(), given)
    assert x.numpy().strides == tuple(given.itemsize * s for s in x.layout.strides)


OBJECTS = {
    "int": (3, "int64"),
    "float": (2.5, "float32"),
    "bool": (True, "bool_"),
    "nested": ([[1, 2], [3, 4]], "int64"),
    "tuples": (((1.5, 2.5), [3.5, 4.5]), "float32"),
    "bools": ([[True], [False]], "bool_"),
    "mixed": ([1, 2.5, True], "float32"),
    "bools and ints": ([True, 2], "int64"),
    "range": (range(5), "int64"),
    "nothing": ([], "float32"),
    "nested nothing": ([[], []], "float32"),
    "numpy's floats": ([np.float64(0.1), np.float64(0.2)], "float64"),
    "arrays in a list": ([np.array([0.1, 0.2]), np.array([0.3, 0.4])], "float64"),
    "small floats in a list": ([np.float16(0.5)], "float16"),
    "doubles": (array.array("d", [0.1, 0.2]), "float64"),
    "memory": (memoryview(b"abc"), "uint8"),
    "inf": ([math.inf, -math.inf], "float32"),
    "the largest": ([2**63 - 1, -(2**63)], "int64"),
    "larger": (2**64 - 1, "uint64"),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_become_what_their_types_say(name):
    given, dtype = OBJECTS[name]
    x = dml_vk.asarray(given)
    assert x.dtype is DTYPES[dtype]
    kind = dtype.rstrip("_")
    assert np.array_equal(x.numpy(), np.array(given, kind))
    assert x.numpy().dtype == kind


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ([[1], [1, 2]], None),
        ("1.5", None),
        ("1.5", "float32"),
        (["1", "2"], "int32"),
        (b"abc", "uint8"),
        (None, "float32"),
        ([1.5, None], "float32"),
        (object(), None),
        ({1, 2}, None),
        ({1: 2}, "int8"),
        (iter([1, 2]), "int8"),
        ([1, 2j], "float32"),
        (np.array([1 + 2j]), "float32"),
        (np.array(["2020-01-01"], "M8[D]"), "int64"),
        (np.array([1], object), "int64"),
        (RECORDS, None),
        *[(np.longdouble(1), None)] * (np.dtype("g").itemsize > 8),  # float64 on some systems
        (2**64, None),
        (2**64, "float32"),
        ([1, 2**64], None),
        ([1, 2**63], None),
        ([[-1], [2**63]], None),
        ([True, 2**64 - 1, -1], None),
        ([300], "uint8"),
        ([-1], "uint64"),
        ([math.nan], "int32"),
        ([math.inf], "int8"),
    ],
    ids=lambda value: re.sub(" at 0x.*", "", repr(value)),
)
def test_what_is_not_numbers_or_does_not_fit_is_an_error(given, dtype):
    with pytest.raises(DTypeError, match=r"^asarray: .*; got d?type="):
        dml_vk.asarray(given, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["fortran", "big-endian", "bools", "doubles of records"])
def test_dtype_on_the_way_in_converts_as_numpy_does(name, dtype):
    kind = dtype.rstrip("_")
    x = dml_vk.asarray(ARRAYS[name], dtype)
    assert np.array_equal(x.numpy(), ARRAYS[name].astype(kind))
    assert x.numpy().dtype == kind


def test_integers_of_python_arrive_exactly():
    values = [2**63, 2**64 - 1, 1]
    assert dml_vk.asarray(values, "uint64").tolist() == values
    assert dml_vk.asarray([2**53 + 1], "float64").tolist() == [2.0**53]
    assert dml_vk.asarray([0.1], "float64").tolist() == [0.1]
    assert dml_vk.asarray([1.9, -1.9], int).tolist() == [1, -1]


def test_upload_clone_and_download_keep_bits():
    for kind, bits in ((np.float32, np.uint32), (np.float16, np.uint16), (np.float64, np.uint64)):
        words = np.random.default_rng(3).integers(0, 2**16, 4000, np.uint16).view(bits)
        x = dml_vk.asarray(words.view(kind))
        for found in (x.clone(), x.copy()):
            assert np.array_equal(found.numpy().view(bits), words)


def test_a_tensor_that_is_what_is_asked_for_comes_back_itself():
    x = dml_vk.asarray(GRID)
    same = (
        dml_vk.asarray(x),
        dml_vk.asarray(x, "float32", dml_vk.device(), memory_format=preserve_format),
        x.contiguous(),
        x.to(contiguous_format),
    )
    for y in same:
        assert y is x
    y = dml_vk.asarray(x, memory_format=channels_last)
    assert y.allocation is not x.allocation
    assert y.memory_format is channels_last
    assert np.array_equal(y.numpy(), GRID)


def test_a_tensor_of_another_dtype_is_converted_in_its_order():
    x = dml_vk.asarray(GRID - 3.5, memory_format=channels_last)
    y = dml_vk.asarray(x, "uint8")
    assert y.dtype is dml_vk.uint8
    assert y.memory_format is channels_last
    assert np.array_equal(y.numpy(), np.maximum(GRID - 3.5, 0).astype(np.uint8))
    z = dml_vk.asarray(x, "float64", memory_format=contiguous_format)
    assert z.memory_format is contiguous_format
    assert np.array_equal(z.numpy(), GRID - 3.5)
    with pytest.raises(LayoutError, match="copy=False needs "):
        dml_vk.asarray(x, "uint8", copy=False)


def test_to_contiguous_and_clone():
    x = dml_vk.asarray(GRID)
    y = x.to(channels_last)
    assert y.layout == Layout.packed(GRID.shape, channels_last)
    assert np.array_equal(y.numpy(), GRID)
    assert y.contiguous(channels_last).allocation is y.allocation
    back = y.contiguous()
    assert back.layout == x.layout
    z = y.clone()
    assert z.layout == y.layout
    assert z.allocation is not y.allocation
    assert y.clone(contiguous_format).layout == x.layout
    dml_vk.copy(dml_vk.asarray(-GRID), y)
    assert np.array_equal(z.numpy(), GRID), "a clone is its own"
    assert np.array_equal(x.numpy(), GRID)


def test_over_is_a_view():
    x = dml_vk.asarray(np.arange(12, dtype=np.int32))
    y = x.over(Layout((3, 2), (4, -1), 2))
    assert y.tolist() == [[2, 1], [6, 5], [10, 9]]
    dml_vk.copy(dml_vk.full((3, 2), 0, np.int32), y)
    assert x.tolist() == [0, 0, 0, 3, 4, 0, 0, 7, 8, 0, 0, 11]
    assert (y.shape, y.nbytes, y.device) == ((3, 2), 24, x.device)
    for wrong in (Layout((13,)), Layout((3,), (1,), 10), Layout((2, 2), (11, 1))):
        with pytest.raises(LayoutError, match="over: layout must lie within its 48 bytes"):
            x.over(wrong)
    for wrong in (None, (3, 4), "NHWC", contiguous_format):
        with pytest.raises(
            LayoutError,
            match=r"over: layout must be a Layout: .*; got layout=",
        ):
            x.over(wrong)
    assert x.over(Layout((0,), (5,), 99)).tolist() == []


def test_repr_shows_values_dtype_and_device():
    text = repr(dml_vk.asarray([[1.5, -2.0], [0.0, 3.25]]))
    assert text.startswith(
        "Tensor([[ 1.5 , -2.  ],\n        [ 0.  ,  3.25]], shape=(2, 2), dtype=float32, "
    )
    assert dml_vk.device().name in text
    assert repr(dml_vk.empty((0, 3))).startswith("Tensor([], shape=(0, 3), dtype=float32, ")
    assert repr(dml_vk.asarray(True)).startswith("Tensor(True, shape=(), dtype=bool_, ")
    assert "memory_format=channels_last, " in repr(dml_vk.asarray(GRID).to(channels_last))
    assert "order=(3, 2, 1, 0), " in repr(dml_vk.asarray(np.asfortranarray(GRID)))
    text = repr(dml_vk.asarray(np.arange(5000)))
    assert text.startswith("Tensor([   0,    1,    2, ..., 4997, 4998, 4999]")


def test_copies_keep_to_one_dtype_and_one_size():
    x = dml_vk.asarray([1, 2, 3])
    for dtype in DTYPES.values():
        y = dml_vk.full((3,), 1, dtype)
        if dtype is x.dtype:
            continue
        with pytest.raises(DTypeError, match="copy: src and dst must have the same dtype"):
            dml_vk.copy(x, y)
        assert y.tolist() == [1, 1, 1]
    with pytest.raises(LayoutError, match=r"equal sizes: .*; got source=\(3,\), target=\(1, 3\)"):
        dml_vk.copy(x, dml_vk.empty((1, 3), int))


@pytest.mark.parametrize("rank", range(11))
def test_empty_tensors_of_every_rank(rank):
    for dim in range(max(rank, 1)):
        sizes = tuple(0 if k == dim else k + 1 for k in range(rank))
        x = dml_vk.empty(sizes, "int16")
        expected = np.empty(sizes, np.int16)
        if rank:
            assert (x.nbytes, x.tolist()) == (0, expected.tolist())
            assert x.numpy().strides == expected.strides
        y = dml_vk.full(sizes, 3, "int16")
        dml_vk.copy(x, y)
        for z in (x.clone(), x.contiguous(), dml_vk.asarray(expected), dml_vk.asarray(x)):
            assert (z.shape, z.dtype) == (sizes, dml_vk.int16)


def test_shapes_by_any_integer():
    for shape in (3, np.int64(3), [3], (np.uint8(3),), np.array([3])):
        assert dml_vk.full(shape, 2.0).tolist() == [2.0, 2.0, 2.0]


def test_a_tensor_is_not_made_by_hand():
    for foreign in (None, np.zeros(3), Layout((3,))):
        with pytest.raises(DTypeError, match="Tensor: create tensors with asarray, empty or full"):
            dml_vk.Tensor(foreign)


def test_what_numpy_cannot_hold_is_told(monkeypatch):
    one = dml_vk.asarray([7], "uint8")
    high = one.over(Layout((1,) * 70))
    assert repr(high).startswith("Tensor(..., shape=(1, 1, 1, ")
    for call in (high.numpy, high.tolist):
        with pytest.raises(LayoutError, match=r"numpy: NumPy cannot hold this array \("):
            call()
    assert dml_vk.empty((0, 2**70)).shape == (0, 2**70)
    with pytest.raises(LayoutError, match="got rank=2, numel=0"):
        dml_vk.empty((0, 2**70)).numpy()
    monkeypatch.setattr(host.host_memory, "available_bytes", lambda: 2**30)  # not known everywhere
    with pytest.raises(DeviceMemoryError, match="numpy: out of host memory"):
        one.over(Layout((2**40,), (0,))).numpy()


def test_an_array_that_does_not_fit_the_process_is_our_error(monkeypatch):
    x = dml_vk.asarray([1, 2, 3])

    def full(*_, **__):
        raise MemoryError("Unable to allocate")

    with monkeypatch.context() as patch:
        patch.setattr(host, "seen_by_host", full)
        with pytest.raises(DeviceMemoryError, match=r"hold this array \(Unable to allocate\)"):
            x.numpy()
    assert x.tolist() == [1, 2, 3]


def test_an_error_of_ours_passes_through_numpy(monkeypatch):
    def refuse(*_):
        raise DeviceMemoryError("copy", "no staging left", nbytes=8)

    monkeypatch.setattr(host, "seen_by_host", refuse)
    with pytest.raises(DeviceMemoryError, match=r"^copy: no staging left; got nbytes=8$"):
        dml_vk.asarray([1]).numpy()
