"""The types, constants and global variables of a module, with its specialization constants set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.integers import evaluate
from dml_vk.spirv.module import Module


class Declarations:
    """All that stands before the functions of the new module, and its ids."""

    def __init__(self, module: Module, spec: Sequence[int]) -> None:
        self.lines: list[Words] = []
        self.values: dict[int, int] = {}  # of integer and boolean constants
        self.parts: dict[int, Words] = {}  # of composites, here and in functions
        self.same: dict[int, int] = {}  # constants -> the first that is equal
        self.pointees: dict[int, int] = {}  # by pointer type
        self.private: dict[int, int] = {}  # variables -> their types
        self.scalars: set[int] = set()  # integer and boolean types
        self.constants: set[int] = set()
        self.counts: dict[int, int] = {}  # components, by vector type
        self.element: dict[int, int] = {}  # and their type
        self._next = module.bound
        self._bool = 0
        self._known: dict[Words, int] = {}
        self._function_types: dict[Words, int] = {}
        for line in module.declared:
            kind = line[0] & 0xFFFF
            if op.SPEC_CONSTANT_TRUE <= kind <= op.SPEC_CONSTANT_OP:
                line = self._set(line, module.decorated.numbers, spec)
                kind = line[0] & 0xFFFF
            self.lines.append(line)
            if op.CONSTANT_TRUE <= kind <= op.CONSTANT_COMPOSITE:
                self._add_constant(line, kind)
            elif kind == op.TYPE_POINTER:
                self.pointees[line[1]] = line[3]
            elif kind == op.TYPE_FUNCTION:
                self._function_types[line[2:]] = line[1]
            elif kind == op.VARIABLE and line[3] == op.Storage.PRIVATE:
                self.private[line[2]] = self.pointees[line[1]]
            elif kind == op.TYPE_VECTOR:
                self.element[line[1]], self.counts[line[1]] = line[2:]
            elif kind in (op.TYPE_BOOL, op.TYPE_INT):
                self.scalars.add(line[1])
                self._bool = line[1] if kind == op.TYPE_BOOL else self._bool

    @property
    def bound(self) -> int:
        return self._next

    def new(self) -> int:
        """A new id."""
        self._next += 1
        return self._next - 1

    def constant(self, of_type: int, value: int) -> int:
        """An integer or boolean constant."""
        line = self._line(of_type, 0, value)
        known = self._known.get((line[0], *line[1:2], *line[3:]))
        if known is not None:
            return known
        line = (*line[:2], self.new(), *line[3:])
        self.lines.append(line)
        self._add_constant(line, line[0] & 0xFFFF)
        return line[2]

    def function_type(self, *types: int) -> int:
        """The type of functions with this result and these parameters."""
        known = self._function_types.get(types)
        if known is None:
            known = self._function_types[types] = self.new()
            self.lines.append(instruction(op.TYPE_FUNCTION, known, *types))
        return known

    def _line(self, of_type: int, name: int, value: int) -> Words:
        if of_type == self._bool:
            kind = op.CONSTANT_TRUE if value else op.CONSTANT_FALSE
            return instruction(kind, of_type, name)
        return instruction(op.CONSTANT, of_type, name, value)

    def _set(self, line: Words, numbers: dict[int, int], spec: Sequence[int]) -> Words:
        """The constant that a specialization constant is."""
        kind, of_type, name = line[0] & 0xFFFF, line[1], line[2]
        if kind == op.SPEC_CONSTANT_COMPOSITE:
            return instruction(op.CONSTANT_COMPOSITE, *line[1:])
        if kind == op.SPEC_CONSTANT_OP:
            if line[3] == op.COMPOSITE_EXTRACT:
                return self._line(of_type, name, self.values[self.parts[line[4]][line[5]]])
            operands = [self.same.get(name, name) for name in line[4:]]
            if of_type in self.scalars:
                return self._line(of_type, name, self._evaluated(line[3], operands))
            # A vector: `parts` of each operand.
            parts = [
                self.constant(self.element[of_type], self._evaluated(line[3], part))
                for part in zip(*[self.parts[operand] for operand in operands])
            ]
            return instruction(op.CONSTANT_COMPOSITE, of_type, name, *parts)
        number = numbers.get(name, len(spec))
        default = line[3] if kind == op.SPEC_CONSTANT else op.SPEC_CONSTANT_FALSE - kind
        return self._line(of_type, name, spec[number] if number < len(spec) else default)

    def _evaluated(self, opcode: int, operands: Iterable[int]) -> int:
        value = evaluate(opcode, *[self.values[operand] for operand in operands])
        # An undefined result is that of an expression that the shader does not come to.
        return 0 if value is None else value

    def _add_constant(self, line: Words, kind: int) -> None:
        self.constants.add(line[2])
        if kind == op.CONSTANT_COMPOSITE:
            self.parts[line[2]] = tuple([self.same.get(name, name) for name in line[3:]])
            return
        first = self._known.setdefault((line[0], line[1], *line[3:]), line[2])
        if first != line[2]:
            self.same[line[2]] = first
        elif line[1] in self.scalars:
            self.values[first] = line[3] if kind == op.CONSTANT else int(kind == op.CONSTANT_TRUE)
