"""Split SPIR-V into instructions, and functions into the blocks of their control flow graph.

Opcodes are from the SPIR-V 1.3 specification.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

FUNCTION, CALL = 54, 57
LABEL, PHI, LOOP_MERGE, SELECTION_MERGE = 248, 245, 246, 247
BRANCH, BRANCH_IF, SWITCH = 249, 250, 251

Words = tuple[int, ...]  # of an instruction: word count and opcode, then operands
Blocks = dict[int, list[Words]]  # by label


def lines_of(words: Words) -> Iterator[Words]:
    """The instructions of a module."""
    at = 5
    while at < len(words):
        end = at + (words[at] >> 16)
        yield words[at:end]
        at = end


def blocks_of(function: Sequence[Words]) -> Blocks:
    """The blocks of a function."""
    blocks: Blocks = {}
    for line in function[:-1]:
        if line[0] & 0xFFFF == LABEL:
            block = blocks.setdefault(line[1], [])
        if blocks:
            block.append(line)
    return blocks


def targets(line: Words) -> Words:
    """The successors of a block with this terminator."""
    kind = line[0] & 0xFFFF
    if kind == SWITCH:
        return (line[2], *line[4::2])
    return line[1:2] if kind == BRANCH else line[2:4] if kind == BRANCH_IF else ()


def reached(blocks: Blocks, start: int, stops: Collection[int] = ()) -> set[int]:
    """The labels reachable from `start` without passing through `stops`, which are excluded."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        label = waiting.pop()
        if label not in found and label not in stops:
            found.add(label)
            waiting += targets(blocks[label][-1])
    return found
