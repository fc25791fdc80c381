"""Where results and temporaries of a program lie: in blocks, which several use one after another.

Results have a block each. Temporaries may use it before, and the memory of donated arguments after
the last use of these, as may a result.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from dml_vk.compiler.passes.aliasing import in_place
from dml_vk.compiler.passes.liveness import Step, slots_of
from dml_vk.runtime.arenas import ALIGNMENT
from dml_vk.tracing.step import Launch, Slot

_EVER = math.inf
Over = set[tuple[int, int]]  # a slot that may be written over another, which is read last there


class Span(NamedTuple):
    """The levels from the first to the last on which a slot needs its block."""

    first: float
    last: float
    slot: int


class Block:
    """Memory of a program that each call takes from a donated argument, or allocates."""

    def __init__(self, nbytes: int, span: Span, donor: int | None = None) -> None:
        self.nbytes = nbytes
        self.spans = [span]
        self.donor = donor  # the slot of an argument

    @property
    def room(self) -> int:
        return -(-self.nbytes // ALIGNMENT) * ALIGNMENT

    def takes(self, new: Span, over: Over) -> bool:
        """Whether a slot can have the block on these levels."""
        return all(
            new.last < span.first
            or span.last < new.first
            or (span.last == new.first and (new.slot, span.slot) in over)
            or (new.last == span.first and (span.slot, new.slot) in over)
            for span in self.spans
        )


class Sharing(NamedTuple):
    """The blocks, and which one each slot has."""

    blocks: list[Block]
    of: dict[int, int]
    temporary_bytes: int


def shared(
    steps: Sequence[Step],
    level: Sequence[int],
    slots: Sequence[Slot],
    results: Sequence[int],
    donated: Collection[int],
    outside: Collection[int],
) -> Sharing:
    """Find blocks for all slots but those from outside, among which the donated ones are.

    A block is free again on the level after the last use of a slot, so that what could run at the
    same time still can; on that level already if its last reader writes over what it reads.
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for step, at in zip(steps, level):
        for slot in slots_of(step):
            first[slot] = min(first.get(slot, at), at)
            last[slot] = max(last.get(slot, at), at)
    over = _over(steps, level, first, last)
    gifts = [
        Block(slots[slot].nbytes, Span(-1, last.get(slot, -1), slot), slot)
        for slot in sorted(donated)
    ]
    blocks: list[Block] = []
    of: dict[int, int] = {}
    for slot in results:
        nbytes, span = slots[slot].nbytes, Span(first.get(slot, -1), _EVER, slot)
        # A small tensor must not keep a large piece of memory.
        fitting = [
            block
            for block in gifts
            if nbytes <= block.nbytes <= 2 * nbytes and block.takes(span, over)
        ]
        block = min(fitting, key=lambda block: block.nbytes, default=None)
        of[slot] = len(blocks)
        if block is None:
            blocks.append(Block(nbytes, span))
        else:
            gifts.remove(block)
            block.spans.append(span)
            block.nbytes = nbytes  # if the argument turns out to be in use elsewhere
            blocks.append(block)
    blocks += gifts
    own = len(blocks)
    for slot in sorted(first, key=lambda slot: (first[slot], -slots[slot].nbytes)):
        if slot in of or slot in outside:
            continue
        nbytes, span = slots[slot].nbytes, Span(first[slot], last[slot], slot)
        # Only blocks of temporaries grow, to the end of their last piece of alignment.
        free = [
            number
            for number, block in enumerate(blocks)
            if nbytes <= (block.nbytes if number < own else block.room) and block.takes(span, over)
        ]
        number = min(free, key=lambda number: blocks[number].room, default=len(blocks))
        if number == len(blocks):
            blocks.append(Block(nbytes, span))
        else:
            blocks[number].spans.append(span)
            blocks[number].nbytes = max(blocks[number].nbytes, nbytes)
        of[slot] = number
    return Sharing(blocks, of, sum([block.room for block in blocks[own:]]))


def _over(
    steps: Sequence[Step], level: Sequence[int], first: dict[int, int], last: dict[int, int]
) -> Over:
    """Which slots may be written over which."""
    users: dict[tuple[int, int], int] = {}  # how many steps use a slot on a level
    for step, at in zip(steps, level):
        for slot in slots_of(step):
            users[slot, at] = users.get((slot, at), 0) + 1
    return {
        (target, source)
        for step, at in zip(steps, level)
        if isinstance(step, Launch)
        for target, source in in_place(step)
        if first[target] == at == last[source]
        if users[target, at] == users[source, at] == 1
    }
