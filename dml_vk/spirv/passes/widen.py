"""Load and store pairs of words as 64-bit integers.

A CPU's driver that does so element by element, lane after lane, then has half as many to move.
"""

from __future__ import annotations

from itertools import count

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction, lines_of, packed, words_of

_TO_ELEMENT = 6  # words of an access chain that ends at an element of an array in a block


def widened(spirv: bytes) -> bytes:
    """The same module, whose blocks of pairs and quads of words consist of 64-bit integers.

    Arrays of which parts of an element are accessed are left as they are.
    """
    words = words_of(spirv)
    lines = list(lines_of(words))
    arrays, blocks = _arrays(lines)
    if not arrays:
        return spirv
    new = count(words[3])
    long = next(new)
    # By the words of an element: its type, and that of a pointer to it.
    types = {size: (next(new) if size > 2 else long, next(new)) for size in set(arrays.values())}
    new_types = [instruction(op.TYPE_INT, long, 64, 0)]
    for size, (element, pointer) in types.items():
        new_types += [instruction(op.TYPE_VECTOR, element, long, size // 2)] if size > 2 else []
        new_types.append(instruction(op.TYPE_POINTER, pointer, op.Storage.STORAGE_BUFFER, element))
    elements: dict[int, int] = {}  # pointers to them, and their types
    changed: list[Words] = [instruction(op.CAPABILITY, op.Capability.INT64)]
    for line in lines:
        kind = line[0] & 0xFFFF
        if kind == op.TYPE_RUNTIME_ARRAY and line[1] in arrays:
            changed += new_types
            new_types = []
            line = instruction(kind, line[1], types[arrays[line[1]]][0])
        elif kind == op.ACCESS_CHAIN and line[3] in blocks:
            elements[line[2]], pointer = types[arrays[blocks[line[3]]]]
            line = instruction(kind, pointer, *line[2:])
        elif kind == op.LOAD and line[3] in elements:
            loaded = next(new)
            changed.append(instruction(kind, elements[line[3]], loaded, *line[3:]))
            line = instruction(op.BITCAST, *line[1:3], loaded)
        elif kind == op.STORE and line[1] in elements:
            stored = next(new)
            changed.append(instruction(op.BITCAST, elements[line[1]], stored, line[2]))
            line = instruction(kind, line[1], stored, *line[3:])
        changed.append(line)
    return packed(words[:5], changed, next(new))


def _arrays(lines: list[Words]) -> tuple[dict[int, int], dict[int, int]]:
    """The arrays of pairs and quads by their words, and blocks with the array that each is."""
    words: set[int] = set()  # types
    sizes: dict[int, int] = {}  # of vectors of words
    arrays: dict[int, int] = {}
    inside: dict[int, int] = {}  # structures and pointers to them, and the array inside
    blocks: dict[int, int] = {}
    for line in lines:
        kind = line[0] & 0xFFFF
        if kind == op.TYPE_INT and line[2:] == (32, 0):
            words.add(line[1])
        elif kind == op.TYPE_VECTOR and line[2] in words and line[3] % 2 == 0:
            sizes[line[1]] = line[3]
        elif kind == op.TYPE_RUNTIME_ARRAY and line[2] in sizes:
            arrays[line[1]] = sizes[line[2]]
        elif kind == op.TYPE_STRUCT and line[2:3] and line[2] in arrays:
            inside[line[1]] = line[2]
        elif kind == op.TYPE_POINTER and line[3] in inside:
            inside[line[1]] = inside[line[3]]
        elif kind == op.VARIABLE and line[1] in inside:
            blocks[line[2]] = inside[line[1]]
        elif kind == op.ACCESS_CHAIN and line[3] in blocks and len(line) != _TO_ELEMENT:
            arrays.pop(blocks[line[3]], None)
    return arrays, {block: array for block, array in blocks.items() if array in arrays}
