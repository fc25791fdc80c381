"""Split SPIR-V into instructions, and functions into the blocks of their control flow graph.

Opcodes are from the SPIR-V 1.3 specification.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Sequence

from dml_vk.errors import ShaderError

UNDEFINED, NAME, MEMBER_NAME, EXTENSION, IMPORT, EXTENDED = 1, 5, 6, 10, 11, 12
MEMORY_MODEL, ENTRY_POINT, EXECUTION_MODE, CAPABILITY = 14, 15, 16, 17
TYPE_FLOAT = 22
TYPE_FUNCTION, CONSTANT_TRUE, CONSTANT_FALSE, CONSTANT, COMPOSITE = 33, 41, 42, 43, 44
SPEC_TRUE, SPEC_FALSE, SPEC_CONSTANT, SPEC_COMPOSITE, SPEC_OPERATION = 48, 49, 50, 51, 52
FUNCTION, PARAMETER, FUNCTION_END, CALL, VARIABLE = 54, 55, 56, 57, 59
LOAD, STORE, CHAIN, DECORATE, MEMBER_DECORATE = 61, 62, 65, 71, 72
CONSTRUCT, EXTRACT, LOGICAL_OR, LOGICAL_AND, SELECT = 80, 81, 166, 167, 169
CONTROL_BARRIER, MEMORY_BARRIER = 224, 225
PHI, LOOP_MERGE, SELECTION_MERGE, LABEL = 245, 246, 247, 248
BRANCH, BRANCH_IF, SWITCH, RETURN, RETURN_VALUE, UNREACHABLE = 249, 250, 251, 253, 254, 255

FLOAT64, INT64 = 10, 11  # CAPABILITYs
SPEC_ID, BUILT_IN, NO_CONTRACTION = 1, 11, 42  # decorations
WORKGROUP_SIZE = 25  # a BUILT_IN
LOCAL_SIZE = 17  # an EXECUTION_MODE
UNROLL = 1  # of the control of a loop
PRIVATE, OF_FUNCTION, PUSH_CONSTANT, STORAGE_BUFFER = 6, 7, 9, 12  # storage classes

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


def instruction(opcode: int, *operands: int) -> Words:
    """An instruction."""
    return (len(operands) + 1 << 16 | opcode, *operands)


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
