"""The module of a kernel whose push block changes: more bases, scalars, and less that is known."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import BASES
from dml_vk.spirv import spec as op
from dml_vk.spirv.editing import Kernel, Member
from dml_vk.spirv.instructions import Words, instruction


class Pushing(Kernel):
    """A module whose push block is declared anew."""

    def push_anew(self, bindings: int, bases: int, scalars: int, constants: Sequence[Ints]) -> int:
        """Make room for so many more bases and for scalars, and return where these start.

        Members of a kernel with `bindings` that become constants are given as start and words.
        """
        known = {start: words for start, *words in constants}
        folded = {
            number: known[member.start]
            for number, member in enumerate(self.members)
            if member.start in known
        }
        left = [number for number in range(len(self.members)) if number not in folded]
        places = [self.members[number].start < BASES + bindings for number in left]
        first = places.count(True)
        types = [self.block[2 + number] for number in left]
        sizes = [self.members[number].words for number in left]
        new = {
            number: position + (position >= first and bases > 0)
            for position, number in enumerate(left)
        }
        if bases:
            types.insert(first, self._array(bases))
            sizes.insert(first, bases)
        if scalars:
            types.append(self._array(scalars))
            sizes.append(scalars)
        self._fold(folded, new)
        self._declare_block(types, sizes)
        return sum(sizes) - scalars

    def _array(self, words: int) -> int:
        array, count = self.new(), self.constant(words)
        self._declare_last(instruction(op.TYPE_ARRAY, array, self.uint, count))
        self._decorate(array, op.Decoration.ARRAY_STRIDE, 4)
        return array

    def _declare_last(self, line: Words) -> None:
        self._declared.append(line)
        self._lines_by_id[line[1]] = line

    def _declare_block(self, types: Sequence[int], sizes: Sequence[int]) -> None:
        """Declare the push block again, with these members."""
        old, name = self._lines_by_id, self.block[1]
        variable = old[self._push]
        again = (self.block, old[variable[1]], variable)
        self._declared = [line for line in self._declared if line not in again]
        self._decorations = [
            line
            for line in self._decorations
            if line[0] & 0xFFFF != op.MEMBER_DECORATE or line[1] != name
        ]
        self.block = instruction(op.TYPE_STRUCT, name, *types)
        self._lines_by_id[name] = self.block
        self._declared += (self.block, *again[1:])
        self.members = []
        start = 0
        for number, words in enumerate(sizes):
            self.members.append(Member(start, words, True, True))
            offset = instruction(op.MEMBER_DECORATE, name, number, op.Decoration.OFFSET, 4 * start)
            self._decorations.append(offset)
            start += words

    def _fold(self, folded: dict[int, list[int]], new: dict[int, int]) -> None:
        """Put constants in place of loads, and renumber the members that are left."""
        known: dict[int, int] = {}  # what a chain leads to
        lines: list[Words] = []
        for line in self._of_functions:
            kind = line[0] & 0xFFFF
            if kind == op.ACCESS_CHAIN and line[3] == self._push:
                number = self.values[line[4]]
                if number in folded:
                    inside = sum([self.values[index] for index in line[5:]])
                    known[line[2]] = folded[number][inside]
                    continue
                line = (*line[:4], self.constant(new[number]), *line[5:])
            elif kind == op.LOAD and line[3] in known:
                value = self.declared(op.CONSTANT, line[1], known[line[3]] & 0xFFFFFFFF)
                line = instruction(op.COPY_OBJECT, line[1], line[2], value)
            lines.append(line)
        self._of_functions = lines
