"""Tensors of as many bytes as one may have, on both sides of where 32 bits would no longer do."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DeviceMemoryError
from dml_vk.layout import channels_last
from tests.kernel.runtime.test_device import open_by
from tests.real_dtypes import DTYPES

GIB = 2**30
MOST = 2 * GIB - 4096
PERIOD = 251  # a prime, so that no two places that are far apart by powers of two look alike


def pattern(n, dtype):
    return np.resize(np.arange(PERIOD, dtype=dtype.numpy_name), n)


def windows(n):
    """Both ends, and both sides of powers of two: of elements, of bytes and of bits."""
    around = {0, n} | {2**k // size for k in range(27, 33) for size in (1, 2, 4, 8)}
    return [slice(max(0, at - 70), min(n, at + 70)) for at in sorted(around) if at <= n]


def assert_window(found, expected, n):
    for window in windows(n):
        assert np.array_equal(found[window].numpy(), expected(np.arange(window.start, window.stop)))


@pytest.mark.parametrize("name", ["uint8", "float32"])
def test_elements_at_every_place_of_2_gib(name):
    dtype = DTYPES[name]
    n = MOST // dtype.itemsize
    x = dml_vk.asarray(pattern(n, dtype))
    one = np.dtype(name).type
    assert_window(x, lambda at: (at % PERIOD).astype(name), n)
    assert_window(x[::-1], lambda at: ((n - 1 - at) % PERIOD).astype(name), n)
    y = dml_vk.empty(n, dtype=dtype)
    dml_vk.copy(x[::-1], y)
    assert_window(y, lambda at: ((n - 1 - at) % PERIOD).astype(name), n)
    dml_vk.copy(x[3:], y[:-3])
    assert_window(y[:-3], lambda at: ((at + 3) % PERIOD).astype(name), n - 3)
    dml_vk.add(x, 3, out=y)
    assert_window(y, lambda at: (at % PERIOD).astype(name) + one(3), n)
    x[n - 1] = 100
    x[5] = 101
    assert x[[n - 1, 5, -1]].tolist() == [100, 101, 100]
    assert dml_vk.take(x, dml_vk.asarray([n - 1, n - 2, 5])).tolist() == [
        100,
        (n - 2) % PERIOD,
        101,
    ]


@pytest.mark.parametrize("name", ["int8", "float16", "float64"])
def test_one_element_among_2_gib(name):
    dtype = DTYPES[name]
    n = MOST // dtype.itemsize
    x = dml_vk.zeros(n, dtype=dtype)
    x[n - 1], x[n // 2] = 7, 3
    assert dml_vk.sum(x).item() == 10
    assert dml_vk.max(x).item() == 7
    assert (dml_vk.argmax(x).item(), dml_vk.argmin(x).item()) == (n - 1, 0)
    assert dml_vk.count_nonzero(x).item() == 2
    assert dml_vk.any(x).item()
    assert dml_vk.nonzero(x)[0].tolist() == [n // 2, n - 1]
    assert dml_vk.argmax(x[::-1]).item() == 0
    rows = dml_vk.reshape(x, (-1, 512))
    assert dml_vk.argmax(rows[-1]).item() == 511
    assert dml_vk.max(rows, axis=0)[511].item() == 7
    assert dml_vk.max(dml_vk.argmax(rows, axis=0)).item() == n // 512 - 1
    assert dml_vk.max(dml_vk.argmax(rows, axis=1)).item() == 511


@pytest.mark.parametrize(("name", "columns"), [("int8", 2**29 + 64), ("int16", 2**28 + 64)])
def test_extremes_of_columns_whose_bits_are_beyond_32(name, columns):
    """Four columns at a time are read from words, whose places come of those of bytes."""
    x = dml_vk.zeros((2, columns), dtype=DTYPES[name])
    x[1, columns - 3] = 5
    x[0, 2**28 - 1] = 4
    found = dml_vk.max(x, axis=0)
    assert dml_vk.nonzero(found)[0].tolist() == [2**28 - 1, columns - 3]
    assert found[columns - 3].item() == 5


def test_formats_of_2_gib():
    """1 image of 4 channels, as bytes; back and forth."""
    sizes = (1, 4, 1024, 524287)
    pixels = pattern(MOST, DTYPES["uint8"])
    x = dml_vk.asarray(pixels.reshape(sizes))
    turned = x.to(memory_format=channels_last)
    assert turned.memory_format is channels_last
    for row in (0, 511, 512, 1023):
        for column in (0, 262143, 262144, 524286):
            assert turned[0, :, row, column].tolist() == x[0, :, row, column].tolist()
    del x
    back = turned.contiguous()
    assert_window(dml_vk.reshape(back, -1), lambda at: (at % PERIOD).astype(np.uint8), MOST)


@pytest.mark.parametrize(
    ("runtime", "way"),
    [
        ("kompute", "mapped"),
        ("kompute", "staged"),
        ("vulkan", "mapped"),
        ("vulkan", "staged"),
        ("vulkan", "bar"),
    ],
)
def test_a_buffer_of_2_gib_by_each_way_to_memory(monkeypatch, runtime, way):
    monkeypatch.setenv("DML_VK_RUNTIME", runtime)
    device = open_by(way)
    buffer = dml_vk.Buffer(MOST, device)
    buffer.fill(0x01010101)
    text = b"abcdefgh"
    starts = (0, GIB - 3, GIB + GIB // 2 - 5, MOST - len(text))
    for start in starts:
        buffer.write(text, start)
    x = buffer.tensor((MOST,), "uint8")
    x[MOST - 64 : MOST - 56] = x[GIB - 3 : GIB + 5]
    for start in (*starts, MOST - 64):
        seen = bytes(buffer.read(len(text) + 2, max(0, start - 2)))
        assert text in seen
        assert set(seen) - set(text) <= {1}
    assert x[MOST - 3 :].tolist() == [*text[-3:]]
    with pytest.raises(DeviceMemoryError, match="can span at most 2147479552 bytes"):
        dml_vk.Buffer(MOST + 1, device)
    del buffer, x
    device.release_cached()


def test_pinned_arrays_of_as_many_bytes_as_a_tensor():
    """Where memory is apart: the device copies all of them, from an odd place to another."""
    with open_by("staged") as device:
        host = dml_vk.pinned(MOST, "uint8")
        host[:] = pattern(MOST, DTYPES["uint8"])
        x = dml_vk.asarray(host[1:])
        assert_window(x, lambda at: ((at + 1) % PERIOD).astype("uint8"), MOST - 1)
        host[:3] = host[-3:] = 255
        assert x[2:].numpy(out=host[1:-2]) is not None
        for window in windows(MOST - 3):
            expected = (np.arange(window.start, window.stop) + 3) % PERIOD
            assert np.array_equal(host[1:-2][window], expected)
        assert (host[0], *host[-2:]) == (255, 255, 255)
        with pytest.raises(DeviceMemoryError, match="pinned: a tensor can span at most"):
            dml_vk.pinned(MOST + 1, "uint8")
        del host, x
        device.release_cached()


def test_more_bytes_than_that_are_refused():
    for name, dtype in DTYPES.items():
        with pytest.raises(DeviceMemoryError, match="can span at most 2147479552 bytes"):
            dml_vk.empty(MOST // dtype.itemsize + 1, dtype=name)


@pytest.fixture
def tight():
    """A device with room for one large tensor and a quarter of that."""
    device = dml_vk.device()
    gc.collect()
    device.synchronize()
    device.release_cached()
    held = dml_vk.memory_stats().in_use + dml_vk.memory_stats().cached
    before, device.memory_limit = device.memory_limit, held + GIB + GIB // 4 + 2**22
    yield device
    device.memory_limit = before
    device.release_cached()


@pytest.mark.parametrize("name", ["int8", "float32"])
def test_what_nearly_fills_memory_can_be_worked_with(tight, name):
    dtype = DTYPES[name]
    n = GIB // dtype.itemsize
    x = dml_vk.ones((n // 4096, 4096), dtype=dtype)
    x += 1
    x[-1, -1] = 3
    x[:, 0] *= 2
    assert dml_vk.count_nonzero(x).item() == n
    assert dml_vk.max(x).item() == 4
    assert dml_vk.argmin(x).item() == 1
    assert (dml_vk.sum(x, axis=0).numpy()[:2] == n // 4096 * np.array([4, 2])).all()
    assert (dml_vk.argmax(x, axis=1).numpy() == 0).all()
    assert (dml_vk.argmax(x, axis=0).numpy()[[0, -1]] == [0, n // 4096 - 1]).all()
    with pytest.raises(DeviceMemoryError, match="out of device memory"):
        x + x
    with pytest.raises(DeviceMemoryError, match="out of device memory"):
        dml_vk.sort(x, axis=1)
    assert dml_vk.sum(x[:, 1:-1]).item() == 2 * (n - 2 * (n // 4096))
    assert (x[-1, -1].item(), x[0, 0].item()) == (3, 4)
