"""Bytes come and go by the device's copy engine, or by its other queue where it has none."""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections import Counter
from functools import partial

import numpy as np
import pytest

import dml_vk
from conftest import first_with_kernels
from dml_vk.driver import queue_families
from dml_vk.errors import DeviceError, DeviceMemoryError
from dml_vk.observe import dispatches
from dml_vk.runtime import transfer
from dml_vk.runtime.vulkan import driver_queue
from dml_vk.runtime.vulkan.opened import Opened
from tests.interrupts import interrupted
from tests.kernel.runtime.test_device import open_anew

N = 4000
A = np.arange(1, N + 1, dtype=np.int32)


@pytest.fixture(scope="module", autouse=True)
def _small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer, "CHUNK_BYTES", 4096)
        patch.setattr(transfer, "SEND_BYTES", 1024)
        yield


def opened_by(patch, way):
    """A device with its own copy engine, if it has one."""
    own = queue_families.for_copies

    def chosen(families, unified):
        engine = own(families, unified=False)
        return first_with_kernels(families) if engine is None else engine

    patch.setattr(queue_families, "for_copies", chosen)
    return open_anew(patch, DML_VK_MEMORY=way, DML_VK_RUNTIME="vulkan")


@pytest.fixture(scope="module", params=["staged", "bar"])
def opened(request):
    with pytest.MonkeyPatch.context() as patch:
        return opened_by(patch, request.param)


@pytest.fixture
def on(opened, monkeypatch):
    opened.synchronize()
    opened.release_cached()
    opened.calls = Counter()
    engine = opened._runtime.copy_engine

    def counted(name, plain, *given):
        opened.calls[name] += 1
        return plain(*given)

    for name in ("record", "follow", "precede"):
        monkeypatch.setattr(engine, name, partial(counted, name, getattr(engine, name)))
    return opened


def test_values_come_and_go(on):
    x = dml_vk.asarray(A, device=on)
    y = x * 2 + 1
    assert np.array_equal(y.numpy(), A * 2 + 1)
    assert np.array_equal(x[1:N:3].numpy(), A[1:N:3])
    assert on.calls["record"] >= 4


def test_what_is_read_waits_for_its_kernel(on, monkeypatch):
    """As long as nobody knows that the kernel is over."""
    with monkeypatch.context() as patch:
        patch.setattr(on._runtime, "is_done", lambda ticket: False)
        y = dml_vk.asarray(A, device=on) + 1
        assert np.array_equal(y.numpy(), A + 1)
    assert on.calls["follow"] == 1


def test_a_batch_waits_for_what_it_reads(on, monkeypatch):
    """As long as nobody knows that the copies are over."""
    x = dml_vk.zeros(N, "int32", device=on)
    on.synchronize()
    with monkeypatch.context() as patch:
        patch.setattr(on._runtime, "is_done", lambda ticket: False)
        x + 1  # so that the host does not write it
        x[...] = A
        y = x + 1
        with on.queue.enter():
            on.queue.send()
    assert on.calls["precede"] == 1
    assert np.array_equal(y.numpy(), A + 1)


def test_few_bytes_go_with_all_else(on):
    x = dml_vk.asarray(A[:20], device=on)
    assert x.tolist() == A[:20].tolist()
    assert not on.calls


def test_parts_of_tensors_are_written_and_read_in_order(on):
    x, expected = dml_vk.asarray(A, device=on), A.copy()
    for k in range(6):
        part = slice(300 * k, 300 * k + 1200)
        doubled = x * 2
        x[part] = -A[part]
        assert np.array_equal(doubled.numpy(), expected * 2)
        expected[part] = -A[part]
        x += 1
        expected += 1
    assert np.array_equal(x.numpy(), expected)


def test_pinned_memory_goes_the_same_way(on):
    host, back = (dml_vk.pinned((N,), "int32", device=on) for _ in range(2))
    host[:] = A
    for k in range(3):
        x = dml_vk.asarray(host, device=on)
        host[:] = 0
        (x + k).numpy(out=back)
        assert np.array_equal(back, A + k)
        host[:] = A
    assert on.calls["record"] >= 6
    array = A.copy()
    pinned = dml_vk.pin(array, device=on)
    assert np.array_equal(dml_vk.asarray(pinned, device=on).numpy(), A)


def test_donated_memory_is_used_again(on):
    @dml_vk.compile(donate=0)
    def step(x, y):
        return x + y

    with on:
        x, expected = dml_vk.asarray(A), A.copy()
        for k in range(5):
            x = step(x, dml_vk.asarray(A + k))
            expected = expected + A + k
        assert np.array_equal(x.numpy(), expected)


def test_threads_upload_while_others_compute(on):
    wrong = []

    def load(seed):
        values = np.random.default_rng(seed).integers(0, 1000, N).astype(np.int32)
        for _ in range(8):
            x = dml_vk.asarray(values, device=on)
            if not np.array_equal((x * 3).numpy(), values * 3):
                wrong.append(seed)

    threads = [threading.Thread(target=load, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_links_are_used_again(on):
    x = dml_vk.asarray(A, device=on)
    for _ in range(20):
        (x + 1).numpy()
    assert on.calls["follow"] >= 1
    assert len(on._runtime.copy_engine._queue._links) <= 3


def test_what_is_logged_goes_with_all_else(on, monkeypatch):
    monkeypatch.setattr(dispatches, "explains", lambda: True)
    monkeypatch.setattr(on.queue, "_is_logged", True)
    assert np.array_equal(dml_vk.asarray(A, device=on).numpy(), A)
    assert not on.calls


def test_ctrl_c_in_a_link_leaves_all_in_order(on):
    x = dml_vk.asarray(A, device=on)
    for at in itertools.count():
        came = interrupted(at, driver_queue.__file__, on._runtime.copy_engine.follow)
        assert np.array_equal((x + 1).numpy(), A + 1)
        if not came:
            break
    assert at > 50


def test_ctrl_c_while_it_waits_leaves_all_in_order(on, monkeypatch):
    x, plain = dml_vk.asarray(A, device=on), on._runtime.wait
    for count in range(1, 4):
        left = iter(range(count))

        def wait(ticket, left=left):
            plain(ticket)
            if next(left, None) == 0:
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(on._runtime, "wait", wait)
            with pytest.raises(KeyboardInterrupt):
                (x + count).numpy()
        assert np.array_equal((x + 2).numpy(), A + 2)


def test_a_failed_link_is_an_error_and_is_not_used_again(on, monkeypatch):
    queue = on._runtime.copy_engine._queue
    with monkeypatch.context() as patch:
        patch.setattr(on._runtime._opened.calls, "vkQueueSubmit", lambda *given: -2)
        with pytest.raises(DeviceMemoryError, match="vkQueueSubmit"):
            queue.follow(on._runtime._queue)
    failed = [link for link in queue._links if not link.is_over()]
    for _ in range(4):
        queue.follow(on._runtime._queue)
        on._runtime._opened.calls.vkDeviceWaitIdle(on._runtime._opened.handle)
    assert [link for link in queue._links if not link.is_over()] == failed != []
    assert np.array_equal((dml_vk.asarray(A, device=on) + 1).numpy(), A + 1)


def test_a_lost_device_is_an_error_that_names_it(monkeypatch):
    device = opened_by(monkeypatch, "staged")
    x = dml_vk.asarray(A, device=device)
    monkeypatch.setattr(device._runtime._opened.calls, "vkWaitForFences", lambda *given: -4)
    for use in (x.numpy, device.synchronize, lambda: dml_vk.asarray(A, device=device)):
        with pytest.raises(DeviceError, match="VK_ERROR_DEVICE_LOST"):
            use()


@pytest.mark.parametrize(("families", "sharing"), [([0], 0), ([0, 1], 1)])
def test_buffers_are_shared_by_all_families_that_are_used(families, sharing):
    opened = Opened.__new__(Opened)
    opened._families = (ctypes.c_uint32 * len(families))(*families)
    info = opened.buffer(256, 3)
    assert (info.nbytes, info.usage, info.sharing) == (256, 3, sharing)
    assert [info.families[n] for n in range(info.family_count)] == families * sharing
