"""The dims of a copy in the fewest and plainest form: both operands' strides side by side."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

Ints = tuple[int, ...]


class Dim(NamedTuple):
    """One dim of both operands: strides in elements, and the size. Dims sort by dst's stride."""

    dst: int
    src: int
    size: int

    def narrowed(self, times: int) -> Dim:
        """The same steps in elements `times` as wide."""
        return Dim(self.dst // times, self.src // times, self.size)


def ascending(sizes: Ints, src_strides: Ints, dst_strides: Ints) -> tuple[list[Dim], int, int]:
    """(dims, src's start, dst's start): innermost in dst first, dst's strides positive, merged.

    The starts are where the first element lies, from where the one of index (0, 0, ...) does.
    """
    if 0 in sizes:
        return [Dim(1, 1, 0)], 0, 0
    dims = []
    src_start = dst_start = 0
    for size, src, dst in zip(sizes, src_strides, dst_strides):
        if size == 1:
            continue
        if dst < 0:
            src_start += src * (size - 1)
            dst_start += dst * (size - 1)
            src, dst = -src, -dst
        dims.append(Dim(dst, src, size))
    dims.sort()
    merged: list[Dim] = []
    for dim in dims:
        if merged:
            dst, src, size = merged[-1]
            if dim.dst == dst * size and dim.src == src * size:
                merged[-1] = Dim(dst, src, size * dim.size)
                continue
        merged.append(dim)
    return merged or [Dim(1, 1, 1)], src_start, dst_start


def widened(dims: list[Dim], times: int) -> list[Dim]:
    """The same dims in elements `times` as wide; both operands' rows must consist of such."""
    inner, *outer = dims
    wide = [dim.narrowed(times) for dim in outer]
    if inner.size > times or not wide:
        wide.insert(0, Dim(1, 1, inner.size // times))
    return wide


def dense(dims: list[Dim]) -> int:
    """How many dims, from the innermost on, have no gaps between them in dst."""
    step = 1
    for count, dim in enumerate(dims):
        if dim.dst != step:
            return count
        step *= dim.size
    return len(dims)


def split(dims: list[Dim], rank: int) -> tuple[list[Dim], list[Dim]]:
    """(dims of one launch, dims to loop over): the smallest loop, if they are not innermost."""
    if len(dims) <= rank:
        return dims, []
    order = sorted(range(1, len(dims)), key=lambda k: -dims[k].size)
    kept = {0, *order[: rank - 1]}
    return [dims[k] for k in sorted(kept)], [dims[k] for k in sorted(order[rank - 1 :])]


def offsets(dims: Iterable[Dim]) -> list[tuple[int, int]]:
    """(src, dst) of every index of these dims, from the first."""
    steps = [[(dim.src * at, dim.dst * at) for at in range(dim.size)] for dim in dims]
    return [(sum(s for s, _ in way), sum(d for _, d in way)) for way in product(*steps)]
