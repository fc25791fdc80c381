"""Hazards of pending work in one arena: the last levels that write and read each byte range."""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dml_vk.runtime.arenas import ALIGNMENT, Arena, MemoryRange

MAX_TOUCHED = 64  # segments that a read updates one by one rather than merging them
MAX_PIECES = 6  # segments that any access does, if it was to them in pieces before
UNKNOWN = -1
NEAR = 4  # segments that are walked over before a look-up bisects
MAX_KNOWN = 4096  # accesses of an arena


class Segment:
    """A range of bytes with the same last write and read. It ends where the next one starts."""

    __slots__ = ("end", "owner", "read", "start", "wrote")

    def __init__(
        self, start: int, wrote: int, read: int, end: int = UNKNOWN, owner: object = None
    ) -> None:
        self.start = start
        self.wrote = wrote  # the last level that writes it
        self.read = read
        self.end = end  # its end, or UNKNOWN if no access was to all of it, or it is gone
        self.owner = owner  # what is pending there; None if no access knows it, or it is gone

    def disown(self) -> None:
        """Let nobody take it for a range that was accessed: it is cut or merged."""
        self.owner = None
        self.end = UNKNOWN


_NOWHERE = Segment(0, UNKNOWN, UNKNOWN)
_UNKNOWN = (_NOWHERE,)


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
    segment: Segment = field(default=_NOWHERE, init=False, repr=False)  # where it was seen last
    pieces: Sequence[Segment] = field(default=(), init=False, repr=False)  # all, if it is several

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

    def on(self, memory: MemoryRange) -> Access:
        """Return the same access to other memory."""
        return Access.within(memory, self.span)

    def of_binding(self) -> Access:
        """Return the access to all that is bound, which starts at a multiple of ALIGNMENT."""
        return replace(self, low=self.low // ALIGNMENT * ALIGNMENT)

    @property
    def end(self) -> int:
        """Where what it waits for ends: results of several sizes take turns in small ranges."""
        return -(-self.high // ALIGNMENT) * ALIGNMENT if self.is_whole else self.high


class Hazards:
    """For every byte range, the last level that writes it and the last that reads it.

    Ranges are whole words, since kernels read and write nothing smaller. Most accesses are to a
    range that was accessed before, which the access itself knows, or which is found by its start;
    otherwise a look-up bisects and walks over the segments of the range, which marking then merges.
    Each change is one step in C, so that Ctrl-C finds it done or not begun, or at worst makes later
    work wait unnecessarily.

    >>> from dml_vk.runtime.hazards import Hazards
    >>> pending = Hazards()
    >>> _ = pending.mark(0, 16, True, 0)
    >>> pending.after(8, 12, False), pending.after(16, 20, True)
    (1, 0)
    """

    __slots__ = ("_known", "_owner", "_segments")

    def __init__(self, owner: object = None) -> None:
        self._owner = owner  # of all arenas' hazards, as `place` looks for
        self._segments = [Segment(0, -1, -1)]
        self._known: dict[int, Segment] = {}  # by start; valid only if the end matches too

    @property
    def count(self) -> int:
        """The number of segments."""
        return len(self._segments)

    def after(self, low: int, high: int, write: bool) -> int:
        """Return the first level at which [low, high) may be written, or read."""
        low, high = low & ~3, (high + 3) & ~3
        known = self._known.get(low)
        if known is not None and known.end >= high:
            return (max(known.wrote, known.read) if write else known.wrote) + 1
        segments = self._segments
        first = bisect_left(segments, low + 1, key=_start) - 1
        segment = segments[first]
        if first + 1 == len(segments) or segments[first + 1].start >= high:
            # Within one segment, as most of what is not known is: memory that was freed.
            return (max(segment.wrote, segment.read) if write else segment.wrote) + 1
        touched = segments[first : self._place(high, first + 1)]
        level = _latest(touched) if write else max([segment.wrote for segment in touched])
        return level + 1

    def clear(self) -> None:
        """Forget what was accessed. Nothing may be pending."""
        for segment in self._segments:
            segment.disown()
        self._segments = [Segment(0, -1, -1)]
        self._known = {}

    def mark(
        self, low: int, high: int, write: bool, level: int, floor: int = 0, again: bool = False
    ) -> Sequence[Segment]:
        """Record that work at `level`, which `after` allowed, accesses [low, high).

        No later work comes below the level `floor`. So a read merges what was last accessed before:
        memory that was written piece by piece, and is read as a whole again and again. If the
        access comes `again`, something else cuts the range each time, so that its pieces stay.
        Return the segments of the range.
        """
        low, high = low & ~3, (high + 3) & ~3
        known = self._known.get(low)
        if known is None or known.end != high:
            first = self._cut(low)
            last = self._cut(high, first + 1)
            touched = self._segments[first:last]
            if len(touched) > 1 and (
                (again and len(touched) <= MAX_PIECES)
                or (not write and len(touched) <= MAX_TOUCHED and _latest(touched) >= floor)
            ):
                for segment in touched:
                    segment.owner = self._owner
                _touch(touched, write, level)
                return touched
            known = self._one(low, high, touched)
            self._segments[first:last] = [known]
            self._known[low] = known
        pieces = (known,)
        _touch(pieces, write, level)
        return pieces

    def _one(self, low: int, high: int, touched: list[Segment]) -> Segment:
        """Return one segment for several, which is as restrictive as all of them together."""
        for segment in touched:
            segment.disown()
        wrote = max([segment.wrote for segment in touched])
        read = max([segment.read for segment in touched])
        return Segment(low, wrote, read, high, self._owner)

    def _cut(self, at: int, near: int | None = None) -> int:
        """Return the index of the segment that starts at `at`, and make it if there is none."""
        segments, k = self._segments, self._place(at, near)
        if k == len(segments) or segments[k].start != at:
            before = segments[k - 1]
            wrote, read = before.wrote, before.read
            before.disown()  # New ones replace it, or accesses would take the rest for all of it.
            segments[k - 1 : k] = Segment(before.start, wrote, read), Segment(at, wrote, read)
        return k

    def _place(self, at: int, near: int | None = None) -> int:
        """Return the index of the first segment that does not start before `at`.

        It is `near` or later, if that is given.
        """
        if near is None:
            return bisect_left(self._segments, at, key=_start)
        for segment in self._segments[near : near + NEAR]:
            if segment.start >= at:
                return near
            near += 1
        return bisect_left(self._segments, at, near, key=_start)


def last_level(
    pending: dict[Arena, Hazards], memory: MemoryRange, write: bool, part: Access | None = None
) -> int:
    """The level of the last work for which the host must wait to read, or write, memory.

    It may be a `part` of it that the host wants.
    """
    hazards = pending.get(memory.arena)
    if part is None:
        low, high = memory.offset, memory.offset + max(1, memory.nbytes)
    else:
        low, high = part.low, part.high
    return -1 if hazards is None else hazards.after(low, high, write) - 1


def place(pending: dict[Arena, Hazards], accesses: Sequence[Access], floor: int = 0) -> int:
    """Find the first level, from `floor`, at which all these accesses are allowed; mark them there.

    It is `after` and `mark` in one, without a look-up where each access is to a range that it was
    to before.
    """
    level = floor
    for access in accesses:
        segment = access.segment
        if segment.owner is not pending:
            return _place_in_pieces(pending, accesses, floor)
        if segment.wrote >= level:
            level = segment.wrote + 1
        if access.writes and segment.read >= level:
            level = segment.read + 1
    for access in accesses:
        segment = access.segment
        if access.writes:
            segment.wrote = level
            segment.read = -1
        elif segment.read < level:
            segment.read = level
    return level


def _place_in_pieces(pending: dict[Arena, Hazards], accesses: Sequence[Access], floor: int) -> int:
    """`place` where accesses are to several segments, which others cut, as slices of a tensor."""
    level = floor
    for access in accesses:
        writes = access.writes
        for segment in access.pieces or _UNKNOWN:
            if segment.owner is not pending:
                return _place_anew(pending, accesses, floor)
            if segment.wrote >= level:
                level = segment.wrote + 1
            if writes and segment.read >= level:
                level = segment.read + 1
    for access in accesses:
        _touch(access.pieces, access.writes, level)
    return level


def _place_anew(pending: dict[Arena, Hazards], accesses: Sequence[Access], floor: int) -> int:
    level = floor
    for access in accesses:
        hazards = pending.get(access.arena)
        if hazards is None:
            hazards = pending[access.arena] = Hazards(pending)
        level = max(level, hazards.after(access.low, access.end, access.writes))
    for access in accesses:
        again = access.pieces != ()
        pieces = pending[access.arena].mark(
            access.low, access.end, access.writes, level, floor, again
        )
        access.segment = pieces[0] if len(pieces) == 1 else _NOWHERE
        access.pieces = pieces
    return level


def _touch(pieces: Sequence[Segment], write: bool, level: int) -> None:
    """Note an access to segments at a level that was allowed."""
    for segment in pieces:
        if write:  # It comes after all earlier accesses, which no longer matter.
            segment.wrote = level
            segment.read = -1
        elif segment.read < level:
            segment.read = level


def _latest(touched: Sequence[Segment]) -> int:
    """The last level that writes or reads any of these segments."""
    return max([max(segment.wrote, segment.read) for segment in touched])


_start = operator.attrgetter("start")
