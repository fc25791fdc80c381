"""What NumPy and others see of a tensor's memory: it is the tensor's own, or cannot be written."""

from __future__ import annotations

import gc

import numpy as np
import PIL.Image
import pytest
import scipy.ndimage

import dml_vk
from dml_vk.dtypes import DTYPES
from dml_vk.layout import Layout, channels_last
from tests.kernel.pending import is_pending
from tests.kernel.tensors import assert_same

A = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
IMAGE = np.random.default_rng(5).random((17, 23)).astype(np.float32)
VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: np.swapaxes(x, 1, 3),
    "sliced": lambda x: x[:, 1:, ::2, 1:4],
    "backwards": lambda x: x[::-1, :, ::-2],
    "of one element": lambda x: x[1, 2, 3, 4, ...],
    "empty": lambda x: x[:, 3:],
}


@pytest.mark.parametrize("memory_format", [dml_vk.contiguous_format, channels_last])
@pytest.mark.parametrize("name", VIEWS)
def test_what_numpy_writes_is_in_the_tensor(seen, name, memory_format):
    x = dml_vk.asarray(A, device=seen, memory_format=memory_format)
    expected, view = A.copy(), VIEWS[name]
    lent, place = np.asarray(view(x)), view(expected)
    assert np.array_equal(lent, place)
    if not seen.unified:
        return
    if lent.size > 1:
        assert lent.strides == tuple([4 * stride for stride in view(x).strides])
    np.copyto(lent, place + 1)
    place[...] += 1
    assert_same(x, expected)
    np.multiply(place, 3, out=np.asarray(view(x)))
    place *= 3
    assert_same(x, expected)
    lent[...] = 7
    place[...] = 7
    assert_same(x + 1, expected + 1)


def test_every_dtype_is_lent(seen):
    for dtype in DTYPES.values():
        array = np.array([[0, 1, 3], [5, 6, 7]]).astype(dtype.numpy_name)
        x = dml_vk.asarray(array, device=seen)
        lent = np.asarray(x)
        assert_same(x, lent)
        if seen.unified:
            lent[0] = array[1]
            assert x.tolist() == [array[1].tolist()] * 2, dtype


FILTERS = {
    "gaussian": lambda a, output: scipy.ndimage.gaussian_filter(a, 1.5, output=output),
    "uniform": lambda a, output: scipy.ndimage.uniform_filter(a, 3, output=output),
    "median": lambda a, output: scipy.ndimage.median_filter(a, 3, output=output),
    "convolve": lambda a, output: scipy.ndimage.convolve(a, np.ones((3, 2)), output=output),
    "dilation": lambda a, output: scipy.ndimage.grey_dilation(a, (3, 3), output=output),
    "shift": lambda a, output: scipy.ndimage.shift(a, (1.5, -2), output=output),
}


@pytest.mark.parametrize("name", FILTERS)
def test_scipy_writes_its_output_into_the_tensor(seen, staged, name):
    run = FILTERS[name]
    expected = run(IMAGE, np.empty_like(IMAGE))
    memory = dml_vk.zeros((2, 23, 17), device=seen)
    for x in (dml_vk.zeros(IMAGE.shape, device=seen), memory[1].T, memory[0].T[::-1]):
        if seen.unified:
            run(IMAGE, x)
            assert_same(x, expected)
            run(dml_vk.asarray(IMAGE, device=seen), x)
            assert_same(x, expected)
    apart = dml_vk.zeros(IMAGE.shape, device=staged)
    with pytest.raises((ValueError, RuntimeError)):
        run(IMAGE, apart)
    assert not apart.any()


@pytest.mark.parametrize("way", ["staged", "bar"])
def test_memory_that_the_host_does_not_read_is_shown_and_not_written(request, way):
    x = dml_vk.asarray(A, device=request.getfixturevalue(way))
    for view in VIEWS.values():
        shown = np.asarray(view(x))
        assert_same(view(x), shown)
        assert not shown.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        np.copyto(np.asarray(x), A)
    with pytest.raises(ValueError, match="read-only"):
        np.add(A, A, out=np.asarray(x))
    assert_same(x, A)
    for name in ("__array_interface__", "__array_struct__"):
        assert not hasattr(x, name)
        with pytest.raises(
            AttributeError,
            match=f"{name}: memory is not host-visible: use np.asarray to copy it; got device=",
        ):
            getattr(x, name)


def test_copies_are_written_freely(seen, staged):
    for device in (seen, staged):
        x = dml_vk.asarray(A, device=device)
        repeated = x[:1].expand(2, 3, 4, 5)
        for one in (x, repeated):
            expected = one.tolist()
            for copied in (one.numpy(), np.array(one), np.array(one, np.float32)):
                copied[...] = 0
            one.__array__(copy=True)[...] = 0
            for kind in (np.int16, np.float64, ">f4"):
                converted = np.asarray(one, dtype=kind)
                assert converted.tolist() == expected
                converted[...] = 0
                one.__array__(kind)[...] = 0
            assert one.tolist() == expected


def test_elements_that_share_an_address_are_not_written(seen):
    x = dml_vk.asarray([[1.0], [2.0]], device=seen)
    for view in (
        x.expand(2, 3),
        x.over(Layout((2, 2), (0, 1))),
        x[:, 0].unfold(0, 1, 1).expand(2, 4),
    ):
        lent = np.asarray(view)
        assert_same(view, lent)
        with pytest.raises(ValueError, match="read-only"):
            lent[0] = 3
        with pytest.raises(ValueError, match="read-only"):
            view.__array__()[0] = 3
        if seen.unified:
            assert np.asarray(view).ctypes.data == np.asarray(x).ctypes.data
            assert view.__array_interface__["data"] == (np.asarray(x).ctypes.data, True)
    assert x.tolist() == [[1.0], [2.0]]


def test_work_is_done_in_the_order_in_which_it_is_written(seen):
    """NumPy's writes among operations, with nobody waiting for any of them."""
    x = dml_vk.asarray(A, device=seen) + 1
    lent = np.asarray(x)
    assert np.array_equal(lent, A + 1), "what was asked for before is done"
    if not seen.unified:
        return
    y, part = x * 2, x[1, :, ::2]
    lent[...] = 5
    assert_same(y, 2 * (A + 1))
    x += 1
    assert np.array_equal(lent, np.full_like(A, 6)), "and what is asked for later"
    part -= 3
    assert (lent[1, :, ::2] == 3).all()
    assert (lent[0] == 6).all()
    z = dml_vk.sum(part)
    lent[...] = 0
    assert z.item() == 3 * part.size
    dml_vk.subtract(y, 1, out=x)
    assert np.array_equal(lent, 2 * A + 1), "also where only the result is there"


BORROWERS = {
    "asarray": np.asarray,
    "array": lambda x: x.__array__(),
    "dlpack": np.from_dlpack,
    "view": lambda x: np.asarray(x)[1:, ::-1],
}


@pytest.mark.parametrize("name", BORROWERS)
def test_work_waits_again_when_nobody_holds_the_memory(seen, name):
    x = dml_vk.asarray(A, device=seen)
    for _ in range(2):
        lent = BORROWERS[name](x)
        y = x * 2
        assert is_pending(y) is not seen.unified
        del lent, y
        gc.collect()
        y = x * 3
        assert is_pending(y)
        seen.synchronize()
    with x.map() as memory:
        y = x * 2
        assert is_pending(y) is not seen.unified
        del memory
    gc.collect()
    y = x * 3
    assert is_pending(y)


def test_array_interface_lends_memory_for_the_tensors_life(seen):
    if not seen.unified:
        return
    x = dml_vk.asarray(A, device=seen, memory_format=channels_last)
    told, again = x.__array_interface__, x.__array_interface__
    assert told == again
    assert told["data"] == (np.asarray(x).ctypes.data, False)
    assert (told["shape"], told["typestr"], told["version"]) == (x.shape, "<f4", 3)
    assert told["strides"] == np.asarray(x).strides
    assert dml_vk.asarray([1, 2], device=seen).__array_interface__["strides"] == (8,)
    y = x * 2
    assert not is_pending(y)
    z = x[1].clone()
    del x
    gc.collect()
    y = y * 2
    assert is_pending(y)
    assert_same(z, A[1])


def test_more_dims_than_numpy_has():
    x = dml_vk.empty((1,) * 65)
    assert not hasattr(x, "__array_interface__")
    with pytest.raises(dml_vk.LayoutError, match=r"__array__: NumPy cannot hold this array \("):
        np.asarray(x)


def test_pictures_are_made_of_tensors(seen):
    pixels = np.random.default_rng(3).integers(0, 256, (3, 5, 7), np.uint8)
    image = dml_vk.asarray(pixels, device=seen)
    if not seen.unified:
        return
    for x, array in (
        (image[0], pixels[0]),
        (image[1].T[::-1], pixels[1].T[::-1]),
        (image.permute(1, 2, 0), pixels.transpose(1, 2, 0)),
        (dml_vk.asarray(IMAGE, device=seen), IMAGE),
    ):
        made = PIL.Image.fromarray(x)
        assert made.mode == PIL.Image.fromarray(array).mode
        assert np.array_equal(np.asarray(made), array)


def test_bytes_are_in_row_major_order(seen, staged):
    for device in (seen, staged):
        x = dml_vk.asarray(A, device=device, memory_format=channels_last)
        for view, array in ((x, A), (x[:, :, ::-1, 1:3], A[:, :, ::-1, 1:3]), (x[:0], A[:0])):
            assert view.tobytes() == array.tobytes()
