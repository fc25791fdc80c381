"""Which steps of a program are needed, and which temporaries can share memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from dml_vk.runtime.arenas import ALIGNMENT, Allocation, Arena
from dml_vk.runtime.capture import Placeholder, Verify, Work
from dml_vk.runtime.hazards import Access, Hazards, place

Step = Work | Verify


def slots_of(step: Step) -> set[int]:
    """The slots that a step uses."""
    return {one.slot for one in step.accesses} if isinstance(step, Work) else {step.slot}


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


def levels(steps: Sequence[Step], slots: Sequence[Placeholder]) -> list[int]:
    """Return for each step the first level on which it may run, if no memory is shared.

    A check ends a level: what comes after it waits for its answer.
    """
    pending: dict[Arena, Hazards] = {}  # placeholders are their own arenas
    memory = cast("Sequence[Allocation]", slots)
    found, floor, end = [], 0, 0
    for step in steps:
        if isinstance(step, Work):
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


class Sharing(NamedTuple):
    """Where temporaries lie: each in a block, which others may use on later levels."""

    blocks: list[int]  # sizes in bytes
    of: dict[int, int]  # the block of each slot


def shared(
    steps: Sequence[Step], level: Sequence[int], slots: Sequence[Placeholder], own: Iterable[int]
) -> Sharing:
    """Let temporaries share memory, unless they are among those that have their own.

    A block is free again on the level after the last use of its slot, so that what could run at the
    same time still can.
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    apart = set(own)
    for step, at in zip(steps, level):
        for slot in slots_of(step):
            first[slot] = min(first.get(slot, at), at)
            last[slot] = max(last.get(slot, at), at)
    blocks: list[int] = []
    until: list[int] = []  # the last level on which each block is in use
    found: dict[int, int] = {}
    for slot in sorted(first, key=lambda slot: (first[slot], -slots[slot].nbytes)):
        if slot in apart:
            continue
        size = -(-slots[slot].nbytes // ALIGNMENT) * ALIGNMENT
        free = [
            block
            for block, used in enumerate(until)
            if used < first[slot] and blocks[block] >= size
        ]
        block = min(free, key=lambda block: blocks[block], default=None)
        if block is None:
            block = len(blocks)
            blocks.append(size)
            until.append(-1)
        until[block] = last[slot]
        found[slot] = block
    return Sharing(blocks, found)
