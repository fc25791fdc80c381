"""Split work into submissions short enough that signals need not wait long."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from dml_vk.runtime.graph import Due
from dml_vk.runtime.interface import Barrier, Command, Dispatch

_BARRIER = Barrier()


Submission = list[Due]


def split(work: Iterable[Due], most_ns: float, fresh: Iterable[Any]) -> list[Submission]:
    """Make submissions of work in order of its levels, none longer than `most_ns`.

    A `fresh` pipeline is compiled when it first runs, which takes long, so it starts a new one.
    """
    submissions: list[Submission] = []
    compiled_late = set(map(id, fresh))
    ns = math.inf
    for due in work:
        command = due.command
        bound = command.bound if isinstance(command, Dispatch) else None
        if ns + command.ns > most_ns or id(bound) in compiled_late:
            compiled_late.discard(id(bound))
            submissions.append([])
            ns = 0.0
        submissions[-1].append(due)
        ns += command.ns
    return submissions


def commands(submission: Submission) -> list[Command]:
    """Return the commands of a submission, with a barrier before each level but the first."""
    made: list[Command] = []
    level = submission[0].level
    for due in submission:
        if due.level != level:
            made.append(_BARRIER)
            level = due.level
        made.append(due.command)
    return made
