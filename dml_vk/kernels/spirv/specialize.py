"""Remove the switch cases that a specialization constant rules out from a SPIR-V module.

Drivers inline all functions before they evaluate constants: of a switch over thirty operators they
would compile all thirty, and then drop all but one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from dml_vk.kernels.spirv.blocks import (
    BRANCH,
    BRANCH_IF,
    CALL,
    FUNCTION,
    LABEL,
    LOOP_MERGE,
    PHI,
    SELECTION_MERGE,
    SWITCH,
    Blocks,
    Words,
    blocks_of,
    lines_of,
    reached,
    targets,
)

_NAME, _DECORATE, _ENTRY_POINT = 5, 71, 15
_SPEC_CONSTANT, _SPEC_ID = 50, 1
_FUNCTION_END, _UNREACHABLE = 56, 255
# Instructions in functions that have no result id.
_NO_RESULT = {LOOP_MERGE, SELECTION_MERGE, BRANCH, BRANCH_IF, SWITCH, _UNREACHABLE}
_NO_RESULT |= {_FUNCTION_END, 62, 63, 224, 225, 228, 252, 253, 254}  # stores, barriers, returns


def only_case(spirv: bytes, constant: int, value: int) -> bytes:
    """Prune a module to what it can reach with this value of the specialization constant."""
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    before: list[Words] = []  # everything before the first function
    functions: dict[int, list[Words]] = {}
    body = before
    for line in lines_of(words):
        if line[0] & 0xFFFF == FUNCTION:
            body = functions.setdefault(line[2], [])
        body.append(line)
    numbered = {line[1]: line[3] for line in before if _is_spec_id(line)}
    chosen = {
        line[2]
        for line in before
        if line[0] & 0xFFFF == _SPEC_CONSTANT and numbered.get(line[2]) == constant
    }
    removed: set[int] = set()
    functions = {
        name: _pruned(function, chosen, value, removed) for name, function in functions.items()
    }
    called = _called(functions, [line[2] for line in before if line[0] & 0xFFFF == _ENTRY_POINT])
    for name in functions.keys() - called:
        removed |= _results(functions[name])
    kept = [
        line
        for line in before
        if line[0] & 0xFFFF not in (_NAME, _DECORATE) or line[1] not in removed
    ]
    for name, function in functions.items():
        if name in called:
            kept += function
    flat = [word for line in kept for word in line]
    return struct.pack(f"<{5 + len(flat)}I", *words[:5], *flat)


def _is_spec_id(line: Words) -> bool:
    return line[0] & 0xFFFF == _DECORATE and line[2] == _SPEC_ID


def _results(lines: Iterable[Words]) -> set[int]:
    """The ids that these instructions define."""
    defining = [line for line in lines if line[0] & 0xFFFF not in _NO_RESULT]
    return {line[1] if line[0] & 0xFFFF == LABEL else line[2] for line in defining}


def _called(functions: dict[int, list[Words]], entries: list[int]) -> set[int]:
    called: set[int] = set()
    waiting = entries
    while waiting:
        name = waiting.pop()
        if name not in called:
            called.add(name)
            waiting += [line[3] for line in functions[name] if line[0] & 0xFFFF == CALL]
    return called


def _pruned(function: list[Words], chosen: set[int], value: int, removed: set[int]) -> list[Words]:
    """Drop the blocks that become unreachable, and add the ids they defined to `removed`."""
    if not any(line[0] & 0xFFFF == SWITCH and line[1] in chosen for line in function):
        return function
    first = next(at for at, line in enumerate(function) if line[0] & 0xFFFF == LABEL)
    blocks = blocks_of(function)
    for block in blocks.values():
        line = block[-1]
        if line[0] & 0xFFFF == SWITCH and line[1] in chosen:
            # It stays a switch, with only a default: blocks inside may break to its merge block.
            cases = dict(zip(line[3::2], line[4::2]))
            block[-1] = (3 << 16 | SWITCH, line[1], cases.get(value, line[2]))
    kept_labels = reached(blocks, function[first][1])
    merges: set[int] = set()  # merge blocks must exist even if nothing branches to them
    for label in kept_labels:
        for line in blocks[label]:
            if line[0] & 0xFFFF == LOOP_MERGE and line[2] not in kept_labels:
                return function  # The continue target is unreachable, but a loop must have one.
            if line[0] & 0xFFFF in (LOOP_MERGE, SELECTION_MERGE):
                merges.add(line[1])
    kept = function[:first]
    for label, block in blocks.items():
        if label in kept_labels:
            kept += [_phi(line, label, blocks, kept_labels) for line in block]
        else:
            removed |= _results(block)
            if label in merges:
                removed.discard(label)
                kept += [block[0], (1 << 16 | _UNREACHABLE,)]
    return [*kept, function[-1]]


def _phi(line: Words, label: int, blocks: Blocks, labels: set[int]) -> Words:
    """Remove incoming edges that no longer exist, if the instruction is a phi."""
    if line[0] & 0xFFFF != PHI:
        return line
    pairs = [
        (value, source)
        for value, source in zip(line[3::2], line[4::2])
        if source in labels and label in targets(blocks[source][-1])
    ]
    words = [word for pair in pairs for word in pair]
    return ((3 + len(words)) << 16 | PHI, *line[1:3], *words)
