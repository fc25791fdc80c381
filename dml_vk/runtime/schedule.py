"""Batches of work, and submissions of them short enough that signals need not wait long."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from dml_vk.runtime.arenas import Arena, Note
from dml_vk.runtime.graph import Graph, PendingCommand
from dml_vk.runtime.interface import Barrier, Command, Prepared, Ticket

_BARRIER = Barrier()


Submission = list[PendingCommand]


class Repeated(Protocol):
    """Work that is recorded once and submitted again and again."""

    def forget(self, arena: Arena) -> None:
        """Drop what is recorded for an arena."""

    def alive(self) -> Sequence[object]:
        """All objects of the runtime that are held."""


class Batch:
    """Work in order of its calls: a graph while it grows, submissions once it is sent."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.submissions: list[Submission] | None = None  # None until it is sent
        self.recorded: list[Prepared] | None = None  # of each of `submissions`, if they are
        self.tickets: list[Ticket] = []
        """Of the first of `submissions`. An interrupt may leave the last one recorded only."""
        self.held: dict[Arena, list[Note]] = {}  # what was in use when an interrupt came
        self.is_fresh = False  # whether some kernels run for the first time


def split(graph: Graph, most_ns: float) -> list[Submission]:
    """Make submissions of work in order of its levels, none longer than `most_ns`."""
    work = graph.by_level()
    if graph.ns <= most_ns:
        return [work] if work else []
    submissions: list[Submission] = []
    ns = math.inf
    for due in work:
        if ns + due.command.ns > most_ns:
            submissions.append([])
            ns = 0.0
        submissions[-1].append(due)
        ns += due.command.ns
    return submissions


def commands(submission: Submission) -> list[Command]:
    """Return the commands of a submission, with a barrier before each level but the first."""
    ordered: list[Command] = []
    level = submission[0].level
    for due in submission:
        if due.level != level:
            ordered.append(_BARRIER)
            level = due.level
        ordered.append(due.command)
    return ordered
