"""Device memory: a few big arenas, and ranges of them that tensors live in."""

from __future__ import annotations

import gc
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from dml_vk.errors import DeviceMemoryError, explain
from dml_vk.runtime.free_list import FreeList
from dml_vk.runtime.kompute import Block, Runtime

ALIGNMENT = 256  # of every range; no device asks for more of a storage buffer's offset
FIRST_ARENA_BYTES = 16 * 2**20  # kp touches host memory at birth, 24 ms for 64 MiB: start small
PAGE = 4096
NOWHERE = -1
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Refuses(Protocol):
    """What a guard does: say why nbytes cannot be had, or None."""

    def refusal(self, nbytes: int, host_visible: bool, held_bytes: int) -> str | None: ...


class Arena:
    """One block of the device, cut into ranges."""

    __slots__ = ("block", "bytes", "free", "live", "nbytes")

    def __init__(self, block: Block, nbytes: int, view: Bytes | None, first: int = 0) -> None:
        self.block = block
        self.nbytes = nbytes
        self.free = FreeList(nbytes, first)
        self.live: set[Note] = set()
        self.bytes = view  # the memory itself, where the host sees it

    @property
    def in_use(self) -> int:
        return self.free.taken_bytes


class Note(weakref.ref["Allocation"]):
    """What is left of an allocation: the range to give back."""

    __slots__ = ("arena", "offset")
    arena: Arena
    offset: int


def ranges(notes: Iterable[Note]) -> Iterator[tuple[int, int]]:
    """Where the memory of what is alive among these starts and ends."""
    for note in notes:
        allocation = note()
        if allocation is not None and allocation.offset != NOWHERE:
            yield allocation.offset, allocation.offset + max(1, allocation.nbytes)


class Allocation:
    """A range of an arena, given back when the last reference to it goes."""

    __slots__ = ("__weakref__", "arena", "lent", "nbytes", "note", "offset")

    def __init__(self, arena: Arena, offset: int, nbytes: int, freed: deque[Note]) -> None:
        self.arena = arena
        self.offset = offset
        self.nbytes = nbytes  # as asked for; the range itself is rounded up
        # Finalizers run anywhere, also while the memory's lock is held: only leave a note. In C,
        # where no Ctrl-C comes in between, which in a `__del__` would be lost as well.
        self.note = Note(self, freed.append)
        self.note.arena, self.note.offset = arena, offset
        arena.live.add(self.note)  # A note must outlive what it is about.
        self.lent: dict[int, weakref.ref[object]] = {}  # by whom: `lend`

    @property
    def bytes(self) -> Bytes | None:
        """The memory itself, where the host sees it. Pending work may not have reached it yet."""
        view = self.arena.bytes
        return None if view is None else view[self.offset : self.offset + self.nbytes]

    def lend(self, holder: object) -> None:
        """As long as the holder lives, others look at the memory, and work on it must not wait."""
        if id(holder) not in self.lent:
            # What takes it back is C, too.
            back = partial(self.lent.pop, id(holder))
            self.lent[id(holder)] = weakref.ref(holder, back)


@dataclass(frozen=True)
class ArenaStats:
    """One arena, in bytes."""

    nbytes: int
    in_use: int
    largest_free: int
    host_visible: bool


@dataclass(frozen=True)
class MemoryStats:
    """What a device's memory holds, in bytes; ranges count as rounded up to 256."""

    in_use: int  # by live tensors
    cached: int  # held in arenas, ready for reuse
    peak: int  # the most ever in use
    limit: int | None  # in_use + cached never exceeds it, but for staging
    arenas: tuple[ArenaStats, ...]


class Memory:
    """Arenas of one kind on one device. The caller is inside the device's gate.

    Ranges are handed out by best fit over all arenas. A range that is given back may still be
    touched by pending work; hazards are kept by address, so whoever gets it next is ordered after.
    """

    def __init__(
        self,
        runtime: Runtime,
        guard: Refuses,
        max_range_bytes: int,
        host: bool,
        flush: Callable[[], None],
        forget: Callable[[Arena], None],
    ) -> None:
        self.arenas: list[Arena] = []
        self.limit: int | None = None
        self.peak = 0
        self._runtime = runtime
        self._guard = guard
        self._max_bytes = max_range_bytes // PAGE * PAGE
        self._host = host
        self._flush = flush  # do all pending work
        self._forget = forget  # an arena is about to go: let go of what is bound to it
        self._freed: deque[Note] = deque()
        self._recent: deque[int] = deque(maxlen=64)  # sizes asked for lately

    @property
    def held(self) -> int:
        return sum([arena.nbytes for arena in self.arenas])

    @property
    def in_use(self) -> int:
        return sum([arena.in_use for arena in self.arenas])

    def allocate(self, what: str, nbytes: int, near: Arena | None = None) -> Allocation:
        """A range of at least nbytes, aligned; a DeviceMemoryError leaves everything as it was.

        It comes from the arena `near` if there is room: each pair of arenas is a pipeline more.
        """
        size = _rounded(nbytes)
        if size > self._max_bytes:
            must = (
                f"a tensor must span at most {self._max_bytes} bytes, the range of a storage "
                "buffer that kernels of this device can address"
            )
            raise DeviceMemoryError(explain(what, must, nbytes=nbytes))
        self.drain()
        self._recent.append(size)
        if near is None or near.free.fit(size) is None:
            near = self._best_fit(size) or self._grow(what, size)
        # The note comes first: should Ctrl-C come in between, it knows all that there is to free.
        allocation = Allocation(near, NOWHERE, nbytes, self._freed)
        offset = near.free.take(size)
        assert offset is not None
        allocation.offset = allocation.note.offset = offset
        self.peak = max(self.peak, self.in_use)
        return allocation

    def drain(self) -> None:
        """Take back what finalizers have left."""
        freed = self._freed
        while freed:
            note = freed[0]  # Until it is done: to give back twice does no harm.
            note.arena.free.give(note.offset)
            note.arena.live.discard(note)
            freed.popleft()

    def settle(self) -> None:
        """After a flush, when nothing is pending: give back what is not likely to be used again.

        A chain of operations needs its live tensors and room for the next results. That is kept,
        or the one arena that small tensors share beside those that are live, which `_grow` would
        make anew, and with it all kernels that are bound to it.
        """
        self.drain()
        live = sum([arena.nbytes for arena in self.arenas if not arena.free.is_empty])
        self._trim(max(self._shared_bytes(live), 2 * max(self._recent, default=0)))

    def trim(self) -> None:
        """Release every arena that holds nothing."""
        self._flush()
        self.drain()
        self._trim(0)

    def stats(self) -> MemoryStats:
        self.drain()
        arenas = tuple(
            ArenaStats(a.nbytes, a.in_use, a.free.largest, self._host) for a in self.arenas
        )
        return MemoryStats(self.in_use, self.held - self.in_use, self.peak, self.limit, arenas)

    def _trim(self, keep: int) -> None:
        empty = [arena for arena in self.arenas if arena.free.is_empty]
        cached = sum(arena.nbytes for arena in empty)
        for arena in sorted(empty, key=lambda arena: -arena.nbytes):
            if cached > keep:
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
        """An arena with room for `size`: a quarter of what is held, so that little lies idle."""
        wanted = self._shared_bytes(self.held)
        # Large tensors have an arena each. If all began at one place in a page, a CPU would take
        # loads of one for loads of what it has just stored to another: 1.1 to 1.8 times as slow.
        first = len(self.arenas) % (PAGE // ALIGNMENT) * ALIGNMENT
        exact = min(size + first, self._max_bytes)
        first = exact - size
        made = self._new_arena(exact if size > wanted // 2 else wanted, first)
        if isinstance(made, str):
            # Before giving up: what nobody can reach any more, what is cached, the smallest size.
            gc.collect()
            self.trim()
            made = self._best_fit(size) or self._new_arena(exact, first)
        if isinstance(made, str):
            raise DeviceMemoryError(
                explain(what, f"there must be room, but {made}", nbytes=size, in_use=self.in_use)
            )
        return made

    def _shared_bytes(self, held: int) -> int:
        """How large an arena small tensors share, where so much is held."""
        return max(FIRST_ARENA_BYTES, min(held // 4 // PAGE * PAGE, self._max_bytes))

    def _new_arena(self, nbytes: int, first: int) -> Arena | str:
        """An arena whose ranges start at `first`, or why there cannot be one."""
        if self.limit is not None and self.held + nbytes > self.limit:
            return f"the limit set is {self.limit} bytes, of which {self.held} are held"
        try:
            # kp wants words to copy. Made first, since the guard must have the last look.
            words = np.empty(nbytes // 4, np.uint32)
        except MemoryError:
            return "the process itself has no room left"
        refusal = self._guard.refusal(nbytes, self._host, self.held)
        if refusal is not None:
            return refusal
        block = self._runtime.allocate(words, self._host)
        view = self._runtime.view(block).view(np.uint8) if self._host else None
        arena = Arena(block, nbytes, view, first)
        self.arenas.append(arena)
        return arena


def _rounded(nbytes: int) -> int:
    return max(ALIGNMENT, -(-nbytes // ALIGNMENT) * ALIGNMENT)
