"""Pending work by levels: each step is on the first level after all that it depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.hazards import Access, Hazards, place
from dml_vk.runtime.interface import Work


class Step(NamedTuple):
    """One launch: its commands and what they access."""

    commands: Sequence[Work]
    accesses: Sequence[Access]


class Graph:
    """Steps by level. Those of one level may run in any order or at the same time."""

    def __init__(self) -> None:
        self.levels: list[list[Step]] = []
        self.hazards: dict[Arena, Hazards] = {}
        self.count = 0  # number of commands
        self.ns = 0.0  # their estimated time

    def add(self, commands: Sequence[Work], accesses: Sequence[Access]) -> None:
        """Put a step on the first level at which these accesses are allowed."""
        level = place(self.hazards, accesses)
        # If an interrupt comes here, marks without work only make later work wait.
        while len(self.levels) <= level:
            self.levels.append([])
        self.levels[level].append(Step(commands, accesses))
        self.count += len(commands)
        for command in commands:
            self.ns += command.ns

    def touches(self, allocation: Allocation, write: bool) -> bool:
        """Whether the host must wait for this work before it reads, or writes, this range."""
        hazards = self.hazards.get(allocation.arena)
        low, high = allocation.offset, allocation.offset + max(1, allocation.nbytes)
        return hazards is not None and hazards.after(low, high, write) > 0

    def commands(self) -> Iterable[Work]:
        """Return the commands of all steps."""
        return [one for level in self.levels for step in level for one in step.commands]
