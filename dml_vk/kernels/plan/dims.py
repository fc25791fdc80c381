"""Dims of several operands together, sorted and merged into canonical form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from dml_vk.arguments import Ints


class Dim(NamedTuple):
    """One dim of all operands: strides in elements, sources first and dst last."""

    strides: Ints
    size: int

    @property
    def dst(self) -> int:
        return self.strides[-1]

    def narrowed(self, times: int, fixed: int = 0) -> Dim:
        """Count strides in elements `times` as wide, except for the first `fixed` operands."""
        narrow = [stride // times for stride in self.strides[fixed:]]
        return Dim((*self.strides[:fixed], *narrow), self.size)


def ascending(sizes: Ints, operands: Sequence[Ints]) -> tuple[list[Dim], Ints]:
    """(dims, starts): innermost in dst first, dst strides positive, adjacent dims merged.

    `starts` are the offsets of the first element in each operand relative to index (0, 0, ...).
    They are nonzero where a negative dst stride was flipped.
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


def widened(dims: list[Dim], times: int, fixed: int = 0) -> list[Dim]:
    """Count dims in elements `times` as wide, except for the first `fixed` operands.

    Rows of all other operands must consist of whole wide elements.
    """
    inner, *outer = dims
    wide = [dim.narrowed(times, fixed) for dim in outer]
    if inner.size > times or not wide:
        wide.insert(0, Dim(inner.strides, inner.size // times))
    return wide


def dense(dims: list[Dim]) -> int:
    """How many of the innermost dims are contiguous in dst."""
    step = 1
    for count, dim in enumerate(dims):
        if dim.dst != step:
            return count
        step *= dim.size
    return len(dims)


def split(dims: list[Dim], rank: int) -> tuple[list[Dim], list[Dim]]:
    """(dims of one launch, dims to loop over on the host).

    The smallest dims are looped over, but never the innermost.
    """
    if len(dims) <= rank:
        return dims, []
    order = sorted(range(1, len(dims)), key=lambda k: -dims[k].size)
    inside = {0, *order[: rank - 1]}
    return [dims[k] for k in sorted(inside)], [dims[k] for k in sorted(order[rank - 1 :])]


def offsets(dims: Iterable[Dim], starts: Ints) -> list[Ints]:
    """Offsets in each operand of every index of these dims, relative to `starts`."""
    steps = [
        [tuple([stride * at for stride in dim.strides]) for at in range(dim.size)] for dim in dims
    ]
    return [tuple(map(sum, zip(starts, *index))) for index in product(*steps)]
