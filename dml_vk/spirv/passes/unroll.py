"""Take the marks `[[unroll]]` off the loops of a module."""

from __future__ import annotations

import struct

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import lines_of, words_of

_CONTROL = 3  # the word of OpLoopMerge that says what to do with the loop


def unmarked(spirv: bytes) -> bytes:
    """The same module, which leaves it to the driver which loops it unrolls."""
    words = words_of(spirv)
    changed = list(words)
    at = 5
    for line in lines_of(words):
        if line[0] & 0xFFFF == op.LOOP_MERGE:
            changed[at + _CONTROL] = 0
        at += len(line)
    return struct.pack(f"<{len(words)}I", *changed)
