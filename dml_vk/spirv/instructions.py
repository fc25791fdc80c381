"""Split SPIR-V into instructions, and functions into the blocks of their control flow graph."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from dml_vk.errors import ShaderError
from dml_vk.spirv import spec as op

Words = tuple[int, ...]  # of an instruction: word count and opcode, then operands
Blocks = dict[int, list[Words]]  # by label


def words_of(spirv: bytes, what: str = "spirv") -> Words:
    """The words of a module."""
    if len(spirv) < 20 or len(spirv) % 4 or spirv[:4] != b"\x03\x02\x23\x07":
        rule = "a module must be little-endian 32-bit words that start with 0x07230203"
        raise ShaderError(what, rule, bytes=len(spirv), start=bytes(spirv[:4]))
    return struct.unpack(f"<{len(spirv) // 4}I", spirv)


def lines_of(words: Words, what: str = "spirv") -> Iterator[Words]:
    """The instructions of a module."""
    at, end = 5, len(words)
    while at < end:
        after = at + (words[at] >> 16)
        if after == at or after > end:
            rule = "an instruction must end within the module"
            raise ShaderError(what, rule, word=at, length=after - at)
        yield words[at:after]
        at = after


def packed(head: Words, lines: Iterable[Words], bound: int | None = None) -> bytes:
    """A module of these instructions, with the head of another, and a bound of its ids."""
    start = (*head[:3], head[3] if bound is None else bound, head[4])
    words = [*start, *chain.from_iterable(lines)]
    return struct.pack(f"<{len(words)}I", *words)


def instruction(opcode: int, *operands: int) -> Words:
    """An instruction."""
    return (len(operands) + 1 << 16 | opcode, *operands)


def blocks_of(function: Sequence[Words]) -> Blocks:
    """The blocks of a function."""
    blocks: Blocks = {}
    for line in function[:-1]:
        if line[0] & 0xFFFF == op.LABEL:
            block = blocks.setdefault(line[1], [])
        if blocks:
            block.append(line)
    return blocks


def targets(line: Words) -> Words:
    """The successors of a block with this terminator."""
    kind = line[0] & 0xFFFF
    if kind == op.SWITCH:
        return (line[2], *line[4::2])
    return line[1:2] if kind == op.BRANCH else line[2:4] if kind == op.BRANCH_CONDITIONAL else ()


def reached(blocks: Blocks, start: int, stops: Collection[int] = ()) -> set[int]:
    """The labels reachable from `start` without passing through `stops`, which are excluded."""
    labels: set[int] = set()
    waiting = [start]
    while waiting:
        label = waiting.pop()
        if label not in labels and label not in stops:
            labels.add(label)
            waiting += targets(blocks[label][-1])
    return labels
