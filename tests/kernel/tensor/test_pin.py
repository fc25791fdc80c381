"""Arrays that are there already, which a device copies from and to where they are."""

# ruff: noqa: F811 (fixtures of another file)

from __future__ import annotations

import gc
import mmap
import weakref

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.runtime import transfer
from dml_vk.runtime.pinned import Pinned
from tests.integration.process import says
from tests.kernel.pending import is_pending
from tests.kernel.runtime.test_device import both, on, open_anew  # noqa: F401
from tests.kernel.tensor.test_pinned import moved, numbers  # noqa: F401

pytestmark = pytest.mark.linux  # whose drivers take pages of the host
PAGE = mmap.PAGESIZE


@pytest.fixture(scope="module")
def staged():
    """A device whose memory the host does not see, with the runtime that takes pages."""
    with pytest.MonkeyPatch.context() as patch:
        return open_anew(patch, DML_VK_MEMORY="staged", DML_VK_RUNTIME="vulkan")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(transfer, "CHUNK_BYTES", 4 * PAGE)


def at(distance, count, kind="float32"):
    """An array that begins so many bytes after the start of a page."""
    nbytes = count * np.dtype(kind).itemsize
    raw = np.empty(nbytes + distance + PAGE, "uint8")
    start = -raw.ctypes.data % PAGE + distance
    array = raw[start : start + nbytes].view(kind)
    array[:] = numbers((count,), kind)
    return array


@pytest.mark.parametrize("distance", [0, 4, 16, PAGE - 8])
@pytest.mark.parametrize("count", [1, PAGE // 8, PAGE // 4 - 1, PAGE // 4 + 1, 4 * PAGE + 1])
def test_values_come_and_go_from_any_start(staged, distance, count, moved):
    array = at(distance, count)
    host = dml_vk.pin(array, device=staged)
    assert type(host) is np.ndarray
    assert host.ctypes.data == array.ctypes.data
    x = dml_vk.asarray(host, device=staged)
    host[...] = 3  # which x must not see
    back = dml_vk.pin(at(distance, count), device=staged)
    back[...] = 0
    assert x.numpy(out=back) is back
    np.testing.assert_array_equal(back, numbers((count,), "float32"))
    assert moved == []


def test_every_layout_of_an_array(staged, moved):
    array = numbers((6, 5, 4, 3), "int16")
    for given in (
        array,
        array[::-1],
        array.transpose(2, 0, 3, 1),
        array[1:4],
        np.asfortranarray(array),
    ):
        host = dml_vk.pin(given, device=staged)
        assert host.strides == given.strides
        x = dml_vk.asarray(host, device=staged)
        np.testing.assert_array_equal(x.numpy(), given)
    moved.clear()
    part = dml_vk.pin(array[:, 1::2, ::-1], device=staged)[2:3, 0, 1]
    np.testing.assert_array_equal(dml_vk.asarray(part, device=staged).numpy(), array[2:3, 1, 2])
    host = dml_vk.pin(array.transpose(2, 0, 3, 1), device=staged)[2:]
    dml_vk.zeros(host.shape, "int16", device=staged).numpy(out=host)
    assert not array[:, :, 2:].any() or (array[:, :, :2] != 0).all()


def test_neighbours_in_the_same_page_stay_as_they_are(staged):
    raw = numbers((3 * PAGE,), "uint8")
    expected = raw.copy()
    for low, high in ((1, 2), (5, 7), (PAGE - 1, PAGE + 3), (17, 3 * PAGE - 3)):
        host = dml_vk.pin(raw[low:high], device=staged)
        dml_vk.full((high - low,), low % 200, "uint8", device=staged).numpy(out=host)
        expected[low:high] = low % 200
        np.testing.assert_array_equal(raw, expected)


def test_the_array_is_let_go_with_the_last_view(staged):
    array = at(0, 3 * PAGE)
    host = dml_vk.pin(array, device=staged)
    part = host[PAGE : PAGE + 9]
    owner = weakref.ref(array)
    gc.disable()
    try:
        x = dml_vk.asarray(host, device=staged)
        del array, host
        gc.collect()
        assert owner() is not None
        np.testing.assert_array_equal(part, numbers((3 * PAGE,), "float32")[PAGE : PAGE + 9])
        y = dml_vk.asarray(part, device=staged)
        del part
        assert owner() is None, "without the collector"
    finally:
        gc.enable()
    np.testing.assert_array_equal(x.numpy(), numbers((3 * PAGE,), "float32"))
    assert y.shape == (9,)


def test_pending_work_is_in_order(staged):
    host, back = (dml_vk.pin(at(0, 1000, "int32"), device=staged) for _ in range(2))
    for step in range(20):
        host[:] = step
        x = dml_vk.asarray(host, device=staged)
        for _ in range(5):
            x += 1
        assert is_pending(x)
        x.numpy(out=back)
        assert (back == step + 5).all()
    sums = []
    for step in range(20):
        host[:] = step
        x = dml_vk.asarray(host, device=staged)
        sums.append(x + 1)
        del x  # Pending work still reads the memory that the next one takes.
    for step, result in enumerate(sums):
        assert (result.numpy() == step + 1).all()


def test_arrays_that_are_only_read(staged):
    frozen = numbers((2000,), "float32")
    frozen.flags.writeable = False
    host = dml_vk.pin(frozen, device=staged)
    assert not host.flags.writeable
    np.testing.assert_array_equal(dml_vk.asarray(host, device=staged).numpy(), frozen)
    with pytest.raises(LayoutError, match="can be written"):
        dml_vk.zeros((2000,), device=staged).numpy(out=host)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_files_in_memory(staged, tmp_path, mode):
    values = numbers((3 * PAGE,), "int32")
    values.tofile(tmp_path / "values")
    mapped = np.memmap(tmp_path / "values", "int32", mode)
    host = dml_vk.pin(mapped, device=staged)
    assert type(host) is np.ndarray
    assert host.flags.writeable == (mode != "r")
    np.testing.assert_array_equal(dml_vk.asarray(host, device=staged).numpy(), values)
    if mode != "r":
        dml_vk.full(host.shape, -5, "int32", device=staged).numpy(out=host)
        assert (mapped == -5).all()
    del host, mapped
    after = np.fromfile(tmp_path / "values", "int32")
    assert (after == -5).all() if mode == "r+" else (after == values).all()


def test_it_is_an_ordinary_view_where_that_is_as_good(on):
    array = numbers((5, 7), "float64")
    host = dml_vk.pin(array, device=on)
    assert np.shares_memory(host, array)
    x = dml_vk.asarray(host, device=on)
    x.numpy(out=host)
    np.testing.assert_array_equal(array, numbers((5, 7), "float64"))
    if on.unified:
        assert host.base is array
    again = dml_vk.pin(host, device=on)
    assert again.base is host or again.base is host.base
    assert dml_vk.pin(array[:0], device=on).shape == (0, 7)


def test_a_driver_that_refuses_copies_as_always(staged, monkeypatch):
    monkeypatch.setattr(staged._runtime, "import_pages", lambda *given: None)
    array = numbers((3 * PAGE,), "int32")
    host = dml_vk.pin(array, device=staged)
    assert not isinstance(host.base, Pinned)
    x = dml_vk.asarray(host, device=staged)
    host[...] = 0
    x.numpy(out=host)
    np.testing.assert_array_equal(array, numbers((3 * PAGE,), "int32"))


def test_what_cannot_be_pinned():
    for given in ([1, 2], 3.0, dml_vk.ones((2,))):
        with pytest.raises(LayoutError, match="pin: array must be a NumPy array; got array="):
            dml_vk.pin(given)
    with pytest.raises(DTypeError, match="pin"):
        dml_vk.pin(np.array(["a"]))


def test_a_process_ends_with_pinned_arrays():
    says(
        "import numpy as np; a = np.ones(10**6, 'f4'); h = dml_vk.pin(a); x = dml_vk.asarray(h);"
        "y = x + 1; y.numpy(out=h); z = y * 2; print(float(a.sum()))",
        "2000000.0",
        DML_VK_MEMORY="staged",
        DML_VK_RUNTIME="vulkan",
    )
