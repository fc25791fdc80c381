"""Which steps of a program are needed, and on which levels they run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dml_vk.kernels.plan.base import Plan
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.hazards import Access, Hazards, place
from dml_vk.tracing.step import Launch, Slot, Verify

Step = Launch | Verify


def slots_of(step: Step) -> set[int]:
    """The slots that a step uses."""
    if isinstance(step, Launch):
        return {access.slot for access in step.accesses}
    return {step.slot, *[access.slot for access in step.shown]}


def cost(step: Step) -> float:
    """The estimated time of a step in nanoseconds."""
    plan = step.work if isinstance(step, Launch) else None
    return plan.units * plan.unit_ns * len(plan.launches) if isinstance(plan, Plan) else 0.0


def needed(steps: Sequence[Step], outer: Iterable[int]) -> list[Step]:
    """Return the steps that write to `outer` slots, or what these read, or that check something."""
    wanted, alive = set(outer), []
    for step in reversed(steps):
        if isinstance(step, Verify) or any(
            access.writes and access.slot in wanted for access in step.accesses
        ):
            alive.append(step)
            wanted |= slots_of(step)
    return alive[::-1]


def levels(steps: Sequence[Step], slots: Sequence[Slot]) -> list[int]:
    """Return for each step the first level on which it may run, if no memory is shared.

    A check ends a level: what comes after it waits for its answer.
    """
    pending: dict[Arena, Hazards] = {}
    # Slots are their own arenas. These are not those of steps, which would keep the hazards.
    memory = [Slot(slot.number, slot.nbytes) for slot in slots]
    on_levels, floor, end = [], 0, 0
    for step in steps:
        if isinstance(step, Launch):
            # A launch may read from memory of no bytes, once a check lets it.
            reached = [access for access in step.accesses if access.low < access.high]
            accesses = [access.on(memory[access.slot]) for access in reached]
        else:
            end_of = step.start + step.nbytes
            accesses = [Access.of(memory[step.slot], step.start, step.start, end_of, False)]
        level = place(pending, accesses, floor)
        end = max(end, level + 1)
        if isinstance(step, Verify):
            level = max(level, end - 1)
            floor = end = level + 1
        on_levels.append(level)
    return on_levels
