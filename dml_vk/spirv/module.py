"""SPIR-V modules: read, look up, edit and write them."""

from __future__ import annotations

import copy
import struct
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from dml_vk.spirv import spec as op
from dml_vk.spirv.functions import Function
from dml_vk.spirv.instructions import Words, instruction, lines_of, packed, words_of

_HEAD = 0x07230203, 0x00010300, 0, 1, 0  # SPIR-V 1.3, no ids
_WITH_DECORATIONS = op.TYPE_ARRAY, op.TYPE_RUNTIME_ARRAY, op.TYPE_STRUCT


class Member(NamedTuple):
    """A member of a push block, in words."""

    start: int
    words: int
    is_static: bool  # each word is loaded alone, at an index that is known
    is_used: bool


class Decorated(NamedTuple):
    """Decorations by what becomes of them when specialization constants are set."""

    numbers: dict[int, int]  # of specialization constants
    precise: set[int]  # results that drivers must not contract with others
    local_size: int  # the constant that is the local size; 0 if there is none
    lasting: list[Words]  # the decorations of all else


class Module:
    """A module, in the sections that SPIR-V has it in.

    Passes look up and do not edit: a module that was read once is folded many times. Whoever edits
    has a module of its own.
    """

    def __init__(self, spirv: bytes | None = None, what: str = "spirv") -> None:
        """Read a module, or begin one that has nothing yet; `what` names it in errors."""
        self.head: Words = _HEAD
        self.preamble: list[Words] = []  # from capabilities to execution modes
        self.debug: list[Words] = []  # names, and of the source
        self.decorations: list[Words] = []
        self.declared: list[Words] = []  # types, constants, variables
        self.functions: dict[int, list[Words]] = {}
        self.capabilities: set[int] = set()  # beside those in the preamble
        self._read_functions: dict[int, Function] = {}
        self._pure: dict[int, bool] = {}
        self._has_push_array = False  # as `declare_push` makes it
        if spirv is not None:
            self._read(words_of(spirv, what), what)
        self.bound = self.head[3]

    def _read(self, words: Words, what: str) -> None:
        self.head = words[:5]
        body: list[Words] | None = None
        for line in lines_of(words, what):
            kind = line[0] & 0xFFFF
            if kind == op.FUNCTION:
                body = self.functions[line[2]] = []
            if body is not None:
                body.append(line)
            elif kind == op.DECORATE or kind == op.MEMBER_DECORATE:
                self.decorations.append(line)
            elif kind > op.CAPABILITY or kind == op.UNDEF:
                self.declared.append(line)
            elif kind >= op.EXTENSION:
                self.preamble.append(line)
            else:
                self.debug.append(line)

    def lines(self) -> Iterator[Words]:
        """All instructions."""
        has = {line[1] for line in self.preamble if line[0] & 0xFFFF == op.CAPABILITY}
        for capability in sorted(self.capabilities - has):
            yield instruction(op.CAPABILITY, capability)
        yield from chain(self.preamble, self.debug, self.decorations, self.declared)
        yield from chain.from_iterable(self.functions.values())

    def emit(self) -> bytes:
        """Write the module."""
        return packed(self.head, self.lines(), self.bound)

    # ----- looking up

    @cached_property
    def main(self) -> int:
        """The function of the entry point."""
        entries = [line[2] for line in self.preamble if line[0] & 0xFFFF == op.ENTRY_POINT]
        return entries[-1] if entries else 0

    @cached_property
    def import_name(self) -> int:
        """The set of GLSL's instructions."""
        return next(line[1] for line in self.preamble if line[0] & 0xFFFF == op.EXT_INST_IMPORT)

    @cached_property
    def decorated(self) -> Decorated:
        """What the decorations say to those who set specialization constants."""
        spec_id, precise_id = op.Decoration.SPEC_ID, op.Decoration.NO_CONTRACTION
        built_in = op.Decoration.BUILT_IN, op.BuiltIn.WORKGROUP_SIZE
        numbers: dict[int, int] = {}
        precise: set[int] = set()
        lasting: list[Words] = []
        local_size = 0
        for line in self.decorations:
            if line[0] & 0xFFFF == op.MEMBER_DECORATE:
                lasting.append(line)
            elif line[2] == precise_id:
                precise.add(line[1])
            elif line[2] == spec_id:
                numbers[line[1]] = line[3]
            elif line[2:4] == built_in:
                local_size = line[1]
            else:
                lasting.append(line)
        return Decorated(numbers, precise, local_size, lasting)

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The functions by glslang's names, such as `bits_of(u1;`."""
        return {
            struct.pack(f"<{len(line) - 2}I", *line[2:]).split(b"\0")[0].decode(): line[1]
            for line in self.debug
            if line[0] & 0xFFFF == op.NAME and line[1] in self.functions
        }

    def function(self, name: int) -> Function:
        """A function, read when it is first asked for."""
        function = self._read_functions.get(name)
        if function is None:
            function = self._read_functions[name] = Function(self.functions[name])
        return function

    def is_pure(self, name: int) -> bool:
        """Whether a function only computes."""
        known = self._pure.get(name)
        if known is None:
            called = self.function(name).called
            known = self._pure[name] = called is not None and all(map(self.is_pure, called))
        return known

    def rooted(self, declared: list[Words], lines: list[Words], bound: int) -> Module:
        """The same module with another main function, and with more declarations."""
        other = copy.copy(self)
        other.declared = [*self.declared, *declared]
        other.bound = bound
        function = Function(lines)
        other.main = function.name
        other._read_functions = {**self._read_functions, function.name: function}
        return other

    @cached_property
    def lines_by_id(self) -> dict[int, Words]:
        """Declarations by what they declare."""
        return {line[1 if line[0] & 0xFFFF in op.TYPES else 2]: line for line in self.declared}

    @cached_property
    def values(self) -> dict[int, int]:
        """The first words of constants."""
        return {line[2]: line[3] for line in self.declared if line[0] & 0xFFFF == op.CONSTANT}

    @cached_property
    def _known(self) -> dict[Words, int]:
        """Types without decorations, and constants, by what they are."""
        known: dict[Words, int] = {}
        for line in self.declared:
            kind = line[0] & 0xFFFF
            if kind in op.TYPES and kind not in _WITH_DECORATIONS:
                known[instruction(kind, *line[2:])] = line[1]
            elif op.CONSTANT_TRUE <= kind <= op.CONSTANT:
                known[instruction(kind, line[1], *line[3:])] = line[2]
        return known

    # ----- blocks

    @cached_property
    def _decoration_values(self) -> dict[Words, int]:
        """The last words of decorations, by what is before."""
        return {line[1:-1]: line[-1] for line in self.decorations}

    def bindings(self) -> dict[int, int]:
        """The variables that are at bindings, and these."""
        values = self._decoration_values
        return {
            line[2]: values[line[2], op.Decoration.BINDING]
            for line in self.declared
            if line[0] & 0xFFFF == op.VARIABLE and (line[2], op.Decoration.BINDING) in values
        }

    def blocks(self, binding: int) -> set[int]:
        """The variables at a binding."""
        return {variable for variable, number in self.bindings().items() if number == binding}

    def width(self, pointer: int) -> int:
        """The words of what a pointer leads to: of a number or a vector of 32 bits, else 0."""
        lines = self.lines_by_id
        line = lines[lines[pointer][3]]
        count = 1
        if line[0] & 0xFFFF == op.TYPE_VECTOR:
            count, line = line[3], lines[line[2]]
        is_word = line[0] & 0xFFFF in (op.TYPE_INT, op.TYPE_FLOAT) and line[2] == 32
        return count if is_word else 0

    @cached_property
    def push(self) -> int:
        """The variable of the push block."""
        (*_, line) = [line for line in self.declared if is_push(line)]
        return line[2]

    @cached_property
    def push_block(self) -> Words:
        """The declaration of the type of the push block."""
        lines = self.lines_by_id
        return lines[lines[lines[self.push][1]][3]]

    @cached_property
    def members(self) -> list[Member]:
        """The members of the push block."""
        (_, name, *types), values = self.push_block, self._decoration_values
        used, moving = self._used_members()
        return [
            Member(
                values[name, number, op.Decoration.OFFSET] // 4,
                self._words_of(of_type),
                number not in moving,
                number in used,
            )
            for number, of_type in enumerate(types)
        ]

    def _words_of(self, of_type: int) -> int:
        line = self.lines_by_id[of_type]
        return self.values[line[3]] if line[0] & 0xFFFF == op.TYPE_ARRAY else 1

    def _used_members(self) -> tuple[set[int], set[int]]:
        """The members of the push block that are used, and where there is more to it than words."""
        used: set[int] = set()
        moving: set[int] = set()
        for line in chain.from_iterable(self.functions.values()):
            if line[0] & 0xFFFF == op.ACCESS_CHAIN and line[3] == self.push:
                member, *inside = line[4:]
                used.add(self.values[member])
                is_word = self.width(line[1]) == 1
                if not is_word or any(index not in self.values for index in inside):
                    moving.add(self.values[member])
        return used, moving

    # ----- editing

    def new(self) -> int:
        """A new id."""
        self.bound += 1
        return self.bound - 1

    @cached_property
    def uint(self) -> int:
        """The type of words."""
        return self.type(op.TYPE_INT, 32, 0)

    def type(self, kind: int, *operands: int) -> int:
        """A type without decorations."""
        return self._once(instruction(kind, *operands), lambda name: (kind, name, *operands))

    def constant(self, value: int) -> int:
        """An unsigned integer."""
        return self.declared_once(op.CONSTANT, self.uint, value & 0xFFFFFFFF)

    def declared_once(self, kind: int, of_type: int, *operands: int) -> int:
        """A constant of any kind."""
        name = self._once(
            instruction(kind, of_type, *operands), lambda name: (kind, of_type, name, *operands)
        )
        if of_type == self.uint and kind == op.CONSTANT:
            self.values[name] = operands[0]
        return name

    def _once(self, key: Words, line: Callable[[int], Words]) -> int:
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.new()
            self.declare(*line(known))
        return known

    def declare(self, kind: int, *operands: int) -> None:
        """Write a declaration."""
        line = instruction(kind, *operands)
        self.declared.append(line)
        self.lines_by_id[operands[0 if kind in op.TYPES else 1]] = line

    def decorate(self, *operands: int) -> None:
        self.decorations.append(instruction(op.DECORATE, *operands))

    def array_block(self, array: int, storage: int, *access: Words) -> int:
        """A variable that is a block of an array, which may be of unknown length."""
        block, name = self.new(), self.new()
        self.declare(op.TYPE_STRUCT, block, array)
        pointer = self.type(op.TYPE_POINTER, storage, block)
        self.declare(op.VARIABLE, pointer, name, storage)
        self.decorate(block, op.Decoration.BLOCK)
        self.decorations += [
            instruction(op.MEMBER_DECORATE, block, 0, *words)
            for words in ((op.Decoration.OFFSET, 0), *access)
        ]
        return name

    def words_array(self, words: int) -> int:
        """The type of an array of so many words."""
        of_type, array, count = self.uint, self.new(), self.constant(words)
        self.declare(op.TYPE_ARRAY, array, of_type, count)
        self.decorate(array, op.Decoration.ARRAY_STRIDE, 4)
        return array

    def declare_push(self, words: int) -> None:
        """Declare a push block of so many words."""
        self.push = self.array_block(self.words_array(words), op.Storage.PUSH_CONSTANT)
        self._has_push_array = True

    def push_path(self, word: int) -> Words:
        """Where a word of the push block is in it, as constants."""
        if self._has_push_array:
            return self.constant(0), self.constant(word)
        number = max([k for k, member in enumerate(self.members) if member.start <= word])
        is_array = self.lines_by_id[self.push_block[2 + number]][0] & 0xFFFF == op.TYPE_ARRAY
        inside = (self.constant(word - self.members[number].start),) if is_array else ()
        return (self.constant(number), *inside)


def is_push(line: Words) -> bool:
    """Whether an instruction declares the variable of a push block."""
    return line[0] & 0xFFFF == op.VARIABLE and line[3] == op.Storage.PUSH_CONSTANT
