"""What pending work does to one arena: the last levels that touch each range of bytes."""

from __future__ import annotations

from bisect import bisect_left

MAX_TOUCHED = 64  # segments that a read leaves as they are
UNKNOWN = -1


class Segment:
    """A range of bytes that pending work has used alike. It ends where the next one starts."""

    __slots__ = ("end", "read", "start", "wrote")

    def __init__(self, start: int, wrote: int, read: int, end: int = UNKNOWN) -> None:
        self.start = start
        self.wrote = wrote  # the last level that writes it
        self.read = read
        self.end = end  # where it ends, as long as nobody has cut it


class Hazards:
    """For every byte range, the last level that writes it and the last that reads it.

    Ranges are kept in whole words, since kernels read and write nothing smaller. Most accesses are
    to a range that was accessed before, which is found at once; else a look-up is a bisection, and
    a walk over segments that is taken once: after it there are few. Each change is one step in C,
    so that Ctrl-C finds it done or not begun, or makes later work wait longer than it must.

    >>> from dml_vk.runtime.hazards import Hazards
    >>> pending = Hazards()
    >>> pending.mark(0, 16, True, 0)
    >>> pending.after(8, 12, False), pending.after(16, 20, True)
    (1, 0)
    """

    __slots__ = ("_known", "_segments")

    def __init__(self) -> None:
        self._segments = [Segment(0, -1, -1)]
        self._known: dict[int, Segment] = {}  # by start; to be trusted where the end is right too

    def after(self, low: int, high: int, write: bool) -> int:
        """The first level at which [low, high) may be written, or else read."""
        low, high = low & ~3, (high + 3) & ~3
        known = self._known.get(low)
        if known is not None and known.end == high:
            return (max(known.wrote, known.read) if write else known.wrote) + 1
        first, last = self._place(low + 1) - 1, self._place(high)
        touched = self._segments[first:last]
        if write:
            return max([max(one.wrote, one.read) for one in touched]) + 1
        return max([one.wrote for one in touched]) + 1

    def mark(self, low: int, high: int, write: bool, level: int) -> None:
        """Work at `level`, which `after` allowed, touches [low, high)."""
        low, high = low & ~3, (high + 3) & ~3
        known = self._known.get(low)
        if known is None or known.end != high:
            first, last = self._cut(low), self._cut(high)
            touched = self._segments[first:last]
            if len(touched) > 1 and not write and len(touched) <= MAX_TOUCHED:
                for one in touched:
                    one.read = max(one.read, level)
                return
            known = self._one(low, high, touched)
            self._segments[first:last] = [known]
            self._known[low] = known
        if write:  # It comes after all that touched these bytes, so nothing before it matters.
            known.wrote = level
            known.read = -1
        elif known.read < level:
            known.read = level

    def _one(self, low: int, high: int, touched: list[Segment]) -> Segment:
        """A segment for several, of which each may wait for what any other waits for."""
        for one in touched:
            one.end = UNKNOWN
        wrote = max([one.wrote for one in touched])
        return Segment(low, wrote, max([one.read for one in touched]), high)

    def _cut(self, at: int) -> int:
        """The number of the segment that starts at `at`, made if there is none."""
        k = self._place(at)
        if k == len(self._segments) or self._segments[k].start != at:
            before = self._segments[k - 1]
            before.end = UNKNOWN
            self._segments.insert(k, Segment(at, before.wrote, before.read))
        return k

    def _place(self, at: int) -> int:
        """The number of the first segment that does not start before `at`."""
        return bisect_left(self._segments, at, key=_start)


def _start(segment: Segment) -> int:
    return segment.start
