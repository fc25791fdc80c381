"""Transfers between the host and device memory: a memcpy if the memory is host-visible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.observe import dispatches
from dml_vk.runtime.arenas import Allocation, Bytes
from dml_vk.runtime.hazards import Access

if TYPE_CHECKING:
    from dml_vk.runtime.device import Device

CHUNK_BYTES = 32 * 2**20  # of staging: large enough to hide a launch, small enough to cache


def mapped(device: Device, allocation: Allocation, write: bool) -> Bytes | None:
    """Wait for pending work on the memory and return it, or None if it is not host-visible."""
    if allocation.bytes is None:
        device.queue.check_usable()
    elif device.queue.touches(allocation, write):
        device.synchronize()
    return allocation.bytes


def upload(device: Device, data: Bytes, allocation: Allocation, start: int = 0) -> None:
    """Write bytes to the allocation, from `start` on."""
    for at in chunks(data.size):
        chunk = data[at : at + CHUNK_BYTES]
        with written(device, allocation, start + at, chunk.size) as view:
            view[:] = chunk


def chunks(nbytes: int) -> Iterator[int]:
    """Yield the starts of chunks, so that signals need not wait long, and report progress."""
    moving = dispatches.Moving(nbytes)
    for at in range(0, nbytes, CHUNK_BYTES):
        yield at
        moving.moved(min(CHUNK_BYTES, nbytes - at))


@contextmanager
def written(device: Device, allocation: Allocation, start: int, nbytes: int) -> Iterator[Bytes]:
    """Yield host memory for one chunk at most; on exit the allocation has its contents."""
    view = mapped(device, allocation, True)
    if view is not None:
        yield view[start : start + nbytes]
        return
    staging, view = _stage(device, nbytes)
    yield view
    _copy_bytes(device, (staging, 0), (allocation, start), nbytes)


def download(device: Device, allocation: Allocation, start: int, data: Bytes) -> None:
    """Fill `data` with bytes of the allocation, from `start` on."""
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
    """Allocate host memory that no pending work accesses."""
    with device.queue.enter():
        staging = device.staging.allocate("transfer", nbytes)
    view = mapped(device, staging, True)
    assert view is not None
    return staging, view


def _copy_bytes(
    device: Device, source: tuple[Allocation, int], target: tuple[Allocation, int], nbytes: int
) -> None:
    plan = plan_copy((nbytes,), (1,), (1,), 1, source[1] % 16, target[1] % 16, device.profile)
    operands = [
        Access.of(allocation, start, start, start + nbytes, writes)
        for (allocation, start), writes in ((source, False), (target, True))
    ]
    device.launch(plan, operands)
