"""The module of a kernel, read so that it can grow."""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction, lines_of, words_of
from dml_vk.spirv.module import Module

_DECLARED = {op.UNDEF, op.VARIABLE, *range(op.CONSTANT_TRUE, op.CONSTANT_COMPOSITE + 1)}

_TO_ELEMENT = 6  # words of an access chain to an element of the array in a block


class Member(NamedTuple):
    """A member of a push block, in words."""

    start: int
    words: int
    is_static: bool  # each word is loaded alone, at a place that is known
    is_used: bool


class Outline(NamedTuple):
    """What matters to a chain that is attached."""

    words: int  # loaded or stored at the binding, in the text of the module
    widest: int  # the most at once, and the least
    narrowest: int
    push: tuple[Member, ...]


class Kernel(Module):
    """A module that is read, and then grows."""

    def __init__(self, spirv: bytes) -> None:
        words = words_of(spirv)
        super().__init__(words[3])
        self._start = words[:3]
        self._head: list[Words] = []
        self._capabilities.clear()
        self._of_functions: list[Words] = []
        self._lines_by_id: dict[int, Words] = {}
        self._values_of: dict[tuple[int, ...], int] = {}  # decorations of ids, and of members
        import_name = push = 0
        for line in lines_of(words):
            kind = line[0] & 0xFFFF
            if kind == op.FUNCTION or self._of_functions:
                self._of_functions.append(line)
            elif kind in (op.DECORATE, op.MEMBER_DECORATE):
                self._decorations.append(line)
                self._values_of[line[1:-1]] = line[-1]
            elif kind in op.TYPES or kind in _DECLARED:
                push = line[2] if _is_push(line) else push
                self._add(line, kind)
            else:
                self._head.append(line)
                import_name = line[1] if kind == op.EXT_INST_IMPORT else import_name
        self._begin(import_name, push)
        self.block = self._lines_by_id[self._lines_by_id[self._lines_by_id[push][1]][3]]
        self.members = self._members()

    def _add(self, line: Words, kind: int) -> None:
        self._declared.append(line)
        is_type = kind in op.TYPES
        self._lines_by_id[line[1 if is_type else 2]] = line
        if is_type and kind not in (op.TYPE_ARRAY, op.TYPE_RUNTIME_ARRAY, op.TYPE_STRUCT):
            self._known[instruction(kind, *line[2:])] = line[1]
        elif op.CONSTANT_TRUE <= kind <= op.CONSTANT:
            self._known[instruction(kind, line[1], *line[3:])] = line[2]
            if kind == op.CONSTANT:
                self.values[line[2]] = line[3]

    def _push_path(self, word: int) -> Words:
        """Where a word of the push block is."""
        number = max([k for k, member in enumerate(self.members) if member.start <= word])
        is_array = self._lines_by_id[self.block[2 + number]][0] & 0xFFFF == op.TYPE_ARRAY
        inside = (self.constant(word - self.members[number].start),) if is_array else ()
        return (self.constant(number), *inside)

    # ----- what it has

    def outline(self, binding: int, is_read: bool) -> Outline | None:
        blocks = self.blocks(binding)
        chains: dict[int, int] = {}  # words of what each leads to
        words = 0
        for line in self._of_functions:
            kind = line[0] & 0xFFFF
            if kind == op.ACCESS_CHAIN and line[3] in blocks:
                chains[line[2]] = self.width(line[1]) if len(line) == _TO_ELEMENT else 0
                continue
            if kind == (op.LOAD if is_read else op.STORE) and line[3 if is_read else 1] in chains:
                words += chains[line[3 if is_read else 1]]
                line = line[:3]
                used: Words = line[1:2] if is_read else line[2:3]
            else:
                used = line[1 : op.LITERALS.get(kind)]
            if any(name in blocks or name in chains for name in used):
                return None
        if not words or 0 in chains.values():
            return None
        return Outline(words, max(chains.values()), min(chains.values()), tuple(self.members))

    def bindings(self) -> frozenset[int]:
        return frozenset(self._bindings().values())

    def blocks(self, binding: int) -> set[int]:
        """The variables at a binding."""
        return {variable for variable, at in self._bindings().items() if at == binding}

    def _bindings(self) -> dict[int, int]:
        variables = [line[2] for line in self._declared if line[0] & 0xFFFF == op.VARIABLE]
        bound = {
            variable: self._values_of.get((variable, op.Decoration.BINDING))
            for variable in variables
        }
        return {variable: at for variable, at in bound.items() if at is not None}

    def width(self, pointer: int) -> int:
        """The words of what a pointer leads to: of a number or a vector of 32 bits, else 0."""
        line = self._lines_by_id[self._lines_by_id[pointer][3]]
        count = 1
        if line[0] & 0xFFFF == op.TYPE_VECTOR:
            count, line = line[3], self._lines_by_id[line[2]]
        is_word = line[0] & 0xFFFF in (op.TYPE_INT, op.TYPE_FLOAT) and line[2] == 32
        return count if is_word else 0

    def _members(self) -> list[Member]:
        name = self.block[1]
        sizes = [self._words_of(member) for member in self.block[2:]]
        starts = [self._values_of[name, k, op.Decoration.OFFSET] // 4 for k in range(len(sizes))]
        used, moving = self._used()
        return [
            Member(start, words, number not in moving, number in used)
            for number, (start, words) in enumerate(zip(starts, sizes))
        ]

    def _words_of(self, of_type: int) -> int:
        line = self._lines_by_id[of_type]
        return self.values[line[3]] if line[0] & 0xFFFF == op.TYPE_ARRAY else 1

    def _used(self) -> tuple[set[int], set[int]]:
        """The members of the push block that are used, and where there is more to it than words."""
        used: set[int] = set()
        moving: set[int] = set()
        for line in self._of_functions:
            kind = line[0] & 0xFFFF
            if kind == op.ACCESS_CHAIN and line[3] == self._push:
                member, *inside = line[4:]
                used.add(self.values[member])
                is_word = self.width(line[1]) == 1
                if not is_word or any(index not in self.values for index in inside):
                    moving.add(self.values[member])
        return used, moving


def _is_push(line: Words) -> bool:
    return line[0] & 0xFFFF == op.VARIABLE and line[3] == op.Storage.PUSH_CONSTANT
