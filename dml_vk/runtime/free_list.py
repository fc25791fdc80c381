"""Which ranges of one arena are free: best fit, with neighbours merged. Pure bookkeeping.

Ctrl-C may come between any two lines. What is taken is one dict, changed in one step; the rest can
be made anew from it, and is, where an exception has left a change half done.
"""

from __future__ import annotations

from bisect import bisect_left, insort


class FreeList:
    """Free ranges of [first, nbytes), found by size and merged by address.

    >>> from dml_vk.runtime.free_list import FreeList
    >>> free = FreeList(1024)
    >>> free.take(256), free.take(512)
    (0, 256)
    >>> free.give(0)
    >>> free.largest, free.free_bytes
    (256, 512)
    """

    def __init__(self, nbytes: int, first: int = 0) -> None:
        self.nbytes = nbytes
        self._first = first
        self._taken: dict[int, int] = {}  # start -> size
        self._index()

    @property
    def largest(self) -> int:
        return self._by_size[-1][0] if self._by_size else 0

    @property
    def is_empty(self) -> bool:
        """Nothing is taken."""
        return not self._taken

    @property
    def taken_bytes(self) -> int:
        return self.nbytes - self._first - self.free_bytes

    def fit(self, nbytes: int) -> int | None:
        """The size of the free range that `take` would cut, the smallest that holds nbytes."""
        at = bisect_left(self._by_size, (nbytes, 0))
        return self._by_size[at][0] if at < len(self._by_size) else None

    def take(self, nbytes: int) -> int | None:
        """The start of a range that is no longer free, or None."""
        at = bisect_left(self._by_size, (nbytes, 0))
        if at == len(self._by_size):
            return None
        size, start = self._by_size[at]
        try:
            self._taken[start] = nbytes
            self._remove(start)
            if size > nbytes:
                self._insert(start + nbytes, size - nbytes)
            self.free_bytes -= nbytes
        except BaseException:
            self._taken.pop(start, None)
            self._index()
            raise
        return start

    def give(self, start: int) -> None:
        """Free what was taken from `start` on; nothing where that is free already."""
        try:
            nbytes = self._taken.pop(start, 0)
            if nbytes:
                self.free_bytes += nbytes
                before = self._starts.get(start)
                if before is not None:
                    nbytes += self._remove(before)
                    start = before
                if start + nbytes in self._sizes:
                    nbytes += self._remove(start + nbytes)
                self._insert(start, nbytes)
        except BaseException:
            self._index()
            raise

    def _index(self) -> None:
        """All that is known of free ranges, from what is taken."""
        self.free_bytes = self.nbytes - self._first - sum(self._taken.values())
        self._by_size: list[tuple[int, int]] = []
        self._sizes: dict[int, int] = {}  # start -> size
        self._starts: dict[int, int] = {}  # end -> start
        at = self._first
        for start, size in [*sorted(self._taken.items()), (self.nbytes, 0)]:
            if start > at:
                self._insert(at, start - at)
            at = start + size

    def _insert(self, start: int, size: int) -> None:
        insort(self._by_size, (size, start))
        self._sizes[start] = size
        self._starts[start + size] = start

    def _remove(self, start: int) -> int:
        size = self._sizes.pop(start)
        del self._starts[start + size]
        del self._by_size[bisect_left(self._by_size, (size, start))]
        return size
