"""Write a compute module: declarations, each once, pieces of other modules, and a main."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import chain

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.module import Module

_HEAD = 0x07230203, 0x00010300, 0, 0, 0  # SPIR-V 1.3


class Assembler(Module):
    """A module with a main of its own."""

    def __init__(self, push_words: int) -> None:
        super().__init__()
        self._variables: list[Words] = []  # of main
        self._inputs: list[int] = []
        import_name, self._main = self.new(), self.new()
        self.uint = self.type(op.TYPE_INT, 32, 0)
        self._begin(import_name, self._push_block(push_words))
        self._void = self.type(op.TYPE_VOID)
        self._lines.append(instruction(op.LABEL, self.new()))

    def _push_block(self, words: int) -> int:
        array = self.new()
        self._declared.append(instruction(op.TYPE_ARRAY, array, self.uint, self.constant(words)))
        self._decorate(array, op.Decoration.ARRAY_STRIDE, 4)
        return self._array_block(array, op.Storage.PUSH_CONSTANT)

    def _push_path(self, word: int) -> Words:
        return self.constant(0), self.constant(word)

    def input(self, built_in: int) -> int:
        """The first word of a built-in vector of three."""
        vector = self.vectors[3]
        name = self.new()
        pointer = self.type(op.TYPE_POINTER, op.Storage.INPUT, vector)
        self._declared.append(instruction(op.VARIABLE, pointer, name, op.Storage.INPUT))
        self._decorate(name, op.Decoration.BUILT_IN, built_in)
        self._inputs.append(name)
        return self.part(self.make(op.LOAD, vector, name), 0)

    def loop(self, variable: int, end: int, by: int, body: Callable[[int], None]) -> None:
        """Run the body while a variable, of which it gets the value, is less than the end."""
        head, test, inside, again, after = [self.new() for _ in range(5)]
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
        self.write(op.STORE, variable, self.number(op.I_ADD, value, self.constant(by)))
        self.write(op.BRANCH, head)
        self.write(op.LABEL, after)

    def each_bit(self, variable: int, body: Callable[[int], None]) -> None:
        """Run the body for the number of each bit of a variable, lowest first, and clear it."""
        head, test, inside, again, after = [self.new() for _ in range(5)]
        self.write(op.BRANCH, head)
        self.write(op.LABEL, head)
        self.write(op.LOOP_MERGE, after, again, 0)
        self.write(op.BRANCH, test)
        self.write(op.LABEL, test)
        bits = self.make(op.LOAD, self.uint, variable)
        none = self.make(op.I_EQUAL, self.bool, bits, self.constant(0))
        self.write(op.BRANCH_CONDITIONAL, none, after, inside)
        self.write(op.LABEL, inside)
        body(self.make(op.EXT_INST, self.uint, self.import_name, op.Glsl.FIND_I_LSB, bits))
        self.write(op.BRANCH, again)
        self.write(op.LABEL, again)
        less = self.number(op.I_ADD, bits, self.constant(-1))
        self.write(op.STORE, variable, self.number(op.BITWISE_AND, bits, less))
        self.write(op.BRANCH, head)
        self.write(op.LABEL, after)

    def unless(self, condition: int, body: Callable[[], None]) -> None:
        inside, after = self.new(), self.new()
        self.write(op.SELECTION_MERGE, after, 0)
        self.write(op.BRANCH_CONDITIONAL, condition, after, inside)
        self.write(op.LABEL, inside)
        body()
        self.write(op.BRANCH, after)
        self.write(op.LABEL, after)

    def variable(self, value: int) -> int:
        """A variable of main that holds a word."""
        name = self.new()
        pointer = self.type(op.TYPE_POINTER, op.Storage.FUNCTION, self.uint)
        self._variables.append(instruction(op.VARIABLE, pointer, name, op.Storage.FUNCTION))
        self.write(op.STORE, name, value)
        return name

    # ----- the module

    def assembled(self, local_size: int) -> bytes:
        """The module, whose main ends here."""
        function_type = self.type(op.TYPE_FUNCTION, self._void)
        first, *lines = self._lines
        head = [
            *[instruction(op.CAPABILITY, capability) for capability in sorted(self._capabilities)],
            instruction(op.EXT_INST_IMPORT, self.import_name, *_text(op.Glsl.NAME)),
            instruction(op.MEMORY_MODEL, op.Memory.LOGICAL, op.Memory.GLSL450),
            instruction(
                op.ENTRY_POINT, op.Execution.GL_COMPUTE, self._main, *_text("main"), *self._inputs
            ),
            instruction(op.EXECUTION_MODE, self._main, op.Execution.LOCAL_SIZE, local_size, 1, 1),
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


def _text(text: str) -> Words:
    """A string as an operand."""
    data = text.encode()
    data += bytes(4 - len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)
