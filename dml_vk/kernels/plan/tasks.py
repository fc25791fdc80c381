"""Strided tasks: the canonical form from which a kernel variant is chosen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.dims import Dim, ascending, split, widened
from dml_vk.limits import Profile

QUAD_BYTES = 16  # the widest load and store


class Operand(NamedTuple):
    """Elements in memory as planners see them: strides over the dims of a task, and the offset."""

    strides: Ints
    offset: int  # in elements
    itemsize: int

    def residue(self) -> Operand:
        """Reduce the offset to the position within a quad: plans depend on no more of it."""
        strides, offset, itemsize = self
        return Operand(strides, offset % (QUAD_BYTES // itemsize or 1), itemsize)


class Task(NamedTuple):
    """The canonical form of a strided operation. Per-operand fields list dst last."""

    dims: list[Dim]  # of one launch
    outer: list[Dim]  # each index of these is a launch of its own
    itemsizes: Ints
    byte_starts: Ints  # of the first launch, relative to a multiple of QUAD_BYTES
    profile: Profile

    @property
    def itemsize(self) -> int:
        return self.itemsizes[-1]

    @property
    def sources(self) -> range:
        return range(len(self.itemsizes) - 1)

    def aligned(self, operand: int, nbytes: int, dims: Iterable[Dim]) -> bool:
        """Whether every index of these dims, in every launch, is aligned to `nbytes`."""
        itemsize = self.itemsizes[operand]
        steps = [dim.strides[operand] * itemsize for dim in (*dims, *self.outer)]
        return math.gcd(self.byte_starts[operand], *steps) % nbytes == 0

    def run_bytes(self, source: int) -> int:
        """The alignment for reading as many elements of a source at once as a dst quad holds."""
        return min(QUAD_BYTES, QUAD_BYTES // self.itemsize * self.itemsizes[source])

    def phases(self, dims: Iterable[Dim]) -> range:
        """The positions within a dst quad, in elements, at which these dims may place an index."""
        strides = [dim.dst for dim in (*dims, *self.outer)]
        step = math.gcd(QUAD_BYTES, *[stride * self.itemsize for stride in strides])
        per = QUAD_BYTES // self.itemsize
        return range(self.byte_starts[-1] % step // self.itemsize, per, step // self.itemsize)

    def in_phase(self, source: int, dims: Iterable[Dim]) -> bool:
        """Whether the source is aligned to `run_bytes` wherever dst is aligned to a quad."""
        itemsize = self.itemsizes[source]
        elements = self.run_bytes(source) // itemsize
        start = self.byte_starts[source] // itemsize - self.byte_starts[-1] // self.itemsize
        steps = [dim.strides[source] - dim.dst for dim in (*dims, *self.outer)]
        return math.gcd(start, *steps) % elements == 0


def columns_of(operands: Sequence[Operand]) -> tuple[tuple[Ints, ...], Ints, Ints]:
    """Transpose operands to (strides, byte bases, item sizes)."""
    return (
        tuple([strides for strides, _, _ in operands]),
        tuple([offset * itemsize for _, offset, itemsize in operands]),
        tuple([itemsize for _, _, itemsize in operands]),
    )


def task_of(
    sizes: Ints,
    strides: Sequence[Ints],
    bases: Ints,
    itemsizes: Ints,
    rank: int,
    profile: Profile,
) -> tuple[Task, Ints]:
    """(the task in launches of at most `rank` dims, its starts in elements from the bases)."""
    dims, starts = ascending(sizes, strides)
    return Task(*split(dims, rank), itemsizes, in_bytes(bases, starts, itemsizes), profile), starts


def in_bytes(bases: Ints, starts: Ints, itemsizes: Ints) -> Ints:
    """The first addresses of operands, from their bases in bytes and starts in elements."""
    return tuple([base + start * size for base, start, size in zip(bases, starts, itemsizes)])


def widest(task: Task) -> Task:
    """Merge elements into wider ones as far as rows contiguous in all operands allow.

    All operands must have the same item size.
    """
    inner, *others = task.dims
    if any(stride != 1 for stride in inner.strides):
        return task
    nbytes = math.gcd(inner.size * task.itemsize, QUAD_BYTES)
    while not all(task.aligned(k, nbytes, others) for k in range(len(task.itemsizes))):
        nbytes //= 2
    times = nbytes // task.itemsize
    if times <= 1:
        return task
    dims, outer = widened(task.dims, times), [dim.narrowed(times) for dim in task.outer]
    return task._replace(dims=dims, outer=outer, itemsizes=(nbytes,) * len(task.itemsizes))


def starts_of(task: Task, bases: Ints) -> Ints:
    """The starts of a task in its own, possibly widened elements.

    They are relative to the bases rounded down to such elements.
    """
    return tuple(
        [
            (start - base + base % itemsize) // itemsize
            for start, base, itemsize in zip(task.byte_starts, bases, task.itemsizes)
        ]
    )
