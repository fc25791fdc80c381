"""Device memory that the host writes through the bus: no copy on the way there, none seen back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dml_vk
from dml_vk.driver import probe
from dml_vk.errors import DeviceError
from dml_vk.runtime import device as device_module
from dml_vk.runtime import engines, transfer
from dml_vk.runtime.device import Device
from tests.kernel.pending import is_pending
from tests.unit.runtime.queues import Runtime

N = 1000
A = np.arange(1, N + 1, dtype=np.int32)


@pytest.fixture
def fresh(bar):
    """The device with nothing pending and no staging memory."""
    bar.synchronize()
    bar.release_cached()
    for staging in bar.staging:
        assert not staging.arenas
    return bar


def test_what_goes_up_is_not_copied_on_the_way(fresh, monkeypatch):
    monkeypatch.setattr(transfer, "CHUNK_BYTES", 1024)
    x = dml_vk.asarray(A, device=fresh)
    y = dml_vk.asarray(A[::-1], "float64", device=fresh)
    assert not is_pending(x)
    assert not is_pending(y)
    assert not fresh.uploads.arenas
    assert np.array_equal((x + 1).numpy(), A + 1)
    assert np.array_equal(y.numpy(), A[::-1])
    assert fresh.downloads.arenas, "it is read through memory that the host caches"
    assert not fresh.uploads.arenas


def test_a_few_bytes_are_read_without_a_copy(fresh):
    x = dml_vk.asarray(A, device=fresh) + 1
    assert is_pending(x)
    assert int(x[7]) == A[7] + 1
    assert x[3:9].tolist() == (A[3:9] + 1).tolist()
    assert not fresh.downloads.arenas


def test_it_is_written_while_other_memory_is_worked_on(fresh):
    x = dml_vk.asarray(A, device=fresh)
    y = x + 1
    z = dml_vk.asarray(-A, device=fresh)
    assert is_pending(y)
    assert not is_pending(z)
    assert not fresh.uploads.arenas
    assert np.array_equal((y + z).numpy(), np.ones(N))


@pytest.mark.parametrize("way", ["read", "written"])
def test_what_pending_work_uses_is_written_in_its_turn(fresh, way):
    buffer, other = dml_vk.Buffer(4 * N, fresh), dml_vk.Buffer(4 * N, fresh)
    buffer.write(A)
    fresh.synchronize()
    (other.copy_from if way == "read" else buffer.copy_from)(buffer if way == "read" else other)
    assert is_pending(buffer)
    buffer.write(-A)
    assert fresh.uploads.arenas
    if way == "read":
        assert np.array_equal(other.read("int32"), A)
    assert np.array_equal(buffer.read("int32"), -A)


def test_what_runs_is_not_waited_for(fresh, monkeypatch):
    buffer = dml_vk.Buffer(4 * N, fresh)
    with monkeypatch.context() as patch:
        patch.setattr(fresh._runtime, "is_done", lambda ticket: False)
        buffer.fill(7)
        with fresh.queue.enter():
            fresh.queue.send()
        assert not fresh.queue.is_free(buffer.allocation)
        buffer.write(A[:9], 4)
        assert fresh.uploads.arenas
    assert buffer.read("int32")[:11].tolist() == [7, *A[:9].tolist(), 7]
    fresh.synchronize()
    assert fresh.queue.is_free(buffer.allocation)


def test_nobody_is_shown_it(fresh):
    x = dml_vk.asarray(A, device=fresh)
    assert not fresh.unified
    assert not any(one.host_visible for one in fresh.memory.stats().arenas)
    assert not hasattr(x, "__array_interface__")
    with x.map() as array:
        array[0] = 77
    assert x[0].item() == 77
    shown = np.asarray(x)
    assert not shown.flags.writeable


def opened(monkeypatch, kind, way="", runtime=None):
    """A device of this type, whichever it is."""
    monkeypatch.setenv("DML_VK_MEMORY", way)
    monkeypatch.setattr(engines, "open_runtime", lambda info: runtime)
    monkeypatch.setattr(device_module, "most_rounds", lambda runtime: 2**17)
    info = replace(probe.select(), type=kind)
    monkeypatch.setattr(probe, "devices", lambda: [info])
    return Device(info).memory._kind


@pytest.mark.parametrize(
    ("kind", "way", "chosen"),
    [
        ("discrete", "", "bar"),
        ("discrete", "staged", "device"),
        ("discrete", "bar", "bar"),
        ("virtual", "", "device"),
        ("integrated", "", "unified"),
        ("cpu", "bar", "bar"),
        ("cpu", "staged", "device"),
    ],
)
def test_it_is_for_cards(monkeypatch, kind, way, chosen):
    assert opened(monkeypatch, kind, way, Runtime()) == chosen


def test_a_device_or_runtime_without_it_stages(monkeypatch):
    runtime = Runtime()
    runtime.kinds = runtime.kinds - {"bar"}
    assert opened(monkeypatch, "discrete", "", runtime) == "device"
    rule = r"DML_VK_MEMORY=bar needs the runtime 'vulkan' and .* resizable BAR; got runtime='fake'"
    with pytest.raises(DeviceError, match=rule):
        opened(monkeypatch, "discrete", "bar", runtime)
