"""Bytes between the host and a range of device memory: one memcpy where the host sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dml_vk.kernels.plan_copy import plan_copy
from dml_vk.runtime import journal
from dml_vk.runtime.arenas import Allocation, Bytes
from dml_vk.runtime.device import Device
from dml_vk.runtime.launch import Operand

CHUNK_BYTES = 32 * 2**20  # of staging: large enough to hide a launch, small enough to keep


def mapped(device: Device, allocation: Allocation, write: bool) -> Bytes | None:
    """The memory itself, once pending work is done with it; None where the host cannot see it."""
    if allocation.bytes is None:
        device.queue.check_usable()
    elif device.queue.touches(allocation, write):
        device.synchronize()
    return allocation.bytes


def upload(device: Device, data: Bytes, allocation: Allocation, start: int = 0) -> None:
    """Write bytes from `start` on."""
    for at in chunks(data.size):
        chunk = data[at : at + CHUNK_BYTES]
        with written(device, allocation, start + at, chunk.size) as view:
            view[:] = chunk


def chunks(nbytes: int) -> Iterator[int]:
    """Where pieces start that signals need not wait long for. Of many, it is told how far it is."""
    moving = journal.Moving(nbytes)
    for at in range(0, nbytes, CHUNK_BYTES):
        yield at
        moving.moved(min(CHUNK_BYTES, nbytes - at))


@contextmanager
def written(device: Device, allocation: Allocation, start: int, nbytes: int) -> Iterator[Bytes]:
    """Host memory for a chunk at most, which is in place at the end of the `with`."""
    view = mapped(device, allocation, True)
    if view is not None:
        yield view[start : start + nbytes]
        return
    staging, view = _stage(device, nbytes)
    yield view
    _copy_bytes(device, (staging, 0), (allocation, start), nbytes)


def download(device: Device, allocation: Allocation, start: int, data: Bytes) -> None:
    """Fill `data` with the bytes from `start` on."""
    for at in chunks(data.size):
        chunk = data[at : at + CHUNK_BYTES]
        view = mapped(device, allocation, False)
        if view is not None:
            chunk[:] = view[start + at : start + at + chunk.size]
            continue
        staging, view = _stage(device, chunk.size)
        _copy_bytes(device, (allocation, start + at), (staging, 0), chunk.size)
        device.synchronize()
        chunk[:] = view


def _stage(device: Device, nbytes: int) -> tuple[Allocation, Bytes]:
    """Host memory that no pending work touches."""
    with device.queue.enter():
        staging = device.staging.allocate("transfer", nbytes)
    view = mapped(device, staging, True)
    assert view is not None
    return staging, view


def _copy_bytes(
    device: Device, source: tuple[Allocation, int], target: tuple[Allocation, int], nbytes: int
) -> None:
    plan = plan_copy((nbytes,), (1,), (1,), 1, source[1] % 16, target[1] % 16, device.limits)
    operands = [
        Operand(allocation, start, start, start + nbytes, writes)
        for (allocation, start), writes in ((source, False), (target, True))
    ]
    device.queue.launch(plan, operands)
