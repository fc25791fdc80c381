"""Device memory: a few large arenas, from which tensors get ranges."""

from __future__ import annotations

import gc
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, ClassVar, Protocol

import numpy as np

from dml_vk.errors import DeviceMemoryError
from dml_vk.runtime.exports import Exports
from dml_vk.runtime.free_list import FreeList
from dml_vk.runtime.interface import Block, MemoryKind, Runtime

ALIGNMENT = 256  # of every range; no device requires more for a storage buffer's offset
FIRST_ARENA_BYTES = 16 * 2**20
PAGE = 4096
NOWHERE = -1
MOST_WAITING = 8  # ranges whose owners died, before they are freed for other sizes
MOST_LINGERING = 2**16  # bytes of a range that does without them
KEPT_S = 5.0  # for so long, up to twice, memory that was in use is kept
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Refuses(Protocol):
    """A guard: it returns the reason why nbytes should not be allocated, or None."""

    def refusal(self, nbytes: int, kind: MemoryKind, held_bytes: int) -> str | None: ...


class Arena:
    """One block of the device, cut into ranges."""

    __slots__ = ("accesses", "block", "bytes", "exports", "free", "live", "nbytes", "window")

    def __init__(
        self,
        block: Block,
        nbytes: int,
        view: Bytes | None,
        first: int = 0,
        window: Bytes | None = None,
    ) -> None:
        self.block = block
        self.nbytes = nbytes
        self.free = FreeList(nbytes, first)
        self.live: dict[int, Note] = {}  # by offset, of those who own a range
        self.bytes = view  # the memory itself if it is host-visible
        self.window = window  # or, where the host reads it too slowly, only to be written
        self.exports = Exports()
        self.accesses: dict[object, Any] = {}  # that kernels had, by their place: see hazards.py

    @property
    def in_use(self) -> int:
        return self.free.taken_bytes


class Note(weakref.ref["Allocation"]):
    """A weak reference to an allocation that knows the range to free when the allocation dies."""

    __slots__ = ("arena", "offset", "size")
    arena: Arena
    offset: int
    size: int


def ranges(notes: Iterable[Note]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each of these allocations that is still alive."""
    for note in notes:
        allocation = note()
        if allocation is not None and allocation.offset != NOWHERE:
            yield allocation.offset, allocation.offset + max(1, allocation.nbytes)


class MemoryRange(Protocol):
    """A range of a device's memory: an `Allocation`, or a `Slot` in work that is recorded.

    A slot is its own arena, so that accesses lead to it, and has no contents.
    """

    offset: int
    nbytes: int
    is_fixed: bool

    @property
    def arena(self) -> Any: ...

    @property
    def bytes(self) -> Bytes | None: ...

    @property
    def window(self) -> Bytes | None: ...

    def export(self, holder: object) -> None: ...


class Allocation:
    """A range of an arena, freed when the last reference to it is dropped."""

    __slots__ = ("__weakref__", "arena", "is_fixed", "nbytes", "note", "offset")

    def __init__(
        self, arena: Arena, offset: int, nbytes: int, freed: deque[Note], size: int = 0
    ) -> None:
        self.arena = arena
        self.offset = offset
        self.nbytes = nbytes  # as requested; the range itself is rounded up
        self.is_fixed = False  # whether tensors over it are only read
        # Finalizers run anywhere, even while the memory's lock is held, so this one only appends
        # the note to `freed`. It is C code, unlike `__del__`, which Ctrl-C could interrupt.
        note = self.note = Note(self, freed.append)
        note.arena = arena
        note.offset = offset
        note.size = size  # of the range; 0 before it is taken
        # The weak reference must outlive the allocation. It replaces the one of a former owner.
        arena.live[offset] = note

    @property
    def bytes(self) -> Bytes | None:
        """The memory itself if it is host-visible. Pending work may still have to write it."""
        return self._part(self.arena.bytes)

    @property
    def window(self) -> Bytes | None:
        """The memory to be written through the bus, if that is all that the host should do."""
        return self._part(self.arena.window)

    def _part(self, view: Bytes | None) -> Bytes | None:
        return None if view is None else view[self.offset : self.offset + self.nbytes]

    def export(self, holder: object) -> None:
        """Export the memory for the lifetime of `holder`: work on it is then run at once."""
        self.arena.exports.add(self.offset, holder)


@dataclass(frozen=True)
class ArenaStats:
    """One arena, in bytes."""

    nbytes: int
    in_use: int
    largest_free: int
    host_visible: bool


@dataclass(frozen=True)
class MemoryStats:
    """How a device's memory is used, in bytes; range sizes are rounded up to 256."""

    in_use: int  # by live tensors
    cached: int  # held in arenas, ready for reuse
    peak: int  # the most ever in use
    limit: int | None  # in_use + cached never exceeds it, except for staging
    arenas: tuple[ArenaStats, ...]
    # No field, so that it is in no dict, comparison or pickle: another process has other memory.
    _release: ClassVar[Any] = None

    def of(self, release: Callable[[], None]) -> MemoryStats:
        """These figures, of a device that gives back memory so."""
        object.__setattr__(self, "_release", release)
        return self

    def trim(self) -> None:
        """Give back to the driver what was cached when the device was asked, and since then.

        >>> import dml_vk
        >>> dml_vk.memory_stats().trim()
        """
        if self._release is not None:
            self._release()

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_release"}


class Memory:
    """Arenas of one kind on one device. The caller must hold the device's gate.

    Ranges are allocated by best fit over all arenas. Pending work may still use a freed range;
    since hazards are tracked by address, work of the next owner is ordered after it.
    """

    def __init__(
        self,
        runtime: Runtime,
        guard: Refuses,
        max_range_bytes: int,
        kind: MemoryKind,
        flush: Callable[[], None],
        forget: Callable[[Arena], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.arenas: list[Arena] = []
        self.limit: int | None = None
        self.peak = 0
        self._used = 0  # bytes in use, updated incrementally
        self._runtime = runtime
        self._guard = guard
        self._max_bytes = max_range_bytes // PAGE * PAGE
        self._kind = kind
        self._flush = flush  # do all pending work
        self._forget = forget  # drop the pipelines bound to an arena, before it is released
        self._freed: deque[Note] = deque()
        self._recent: deque[int] = deque(maxlen=64)  # recently requested sizes
        self._high = 0  # the most bytes in use since idle memory was last looked for
        self.clock = clock
        self._look_at = 0.0  # when to look for it next

    @property
    def held(self) -> int:
        return sum([arena.nbytes for arena in self.arenas])

    @property
    def in_use(self) -> int:
        return sum([arena.in_use for arena in self.arenas])

    def allocate(self, what: str, nbytes: int, near: Arena | None = None) -> Allocation:
        """Allocate an aligned range of at least nbytes; a DeviceMemoryError changes nothing.

        It comes from the arena `near` if it fits: each combination of arenas needs a pipeline.
        """
        size = -(-nbytes // ALIGNMENT) * ALIGNMENT or ALIGNMENT
        if size > self._max_bytes:
            rule = f"a tensor can span at most {self._max_bytes} bytes on this device"
            raise DeviceMemoryError(what, rule, nbytes=nbytes)
        self._recent.append(size)
        freed = self._freed
        for note in reversed(tuple(freed)):  # of `freed` itself, to which finalizers append
            if (
                note.size == size
                and (near is None or near is note.arena)
                and note.arena.live.get(note.offset) is note
            ):
                # The range goes on to its next owner without being freed between.
                allocation = Allocation(note.arena, note.offset, nbytes, freed, size)
                freed.remove(note)
                return allocation
        self.drain(MOST_WAITING if size <= MOST_LINGERING else 0)
        # Create the note first: if Ctrl-C interrupts this, the note frees what was taken.
        near = near or self._best_fit(size) or self._grow(what, size)
        free = near.free  # An error where `near` is a placeholder, before anything refers to it.
        allocation = Allocation(near, NOWHERE, nbytes, freed)
        offset = free.take(size)
        if offset is None:
            self.drain()
            if free.fit(size) is None:
                near = self._best_fit(size) or self._grow(what, size)
            allocation = Allocation(near, NOWHERE, nbytes, freed)
            offset = near.free.take(size)
        assert offset is not None
        note = allocation.note
        allocation.offset = note.offset = offset
        note.size = size
        near.live[offset] = note
        self._used += size
        if self._used > self._high:
            used = self._used - sum([note.size for note in tuple(freed)])
            self._high = max(self._high, used)
            self.peak = max(self.peak, used)
        return allocation

    def drain(self, most: int = 0) -> None:
        """Free all but so many of the ranges whose finalizers have run, without new owners."""
        freed = self._freed
        while len(freed) > most:
            note = freed[0]  # Removed only when done: freeing twice is harmless.
            arena, offset = note.arena, note.offset
            if arena.live.get(offset, note) is note:
                self._used -= arena.free.give(offset)
                arena.live.pop(offset, None)
            freed.popleft()

    def trim_idle(self) -> None:
        """Release arenas that are unlikely to be used again. Nothing may be pending.

        What was in use at once within the last seconds will be again: a GPU's driver takes longer
        to allocate 128 MiB than the GPU to fill them forty times. So is the one empty arena kept
        that small tensors share, to which kernels are bound.
        """
        now = self.clock()
        if now < self._look_at:
            return
        self.drain()
        self._used = self.in_use  # An interrupt may have made it inexact.
        live = sum([arena.nbytes for arena in self.arenas if not arena.free.is_empty])
        missing = self._high - live
        self._high, self._look_at = self._used, now + KEPT_S
        if self._guard.refusal(0, self._kind, self.held) is not None:
            self._trim(0)  # others need the memory
        else:
            self._trim(max(self._shared_bytes(live), 2 * max(self._recent, default=0), missing))

    def trim(self) -> None:
        """Release every empty arena."""
        self._flush()
        self.drain()
        self._trim(0)

    def stats(self) -> MemoryStats:
        self.drain()
        arenas = tuple(
            ArenaStats(arena.nbytes, arena.in_use, arena.free.largest, arena.bytes is not None)
            for arena in self.arenas
        )
        return MemoryStats(self.in_use, self.held - self.in_use, self.peak, self.limit, arenas)

    def _trim(self, keep: int) -> None:
        """Release empty arenas, but so many bytes, unless one is far larger."""
        empty = [arena for arena in self.arenas if arena.free.is_empty]
        cached = sum(arena.nbytes for arena in empty)
        for arena in sorted(empty, key=lambda arena: -arena.nbytes):
            if cached - arena.nbytes >= keep or arena.nbytes >= 2 * keep:
                cached -= arena.nbytes
                self._forget(arena)
                self.arenas.remove(arena)

    def _best_fit(self, size: int) -> Arena | None:
        best, best_fit = None, 0
        for arena in self.arenas:
            fit = arena.free.fit(size)
            if fit is not None and (best is None or fit < best_fit):
                best, best_fit = arena, fit
        return best

    def _grow(self, what: str, size: int) -> Arena:
        """Make an arena with space for `size`, or return one that draining or trimming has.

        Shared arenas are a quarter of what is held, so that little memory is idle.
        """
        self.drain()
        drained = self._best_fit(size)
        if drained is not None:
            return drained
        wanted = self._shared_bytes(self.held)
        # Large tensors have an arena each. If all started at the same offset in a page, a CPU would
        # suffer from 4K aliasing of loads and stores: 1.1 to 1.8 times as slow.
        first = len(self.arenas) % (PAGE // ALIGNMENT) * ALIGNMENT
        exact = min(size + first, self._max_bytes)
        first = exact - size
        result = self._new_arena(exact if size > wanted // 2 else wanted, first)
        if isinstance(result, str):
            # Before giving up, collect garbage, release cached arenas and try the smallest size.
            gc.collect()
            self.trim()
            result = self._best_fit(size) or self._new_arena(exact, first)
        if isinstance(result, str):
            raise DeviceMemoryError(
                what, f"out of device memory: {result}", nbytes=size, in_use=self.in_use
            )
        return result

    def _shared_bytes(self, held: int) -> int:
        """Return the size of a new arena for small tensors when `held` bytes are held."""
        return max(FIRST_ARENA_BYTES, min(held // 4 // PAGE * PAGE, self._max_bytes))

    def _new_arena(self, nbytes: int, first: int) -> Arena | str:
        """Make an arena whose ranges start at `first`, or return why it cannot be made."""
        if self.limit is not None and self.held + nbytes > self.limit:
            return f"the limit is {self.limit} bytes, of which {self.held} are held"
        refusal = self._guard.refusal(nbytes, self._kind, self.held)
        if refusal is not None:
            return refusal
        try:
            block = self._runtime.allocate(nbytes, self._kind)
        except DeviceMemoryError as error:
            return str(error)
        view = None if self._kind == "device" else self._runtime.view(block).view(np.uint8)
        seen, window = (None, view) if self._kind == "bar" else (view, None)
        arena = Arena(block, nbytes, seen, first, window)
        self.arenas.append(arena)
        return arena
