"""Write a compute module: declarations, each once, pieces of other modules, and a main."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from dml_vk.kernels.spirv import instructions as op
from dml_vk.kernels.spirv.instructions import Words, instruction
from dml_vk.kernels.spirv.pieces import Piece
from dml_vk.kernels.spirv.program import LITERALS
from dml_vk.kernels.spirv.prune import NO_RESULT, TYPES

ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO = 128, 130, 132, 134, 137
EQUAL, LESS, RIGHT, LEFT, OR, AND = 170, 176, 194, 196, 197, 199
_VOID, _BOOL, _INT, _VECTOR, _ARRAY, _RUNTIME_ARRAY, _STRUCT, _POINTER = (
    *(19, 20, 21, 23, 28, 29),
    *(30, 32),
)
_MEMORY_MODEL, _SHADER, _COMPUTE, _INPUT = 14, 1, 5, 1
_BLOCK, _STRIDE, _NON_WRITABLE, _NON_READABLE, _BINDING, _SET, _OFFSET = 2, 6, 24, 25, 33, 34, 35
_DOUBLE_BITS = 64
_HEAD = 0x07230203, 0x00010300, 0, 0, 0  # SPIR-V 1.3


class Assembler:
    """A module that grows."""

    def __init__(self, push_words: int) -> None:
        self._next = 1
        self._known: dict[Words, int] = {}
        self._declared: list[Words] = []
        self._decorations: list[Words] = []
        self._capabilities = {_SHADER}
        self._functions: list[Words] = []
        self._variables: list[Words] = []  # of main
        self._lines: list[Words] = []
        self._inputs: list[int] = []
        self._blocks: dict[tuple[int, int, bool], int] = {}
        self.values: dict[int, int] = {}  # of constants
        self.import_name = self.new()
        self.uint = self.type(_INT, 32, 0)
        self.bool = self.type(_BOOL)
        self.vectors = {1: self.uint, **{n: self.type(_VECTOR, self.uint, n) for n in (2, 3, 4)}}
        self._void = self.type(_VOID)
        self._main = self.new()
        self._lines.append(instruction(op.LABEL, self.new()))
        self._push = self._push_block(push_words)

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
        self._declared.append(instruction(_STRUCT, block, array))
        pointer = self.type(_POINTER, kind, block)
        self._declared.append(instruction(op.VARIABLE, pointer, name, kind))
        self._decorate(block, _BLOCK)
        self._decorations += [
            instruction(op.MEMBER_DECORATE, block, 0, *words) for words in ((_OFFSET, 0), *access)
        ]
        return name

    def _push_block(self, words: int) -> int:
        array = self.new()
        self._declared.append(instruction(_ARRAY, array, self.uint, self.constant(words)))
        self._decorate(array, _STRIDE, 4)
        return self._array_block(array, op.PUSH_CONSTANT)

    def _buffer(self, binding: int, words: int, writes: bool) -> int:
        """A storage buffer, as an array of vectors of so many words."""
        key = (binding, words, writes)
        known = self._blocks.get(key)
        if known is None:
            array = self.new()
            self._declared.append(instruction(_RUNTIME_ARRAY, array, self.vectors[words]))
            self._decorate(array, _STRIDE, 4 * words)
            access = (_NON_READABLE if writes else _NON_WRITABLE,)
            known = self._array_block(array, op.STORAGE_BUFFER, access)
            self._decorate(known, _SET, 0)
            self._decorate(known, _BINDING, binding)
            self._blocks[key] = known
        return known

    # ----- the instructions of main

    def make(self, kind: int, of_type: int, *operands: int) -> int:
        """Write an instruction, and return its result."""
        name = self.new()
        self._lines.append(instruction(kind, of_type, name, *operands))
        return name

    def write(self, kind: int, *operands: int) -> None:
        """Write an instruction without a result."""
        self._lines.append(instruction(kind, *operands))

    def number(self, kind: int, a: int, b: int) -> int:
        """An operation on words; adding 0, and what is done by 1 or with 0, takes none."""
        values = self.values
        one, other = values.get(a), values.get(b)
        if one is not None and other is not None and kind in _COMPUTED:
            return self.constant(_COMPUTED[kind](one, other))
        if other is not None and other == _NEUTRAL.get(kind):
            return a
        if (kind == ADD and one == 0) or (kind == MULTIPLY and one == 1):
            return b
        if (kind == MULTIPLY and 0 in (one, other)) or (kind == MODULO and other == 1):
            return self.constant(0)
        return self.make(kind, self.uint, a, b)

    def vector(self, *words: int) -> int:
        return self.make(op.CONSTRUCT, self.vectors[len(words)], *words)

    def part(self, vector: int, word: int) -> int:
        return self.make(op.EXTRACT, self.uint, vector, word)

    def push(self, word: int) -> int:
        """A word of the push block."""
        pointer = self.type(_POINTER, op.PUSH_CONSTANT, self.uint)
        places = self.constant(0), self.constant(word)
        return self.make(op.LOAD, self.uint, self.make(op.CHAIN, pointer, self._push, *places))

    def input(self, built_in: int) -> int:
        """The first word of a built-in vector of three."""
        vector = self.vectors[3]
        name = self.new()
        pointer = self.type(_POINTER, _INPUT, vector)
        self._declared.append(instruction(op.VARIABLE, pointer, name, _INPUT))
        self._decorate(name, op.BUILT_IN, built_in)
        self._inputs.append(name)
        return self.part(self.make(op.LOAD, vector, name), 0)

    def read(self, binding: int, words: int, at: int) -> int:
        """So many words of a buffer, from a multiple of them."""
        return self.make(op.LOAD, self.vectors[words], self._place(binding, words, at, False))

    def store(self, binding: int, words: int, at: int, value: int) -> None:
        self.write(op.STORE, self._place(binding, words, at, True), value)

    def _place(self, binding: int, words: int, at: int, writes: bool) -> int:
        pointer = self.type(_POINTER, op.STORAGE_BUFFER, self.vectors[words])
        block = self._buffer(binding, words, writes)
        return self.make(op.CHAIN, pointer, block, self.constant(0), at)

    def least(self, a: int, b: int) -> int:
        return self.make(op.SELECT, self.uint, self.make(LESS, self.bool, a, b), a, b)

    def loop(self, variable: int, end: int, by: int, body: Callable[[int], None]) -> None:
        """Run the body while a variable, of which it gets the value, is less than the end."""
        head, test, inside, again, after = [self.new() for _ in range(5)]
        self.write(op.BRANCH, head)
        self.write(op.LABEL, head)
        self.write(op.LOOP_MERGE, after, again, 0)
        self.write(op.BRANCH, test)
        self.write(op.LABEL, test)
        value = self.make(op.LOAD, self.uint, variable)
        self.write(op.BRANCH_IF, self.make(LESS, self.bool, value, end), inside, after)
        self.write(op.LABEL, inside)
        body(value)
        self.write(op.BRANCH, again)
        self.write(op.LABEL, again)
        self.write(op.STORE, variable, self.number(ADD, value, self.constant(by)))
        self.write(op.BRANCH, head)
        self.write(op.LABEL, after)

    def variable(self, value: int) -> int:
        """A variable of main that holds a word."""
        name = self.new()
        pointer = self.type(_POINTER, op.OF_FUNCTION, self.uint)
        self._variables.append(instruction(op.VARIABLE, pointer, name, op.OF_FUNCTION))
        self.write(op.STORE, name, value)
        return name

    # ----- pieces

    def link(self, piece: Piece, words: Sequence[int]) -> int:
        """Add the functions of a piece, and return its root.

        `words` are the places in the push block of the scalars that it has, in order.
        """
        places = dict(zip(sorted(set(piece.scalars.values())), words))
        names: dict[int, int] = {}

        def get(old: int) -> int:
            known = names.get(old)
            if known is None:
                line = piece.declared.get(old)
                known = names[old] = self.new() if line is None else self._declare(line, get)
            return known

        pointer = self.type(_POINTER, op.PUSH_CONSTANT, self.uint)
        for line in chain.from_iterable(piece.functions):
            made: Words
            if line[0] & 0xFFFF == op.CHAIN and line[2] in piece.scalars:
                place = self.constant(places[piece.scalars[line[2]]])
                made = (line[0], pointer, get(line[2]), self._push, self.constant(0), place)
            else:
                made = self._renamed(line, get)
            self._functions.append(made)
        for one in piece.precise:
            self._decorate(get(one), op.NO_CONTRACTION)
        return get(piece.root)

    def _declare(self, line: Words, get: Callable[[int], int]) -> int:
        """A declaration of another module."""
        kind = line[0] & 0xFFFF
        if kind in TYPES:
            ids = range(*TYPES[kind].indices(len(line)))
            if kind == op.TYPE_FLOAT and line[2] == _DOUBLE_BITS:
                self._capabilities.add(op.FLOAT64)
            return self.type(kind, *[get(w) if k in ids else w for k, w in enumerate(line)][2:])
        parts = line[3:] if kind == op.CONSTANT else map(get, line[3:])
        return self.declared(kind, get(line[1]), *parts)

    def _renamed(self, line: Words, get: Callable[[int], int]) -> Words:
        """An instruction of a function of another module."""
        kind = line[0] & 0xFFFF
        if kind == op.EXTENDED:
            ids: Iterable[int] = (1, 2, *range(5, len(line)))
            line = (*line[:3], self.import_name, *line[4:])
        elif kind in _IDS:
            ids = range(*_IDS[kind].indices(len(line)))
        elif kind == op.SWITCH:
            ids = (1, 2, *range(4, len(line), 2))
        elif kind == op.FUNCTION:
            ids = (1, 2, 4)
        else:
            ids = range(1, LITERALS.get(kind, len(line)))
        made = list(line)
        for k in ids:
            made[k] = get(line[k])
        return tuple(made)

    # ----- the module

    def assembled(self, local_size: int) -> bytes:
        """The module, whose main ends here."""
        function_type = self.type(op.TYPE_FUNCTION, self._void)
        first, *lines = self._lines
        head = [
            *[instruction(op.CAPABILITY, one) for one in sorted(self._capabilities)],
            instruction(op.IMPORT, self.import_name, *_text("GLSL.std.450")),
            instruction(_MEMORY_MODEL, 0, 1),
            instruction(op.ENTRY_POINT, _COMPUTE, self._main, *_text("main"), *self._inputs),
            instruction(op.EXECUTION_MODE, self._main, op.LOCAL_SIZE, local_size, 1, 1),
        ]
        main = [
            instruction(op.FUNCTION, self._void, self._main, 0, function_type),
            *(first, *self._variables, *lines),
            *(instruction(op.RETURN), instruction(op.FUNCTION_END)),
        ]
        all_lines = (*head, *self._decorations, *self._declared, *main, *self._functions)
        words = [*_HEAD, *chain.from_iterable(all_lines)]
        words[3] = self._next
        return struct.pack(f"<{len(words)}I", *words)


# Where instructions without a result have ids, labels included.
_IDS = {
    **{kind: ids for kind, ids in NO_RESULT.items() if kind != op.SWITCH},
    op.BRANCH_IF: slice(1, 4),
    op.LOOP_MERGE: slice(1, 3),
    op.SELECTION_MERGE: slice(1, 2),
    op.LABEL: slice(1, 2),
    op.BRANCH: slice(1, 2),
    op.FUNCTION_END: slice(0),
}
_NEUTRAL = {ADD: 0, SUBTRACT: 0, MULTIPLY: 1, DIVIDE: 1, RIGHT: 0, LEFT: 0}
_COMPUTED: dict[int, Callable[[int, int], int]] = {
    ADD: lambda a, b: a + b,
    MULTIPLY: lambda a, b: a * b,
    DIVIDE: lambda a, b: a // b,
    MODULO: lambda a, b: a % b,
}


def _text(text: str) -> Words:
    """A string as an operand."""
    data = text.encode()
    data += bytes(4 - len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)
