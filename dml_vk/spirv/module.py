"""A module that grows: declarations, each once, instructions, and pieces of other modules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction

_DOUBLE_BITS = 64


class Piece(NamedTuple):
    """Functions, and what they use by id."""

    root: int
    functions: list[list[Words]]
    declared: dict[int, Words]  # types and constants
    precise: frozenset[int]
    words: int  # of elements: two, or four if some have 128 bits
    scalars: dict[int, int]  # access chains, and the word of the scalars that each leads to


class Module(ABC):
    """What modules that are written here have in common."""

    def __init__(self, first: int = 1) -> None:
        """Begin with ids from the first one on."""
        self._next = first
        self._known: dict[Words, int] = {}
        self._declared: list[Words] = []
        self._decorations: list[Words] = []
        self._capabilities = {op.Capability.SHADER}
        self._functions: list[Words] = []
        self._lines: list[Words] = []  # of the function that is being written
        self._blocks: dict[tuple[int, int, Words], int] = {}
        self.values: dict[int, int] = {}  # of constants
        self.types: dict[int, int] = {}  # of what instructions make

    def _begin(self, import_name: int, push: int) -> None:
        """Declare what everything needs: `push` is the variable of the push block."""
        self.import_name, self._push = import_name, push
        self.uint = self.type(op.TYPE_INT, 32, 0)
        self.bool = self.type(op.TYPE_BOOL)
        self.vectors = {
            1: self.uint,
            **{n: self.type(op.TYPE_VECTOR, self.uint, n) for n in (2, 3, 4)},
        }

    @abstractmethod
    def _push_path(self, word: int) -> Words:
        """Where a word of the push block is in it, as constants."""

    # ----- declarations

    def new(self) -> int:
        self._next += 1
        return self._next - 1

    def type(self, kind: int, *operands: int) -> int:
        """A type without decorations."""
        return self._once(instruction(kind, *operands), lambda name: (kind, name, *operands))

    def constant(self, value: int) -> int:
        """An unsigned integer."""
        return self.declared(op.CONSTANT, self.uint, value & 0xFFFFFFFF)

    def declared(self, kind: int, of_type: int, *operands: int) -> int:
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
            self._declared.append(instruction(*line(known)))
        return known

    def _decorate(self, *operands: int) -> None:
        self._decorations.append(instruction(op.DECORATE, *operands))

    def _array_block(self, array: int, kind: int, *access: Words) -> int:
        """A variable that is a block of an array, which may be of unknown length."""
        block, name = self.new(), self.new()
        self._declared.append(instruction(op.TYPE_STRUCT, block, array))
        pointer = self.type(op.TYPE_POINTER, kind, block)
        self._declared.append(instruction(op.VARIABLE, pointer, name, kind))
        self._decorate(block, op.Decoration.BLOCK)
        self._decorations += [
            instruction(op.MEMBER_DECORATE, block, 0, *words)
            for words in ((op.Decoration.OFFSET, 0), *access)
        ]
        return name

    def _buffer(self, binding: int, words: int, access: Words) -> int:
        """A storage buffer, as an array of vectors of so many words."""
        key = (binding, words, access)
        known = self._blocks.get(key)
        if known is None:
            array = self.new()
            self._declared.append(instruction(op.TYPE_RUNTIME_ARRAY, array, self.vectors[words]))
            self._decorate(array, op.Decoration.ARRAY_STRIDE, 4 * words)
            known = self._array_block(
                array, op.Storage.STORAGE_BUFFER, *[(decoration,) for decoration in access]
            )
            self._decorate(known, op.Decoration.DESCRIPTOR_SET, 0)
            self._decorate(known, op.Decoration.BINDING, binding)
            self._blocks[key] = known
        return known

    # ----- the instructions of main

    def make(self, kind: int, of_type: int, *operands: int) -> int:
        """Write an instruction, and return its result."""
        name = self.new()
        self.types[name] = of_type
        self._lines.append(instruction(kind, of_type, name, *operands))
        return name

    def write(self, kind: int, *operands: int) -> None:
        """Write an instruction without a result."""
        self._lines.append(instruction(kind, *operands))

    def number(self, kind: int, a: int, b: int) -> int:
        """An operation on words; adding 0, and what is done by 1 or with 0, takes none."""
        values = self.values
        first, other = values.get(a), values.get(b)
        if first is not None and other is not None and kind in _COMPUTED:
            return self.constant(_COMPUTED[kind](first, other))
        if other is not None and other == _NEUTRAL.get(kind):
            return a
        if (kind == op.I_ADD and first == 0) or (kind == op.I_MUL and first == 1):
            return b
        if (kind == op.I_MUL and 0 in (first, other)) or (kind == op.U_MOD and other == 1):
            return self.constant(0)
        return self.make(kind, self.uint, a, b)

    def vector(self, *words: int) -> int:
        return self.make(op.COMPOSITE_CONSTRUCT, self.vectors[len(words)], *words)

    def part(self, vector: int, word: int) -> int:
        return self.make(op.COMPOSITE_EXTRACT, self.uint, vector, word)

    def push(self, word: int) -> int:
        """A word of the push block."""
        pointer = self.type(op.TYPE_POINTER, op.Storage.PUSH_CONSTANT, self.uint)
        member = self.make(op.ACCESS_CHAIN, pointer, self._push, *self._push_path(word))
        return self.make(op.LOAD, self.uint, member)

    def read(self, binding: int, words: int, at: int) -> int:
        """So many words of a buffer, from a multiple of them."""
        pointer = self._place(binding, words, at, (op.Decoration.NON_WRITABLE,))
        return self.make(op.LOAD, self.vectors[words], pointer)

    def store(self, binding: int, words: int, at: int, value: int) -> None:
        self.write(op.STORE, self._place(binding, words, at, (op.Decoration.NON_READABLE,)), value)

    def replace(self, binding: int, at: int, mask: int, bits: int, *, shared: bool) -> None:
        """Put bits of a word in the place of those in a mask.

        If it is `shared`, other invocations may change the rest of it at the same time.
        """
        pointer, rest = self._place(binding, 1, at, ()), self.make(op.NOT, self.uint, mask)
        if shared:
            scope, relaxed = self.constant(op.Memory.DEVICE), self.constant(0)
            self.make(op.ATOMIC_AND, self.uint, pointer, scope, relaxed, rest)
            self.make(op.ATOMIC_OR, self.uint, pointer, scope, relaxed, bits)
            return
        others = self.number(op.BITWISE_AND, self.make(op.LOAD, self.uint, pointer), rest)
        self.write(op.STORE, pointer, self.number(op.BITWISE_OR, others, bits))

    def _place(self, binding: int, words: int, at: int, access: Words) -> int:
        pointer = self.type(op.TYPE_POINTER, op.Storage.STORAGE_BUFFER, self.vectors[words])
        block = self._buffer(binding, words, access)
        return self.make(op.ACCESS_CHAIN, pointer, block, self.constant(0), at)

    def least(self, a: int, b: int) -> int:
        return self.make(op.SELECT, self.uint, self.make(op.U_LESS_THAN, self.bool, a, b), a, b)

    # ----- pieces

    def link(self, piece: Piece, places: Mapping[int, int]) -> int:
        """Add the functions of a piece, and return its root.

        `places` are those of scalars in the push block, by which they are in the kernel itself.
        """
        names: dict[int, int] = {}

        def get(old: int) -> int:
            known = names.get(old)
            if known is None:
                line = piece.declared.get(old)
                known = names[old] = self.new() if line is None else self._declare(line, get)
            return known

        pointer = self.type(op.TYPE_POINTER, op.Storage.PUSH_CONSTANT, self.uint)
        for line in chain.from_iterable(piece.functions):
            changed: Words
            if line[0] & 0xFFFF == op.ACCESS_CHAIN and line[2] in piece.scalars:
                path = self._push_path(places[piece.scalars[line[2]]])
                changed = instruction(op.ACCESS_CHAIN, pointer, get(line[2]), self._push, *path)
            else:
                changed = self._renamed(line, get)
            self._functions.append(changed)
        for name in piece.precise:
            self._decorate(get(name), op.Decoration.NO_CONTRACTION)
        return get(piece.root)

    def _declare(self, line: Words, get: Callable[[int], int]) -> int:
        """A declaration of another module."""
        kind = line[0] & 0xFFFF
        if kind in op.TYPES:
            ids = range(*op.TYPES[kind].indices(len(line)))
            if kind == op.TYPE_FLOAT and line[2] == _DOUBLE_BITS:
                self._capabilities.add(op.Capability.FLOAT64)
            return self.type(kind, *[get(w) if k in ids else w for k, w in enumerate(line)][2:])
        parts = line[3:] if kind == op.CONSTANT else map(get, line[3:])
        return self.declared(kind, get(line[1]), *parts)

    def _renamed(self, line: Words, get: Callable[[int], int]) -> Words:
        """An instruction of a function of another module."""
        kind = line[0] & 0xFFFF
        if kind == op.EXT_INST:
            ids: Iterable[int] = (1, 2, *range(5, len(line)))
            line = (*line[:3], self.import_name, *line[4:])
        elif kind in op.LABELLED:
            ids = range(*op.LABELLED[kind].indices(len(line)))
        elif kind == op.SWITCH:
            ids = (1, 2, *range(4, len(line), 2))
        elif kind == op.FUNCTION:
            ids = (1, 2, 4)
        else:
            ids = range(1, op.LITERALS.get(kind, len(line)))
        renamed = list(line)
        for k in ids:
            renamed[k] = get(line[k])
        return tuple(renamed)


_NEUTRAL = {
    op.I_ADD: 0,
    op.I_SUB: 0,
    op.I_MUL: 1,
    op.U_DIV: 1,
    op.SHIFT_RIGHT_LOGICAL: 0,
    op.SHIFT_LEFT_LOGICAL: 0,
}
_COMPUTED: dict[int, Callable[[int, int], int]] = {
    op.I_ADD: lambda a, b: a + b,
    op.I_MUL: lambda a, b: a * b,
    op.U_DIV: lambda a, b: a // b,
    op.U_MOD: lambda a, b: a % b,
}
