"""What pending work does to one arena: the last levels that touch each range of bytes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Hazards:
    """For every byte range, the last level that writes it and the last that reads it.

    Ranges are kept in whole words, since kernels read and write nothing smaller. The cost of a
    look-up is a bisection, however much is pending.

    >>> pending = Hazards()
    >>> pending.mark(0, 16, True, 0)
    >>> pending.after(8, 12, False), pending.after(16, 20, True)
    (1, 0)
    """

    __slots__ = ("_reads", "_starts", "_writes")

    def __init__(self) -> None:
        # Segment k is [_starts[k], _starts[k + 1]), the last one endless.
        self._starts = [0]
        self._writes = [-1]
        self._reads = [-1]

    def after(self, low: int, high: int, write: bool) -> int:
        """The first level at which [low, high) may be written, or else read."""
        starts = self._starts
        first = bisect_right(starts, low & ~3) - 1
        last = bisect_left(starts, (high + 3) & ~3)
        level = max(self._writes[first:last])
        if write:
            level = max(level, *self._reads[first:last])
        return level + 1

    def mark(self, low: int, high: int, write: bool, level: int) -> None:
        """Work at `level`, which `after` allowed, touches [low, high)."""
        first, last = self._cut(low & ~3), self._cut((high + 3) & ~3)
        if write:  # It comes after all that touched these bytes, so one segment says it all.
            self._starts[first:last] = [self._starts[first]]
            self._writes[first:last] = [level]
            self._reads[first:last] = [-1]
        else:
            self._reads[first:last] = [max(level, read) for read in self._reads[first:last]]

    def _cut(self, at: int) -> int:
        """The number of the segment that starts at `at`, made if there is none."""
        k = bisect_left(self._starts, at)
        if k == len(self._starts) or self._starts[k] != at:
            self._starts.insert(k, at)
            self._writes.insert(k, self._writes[k - 1])
            self._reads.insert(k, self._reads[k - 1])
        return k
