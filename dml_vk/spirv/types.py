"""The types of a SPIR-V module, and the offsets of the scalars inside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dml_vk.errors import ShaderError
from dml_vk.spirv import spec as op
from dml_vk.spirv.integers import EVALUATED, evaluate

# Far above any usable push block or element; a hostile array must not exhaust memory.
_MOST_LEAVES = 4096


class Leaf(NamedTuple):
    """A scalar inside a block."""

    offset: int  # in bytes
    type: str  # "uint", "int", "float"; with its bits if they are not 32: "float64"
    bytes: int


class Types:
    """Names, decorations, types and constants by id, filled in while a module is scanned."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.names: dict[int, str] = {}
        self.member_names: dict[tuple[int, int], str] = {}
        self.decorations: dict[tuple[int, int | None, int], tuple[int, ...]] = {}
        self.constants: dict[int, tuple[int, ...]] = {}
        self.operations: dict[int, tuple[int, ...]] = {}  # constants computed from others
        self._types: dict[int, tuple[int, tuple[int, ...]]] = {}

    def add(self, opcode: int, args: tuple[int, ...]) -> None:
        self._types[args[0]] = opcode, args[1:]

    def decoration(self, target: int, decoration: int, member: int | None = None) -> int | None:
        args = self.decorations.get((target, member, decoration))
        return args[0] if args else None

    def has(self, target: int, decoration: int, member: int | None = None) -> bool:
        return (target, member, decoration) in self.decorations

    def is_struct(self, of_type: int) -> bool:
        return self._types[of_type][0] == op.TYPE_STRUCT

    def is_runtime_array(self, of_type: int) -> bool:
        return self._types[of_type][0] == op.TYPE_RUNTIME_ARRAY

    def pointee(self, pointer: int) -> int:
        return self._types[pointer][1][1]

    def members(self, struct: int) -> tuple[int, ...]:
        return self._types[struct][1]

    def scalar(self, of_type: int) -> str:
        """The name of a scalar type."""
        opcode, args = self._types[of_type]
        if opcode == op.TYPE_BOOL:
            return "bool"
        name = "float" if opcode == op.TYPE_FLOAT else "int" if args[1] else "uint"
        return name if args[0] == 32 else f"{name}{args[0]}"

    def element_leaves(self, runtime_array: int) -> Iterator[Leaf]:
        return self.leaves(self._types[runtime_array][1][0], 0)

    def leaves(
        self, of_type: int, start: int, block: int = 0, member: int | None = None
    ) -> Iterator[Leaf]:
        """The scalars of a type at byte `start`, in declaration order."""
        for count, leaf in enumerate(self._leaves(of_type, start, block, member)):
            if count == _MOST_LEAVES:
                rule = f"a type must have at most {_MOST_LEAVES} scalars"
                raise ShaderError(self.what, rule, type=self.names.get(of_type, "array"))
            yield leaf

    def nbytes(self, of_type: int, spec: Mapping[int, int]) -> int:
        """The size of a type without explicit layout, as of shared variables, tightly packed."""
        opcode, args = self._types[of_type]
        if opcode == op.TYPE_STRUCT:
            return sum(self.nbytes(part, spec) for part in args)
        if opcode in (op.TYPE_VECTOR, op.TYPE_MATRIX):
            return self.nbytes(args[0], spec) * args[1]
        if opcode == op.TYPE_ARRAY:
            return self.nbytes(args[0], spec) * self.value(args[1], spec)
        return 4 if opcode == op.TYPE_BOOL else args[0] // 8

    def value(self, constant: int, spec: Mapping[int, int]) -> int:
        """Evaluate an integer constant under specialization constants, number -> bits."""
        if constant not in self.operations:
            number = self.decoration(constant, op.Decoration.SPEC_ID)
            default = self.constants[constant][0]
            return default if number is None else spec.get(number, default)
        opcode, *args = self.operations[constant]
        if opcode == op.COMPOSITE_EXTRACT:  # of gl_WorkGroupSize
            return self.value(self.constants[args[0]][args[1]], spec)
        if opcode not in EVALUATED:
            rule = "the length of a shared array may use only operations on integers and booleans"
            raise ShaderError(self.what, rule, opcode=opcode)
        return evaluate(opcode, *[self.value(arg, spec) for arg in args]) or 0

    def _leaves(self, of_type: int, start: int, block: int, member: int | None) -> Iterator[Leaf]:
        opcode, args = self._types[of_type]
        if opcode in (op.TYPE_INT, op.TYPE_FLOAT):
            yield Leaf(start, self.scalar(of_type), args[0] // 8)
        elif opcode == op.TYPE_STRUCT:
            for number, part in enumerate(args):
                offset = self.decoration(of_type, op.Decoration.OFFSET, number) or 0
                yield from self._leaves(part, start + offset, of_type, number)
        elif opcode in (op.TYPE_VECTOR, op.TYPE_MATRIX, op.TYPE_ARRAY):
            count = self.constants[args[1]][0] if opcode == op.TYPE_ARRAY else args[1]
            if opcode == op.TYPE_VECTOR:
                stride = self._types[args[0]][1][0] // 8
            elif opcode == op.TYPE_MATRIX:
                stride = self.decoration(block, op.Decoration.MATRIX_STRIDE, member) or 16
            else:
                stride = self.decoration(of_type, op.Decoration.ARRAY_STRIDE) or 0
            for part in range(count):
                yield from self._leaves(args[0], start + part * stride, block, member)
        else:
            rule = "a block may contain only numbers, vectors, matrices, arrays and structs"
            raise ShaderError(self.what, rule, opcode=opcode)
