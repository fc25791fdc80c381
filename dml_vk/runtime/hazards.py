"""What pending work does to one arena: the last levels that touch each range of bytes."""

from __future__ import annotations

from bisect import bisect_left

MAX_TOUCHED = 64  # segments that a read leaves as they are


class Hazards:
    """For every byte range, the last level that writes it and the last that reads it.

    Ranges are kept in whole words, since kernels read and write nothing smaller. A look-up is a
    bisection, and a walk over segments that is taken once: after it there are few. Each change is
    one step in C, so that Ctrl-C finds it done or not begun.

    >>> pending = Hazards()
    >>> pending.mark(0, 16, True, 0)
    >>> pending.after(8, 12, False), pending.after(16, 20, True)
    (1, 0)
    """

    __slots__ = ("_segments",)

    def __init__(self) -> None:
        # (start, last write, last read); each ends where the next starts, the last one nowhere.
        self._segments = [(0, -1, -1)]

    def after(self, low: int, high: int, write: bool) -> int:
        """The first level at which [low, high) may be written, or else read."""
        segments = self._segments
        first = bisect_left(segments, ((low & ~3) + 1,)) - 1
        last = bisect_left(segments, ((high + 3) & ~3,))
        touched = segments[first:last]
        if write:
            return max([max(wrote, read) for _, wrote, read in touched]) + 1
        return max([wrote for _, wrote, _ in touched]) + 1

    def mark(self, low: int, high: int, write: bool, level: int) -> None:
        """Work at `level`, which `after` allowed, touches [low, high)."""
        first, last = self._cut(low & ~3), self._cut((high + 3) & ~3)
        touched = self._segments[first:last]
        if write:  # It comes after all that touched these bytes, so one segment says it all.
            after = [(low & ~3, level, -1)]
        elif len(touched) > MAX_TOUCHED:  # Once; what comes to these bytes may wait for a bit more.
            wrote, read = (max(levels) for levels in list(zip(*touched))[1:])
            after = [(low & ~3, wrote, max(level, read))]
        else:
            after = [(start, wrote, max(level, read)) for start, wrote, read in touched]
        self._segments[first:last] = after

    def _cut(self, at: int) -> int:
        """The number of the segment that starts at `at`, made if there is none."""
        k = bisect_left(self._segments, (at,))
        if k == len(self._segments) or self._segments[k][0] != at:
            _, wrote, read = self._segments[k - 1]
            self._segments.insert(k, (at, wrote, read))
        return k
