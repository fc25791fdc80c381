"""Transfers between the host and device memory: a memcpy if the memory is host-visible.

Otherwise chunks go through staging memory, and the host moves one while the device copies another.
Where the host can write device memory but reads it slowly, it writes what nothing pending uses.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.observe import dispatches
from dml_vk.runtime.arenas import Allocation, Bytes, MemoryRange
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.host_copy import move
from dml_vk.runtime.interface import Block, Copy

if TYPE_CHECKING:
    from dml_vk.runtime.device_work import DeviceWork

CHUNK_BYTES = 32 * 2**20  # of staging: large enough to hide a launch, small enough to cache
BUS_BYTES = 64  # read through the bus at some 8 bytes a microsecond, sooner than by a submission
Start = tuple[Block, int]  # where bytes start
SEND_BYTES = 2**20  # a copy that takes longer than a submission is begun at once


def mapped(
    device: DeviceWork, allocation: MemoryRange, write: bool, part: Access | None = None
) -> Bytes | None:
    """Wait for pending work on the memory and return it, or None if it is not host-visible.

    Work on other bytes than those of `part`, if it is given, may still be pending.
    """
    if allocation.bytes is None:
        device.queue.gate.check()
    else:
        device.settle(allocation, write, part)
    return allocation.bytes


def upload(device: DeviceWork, data: Bytes, allocation: MemoryRange, start: int = 0) -> None:
    """Write bytes to the allocation, from `start` on."""
    for at in chunks(data.size):
        chunk = data[at : at + CHUNK_BYTES]
        with written(device, allocation, start + at, chunk.size) as view:
            move(view, chunk)


def chunks(nbytes: int) -> Iterator[int]:
    """Yield the starts of chunks, so that signals need not wait long, and report progress."""
    moving = dispatches.Moving(nbytes)
    for at in range(0, nbytes, CHUNK_BYTES):
        yield at
        moving.moved(min(CHUNK_BYTES, nbytes - at))


@contextmanager
def written(
    device: DeviceWork, allocation: MemoryRange, start: int, nbytes: int
) -> Iterator[Bytes]:
    """Yield host memory for one chunk at most; on exit the allocation has its contents."""
    view = mapped(device, allocation, True)
    if view is None and allocation.window is not None and device.queue.is_free(allocation):
        view = allocation.window
    if view is not None:
        yield view[start : start + nbytes]
        return
    with device.queue.enter():
        staging = device.uploads.allocate("transfer", nbytes)
        device.ring.append(staging)  # so that the next chunk gets another place
    view = mapped(device, staging, True)
    assert view is not None
    yield view
    _copy(device, (staging, 0), (allocation, start), nbytes)


def download(device: DeviceWork, allocation: MemoryRange, start: int, data: Bytes) -> None:
    """Fill `data` with bytes of the allocation, from `start` on."""
    for at, piece in pieces(device, allocation, start, data.size):
        move(data[at : at + piece.size], piece)


def pieces(
    device: DeviceWork, allocation: MemoryRange, start: int, nbytes: int
) -> Iterator[tuple[int, Bytes]]:
    """Yield bytes of the allocation in pieces, each with its place, valid until the next.

    The device copies the next piece meanwhile.
    """
    copied: deque[tuple[int, Allocation]] = deque()
    for at in chunks(nbytes):
        size = min(CHUNK_BYTES, nbytes - at)
        view = mapped(device, allocation, False)
        if view is None and size <= BUS_BYTES and allocation.window is not None:
            device.settle(allocation, False)
            view = allocation.window
        if view is not None:
            yield at, view[start + at : start + at + size]
            continue
        with device.queue.enter():
            staging = device.downloads.allocate("transfer", size)
        _copy(device, (allocation, start + at), (staging, 0), size)
        copied.append((at, staging))
        if len(copied) > 1:
            at, staging = copied.popleft()
            yield at, _seen(device, staging)
    for at, staging in copied:
        yield at, _seen(device, staging)


def direct(device: DeviceWork, source: Start, target: Start, nbytes: int, access: Access) -> None:
    """Let the device copy bytes in pieces, and wait for it; the access is to its own memory."""
    (read, start), (written, to) = source, target
    with device.queue.enter():
        device.queue.run(
            (
                Copy(read, start + at, written, to + at, min(CHUNK_BYTES, nbytes - at))
                for at in chunks(nbytes)
            ),
            access,
        )


def part(memory: MemoryRange, start: int, nbytes: int, writes: bool) -> tuple[Start, Access]:
    """Where bytes of a range start, from `start` on, and the access to them."""
    access = Access.of(memory, start, start, start + nbytes, writes)
    return (memory.arena.block, memory.offset + start), access


def _seen(device: DeviceWork, staging: MemoryRange) -> Bytes:
    view = mapped(device, staging, False)
    assert view is not None
    return view


def _copy(
    device: DeviceWork,
    source: tuple[MemoryRange, int],
    target: tuple[MemoryRange, int],
    nbytes: int,
) -> None:
    (read, reads), (written, writes) = part(*source, nbytes, False), part(*target, nbytes, True)
    accesses = [reads, writes]
    if nbytes >= SEND_BYTES and device.queue.copies_apart:
        with device.queue.enter():
            device.queue.copy(Copy(*read, *written, nbytes), accesses)
        return
    plan = plan_copy((nbytes,), (1,), (1,), 1, 0, 0, device.profile)
    device.launch(plan, accesses)
    if nbytes >= SEND_BYTES:
        with device.queue.enter():
            device.queue.send()
