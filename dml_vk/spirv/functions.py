"""The functions of a module, by blocks: what passes ask for that follow the control flow.

Nothing here depends on specialization constants, so that it is done once per module.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, targets


class Block(NamedTuple):
    """A block: what it begins with, does, and ends with."""

    label: int
    phis: list[Words]
    lines: list[Words]
    merge: Words | None
    end: Words


class Loop(NamedTuple):
    """The blocks of a loop, and what an iteration may store to."""

    blocks: list[Block]
    pointers: frozenset[int]
    calls: bool


class Function:
    """A function."""

    def __init__(self, lines: list[Words]) -> None:
        self.name, self.result = lines[0][2], lines[0][1]
        self.params: list[Words] = []
        blocks: dict[int, Block] = {}
        phis: list[Words] = []
        body: list[Words] = []
        merge: Words | None = None
        label = 0
        for line in lines[1:-1]:
            kind = line[0] & 0xFFFF
            if kind == op.LABEL:
                label, phis, body, merge = line[1], [], [], None
            elif kind == op.PHI:
                phis.append(line)
            elif kind == op.LOOP_MERGE or kind == op.SELECTION_MERGE:
                merge = line
            elif op.BRANCH <= kind <= op.UNREACHABLE:
                blocks[label] = Block(label, phis, body, merge, line)
            elif kind == op.FUNCTION_PARAMETER:
                self.params.append(line)
            else:
                body.append(line)
        self.blocks = _in_order(blocks)

    @cached_property
    def size(self) -> int:
        """The lines of its blocks."""
        return sum([len(block.lines) for block in self.blocks])

    @cached_property
    def called(self) -> frozenset[int] | None:
        """The functions that it calls, or None if it does more than to compute.

        It may read what its parameters point to.
        """
        own = {param[2] for param in self.params}
        called: set[int] = set()
        for block in self.blocks:
            for line in block.lines:
                kind = line[0] & 0xFFFF
                if kind == op.VARIABLE:
                    own.add(line[2])
                elif kind == op.FUNCTION_CALL:
                    called.add(line[3])
                elif kind == op.LOAD or kind == op.STORE:
                    pointer = line[3] if kind == op.LOAD else line[1]
                    if self._roots.get(pointer, pointer) not in own:
                        return None
                elif kind >= op.CONTROL_BARRIER and kind < op.PHI:  # atomics too
                    return None
        return (
            None
            if self.written.intersection(param[2] for param in self.params)
            else frozenset(called)
        )

    @cached_property
    def entries(self) -> dict[int, int]:
        """The number of blocks that branch to each label."""
        counts: dict[int, int] = {}
        for block in self.blocks:
            for label in set(targets(block.end)):
                counts[label] = counts.get(label, 0) + 1
        return counts

    @cached_property
    def loops(self) -> dict[int, Loop]:
        """The loops, by the label of their header."""
        places = {block.label: number for number, block in enumerate(self.blocks)}
        return {
            block.label: self._loop(self.blocks[number : places[block.merge[1]]])
            for number, block in enumerate(self.blocks)
            if block.merge is not None and block.merge[0] & 0xFFFF == op.LOOP_MERGE
        }

    @cached_property
    def written(self) -> frozenset[int]:
        """The pointers through which the function itself stores."""
        return self._loop(self.blocks).pointers

    def _loop(self, blocks: list[Block]) -> Loop:
        pointers: set[int] = set()
        calls = False
        for block in blocks:
            for line in block.lines:
                kind = line[0] & 0xFFFF
                if kind == op.STORE:
                    pointers.add(self._roots.get(line[1], line[1]))
                elif kind == op.FUNCTION_CALL:
                    calls = True
                    pointers.update(line[4:])
        return Loop(blocks, frozenset(pointers), calls)

    @cached_property
    def _roots(self) -> dict[int, int]:
        """The pointer that an access chain starts from."""
        return {
            line[2]: line[3]
            for block in self.blocks
            for line in block.lines
            if line[0] & 0xFFFF == op.ACCESS_CHAIN
        }


def _in_order(blocks: dict[int, Block]) -> list[Block]:
    """Sort blocks so that loops are in one piece, and only their last blocks branch backward."""
    order: list[Block] = []
    waiting = [(next(iter(blocks)), False)]
    seen: set[int] = set()
    while waiting:
        label, is_done = waiting.pop()
        block = blocks[label]
        if is_done:
            order.append(block)
        elif label not in seen:
            seen.add(label)
            waiting.append((label, True))
            # The first to be done, which is the last to be pushed, is the last in the order.
            after = [(target, False) for target in targets(block.end)]
            if block.merge is not None:
                after += [(target, False) for target in block.merge[-2:0:-1]]
            waiting += after
    return order[::-1]
