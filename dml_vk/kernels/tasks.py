"""What is to be done, in the form that paths are chosen by: dims, and where they start."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dml_vk.kernels.dims import Dim, ascending, split, widened
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints

QUAD_BYTES = 16  # what kernels load and store at once where they can


class Task(NamedTuple):
    """What is to be done, in the form that paths are chosen by. Of operands, dst is the last."""

    dims: list[Dim]  # of one launch
    outer: list[Dim]  # each index of these is a launch of its own
    itemsizes: Ints  # of each operand
    byte_starts: Ints  # where the first launch starts in each, from a multiple of QUAD_BYTES
    quads: int  # that a unit moves

    @property
    def itemsize(self) -> int:
        return self.itemsizes[-1]

    @property
    def sources(self) -> range:
        return range(len(self.itemsizes) - 1)

    def aligned(self, operand: int, nbytes: int, dims: Iterable[Dim]) -> bool:
        """Every index of these dims, in every launch, is at a multiple of so many bytes in it."""
        itemsize = self.itemsizes[operand]
        steps = [dim.strides[operand] * itemsize for dim in (*dims, *self.outer)]
        return math.gcd(self.byte_starts[operand], *steps) % nbytes == 0

    def run_bytes(self, source: int) -> int:
        """What a source must be aligned to where it is read by as many elements as dst's quads."""
        return min(QUAD_BYTES, QUAD_BYTES // self.itemsize * self.itemsizes[source])

    def phases(self, dims: Iterable[Dim]) -> range:
        """How many elements into a quad of dst the indexes of these dims may be."""
        strides = [dim.dst for dim in (*dims, *self.outer)]
        step = math.gcd(QUAD_BYTES, *[stride * self.itemsize for stride in strides])
        per = QUAD_BYTES // self.itemsize
        return range(self.byte_starts[-1] % step // self.itemsize, per, step // self.itemsize)

    def alike(self, source: int, dims: Iterable[Dim]) -> bool:
        """Where a quad of dst starts, at every index of these dims, a run of the source does."""
        itemsize = self.itemsizes[source]
        elements = self.run_bytes(source) // itemsize
        start = self.byte_starts[source] // itemsize - self.byte_starts[-1] // self.itemsize
        steps = [dim.strides[source] - dim.dst for dim in (*dims, *self.outer)]
        return math.gcd(start, *steps) % elements == 0


def quads_a_unit(limits: Limits) -> int:
    """A CPU decodes once for many, a GPU has its neighbours side by side."""
    return 4 if limits.wants_few_groups else 1


def seen_by_plans(operands: Sequence[tuple[Ints, int, int]]) -> tuple[tuple[Ints, ...], Ints, Ints]:
    """(strides, bases, item sizes) of operands of these strides, offsets and item sizes.

    A base is a residue, in bytes modulo QUAD_BYTES: nothing else of an offset matters to a plan.
    """
    return (
        tuple([strides for strides, _, _ in operands]),
        tuple([offset * itemsize % QUAD_BYTES for _, offset, itemsize in operands]),
        tuple([itemsize for _, _, itemsize in operands]),
    )


def task_of(
    sizes: Ints, strides: Sequence[Ints], bases: Ints, itemsizes: Ints, rank: int, quads: int
) -> tuple[Task, Ints]:
    """(what is to be done in launches of so many dims, where it starts in elements from bases)."""
    dims, starts = ascending(sizes, strides)
    byte_starts = tuple([base + at * size for base, at, size in zip(bases, starts, itemsizes)])
    return Task(*split(dims, rank), itemsizes, byte_starts, quads), starts


def widest(task: Task) -> Task:
    """Elements, of one size in all operands, as wide as rows contiguous in all of them allow."""
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
    """Where a task starts, in its own elements, of which several of before may have become one.

    They count from the bases rounded down to elements.
    """
    return tuple(
        [
            (start - base + base % itemsize) // itemsize
            for start, base, itemsize in zip(task.byte_starts, bases, task.itemsizes)
        ]
    )
