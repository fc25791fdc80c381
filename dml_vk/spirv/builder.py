"""Write the functions of a module, instruction by instruction."""

from __future__ import annotations

import struct
from collections.abc import Callable

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.module import Module


class Builder:
    """Writes instructions on words, and on vectors of them, to `lines`."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.lines: list[Words] = []  # of the function that is being written
        self.types: dict[int, int] = {}  # of what instructions make
        self._buffers: dict[tuple[int, int, Words], int] = {}
        self.uint = module.uint
        self.bool = module.type(op.TYPE_BOOL)
        self.vectors = {
            1: self.uint,
            **{count: module.type(op.TYPE_VECTOR, self.uint, count) for count in (2, 3, 4)},
        }

    def constant(self, value: int) -> int:
        """An unsigned integer."""
        return self.module.constant(value)

    def make(self, kind: int, of_type: int, *operands: int) -> int:
        """Write an instruction, and return its result."""
        name = self.module.new()
        self.types[name] = of_type
        self.lines.append(instruction(kind, of_type, name, *operands))
        return name

    def write(self, kind: int, *operands: int) -> None:
        """Write an instruction without a result."""
        self.lines.append(instruction(kind, *operands))

    def number(self, kind: int, a: int, b: int) -> int:
        """An operation on words; adding 0, and what is done by 1 or with 0, takes none."""
        values = self.module.values
        first, other = values.get(a), values.get(b)
        if first is not None and other is not None and kind in _COMPUTED:
            return self.module.constant(_COMPUTED[kind](first, other))
        if other is not None and other == _NEUTRAL.get(kind):
            return a
        if (kind == op.I_ADD and first == 0) or (kind == op.I_MUL and first == 1):
            return b
        if (kind == op.I_MUL and 0 in (first, other)) or (kind == op.U_MOD and other == 1):
            return self.module.constant(0)
        return self.make(kind, self.uint, a, b)

    def vector(self, *words: int) -> int:
        return self.make(op.COMPOSITE_CONSTRUCT, self.vectors[len(words)], *words)

    def part(self, vector: int, word: int) -> int:
        return self.make(op.COMPOSITE_EXTRACT, self.uint, vector, word)

    def push(self, word: int) -> int:
        """A word of the push block."""
        pointer = self.module.type(op.TYPE_POINTER, op.Storage.PUSH_CONSTANT, self.uint)
        member = self.make(op.ACCESS_CHAIN, pointer, self.module.push, *self.module.push_path(word))
        return self.make(op.LOAD, self.uint, member)

    def read(self, binding: int, words: int, at: int) -> int:
        """So many words of a buffer, from a multiple of them."""
        pointer = self._pointer(binding, words, at, (op.Decoration.NON_WRITABLE,))
        return self.make(op.LOAD, self.vectors[words], pointer)

    def store(self, binding: int, words: int, at: int, value: int) -> None:
        self.write(
            op.STORE, self._pointer(binding, words, at, (op.Decoration.NON_READABLE,)), value
        )

    def replace(self, binding: int, at: int, mask: int, bits: int, *, shared: bool) -> None:
        """Put bits of a word in the place of those in a mask.

        If it is `shared`, other invocations may change the rest of it at the same time.
        """
        pointer, rest = self._pointer(binding, 1, at, ()), self.make(op.NOT, self.uint, mask)
        if shared:
            scope, relaxed = self.module.constant(op.Memory.DEVICE), self.module.constant(0)
            self.make(op.ATOMIC_AND, self.uint, pointer, scope, relaxed, rest)
            self.make(op.ATOMIC_OR, self.uint, pointer, scope, relaxed, bits)
            return
        others = self.number(op.BITWISE_AND, self.make(op.LOAD, self.uint, pointer), rest)
        self.write(op.STORE, pointer, self.number(op.BITWISE_OR, others, bits))

    def _pointer(self, binding: int, words: int, at: int, access: Words) -> int:
        pointer = self.module.type(op.TYPE_POINTER, op.Storage.STORAGE_BUFFER, self.vectors[words])
        block = self._buffer(binding, words, access)
        return self.make(op.ACCESS_CHAIN, pointer, block, self.module.constant(0), at)

    def least(self, a: int, b: int) -> int:
        return self.make(op.SELECT, self.uint, self.make(op.U_LESS_THAN, self.bool, a, b), a, b)

    def _buffer(self, binding: int, words: int, access: Words) -> int:
        """A storage buffer, as an array of vectors of so many words."""
        key, module = (binding, words, access), self.module
        known = self._buffers.get(key)
        if known is None:
            array, storage = module.new(), op.Storage.STORAGE_BUFFER
            module.declare(op.TYPE_RUNTIME_ARRAY, array, self.vectors[words])
            module.decorate(array, op.Decoration.ARRAY_STRIDE, 4 * words)
            known = module.array_block(array, storage, *[(decoration,) for decoration in access])
            module.decorate(known, op.Decoration.DESCRIPTOR_SET, 0)
            module.decorate(known, op.Decoration.BINDING, binding)
            self._buffers[key] = known
        return known

    def loop(self, variable: int, end: int, by: int, body: Callable[[int], None]) -> None:
        """Run the body while a variable, of which it gets the value, is less than the end.

        Then `by`, a word like the end, is added to it.
        """
        head, test, inside, again, after = [self.module.new() for _ in range(5)]
        self.write(op.BRANCH, head)
        self.write(op.LABEL, head)
        self.write(op.LOOP_MERGE, after, again, 0)
        self.write(op.BRANCH, test)
        self.write(op.LABEL, test)
        value = self.make(op.LOAD, self.uint, variable)
        self.write(
            op.BRANCH_CONDITIONAL, self.make(op.U_LESS_THAN, self.bool, value, end), inside, after
        )
        self.write(op.LABEL, inside)
        body(value)
        self.write(op.BRANCH, again)
        self.write(op.LABEL, again)
        self.write(op.STORE, variable, self.number(op.I_ADD, value, by))
        self.write(op.BRANCH, head)
        self.write(op.LABEL, after)

    def each_bit(self, variable: int, body: Callable[[int], None]) -> None:
        """Run the body for the number of each bit of a variable, lowest first, and clear it."""
        head, test, inside, again, after = [self.module.new() for _ in range(5)]
        self.write(op.BRANCH, head)
        self.write(op.LABEL, head)
        self.write(op.LOOP_MERGE, after, again, 0)
        self.write(op.BRANCH, test)
        self.write(op.LABEL, test)
        bits = self.make(op.LOAD, self.uint, variable)
        none = self.make(op.I_EQUAL, self.bool, bits, self.module.constant(0))
        self.write(op.BRANCH_CONDITIONAL, none, after, inside)
        self.write(op.LABEL, inside)
        body(self.make(op.EXT_INST, self.uint, self.module.import_name, op.Glsl.FIND_I_LSB, bits))
        self.write(op.BRANCH, again)
        self.write(op.LABEL, again)
        less = self.number(op.I_ADD, bits, self.module.constant(-1))
        self.write(op.STORE, variable, self.number(op.BITWISE_AND, bits, less))
        self.write(op.BRANCH, head)
        self.write(op.LABEL, after)

    def unless(self, condition: int, body: Callable[[], None]) -> None:
        """Run the body if a condition does not hold."""
        inside, after = self.module.new(), self.module.new()
        self.write(op.SELECTION_MERGE, after, 0)
        self.write(op.BRANCH_CONDITIONAL, condition, after, inside)
        self.write(op.LABEL, inside)
        body()
        self.write(op.BRANCH, after)
        self.write(op.LABEL, after)


class Main(Builder):
    """A module of its own, whose main function is written."""

    def __init__(self, push_words: int) -> None:
        module = Module()
        module.import_name, module.main = module.new(), module.new()
        module.capabilities.add(op.Capability.SHADER)
        module.declare_push(push_words)
        super().__init__(module)
        self._void = module.type(op.TYPE_VOID)
        self._variables: list[Words] = []
        self._inputs: list[int] = []
        self.lines.append(instruction(op.LABEL, module.new()))

    def input(self, built_in: int) -> int:
        """The first word of a built-in vector of three."""
        vector, module = self.vectors[3], self.module
        name = module.new()
        pointer = module.type(op.TYPE_POINTER, op.Storage.INPUT, vector)
        module.declare(op.VARIABLE, pointer, name, op.Storage.INPUT)
        module.decorate(name, op.Decoration.BUILT_IN, built_in)
        self._inputs.append(name)
        return self.part(self.make(op.LOAD, vector, name), 0)

    def variable(self, value: int) -> int:
        """A variable that holds a word."""
        name = self.module.new()
        pointer = self.module.type(op.TYPE_POINTER, op.Storage.FUNCTION, self.uint)
        self._variables.append(instruction(op.VARIABLE, pointer, name, op.Storage.FUNCTION))
        self.write(op.STORE, name, value)
        return name

    def emit(self, local_size: int) -> bytes:
        """Write the module, whose main ends here."""
        module = self.module
        name, function_type = module.main, module.type(op.TYPE_FUNCTION, self._void)
        entry = op.Execution.GL_COMPUTE, name, *_text("main"), *self._inputs
        module.preamble += (
            instruction(op.EXT_INST_IMPORT, module.import_name, *_text(op.Glsl.NAME)),
            instruction(op.MEMORY_MODEL, op.Memory.LOGICAL, op.Memory.GLSL450),
            instruction(op.ENTRY_POINT, *entry),
            instruction(op.EXECUTION_MODE, name, op.Execution.LOCAL_SIZE, local_size, 1, 1),
        )
        first, *lines = self.lines
        main = [
            instruction(op.FUNCTION, self._void, name, 0, function_type),
            *(first, *self._variables, *lines),
            *(instruction(op.RETURN), instruction(op.FUNCTION_END)),
        ]
        module.functions = {name: main, **module.functions}
        return module.emit()


def _text(text: str) -> Words:
    """A string as an operand."""
    data = text.encode()
    data += bytes(4 - len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


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
