"""Tell drivers to keep the rules of float arithmetic: by execution modes in every module.

Without them a driver may flush subnormals, round in another way, or take x + 0 for x, even if x is
-0. So Fourier transforms had other bits on an NVIDIA H200, where the modes cost no time.
"""

from __future__ import annotations

import struct

from dml_vk.driver.float_controls import FloatControls
from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction, lines_of, words_of

_EXTENSION = b"SPV_KHR_float_controls"
# All that stands before the execution modes, in this order.
_CAPABILITIES, _EXTENSIONS = (op.CAPABILITY,), (op.CAPABILITY, op.EXTENSION)
_ENTRIES = (*_EXTENSIONS, op.EXT_INST_IMPORT, op.MEMORY_MODEL, op.ENTRY_POINT, op.EXECUTION_MODE)


def with_float_modes(spirv: bytes, controls: FloatControls) -> bytes:
    """A module with all modes that the device has for the floats in it."""
    words = words_of(spirv)
    ends = dict.fromkeys((_CAPABILITIES, _EXTENSIONS, _ENTRIES), 5)
    entry, at, widths = 0, 5, set()
    for line in lines_of(words):
        opcode = line[0] & 0xFFFF
        if opcode == op.FUNCTION:
            break
        at += len(line)
        for before in ends:
            if opcode in before:
                ends[before] = at
        if opcode == op.ENTRY_POINT:
            entry = line[2]
        elif opcode == op.TYPE_FLOAT:
            widths.add(line[2])
    modes = controls.modes(widths)
    if not modes:
        return spirv
    capabilities = [instruction(op.CAPABILITY, mode.capability) for mode, _ in modes]
    new = {
        _CAPABILITIES: dict.fromkeys(capabilities),
        _EXTENSIONS: [_named(op.EXTENSION, _EXTENSION)],
        _ENTRIES: [instruction(op.EXECUTION_MODE, entry, *mode) for mode in modes],
    }
    result: list[int] = []
    start = 0
    for before, end in ends.items():
        result += words[start:end]
        for added in new[before]:
            result += added
        start = end
    result += words[start:]
    return struct.pack(f"<{len(result)}I", *result)


def _named(opcode: int, name: bytes) -> Words:
    """An instruction whose operand is a name."""
    whole = name + bytes(4 - len(name) % 4)
    return instruction(opcode, *struct.unpack(f"<{len(whole) // 4}I", whole))
