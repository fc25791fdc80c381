"""Hazards of pending work in one arena: the levels from which on a byte range may be accessed."""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

from dml_vk.runtime.arenas import ALIGNMENT, Arena, MemoryRange

MAX_TOUCHED = 64  # segments that a read updates one by one rather than merging them
MAX_PIECES = 6  # segments that any access does, if it was to them in pieces before
MAX_KNOWN = 4096  # accesses of an arena
Range = tuple[Arena, int, int]  # the bytes of an arena from an address up to another one


class Segment:
    """A range of bytes with the same accesses so far. It ends where the next one starts."""

    __slots__ = ("owner", "readable", "start", "writable")

    def __init__(self, start: int, readable: int, writable: int, owner: object = None) -> None:
        self.start = start
        self.readable = readable  # the first level at which it may be read: after all writes
        self.writable = writable  # the first at which it may be written: after all accesses
        self.owner = owner  # what is pending there; None once the segment is cut or merged


_start = operator.attrgetter("start")
_owner = operator.attrgetter("owner")
_readable = operator.attrgetter("readable")
_writable = operator.attrgetter("writable")
_NOWHERE = Segment(0, 0, 0)  # of accesses in pieces, where nobody looks what was marked
_UNSEEN = (_NOWHERE,)


@dataclass(slots=True, eq=False)
class Access:
    """The part of an arena that one binding of a kernel accesses, in bytes, as whole words.

    It does not keep the memory alive: the caller holds the allocation until the launch.
    """

    arena: Any  # an `Arena`, or the `Slot` of work that is recorded
    start: int  # of the allocation
    base: int  # address of element 0; not always the lowest
    low: int
    high: int
    writes: bool
    is_whole: bool = False  # to all of an allocation, which shares its last words with no other
    end: int = field(init=False, repr=False)
    """Where what it waits for ends: results of several sizes take turns in small ranges."""
    segment: Segment = field(default=_NOWHERE, init=False, repr=False)  # where it was seen last
    pieces: Sequence[Segment] = field(default=_UNSEEN, init=False, repr=False)  # if it is several

    def __post_init__(self) -> None:
        self.end = -(-self.high // ALIGNMENT) * ALIGNMENT if self.is_whole else self.high

    @classmethod
    def of(cls, allocation: MemoryRange, base: int, low: int, high: int, writes: bool) -> Access:
        """Make an access from byte offsets relative to the allocation."""
        return cls.within(allocation, (base, low & ~3, high + 3 & ~3, writes))

    @classmethod
    def within(cls, allocation: MemoryRange, span: tuple[int, int, int, bool]) -> Access:
        """Return the access to a `span` of whole words of an allocation.

        Equal ones are the same object, since memory that is freed is allocated next: what was
        encoded for it, and where it was pending, is then known.
        """
        arena, at = allocation.arena, allocation.offset
        known: dict[object, Access] = arena.accesses
        access = known.get((at, span))
        if access is None:
            base, low, high, writes = span
            if len(known) >= MAX_KNOWN:
                known.clear()
            is_whole = low == 0 and high >= allocation.nbytes
            access = known[at, span] = cls(
                arena, at, at + base, at + low, at + high, writes, is_whole
            )
        return access

    @property
    def span(self) -> tuple[int, int, int, bool]:
        """The part without the place of the allocation."""
        return self.base, self.low, self.high, self.writes

    @property
    def slot(self) -> int:
        """The number of its slot, in work that is recorded."""
        number: int = self.arena.number
        return number

    @property
    def range(self) -> Range:
        """What it waits for."""
        return self.arena, self.low, self.end

    def on(self, memory: MemoryRange) -> Access:
        """Return the same access to other memory."""
        return Access.within(memory, self.span)

    def widened(self) -> Access:
        """The access of a binding, which starts at a multiple of ALIGNMENT."""
        return replace(self, low=self.low // ALIGNMENT * ALIGNMENT)


class Hazards:
    """For every byte range, the first levels at which it may be read and written.

    Ranges are whole words, since kernels read and write nothing smaller. Most accesses are to a
    range that was accessed before, which the access itself knows; for others a look-up bisects, and
    cuts segments where the range begins and ends. Each change is one step in C, so that Ctrl-C
    finds it done or not begun, or at worst makes later work wait unnecessarily.

    >>> from dml_vk.runtime.hazards import Hazards
    >>> pending = Hazards()
    >>> _ = pending.mark(0, 16, True, 0)
    >>> pending.after(8, 12, False), pending.after(16, 20, True)
    (1, 0)
    """

    __slots__ = ("_owner", "_segments")

    def __init__(self, owner: object = _NOWHERE) -> None:
        self._owner = owner  # of all arenas' hazards, as `place` looks for
        self._segments = [Segment(0, 0, 0, owner)]

    @property
    def count(self) -> int:
        """The number of segments."""
        return len(self._segments)

    def after(self, low: int, high: int, write: bool) -> int:
        """Return the first level at which [low, high) may be written, or read."""
        segments = self._segments
        first = bisect_right(segments, low, key=_start) - 1
        last = bisect_left(segments, high, first + 1, key=_start)
        level: int = max(map(_writable if write else _readable, segments[first:last]))
        return level

    def clear(self) -> None:
        """Forget what was accessed. Nothing may be pending."""
        for segment in self._segments:
            segment.owner = None
        self._segments = [Segment(0, 0, 0, self._owner)]

    def cut(self, low: int, high: int) -> list[Segment]:
        """Return the segments of [low, high), which none of them extends beyond.

        A range without bytes counts as a word, or two segments would start at one address.
        """
        low = low & ~3
        high = max((high + 3) & ~3, low + 4)
        segments, owner = self._segments, self._owner
        first = bisect_right(segments, low, key=_start) - 1
        last = bisect_left(segments, high, first + 1, key=_start)
        pieces = segments[first:last]
        head, tail = pieces[0], pieces[-1]
        goes_on = last == len(segments) or segments[last].start > high
        if head.start < low or goes_on:
            # New ones replace those that are cut, or accesses would take the rest for all of them.
            before, after = [], []
            if head.start < low:
                before = [Segment(head.start, head.readable, head.writable, owner)]
                pieces[0] = Segment(low, head.readable, head.writable, owner)
                head.owner = None
            if goes_on:
                if tail.owner is not None:
                    pieces[-1] = Segment(tail.start, tail.readable, tail.writable, owner)
                    tail.owner = None
                after = [Segment(high, tail.readable, tail.writable, owner)]
            segments[first:last] = before + pieces + after
        return pieces

    def mark(
        self, low: int, high: int, write: bool, level: int, floor: int = 0, again: bool = False
    ) -> Sequence[Segment]:
        """Record that work at `level`, which `after` allowed, accesses [low, high).

        No later work comes below the level `floor`. So a read merges what was last accessed before:
        memory that was written piece by piece, and is read as a whole again and again. If the
        access comes `again`, something else cuts the range each time, so that its pieces stay.
        Return the segments of the range.
        """
        return self.touch(self.cut(low, high), write, level, floor, again)

    def touch(
        self, pieces: Sequence[Segment], write: bool, level: int, floor: int, again: bool
    ) -> Sequence[Segment]:
        """`mark` for the pieces of a range, in order."""
        if len(pieces) > 1:
            stay = again and len(pieces) <= MAX_PIECES
            if not stay and not write and len(pieces) <= MAX_TOUCHED:
                stay = max(map(_writable, pieces)) > floor
            if not stay:
                pieces = (self._merged(pieces),)
        _touch(pieces, write, level + 1)
        return pieces

    def _merged(self, pieces: Sequence[Segment]) -> Segment:
        """Replace segments by one, which is as restrictive as all of them together."""
        first = bisect_left(self._segments, pieces[0].start, key=_start)
        readable = max(map(_readable, pieces))
        merged = Segment(pieces[0].start, readable, max(map(_writable, pieces)), self._owner)
        for segment in pieces:
            segment.owner = None
        self._segments[first : first + len(pieces)] = [merged]
        return merged


def range_of(allocation: MemoryRange, part: Access | None = None) -> Range:
    """The range of an allocation, or of a part of it."""
    if part is not None:
        return allocation.arena, part.low, part.high
    return allocation.arena, allocation.offset, allocation.offset + max(1, allocation.nbytes)


def last_level(pending: dict[Arena, Hazards], memory: Range, write: bool) -> int:
    """The level of the last work that must be over before this range is read, or written."""
    arena, low, high = memory
    hazards = pending.get(arena)
    return -1 if hazards is None else hazards.after(low, high, write) - 1


def place(pending: dict[Arena, Hazards], accesses: Sequence[Access], floor: int = 0) -> int:
    """Find the first level, from `floor`, at which all these accesses are allowed; mark them there.

    It is `after` and `mark` in one, without a look-up where each access is to a range that it was
    to before. If others cut that range, as slices of a tensor do, it is in several pieces.
    """
    level = floor
    in_pieces: Sequence[Access] = ()
    for access in accesses:
        segment = access.segment
        if segment.owner is pending:
            if access.writes:
                if segment.writable > level:
                    level = segment.writable
            elif segment.readable > level:
                level = segment.readable
        elif all(map(operator.is_, map(_owner, access.pieces), repeat(pending))):
            level = max(level, *map(_writable if access.writes else _readable, access.pieces))
            in_pieces = (*in_pieces, access)
        else:
            return _place_anew(pending, accesses, floor)
    after = level + 1
    for access in accesses:
        segment = access.segment
        if access.writes:
            segment.readable = segment.writable = after
        elif segment.writable < after:
            segment.writable = after
    for access in in_pieces:
        _touch(access.pieces, access.writes, after)
    return level


def _place_anew(pending: dict[Arena, Hazards], accesses: Sequence[Access], floor: int) -> int:
    level, cut = floor, []
    for access in accesses:
        hazards = pending.get(access.arena)
        if hazards is None:
            hazards = pending[access.arena] = Hazards(pending)
        pieces = hazards.cut(access.low, access.end)
        level = max(level, *map(_writable if access.writes else _readable, pieces))
        cut.append((access, hazards, pieces))
    for access, hazards, pieces in cut:
        if None in map(_owner, pieces):  # Another of these accesses cuts or merges them.
            pieces = hazards.cut(access.low, access.end)
        again = access.pieces is not _UNSEEN
        access.pieces = hazards.touch(pieces, access.writes, level, floor, again)
        access.segment = access.pieces[0] if len(access.pieces) == 1 else _NOWHERE
    return level


def _touch(pieces: Sequence[Segment], write: bool, after: int) -> None:
    """Note an access to segments, `after` whose level they may be written next."""
    if write:  # It comes after all earlier accesses, which no longer matter.
        for segment in pieces:
            segment.readable = segment.writable = after
    else:
        for segment in pieces:
            if segment.writable < after:
                segment.writable = after
