"""Read the interface of a SPIR-V module: everything that a caller must match.

No driver checks it, and a mismatch can crash the process. Opcodes are from the SPIR-V 1.3
specification; only what our compute shaders may contain is read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dml_vk.errors import ShaderError
from dml_vk.spirv import spec as op
from dml_vk.spirv.module import Module
from dml_vk.spirv.types import Leaf, Types


@dataclass(frozen=True)
class Binding:
    """A storage buffer block. Two blocks with the same number are two views of one buffer."""

    set: int
    number: int
    block: str
    array: str | None  # the name of its runtime array `T array[]`, if that is its only member
    stride: int  # bytes from one element of the array to the next
    scalar: str  # the scalar type of its elements: "uint", "int", "float"; "" if there are several
    writes: bool  # not declared readonly


@dataclass(frozen=True)
class SpecConstant:
    """A specialization constant; `default` is its 32 bits."""

    number: int
    name: str
    type: str  # "bool", "uint", "int", "float"
    default: int


@dataclass(frozen=True)
class PushMember:
    """A member of the push block; `leaves` are its scalars in memory order."""

    name: str
    offset: int
    leaves: tuple[Leaf, ...]

    @property
    def words(self) -> int:
        return len(self.leaves)


@dataclass(frozen=True)
class Interface:
    """The interface of a compute shader."""

    version: tuple[int, int]
    capabilities: tuple[int, ...]
    extensions: tuple[str, ...]
    entry: str
    local_size: tuple[int | SpecConstant, int | SpecConstant, int | SpecConstant]
    bindings: tuple[Binding, ...]
    spec: tuple[SpecConstant, ...]
    push: tuple[PushMember, ...]
    push_bytes: int
    others: tuple[str, ...]  # resources that are neither storage buffers nor the push block
    asks_length: bool  # uses `.length()` of a runtime array
    shared_bytes: Callable[[Mapping[int, int]], int] = field(compare=False, repr=False)
    """Bytes of shared memory under these specialization constants, number -> bits."""

    def local_sizes(self, spec: Mapping[int, int]) -> tuple[int, int, int]:
        """The local size under these specialization constants, number -> bits."""
        x, y, z = (
            size if isinstance(size, int) else spec.get(size.number, size.default)
            for size in self.local_size
        )
        return x, y, z


def read(spirv: bytes, what: str = "spirv") -> Interface:
    """Read the interface of a module, which must contain one compute shader."""
    try:
        return _Reader(spirv, what).interface()
    except (IndexError, KeyError, UnicodeDecodeError, struct.error, RecursionError) as error:
        rule = "a module must be complete and well-formed"
        raise ShaderError(what, rule, error=f"{type(error).__name__}: {error}") from None


class _Reader:
    def __init__(self, spirv: bytes, what: str) -> None:
        self.what = what
        self.module = Module(spirv, what)
        self.types = Types(what)
        self.capabilities: list[int] = []
        self.extensions: list[str] = []
        self.entries: list[tuple[int, int, str]] = []
        self.literal_size: tuple[int, ...] = ()
        self.spec: dict[int, SpecConstant] = {}  # by number
        self.spec_numbers: dict[int, int] = {}  # by result id
        self.variables: list[tuple[int, int, int]] = []  # id, type, storage class
        self.asks_length = False
        self._scan()

    def interface(self) -> Interface:
        types = self.types
        if len(self.entries) != 1 or self.entries[0][0] != op.Execution.GL_COMPUTE:
            entries = tuple(name for _, _, name in self.entries)
            rule = "a module must have exactly one entry point, a compute shader"
            raise ShaderError(self.what, rule, entries=entries)
        push: tuple[PushMember, ...] = ()
        push_bytes, bindings, others = 0, [], []
        for variable, pointer, storage in self.variables:
            pointee = types.pointee(pointer)
            if storage == op.Storage.PUSH_CONSTANT:
                push, push_bytes = self._push(pointee)
            elif storage == op.Storage.STORAGE_BUFFER and types.is_struct(pointee):
                bindings.append(self._binding(variable, pointee))
            elif storage in _RESOURCES:
                others.append(types.names.get(variable) or types.names.get(pointee, "?"))
        self._shared_bytes({})  # raise here, not at a call, if a size cannot be computed
        version = self.module.head[1]
        return Interface(
            version=(version >> 16 & 0xFF, version >> 8 & 0xFF),
            capabilities=tuple(self.capabilities),
            extensions=tuple(self.extensions),
            entry=self.entries[0][2],
            local_size=self._local_size(),
            bindings=tuple(sorted(bindings, key=lambda b: (b.set, b.number, b.block))),
            spec=tuple(sorted(self.spec.values(), key=lambda s: s.number)),
            push=push,
            push_bytes=push_bytes,
            others=tuple(others),
            asks_length=self.asks_length,
            shared_bytes=self._shared_bytes,
        )

    def _shared_bytes(self, spec: Mapping[int, int]) -> int:
        types = self.types
        return sum(
            types.nbytes(types.pointee(pointer), spec)
            for _, pointer, storage in self.variables
            if storage == op.Storage.WORKGROUP
        )

    def _scan(self) -> None:
        types = self.types
        for line in self.module.lines():
            opcode, args = line[0] & 0xFFFF, line[1:]
            if opcode == op.CAPABILITY:
                self.capabilities.append(args[0])
            elif opcode == op.EXTENSION:
                self.extensions.append(_text(args))
            elif opcode == op.ENTRY_POINT:
                self.entries.append((args[0], args[1], _text(args[2:])))
            elif opcode == op.EXECUTION_MODE and args[1] == op.Execution.LOCAL_SIZE:
                self.literal_size = args[2:5]
            elif opcode == op.NAME:
                types.names[args[0]] = _text(args[1:])
            elif opcode == op.MEMBER_NAME:
                types.member_names[args[0], args[1]] = _text(args[2:])
            elif opcode == op.DECORATE:
                types.decorations[args[0], None, args[1]] = args[2:]
            elif opcode == op.MEMBER_DECORATE:
                types.decorations[args[0], args[1], args[2]] = args[3:]
            elif op.TYPE_VOID <= opcode <= op.TYPE_FUNCTION:
                types.add(opcode, args)
            elif opcode in _CONSTANTS:
                types.constants[args[1]] = args[2:]
            elif opcode == op.SPEC_CONSTANT:
                self._spec_constant(args[1], args[0], args[2])
            elif opcode in (op.SPEC_CONSTANT_TRUE, op.SPEC_CONSTANT_FALSE):
                self._spec_constant(args[1], args[0], int(opcode == op.SPEC_CONSTANT_TRUE))
            elif opcode == op.SPEC_CONSTANT_OP:
                types.operations[args[1]] = args[2:]
            elif opcode == op.VARIABLE and args[2] != op.Storage.FUNCTION:
                self.variables.append((args[1], args[0], args[2]))
            elif opcode == op.ARRAY_LENGTH:
                self.asks_length = True

    def _spec_constant(self, result: int, of_type: int, default: int) -> None:
        types = self.types
        types.constants[result] = (default,)
        number = types.decoration(result, op.Decoration.SPEC_ID)
        if number is not None:  # without one it cannot be set from outside
            # `local_size_x_id` declares an unnamed duplicate of the constant in the source.
            name = types.names.get(result, "")
            if name or number not in self.spec:
                self.spec[number] = SpecConstant(number, name, types.scalar(of_type), default)
            self.spec_numbers[result] = number

    def _local_size(self) -> tuple[int | SpecConstant, int | SpecConstant, int | SpecConstant]:
        """The local size: the built-in WorkgroupSize overrides the execution mode LocalSize."""
        parts: list[int | SpecConstant] = list(self.literal_size)
        for (target, member, decoration), args in self.types.decorations.items():
            if member is None and (decoration, args) == (
                op.Decoration.BUILT_IN,
                (op.BuiltIn.WORKGROUP_SIZE,),
            ):
                ids = self.types.constants[target]
                numbers = [self.spec_numbers.get(name) for name in ids]
                parts = [
                    self.types.constants[name][0] if number is None else self.spec[number]
                    for name, number in zip(ids, numbers)
                ]
        if len(parts) != 3:
            raise ShaderError(self.what, "a local size must be declared", local_size=parts)
        return parts[0], parts[1], parts[2]

    def _binding(self, variable: int, block: int) -> Binding:
        types = self.types
        members = types.members(block)
        number = types.decoration(variable, op.Decoration.BINDING)
        array = members[0] if len(members) == 1 and types.is_runtime_array(members[0]) else None
        scalars = {leaf.type for leaf in types.element_leaves(array)} if array else set()
        readonly = types.has(variable, op.Decoration.NON_WRITABLE) or all(
            types.has(block, op.Decoration.NON_WRITABLE, member) for member in range(len(members))
        )
        return Binding(
            set=types.decoration(variable, op.Decoration.DESCRIPTOR_SET) or 0,
            number=-1 if number is None else number,
            block=types.names.get(block, ""),
            array=types.member_names.get((block, 0), "") if array else None,
            stride=types.decoration(array, op.Decoration.ARRAY_STRIDE) or 0 if array else 0,
            scalar=scalars.pop() if len(scalars) == 1 else "",
            writes=not readonly,
        )

    def _push(self, block: int) -> tuple[tuple[PushMember, ...], int]:
        types = self.types
        push = []
        for member, of_type in enumerate(types.members(block)):
            start = types.decoration(block, op.Decoration.OFFSET, member) or 0
            name = types.member_names.get((block, member), "")
            leaves = tuple(types.leaves(of_type, start, block, member))
            push.append(PushMember(name, start, leaves))
        ends = [leaf.offset + leaf.bytes for member in push for leaf in member.leaves]
        return tuple(push), -(-max(ends, default=0) // 4) * 4


def _text(words: tuple[int, ...]) -> str:
    return struct.pack(f"<{len(words)}I", *words).split(b"\0")[0].decode()


_CONSTANTS = op.CONSTANT, op.CONSTANT_COMPOSITE, op.SPEC_CONSTANT_COMPOSITE
_RESOURCES = (
    op.Storage.UNIFORM_CONSTANT,  # images and samplers
    op.Storage.UNIFORM,
    op.Storage.ATOMIC_COUNTER,
    op.Storage.IMAGE,
    op.Storage.STORAGE_BUFFER,
)
