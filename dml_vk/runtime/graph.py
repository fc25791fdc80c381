"""Pending work by levels: each launch is on the first level after all that it depends on."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.hazards import Access, Hazards, place
from dml_vk.runtime.interface import Work


class PendingCommand(NamedTuple):
    """A command, its level, and the accesses of its launch."""

    command: Work
    level: int
    accesses: Sequence[Access]


_pending = partial(tuple.__new__, PendingCommand)  # faster than a call of the class
_level = operator.attrgetter("level")


class Graph:
    """Commands with their levels. Those of one level may run in any order or at the same time.

    Levels count on from graph to graph. So hazards stay, and say which graph has touched a range.
    """

    def __init__(self, hazards: dict[Arena, Hazards], first: int = 0) -> None:
        self.due: list[PendingCommand] = []
        self.ns = 0.0  # the commands' estimated time
        self.first = self.end = first  # the lowest level, and the one after the highest
        self._floor = first  # the lowest that is still open
        self._hazards = hazards

    def add(
        self, commands: Sequence[Work], accesses: Sequence[Access], is_alone: bool = False
    ) -> None:
        """Put the commands of one launch on the first level at which these accesses are allowed.

        If it `is_alone`, it gets a level of its own, after all earlier and before all later work.
        """
        if is_alone:
            self._floor = self.end
        level = self._level_of(accesses)
        if is_alone:
            self._floor = self.end
        self.due += [PendingCommand(command, level, accesses) for command in commands]
        self.ns += sum([command.ns for command in commands])

    def add_one(self, command: Work, accesses: Sequence[Access]) -> None:
        """`add` for a single command, as most launches have."""
        level = place(self._hazards, accesses, self._floor)
        if level >= self.end:  # as in `_level_of`, whose call each operation would pay for
            self.end = level + 1
        self.due.append(_pending((command, level, accesses)))
        self.ns += command.ns

    def _level_of(self, accesses: Sequence[Access]) -> int:
        level = place(self._hazards, accesses, self._floor)
        # If an interrupt comes here, marks without work only make later work wait.
        if level >= self.end:
            self.end = level + 1
        return level

    def by_level(self) -> list[PendingCommand]:
        """Return the commands in an order in which they may run."""
        return sorted(self.due, key=_level)
