"""What calls launch: on how many levels, and how many bytes of their operands they access."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

import dml_vk
from dml_vk.runtime.graph import Graph


class Launches:
    """The launches since it was made."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, set[tuple[int, int, bool]]]] = []

    def __len__(self) -> int:
        return len(self.seen)

    @property
    def levels(self) -> int:
        return len({level for level, _ in self.seen})

    def bytes_of(self, x: dml_vk.Tensor, *, writes: bool) -> int:
        """The bytes of the memory of x that launches read, or write, launch by launch."""
        start = x.allocation.offset
        end = start + x.allocation.nbytes
        return sum(
            high - low
            for _, spans in self.seen
            for low, high, written in spans
            if written is writes and start <= low and high <= end
        )


@contextlib.contextmanager
def launches() -> Iterator[Launches]:
    """Watch what is launched while it lasts."""
    dml_vk.synchronize()
    found, add = Launches(), Graph.add

    def watched(graph, commands, accesses, is_alone=False):
        add(graph, commands, accesses, is_alone)
        spans = {(one.low, one.high, one.writes) for one in accesses}
        found.seen.append((graph.due[-1].level, spans))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Graph, "add", watched)
        yield found
        dml_vk.synchronize()
