"""What is larger than a tensor may be is refused, by its caller's name and before any work."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DeviceMemoryError, DmlVkError, LayoutError
from dml_vk.layout import Layout
from dml_vk.runtime.arenas import PAGE
from tests.kernel.runtime.test_device import open_by

RUNTIMES = [pytest.param("kompute", marks=pytest.mark.kompute), "vulkan"]
GIB = 2**30


@pytest.fixture(params=RUNTIMES)
def on(request, opened, monkeypatch):
    """A device of this runtime that must not be asked for memory, pipelines or work any more."""
    device = opened(request.param)
    with device.queue.enter():
        device.queue.flush()

    def never(*given):
        raise AssertionError("the device was asked")

    for name in ("allocate", "pipeline", "bind", "record", "submit"):
        monkeypatch.setattr(device._runtime, name, never)
    return device


@pytest.fixture(scope="module")
def opened():
    @functools.cache
    def opened(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DML_VK_RUNTIME", name)
            device = open_by("mapped")
        dml_vk.zeros(8, "uint8", device=device).numpy()  # some memory is there
        return device

    return opened


def most(device):
    return device.limits.max_range_bytes // PAGE * PAGE


def beyond(device):
    """Sizes above the limit, about each power of two that a number of bytes could be cut to."""
    yield most(device) + 1
    for bits in (31, 32, 33, 40, 63, 64, 70):
        yield from (2**bits, 2**bits + 4, 2**bits + 2**20)


def far(nbytes):
    """A host array of so many bytes in one."""
    return np.broadcast_to(np.zeros((), np.uint8), (nbytes,))


def refused(what, nbytes, call, *given, **named):
    rule = f"^{what}: a tensor can span at most .* bytes on this device; got nbytes={nbytes}$"
    with pytest.raises(DeviceMemoryError, match=rule):
        call(*given, **named)


def test_memory_is_refused(on):
    for nbytes in beyond(on):
        refused("Buffer", nbytes, dml_vk.Buffer, nbytes, on)
        refused("Buffer", nbytes, dml_vk.directml.Buffer, nbytes, on)
        refused("empty", nbytes, dml_vk.empty, nbytes, "uint8", device=on)
        refused("zeros", nbytes, dml_vk.zeros, (nbytes, 1), "int8", device=on)
        for kind in (np.dtype("float16"), np.dtype("float64")):
            count = -(-nbytes // kind.itemsize)
            given = ((count,), 1.5, kind.name)
            refused("full", count * kind.itemsize, dml_vk.full, *given, device=on)


def test_arrays_of_the_host_are_refused(on):
    for nbytes in (most(on) + 1, 2 * GIB, 4 * GIB, 4 * GIB + 4, 2**40):
        refused("asarray", nbytes, dml_vk.asarray, far(nbytes), device=on)
        refused("asarray", 8 * nbytes, dml_vk.asarray, far(nbytes), "float64", device=on)
        buffer = dml_vk.Buffer(8, on)
        with pytest.raises(LayoutError, match=r"^Buffer\.write: offset and data must lie within 8"):
            buffer.write(far(nbytes))
        for start in (nbytes, -nbytes):
            with pytest.raises(LayoutError, match=r"^Buffer\.write: offset and data must lie"):
                buffer.write(b"1", start)
            with pytest.raises(LayoutError, match=r"^Buffer\.read: offset and nbytes must lie"):
                buffer.read(1, start)
        with pytest.raises(LayoutError, match=r"^Buffer\.read: offset and nbytes must lie"):
            buffer.read(nbytes)


def test_results_are_refused(on):
    """From small operands, or views of them, which may have any number of elements."""
    x = dml_vk.Buffer(16, on).tensor((4,), "float32")
    column = x.over(Layout((2**16, 1), (0, 1)))
    wide = x.over(Layout((2**29, 4), (0, 1)))
    assert wide.nbytes == 8 * GIB
    refused("clone", 8 * GIB, wide.clone)
    refused("contiguous", 8 * GIB, wide.contiguous)
    refused("to", 4 * GIB, wide.to, "float16")
    refused("add", 8 * GIB, dml_vk.add, wide, 1)
    refused("exp", 8 * GIB, dml_vk.exp, wide)
    refused("concat", 16 * GIB, dml_vk.concat, [wide, wide])
    refused("tile", 8 * GIB, dml_vk.tile, x, 2**29)
    refused("matmul", 16 * GIB, dml_vk.matmul, column, column.over(Layout((1, 2**16), (0, 0))))
    refused("arange", 8 * GIB, dml_vk.arange, 2**31, dtype="int32", device=on)


@pytest.mark.parametrize("at", [2 * GIB, 4 * GIB, 2**40, 2**63, 2**70])
def test_views_beyond_their_memory_are_refused(on, at):
    """Also where the place is one within the memory after it was cut to 32 or 64 bits."""
    buffer = dml_vk.Buffer(16, on)
    for layout in (Layout((2,), (1,), at), Layout((2,), (at,)), Layout((at, 1))):
        with pytest.raises(DmlVkError, match=r"layout must lie within its 16 bytes"):
            buffer.tensor(layout, "uint8")
        with pytest.raises(DmlVkError, match=r"layout must lie within its 16 bytes"):
            buffer.tensor((4,), "uint32").over(layout)
