"""What calls launch: on how many levels, and how many bytes of their operands they access."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

import dml_vk
from dml_vk.kernels.plan.transfer import COPY
from dml_vk.runtime.graph import Graph
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.queue import Queue


class Launches:
    """The launches since it was made."""

    def __init__(self) -> None:
        self.seen: list[tuple[Access, ...]] = []

    def __len__(self) -> int:
        return len(self.seen)

    @property
    def levels(self) -> int:
        """How many follow each other, since each reads what the one before wrote.

        That they wait for memory that is used again is left out: it depends on what was freed.
        """
        written: list[tuple[Access, int]] = []
        last = 0
        for accesses in self.seen:
            level = 1
            for one in accesses:
                if not one.writes:
                    level = max(level, *[after for to, after in written if overlap(one, to)], 1)
            written += [(one, level + 1) for one in accesses if one.writes]
            last = max(last, level)
        return last

    def bytes_of(self, x: dml_vk.Tensor, *, writes: bool) -> int:
        """The bytes of the memory of x that launches read, or write, launch by launch."""
        spans = [
            {(one.low, one.high) for one in accesses if one.writes is writes and inside(one, x)}
            for accesses in self.seen
        ]
        return sum(high - low for each in spans for low, high in each)


def inside(access: Access, x: dml_vk.Tensor) -> bool:
    start = x.allocation.offset
    end = start + x.allocation.nbytes
    return access.arena is x.allocation.arena and start <= access.low and access.high <= end


def overlap(one: Access, other: Access) -> bool:
    return one.arena is other.arena and one.low < other.high and other.low < one.high


@contextlib.contextmanager
def launches(*, runs: bool = True) -> Iterator[Launches]:
    """Watch what is launched while it lasts.

    Where nobody looks at results, it need not run, and then no kernels are made for it. What is
    uploaded through staging memory is, since a table is uploaded once and used again later.
    """
    dml_vk.synchronize()
    found, add, launch = Launches(), Graph.add, Queue.add

    def watched(graph, commands, accesses, is_alone=False):
        add(graph, commands, accesses, is_alone)
        found.seen.append(tuple(accesses))

    def dropped(queue, plan, accesses, params, arguments=None):
        first, *_, last = [access.arena.bytes is not None for access in (*accesses, accesses[-1])]
        if plan.module == COPY and first and not last:
            launch(queue, plan, accesses, params, arguments)
        found.seen.append(tuple(accesses))

    with pytest.MonkeyPatch.context() as patch:
        if runs:
            patch.setattr(Graph, "add", watched)
        else:
            patch.setattr(Queue, "add", dropped)
        yield found
        dml_vk.synchronize()
