"""Pending work by levels: each step is on the first level after all that it depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.hazards import Access, Hazards, place
from dml_vk.runtime.interface import Dispatch


class Step(NamedTuple):
    """One launch: its dispatches and what they access."""

    dispatches: Sequence[Dispatch]
    accesses: Sequence[Access]


class Graph:
    """Steps by level. Those of one level may run in any order or at the same time."""

    def __init__(self) -> None:
        self.levels: list[list[Step]] = []
        self.hazards: dict[Arena, Hazards] = {}
        self.count = 0  # number of dispatches
        self.ns = 0.0  # their estimated time

    def add(self, dispatches: Sequence[Dispatch], accesses: Sequence[Access]) -> None:
        """Put a step on the first level at which these accesses are allowed."""
        level = place(self.hazards, accesses)
        # If an interrupt comes here, marks without work only make later work wait.
        while len(self.levels) <= level:
            self.levels.append([])
        self.levels[level].append(Step(dispatches, accesses))
        self.count += len(dispatches)
        for dispatch in dispatches:
            self.ns += dispatch.ns

    def touches(self, allocation: Allocation, write: bool) -> bool:
        """Whether the host must wait for pending work before it reads, or writes, this range."""
        hazards = self.hazards.get(allocation.arena)
        low, high = allocation.offset, allocation.offset + max(1, allocation.nbytes)
        return hazards is not None and hazards.after(low, high, write) > 0

    def dispatches(self) -> Iterable[Dispatch]:
        """Return the dispatches of all steps."""
        return [one for level in self.levels for step in level for one in step.dispatches]
