"""Which steps of a program are needed, and on which levels they run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from dml_vk.kernels.plan.base import Plan
from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.hazards import Access, Hazards, place
from dml_vk.tracing.step import Launch, Slot, Verify

Step = Launch | Verify


def slots_of(step: Step) -> set[int]:
    """The slots that a step uses."""
    return {one.slot for one in step.accesses} if isinstance(step, Launch) else {step.slot}


def cost(step: Step) -> float:
    """The estimated time of a step in nanoseconds."""
    plan = step.work if isinstance(step, Launch) else None
    return plan.units * plan.unit_ns * len(plan.launches) if isinstance(plan, Plan) else 0.0


def needed(steps: Sequence[Step], kept: Iterable[int]) -> list[Step]:
    """Return the steps that write what is kept, or what these read, or that check something."""
    wanted, found = set(kept), []
    for step in reversed(steps):
        if isinstance(step, Verify) or any(
            one.writes and one.slot in wanted for one in step.accesses
        ):
            found.append(step)
            wanted |= slots_of(step)
    return found[::-1]


def levels(steps: Sequence[Step], slots: Sequence[Slot]) -> list[int]:
    """Return for each step the first level on which it may run, if no memory is shared.

    A check ends a level: what comes after it waits for its answer.
    """
    pending: dict[Arena, Hazards] = {}  # placeholders are their own arenas
    memory = cast("Sequence[Allocation]", slots)
    found, floor, end = [], 0, 0
    for step in steps:
        if isinstance(step, Launch):
            # A launch may read from memory of no bytes, once a check lets it.
            reached = [one for one in step.accesses if one.low < one.high]
            accesses = [one.of(memory[one.slot]) for one in reached]
        else:
            end_of = step.start + step.nbytes
            accesses = [Access.of(memory[step.slot], step.start, step.start, end_of, False)]
        level = place(pending, accesses, floor)
        end = max(end, level + 1)
        if isinstance(step, Verify):
            level = max(level, end - 1)
            floor = end = level + 1
        found.append(level)
    return found
