"""SPIR-V by instructions, and a function's by blocks, with where control goes on from each.

Numbers are those of the SPIR-V 1.3 specification.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

FUNCTION, CALL = 54, 57
LABEL, PHI, LOOP_MERGE, SELECTION_MERGE = 248, 245, 246, 247
BRANCH, BRANCH_IF, SWITCH = 249, 250, 251

Words = tuple[int, ...]  # of an instruction: its length and number, and its operands
Blocks = dict[int, list[Words]]  # by label


def lines_of(words: Words) -> Iterator[Words]:
    """The instructions of a module."""
    at = 5
    while at < len(words):
        end = at + (words[at] >> 16)
        yield words[at:end]
        at = end


def blocks_of(function: Sequence[Words]) -> Blocks:
    """A function's body."""
    blocks: Blocks = {}
    for line in function[:-1]:
        if line[0] & 0xFFFF == LABEL:
            block = blocks.setdefault(line[1], [])
        if blocks:
            block.append(line)
    return blocks


def targets(line: Words) -> Words:
    """Where control may go on from a block that ends so."""
    kind = line[0] & 0xFFFF
    if kind == SWITCH:
        return (line[2], *line[4::2])
    return line[1:2] if kind == BRANCH else line[2:4] if kind == BRANCH_IF else ()


def reached(blocks: Blocks, start: int, but: Collection[int] = ()) -> set[int]:
    """The labels that control may come to from this one, and not past those."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        label = waiting.pop()
        if label not in found and label not in but:
            found.add(label)
            waiting += targets(blocks[label][-1])
    return found
