"""Change the push block of a kernel's module: more bases, scalars, and less that is known."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import BASES
from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.module import Member, Module


def push_anew(
    module: Module, bindings: int, bases: int, scalars: int, constants: Sequence[Ints]
) -> int:
    """Make room for so many more bases and for scalars, and return where these start.

    Members of a kernel with `bindings` that become constants are given as start and words.
    """
    known, members = {start: words for start, *words in constants}, module.members
    folded = {
        number: known[member.start]
        for number, member in enumerate(members)
        if member.start in known
    }
    left = [number for number in range(len(members)) if number not in folded]
    first = [members[number].start < BASES + bindings for number in left].count(True)
    types = [module.push_block[2 + number] for number in left]
    sizes = [members[number].words for number in left]
    new = {
        number: position + (position >= first and bases > 0) for position, number in enumerate(left)
    }
    if bases:
        types.insert(first, module.words_array(bases))
        sizes.insert(first, bases)
    if scalars:
        types.append(module.words_array(scalars))
        sizes.append(scalars)
    _fold(module, folded, new)
    _redeclare(module, types, sizes)
    return sum(sizes) - scalars


def _redeclare(module: Module, types: Sequence[int], sizes: Sequence[int]) -> None:
    """Declare the push block again, with these members, after their types."""
    lines, name = module.lines_by_id, module.push_block[1]
    variable = lines[module.push]
    pointer = lines[variable[1]]
    gone = (module.push_block, pointer, variable)
    module.declared = [line for line in module.declared if line not in gone]
    module.decorations = [
        line
        for line in module.decorations
        if line[0] & 0xFFFF != op.MEMBER_DECORATE or line[1] != name
    ]
    module.push_block = instruction(op.TYPE_STRUCT, name, *types)
    lines[name] = module.push_block
    module.declared += (module.push_block, pointer, variable)
    module.members = []
    start = 0
    for number, words in enumerate(sizes):
        module.members.append(Member(start, words, True, True))
        offset = instruction(op.MEMBER_DECORATE, name, number, op.Decoration.OFFSET, 4 * start)
        module.decorations.append(offset)
        start += words


def _fold(module: Module, folded: dict[int, list[int]], new: dict[int, int]) -> None:
    """Put constants in place of loads, and renumber the members that are left."""
    known: dict[int, int] = {}  # what a chain leads to
    for name, function in module.functions.items():
        lines: list[Words] = []
        for line in function:
            kind = line[0] & 0xFFFF
            if kind == op.ACCESS_CHAIN and line[3] == module.push:
                number = module.values[line[4]]
                if number in folded:
                    inside = sum([module.values[index] for index in line[5:]])
                    known[line[2]] = folded[number][inside]
                    continue
                line = (*line[:4], module.constant(new[number]), *line[5:])
            elif kind == op.LOAD and line[3] in known:
                value = module.declared_once(op.CONSTANT, line[1], known[line[3]] & 0xFFFFFFFF)
                line = instruction(op.COPY_OBJECT, line[1], line[2], value)
            lines.append(line)
        module.functions[name] = lines
