"""The dims of operands in the fewest and plainest form, all their strides side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from dml_vk.strides.order import Ints


class Dim(NamedTuple):
    """One dim of all operands: strides in elements, those of the sources and then dst's."""

    strides: Ints
    size: int

    @property
    def dst(self) -> int:
        return self.strides[-1]

    def narrowed(self, times: int, kept: int = 0) -> Dim:
        """The same steps in elements `times` as wide, but for those of the first operands."""
        narrow = [stride // times for stride in self.strides[kept:]]
        return Dim((*self.strides[:kept], *narrow), self.size)


def ascending(sizes: Ints, operands: Sequence[Ints]) -> tuple[list[Dim], Ints]:
    """(dims, starts): innermost in dst first, dst's strides positive, merged.

    The starts are where the first element lies in each operand, from where the one of index
    (0, 0, ...) does.
    """
    starts = [0] * len(operands)
    if 0 in sizes:
        return [Dim((1,) * len(operands), 0)], tuple(starts)
    dims = []
    for size, *strides in zip(sizes, *operands):
        if size == 1:
            continue
        if strides[-1] < 0:
            starts = [start + stride * (size - 1) for start, stride in zip(starts, strides)]
            strides = [-stride for stride in strides]
        dims.append(Dim(tuple(strides), size))
    dims.sort(key=lambda dim: (dim.dst, dim))
    merged: list[Dim] = []
    for dim in dims:
        if merged:
            inner, size = merged[-1]
            if dim.strides == tuple([stride * size for stride in inner]):
                merged[-1] = Dim(inner, size * dim.size)
                continue
        merged.append(dim)
    return merged or [Dim((1,) * len(operands), 1)], tuple(starts)


def widened(dims: list[Dim], times: int, kept: int = 0) -> list[Dim]:
    """The same dims in elements `times` as wide, of which rows of all operands must consist.

    All but the first ones, so many of which are kept as they are.
    """
    inner, *outer = dims
    wide = [dim.narrowed(times, kept) for dim in outer]
    if inner.size > times or not wide:
        wide.insert(0, Dim(inner.strides, inner.size // times))
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


def offsets(dims: Iterable[Dim], starts: Ints) -> list[Ints]:
    """Where every index of these dims lies in each operand, the first at `starts`."""
    steps = [
        [tuple([stride * at for stride in dim.strides]) for at in range(dim.size)] for dim in dims
    ]
    return [tuple(map(sum, zip(starts, *way))) for way in product(*steps)]
