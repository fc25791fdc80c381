"""Free ranges of one arena: best fit, with neighbours merged. Pure bookkeeping.

Freed ranges are first kept by size, since programs allocate the same sizes again and again, and get
the same addresses then, of which much is known. They are merged with their neighbours when another
size is requested that is large, or for which no other range is free.

Ctrl-C may come between any two lines. The taken ranges are one dict, changed in one step; all other
state can be rebuilt from it, and is, when an exception has interrupted a change.
"""

from __future__ import annotations

from bisect import bisect_left, insort

MOST_SPARES = 256  # freed ranges before they are merged
MOST_APART = 2**16  # bytes of a range that is taken rather from what was never used than merged


class FreeList:
    """Free ranges of [first, nbytes), found by size and merged by address.

    >>> from dml_vk.runtime.free_list import FreeList
    >>> free = FreeList(1024)
    >>> free.take(256), free.take(512)
    (0, 256)
    >>> free.give(0)
    256
    >>> free.largest, free.free_bytes
    (256, 512)
    """

    def __init__(self, nbytes: int, first: int = 0) -> None:
        self.nbytes = nbytes
        self._first = first
        self.taken: dict[int, int] = {}  # start -> size
        self._spare: dict[int, list[int]] = {}  # size -> starts of free ranges not yet merged
        self._spares = 0  # ranges in `_spare`; after an interrupt perhaps fewer
        self._index()

    @property
    def largest(self) -> int:
        self._merge()
        return self._by_size[-1][0] if self._by_size else 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing is taken."""
        return not self.taken

    @property
    def taken_bytes(self) -> int:
        return self.nbytes - self._first - self.free_bytes

    def fit(self, nbytes: int) -> int | None:
        """Return the size of the smallest free range of at least nbytes, which `take` would use."""
        if self._spare.get(nbytes):
            return nbytes
        at = self._look_up(nbytes)
        return self._by_size[at][0] if at < len(self._by_size) else None

    def take(self, nbytes: int) -> int | None:
        """Take a range and return its start, or None if none is large enough."""
        spare = self._spare.get(nbytes)
        if spare:
            start = spare[-1]
            try:
                self.taken[start] = nbytes
                spare.pop()
                self._spares -= 1
                self.free_bytes -= nbytes
            except BaseException:
                self.taken.pop(start, None)
                self._index()
                raise
            return start
        at = self._look_up(nbytes)
        if at == len(self._by_size):
            return None
        size, start = self._by_size[at]
        try:
            self.taken[start] = nbytes
            self._remove(start)
            if size > nbytes:
                self._insert(start + nbytes, size - nbytes)
            self.free_bytes -= nbytes
        except BaseException:
            self.taken.pop(start, None)
            self._index()
            raise
        return start

    def give(self, start: int) -> int:
        """Free the range taken at `start` and return its size, or 0 if it is free already."""
        try:
            nbytes = self.taken.pop(start, 0)
            if nbytes:
                self.free_bytes += nbytes
                self._spare.setdefault(nbytes, []).append(start)
                self._spares += 1
                if self._spares > MOST_SPARES:
                    self._merge()
        except BaseException:
            self._index()
            raise
        return nbytes

    def _look_up(self, nbytes: int) -> int:
        """Return the index of the smallest range of at least nbytes, of which none is spare."""
        at = bisect_left(self._by_size, (nbytes, 0))
        if self._spares and (nbytes > MOST_APART or at == len(self._by_size)):
            self._merge()
            at = bisect_left(self._by_size, (nbytes, 0))
        return at

    def _merge(self) -> None:
        """Merge spare ranges with their neighbours."""
        if not self._spares:
            return
        try:
            for nbytes, starts in self._spare.items():
                for start in starts:
                    self._join(start, nbytes)
            self._spare, self._spares = {}, 0
        except BaseException:
            self._index()
            raise

    def _join(self, start: int, nbytes: int) -> None:
        before = self._starts.get(start)
        if before is not None:
            nbytes += self._remove(before)
            start = before
        if start + nbytes in self._sizes:
            nbytes += self._remove(start + nbytes)
        self._insert(start, nbytes)

    def _index(self) -> None:
        """Rebuild the state of free ranges from the taken ones."""
        self.free_bytes = self.nbytes - self._first - sum(self.taken.values())
        self._spare, self._spares = {}, 0
        self._by_size: list[tuple[int, int]] = []
        self._sizes: dict[int, int] = {}  # start -> size
        self._starts: dict[int, int] = {}  # end -> start
        at = self._first
        for start, size in [*sorted(self.taken.items()), (self.nbytes, 0)]:
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
