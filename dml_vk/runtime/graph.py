"""Pending work by levels: each launch is on the first level after all that it depends on."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.hazards import Access, Hazards, place
from dml_vk.runtime.interface import Work


@dataclass(slots=True, eq=False)
class Due:
    """A command, its level, and the accesses of its launch."""

    command: Work
    level: int
    accesses: Sequence[Access]


_level = operator.attrgetter("level")


class Graph:
    """Commands with their levels. Those of one level may run in any order or at the same time."""

    def __init__(self) -> None:
        self.due: list[Due] = []
        self.hazards: dict[Arena, Hazards] = {}
        self.ns = 0.0  # the commands' estimated time
        self._first = 0  # the lowest level that is still open

    def add(
        self, commands: Sequence[Work], accesses: Sequence[Access], is_alone: bool = False
    ) -> None:
        """Put the commands of one launch on the first level at which these accesses are allowed.

        If it `is_alone`, it gets a level of its own, after all earlier and before all later work.
        """
        if is_alone:
            self._first = max([due.level for due in self.due], default=-1) + 1
        level = place(self.hazards, accesses, self._first)
        self._first += is_alone
        # If an interrupt comes here, marks without work only make later work wait.
        if len(commands) == 1:
            self.due.append(Due(commands[0], level, accesses))
        else:
            self.due += [Due(command, level, accesses) for command in commands]
        for command in commands:
            self.ns += command.ns

    def by_level(self) -> list[Due]:
        """Return the commands in an order in which they may run."""
        return sorted(self.due, key=_level)

    def touches(self, allocation: Allocation, write: bool) -> bool:
        """Whether the host must wait for this work before it reads, or writes, this range."""
        hazards = self.hazards.get(allocation.arena)
        low, high = allocation.offset, allocation.offset + max(1, allocation.nbytes)
        return hazards is not None and hazards.after(low, high, write) > 0
