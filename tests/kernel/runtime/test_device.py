"""A device on both ways to its memory: mapped, and through staging. And when it is not there."""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import json
import os
import pickle
import runpy
from types import SimpleNamespace

import numpy as np
import pytest

import dml_vk
from dml_vk.directml import Buffer
from dml_vk.driver import memory_types, probe
from dml_vk.errors import DeviceError, DeviceMemoryError, LayoutError
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.view import access
from dml_vk.runtime import arenas, engines, gate, transfer
from dml_vk.runtime import device as device_module
from dml_vk.runtime.device import Device
from tests.kernel.pending import is_pending

MIB = 2**20
WAYS = ("mapped", "staged", "bar")


def open_anew(monkeypatch, **environment) -> Device:
    """A device object of its own, with a Manager of its own."""
    for name in ("DML_VK_MEMORY", "DML_VK_MEMORY_LIMIT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Device(dml_vk.device().info)


def open_by(way: str) -> Device:
    """A device whose memory is reached so; by the best way there is where it has none such."""
    settings = {"mapped": {}, "staged": {"DML_VK_MEMORY": "staged"}}
    instance, physical = probe.physical(dml_vk.device().info)
    has_bar = memory_types.choose(instance.memory(physical), "bar") is not None
    settings["bar"] = {"DML_VK_MEMORY": "bar", "DML_VK_RUNTIME": "vulkan"} if has_bar else {}
    with pytest.MonkeyPatch.context() as patch:
        return open_anew(patch, **settings[way])


@pytest.fixture(scope="module")
def both():
    return {way: open_by(way) for way in WAYS}


@pytest.fixture(params=WAYS)
def on(request, both) -> Device:
    device = both[request.param]
    if request.param != "mapped":
        assert not device.unified
    device.memory_limit = None
    device.release_cached()
    return device


def test_what_is_cached_goes_back_at_once_when_asked(on):
    x = dml_vk.ones((2**24,), device=on)
    del x
    stats = on.memory_stats()
    assert stats.cached >= 2**26
    stats.trim()
    assert on.memory_stats().cached < 2**26
    assert stats == dataclasses.replace(stats)
    kept = pickle.loads(pickle.dumps(stats))
    assert kept == stats
    assert json.loads(json.dumps(dataclasses.asdict(kept)))["cached"] == stats.cached
    kept.trim()  # nothing, since it may be of another process


def numbers(count, kind=np.int32):
    return np.arange(1, count + 1).astype(kind)


@pytest.mark.parametrize("kind", [np.uint8, np.float16, np.float32, np.int64])
def test_uploads_and_downloads_keep_values(on, kind):
    a = numbers(840, kind).reshape(5, 7, 4, 6)
    for given in (a, np.asfortranarray(a), a[::-1, :, ::2], a[:0], a[0, 0, 0, 0]):
        x = dml_vk.asarray(given, device=on)
        assert np.array_equal(x.numpy(), given)
        assert x.device is on
    x = dml_vk.asarray(a, device=on, memory_format=channels_last)
    for view in (
        x.layout.permute(3, 1, 0, 2),
        x.layout.flip(1),
        x.layout.narrow(2, 1, 2),
        x.layout.select(3, 5).slice(1, 1, None, 3),
    ):
        y = x.over(view)
        expected = a.ravel()[Layout(a.shape).offsets()]  # row-major values, by logical index
        by_address = dict(zip(x.layout.offsets(), expected.tolist()))
        wanted = [by_address[at] for at in view.offsets()]
        assert y.numpy().ravel().tolist() == wanted


def test_more_than_a_chunk_of_staging(on, monkeypatch):
    monkeypatch.setattr(transfer, "CHUNK_BYTES", 1000)
    data = np.random.default_rng(5).integers(0, 256, 4321, np.uint8)
    x = dml_vk.asarray(data, device=on)
    assert np.array_equal(x.numpy(), data)
    assert np.array_equal(x.over(Layout((1500,), (1,), 2501)).numpy(), data[2501:4001])
    buffer = Buffer(5000, on)
    buffer.write(data, 300)
    assert np.array_equal(buffer.read(4321, 300), data)


def test_parts_of_a_buffer(on):
    buffer = Buffer(5000, on)
    expected = np.zeros(5000, np.uint8)
    buffer.write(bytes(5000))
    for start, count in ((0, 1), (1, 2), (7, 4000), (4999, 1), (255, 257), (5000, 0)):
        part = np.random.default_rng(start).integers(1, 256, count, np.uint8)
        buffer.write(part, start)
        expected[start : start + count] = part
        assert np.array_equal(buffer.read(), expected)


def test_a_copy_of_a_tensor_that_goes_right_after(on):
    results = []
    for k in range(200):
        x = dml_vk.asarray(numbers(100) + k, device=on)
        y = dml_vk.empty((100,), np.int32, device=on)
        dml_vk.copy(x.over(x.layout.flip(0)), y)
        results.append(y)
        del x, y  # pending; its memory serves the next
    for k, y in enumerate(results):
        assert np.array_equal(y.numpy(), numbers(100)[::-1] + k)


def test_an_upload_right_after_memory_is_freed_that_pending_work_reads(on):
    x = dml_vk.asarray(numbers(1000), device=on)
    y = dml_vk.empty((1000,), np.int32, device=on)
    on.synchronize()
    dml_vk.copy(x, y)
    del x
    z = dml_vk.asarray(-numbers(1000), device=on)
    assert np.array_equal(y.numpy(), numbers(1000))
    assert np.array_equal(z.numpy(), -numbers(1000))


def test_thousands_of_copies_that_depend_on_each_other(on):
    """A value walks through memory, one element at a time."""
    count = 2000
    x = dml_vk.asarray(np.r_[77, np.zeros(count, np.int64)].astype(np.int16), device=on)
    for k in range(count):
        dml_vk.copy(x.over(Layout((1,), (1,), k)), x.over(Layout((1,), (1,), k + 1)))
    assert x.tolist() == [77] * (count + 1)


def test_random_copies_end_as_they_do_one_by_one(on):
    random = np.random.default_rng(11)
    expected = [random.integers(0, 2**16, 64, np.uint16) for _ in range(6)]
    tensors = [dml_vk.asarray(array, device=on) for array in expected]
    for _ in range(1000):
        source, target = random.integers(0, 6, 2)
        size = int(random.integers(1, 64))
        start, end = random.integers(0, 65 - size, 2)
        part = Layout((size,), (1,), int(start)), Layout((size,), (1,), int(end))
        dml_vk.copy(tensors[source].over(part[0]), tensors[target].over(part[1]))
        expected[target][end : end + size] = expected[source][start : start + size].copy()
    for tensor, array in zip(tensors, expected):
        assert np.array_equal(tensor.numpy(), array)


def test_stats_and_release(on):
    gc.collect()  # what earlier tests left is not to go meanwhile
    before = on.memory_stats()
    x = dml_vk.full((MIB,), 3.0, device=on)
    stats = on.memory_stats()
    assert stats.in_use == before.in_use + 4 * MIB
    assert stats.peak >= stats.in_use
    assert sum(arena.nbytes for arena in stats.arenas) == stats.in_use + stats.cached
    assert sum(arena.in_use for arena in stats.arenas) >= stats.in_use
    assert x.tolist()[-1] == 3.0
    hosts = {arena.host_visible for arena in on.memory_stats().arenas}
    assert hosts == ({True} if on.unified else {True, False}), "staging is an arena as well"
    del x
    assert on.memory_stats().in_use == before.in_use
    on.release_cached()
    assert on.memory_stats().cached < 16 * MIB
    assert all(arena.in_use for arena in on.memory_stats().arenas)


def test_synchronize_releases_memory_that_was_idle_for_seconds(on, monkeypatch):
    now = [on.memory.clock()]
    for memory in (on.memory, *on.staging):
        monkeypatch.setattr(memory, "clock", lambda: now[0])
    held = [dml_vk.full((16 * MIB,), 7, np.uint8, device=on) for _ in range(6)]
    on.synchronize()
    held.clear()
    on.synchronize()
    assert on.memory_stats().cached >= 6 * 16 * MIB
    for _ in range(3):
        now[0] += arenas.KEPT_S
        on.synchronize()
    stats = on.memory_stats()
    assert stats.cached <= 2 * 16 * MIB + arenas.FIRST_ARENA_BYTES * (2 - on.unified)


def test_a_memory_limit_is_enforced(on):
    on.memory_limit = 40 * MIB
    assert on.memory_stats().limit == on.memory_limit == 40 * MIB
    x = dml_vk.full((30 * MIB,), 5, np.uint8, device=on)
    with pytest.raises(DeviceMemoryError, match="the limit is 41943040 bytes"):
        dml_vk.empty((30 * MIB,), np.uint8, device=on)
    assert x.over(Layout((2,), (MIB,), 29 * MIB - 1)).tolist() == [5, 5]
    on.memory_limit = None
    assert dml_vk.empty((30 * MIB,), np.uint8, device=on).nbytes == 30 * MIB
    for wrong, error in ((-1, DeviceError), ("1", LayoutError), (1.5, LayoutError)):
        with pytest.raises(error, match="device: memory_limit must"):
            on.memory_limit = wrong
    assert on.memory_limit is None


def test_a_memory_limit_by_environment(monkeypatch):
    assert open_anew(monkeypatch, DML_VK_MEMORY_LIMIT="123456789").memory_limit == 123456789
    for wrong in ("lots", "-5", "1.5"):
        with pytest.raises(DeviceError, match="DML_VK_MEMORY_LIMIT must be a number of bytes"):
            open_anew(monkeypatch, DML_VK_MEMORY_LIMIT=wrong)


def test_tensors_cross_devices_by_name_only(both):
    x = dml_vk.asarray(numbers(6).reshape(2, 3), device=both["mapped"])
    y = dml_vk.asarray(x, device=both["staged"])
    assert (y.device, y.tolist()) == (both["staged"], x.tolist())
    with pytest.raises(DeviceError, match="copy: operands must be on one device"):
        dml_vk.copy(x, y)


def test_devices_are_found_by_index_name_and_themselves():
    device = dml_vk.device()
    part = device.name[:6].upper()
    for same in (device, device.index, str(device.index), part, device.name):
        assert dml_vk.device(same) is device
    assert dml_vk.default_device() is device
    assert repr(device) == f"<dml_vk device {device.index}: {device.name}>"
    assert dml_vk.memory_stats(device) == dml_vk.memory_stats(part) == device.memory_stats()
    for wrong in ("no such device", 99, -1, 1.5, True, False, b"x", [device], object()):
        with pytest.raises(DeviceError, match=r"index or part of its name; got wanted=.*devices="):
            dml_vk.device(wrong)
    for wrong in (None, 0, device):
        with pytest.raises(
            DeviceError, match=r"Device: open devices with dml_vk\.device\(\).*; got info="
        ):
            Device(wrong)


def test_the_environment_names_the_default_at_any_time(monkeypatch):
    device = dml_vk.device()
    monkeypatch.setenv("DML_VK_DEVICE", "no such device")
    with pytest.raises(DeviceError, match="got DML_VK_DEVICE='no such device'"):
        dml_vk.default_device()
    monkeypatch.setenv("DML_VK_DEVICE", device.name[1:5])
    assert dml_vk.default_device() is device


def test_synchronize_does_everything_on_every_device():
    x, y = dml_vk.asarray([1, 2, 3]), dml_vk.empty((3,), int)
    dml_vk.copy(x, y)  # A kernel too many, made for this, would be a reason to do it all at once.
    dml_vk.synchronize()
    dml_vk.copy(x, y)
    assert is_pending(y)
    dml_vk.synchronize()
    assert not is_pending(y)


def test_a_plan_without_units_is_nothing():
    device = dml_vk.device()
    empty = plan_copy((0, 3), (3, 1), (3, 1), 4, 0, 0, device.profile)
    x = dml_vk.asarray([1, 2, 3])
    device.synchronize()
    device.queue.launch(empty, (access(x, False), access(x, True)))
    assert not is_pending(x)


# After a fork, in the child.


def test_what_runs_is_waited_for_before_the_process_ends(monkeypatch):
    device = open_anew(monkeypatch)
    monkeypatch.setattr(device_module, "_opened", {0: device})
    x = dml_vk.ones((1000,), device=device)
    with device.queue.enter():
        device.queue.send()
    pending = x + x
    device_module._before_exit()
    assert not device.queue._submitted.batches
    assert is_pending(pending), "what was not submitted is of no use any more"
    device._abandon()
    device_module._before_exit()


def test_an_abandoned_device_refuses_everything_and_keeps_what_was_made(monkeypatch):
    device = open_anew(monkeypatch)
    x, y = dml_vk.asarray([1, 2, 3], device=device), dml_vk.empty((3,), int, device=device)
    dml_vk.copy(x, y)
    y += x  # by a kernel
    leaked = []
    monkeypatch.setattr(device._runtime, "leak", leaked.extend)
    device._abandon()
    assert x.allocation.arena.block in leaked
    assert {*device.queue.pipelines.alive()} <= {*leaked}
    for call in (
        x.numpy,
        x.clone,
        lambda: dml_vk.copy(x, y),
        lambda: dml_vk.empty(3, device=device),
        lambda: dml_vk.asarray([1], device=device),
        device.synchronize,
        device.memory_stats,
        device.release_cached,
    ):
        with pytest.raises(DeviceError, match=f"start it by spawn.*; got pid={os.getpid()}"):
            call()
    assert x.shape == (3,)


@pytest.mark.parametrize("count", [0, 2])
def test_a_fork_abandons_what_was_open(count, monkeypatch):
    said = []
    opened = [SimpleNamespace(_abandon=lambda k=k: said.append(k)) for k in range(count)]
    monkeypatch.setattr(device_module, "_opened", dict(enumerate(opened)))
    monkeypatch.setattr(engines, "exit_without_drivers", lambda: said.append("exit"))
    device_module._after_fork()
    assert said == ([0, 1, "exit"] if count else [])
    # Who was opening a device is forgotten as well, by the hook that renews every gate.
    lock = device_module._opening._lock
    gate._renew_all()
    assert device_module._opening._lock is not lock


def test_a_system_without_fork_needs_no_hook(monkeypatch):
    monkeypatch.delattr(os, "register_at_fork")
    assert callable(runpy.run_path(device_module.__file__)["device"])


@pytest.mark.parametrize("is_glibc", [True, False])
def test_a_forked_child_skips_exit_handlers_if_the_system_supports_it(is_glibc, monkeypatch):
    calls = []
    functions = {"_exit": 1, "fcloseall": 2, "on_exit": lambda *given: calls.append(given)}
    libc = SimpleNamespace(**functions if is_glibc else {})
    monkeypatch.setattr(ctypes, "CDLL", lambda _: libc)
    engines.exit_without_drivers()
    # What is registered last runs first: files are flushed before the process ends.
    assert calls == ([(1, None), (2, None)] if is_glibc else [])


# What a device is opened with.


def test_an_unknown_value_of_the_memory_setting_is_refused(monkeypatch):
    monkeypatch.setenv("DML_VK_MEMORY", "stage")
    with pytest.raises(DeviceError, match="DML_VK_MEMORY must be 'staged', 'bar' or unset; got"):
        Device(dml_vk.device().info)


def test_cached_memory_is_released_before_a_kernel_is_refused(monkeypatch):
    device = dml_vk.device()
    dml_vk.empty(2**20)  # freed at once: an arena that may go
    said = ["all is taken", None]
    monkeypatch.setattr(device._guard, "no_slack", lambda: said.pop(0))
    assert device._compile_refusal() is None
    assert said == []
    said += ["all is taken", "still is"]
    assert device._compile_refusal() == "still is"


def test_the_text_of_an_error_reads_no_device(staged):
    x = dml_vk.asarray([1.0, 2.0], device=staged) + 1
    error = DeviceError("op", "it must hold", x=x, several=[(x,), ("a", 1)])
    ways = f"memory_format={x.memory_format.name}, device={staged.name!r}"
    shown = f"Tensor(shape=(2,), dtype=float32, {ways})"
    assert str(error) == f"op: it must hold; got x={shown}, several=[({shown},), ('a', 1)]"
    assert is_pending(x)
    assert x.tolist() == [2, 3]
