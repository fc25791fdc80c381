"""User-defined compute shaders, as functions of tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dml_vk.errors import ONE_DEVICE, DeviceError, DTypeError, ShaderError
from dml_vk.ops.view import access
from dml_vk.runtime.encode import Dispatched
from dml_vk.spirv.capabilities import check_capabilities
from dml_vk.spirv.interface import Binding, Interface, read
from dml_vk.spirv.loops import fixed_rounds
from dml_vk.spirv.scalars import Slot, describe, to_words

if TYPE_CHECKING:
    from dml_vk.limits import Limits
    from dml_vk.runtime.device import Device
    from dml_vk.runtime.hazards import Access
    from dml_vk.runtime.interface import Groups, Words
    from dml_vk.tensor.core import Tensor

Values: TypeAlias = float | Iterable[float] | Mapping[str, float | Iterable[float]] | bytes
_DTYPES = {"float": "float32", "int": "int32"}  # uint takes any element type as raw words
_MAX_GROUPS = 65535  # in each of the three dimensions, on every device
_MAX_LOCAL_Z = 64
_MAX_SPEC_NUMBER = 127
_MOST_NAMES = 1000  # in `writes`, to stop at endless iterables
_MAX_STRIDE = 256  # of an array's elements: the alignment of allocations


@dataclass(frozen=True, repr=False)
class Shader:
    """A compiled compute shader: its SPIR-V, and its declarations."""

    spirv: bytes
    module: Interface

    def __repr__(self) -> str:
        module = self.module
        buffers = [
            f"{'' if block.writes else 'readonly '}{block.scalar} {block.array}[]"
            for block in module.bindings
        ]
        push = [Slot(member.name, leaf.type) for member in module.push for leaf in member.leaves]
        spec = [Slot(constant.name, constant.type) for constant in module.spec]
        size = " x ".join(
            str(part) if isinstance(part, int) else f"{part.name or 'local_size'}={part.default}"
            for part in module.local_size
        )
        parts = {"buffers": ", ".join(buffers), "push": describe(push), "spec": describe(spec)}
        interface = "".join(f"{name}: {text}; " for name, text in parts.items() if text)
        return f"<Shader {interface}local size: {size}; {len(self.spirv)} bytes>"


def compile_glsl(source: str, *, macros: Mapping[str, str | int] | None = None) -> Shader:
    """Compile a GLSL compute shader. Needs glslang-tools and spirv-tools on the PATH.

    `macros` are defined before the first line; errors have the line numbers of `source`.

    >>> import dml_vk
    >>> shader = dml_vk.compile_glsl('''
    ...     #version 450
    ...     layout(local_size_x = 32) in;
    ...     layout(binding = 0) buffer X { float x[]; };
    ...     layout(push_constant) uniform Push { uint x_base; };
    ...     void main() { x[x_base] = SCALE; }
    ... ''', macros={"SCALE": "2.5"})
    >>> print(str(shader).split(";")[0])
    <Shader buffers: float x[]
    """
    from dml_vk.spirv import glslang

    if not isinstance(source, str) or "\0" in source:
        rule = "source must be a string, a GLSL compute shader"
        raise ShaderError("compile_glsl", rule, source=source)
    spirv = glslang.compile(source, macros, name="compile_glsl")
    return Shader(spirv, read(spirv, "compile_glsl"))


def kernel(
    shader: Shader | str,
    *,
    macros: Mapping[str, str | int] | None = None,
    name: str = "kernel",
) -> UserKernel:
    """Make a function of tensors from a shader, or from its source.

    The function takes one tensor for each binding. Like every operation, a call is queued until a
    value is read, and is ordered after all earlier work on the same memory.

    >>> import dml_vk
    >>> scale = dml_vk.kernel('''
    ...     #version 450
    ...     layout(local_size_x = 64) in;
    ...     layout(binding = 0) readonly buffer X { float x[]; };
    ...     layout(binding = 1) writeonly buffer Y { float y[]; };
    ...     layout(push_constant) uniform Push { uint x_base, y_base, n; float factor; };
    ...     void main() {
    ...         uint i = gl_GlobalInvocationID.x;
    ...         if (i < n) y[y_base + i] = factor * x[x_base + i];
    ...     }
    ... ''')
    >>> x, y = dml_vk.asarray([1.0, 2.0, 3.0], dml_vk.float32), dml_vk.empty(3)
    >>> scale(x, y, groups=1, push=(3, 2.5))
    >>> y.tolist()
    [2.5, 5.0, 7.5]

    Many tensors share one buffer, so a shader must add the start of its tensor to every index: for
    each array `T x[]` the push block has a member `uint x_base`, which is set to the index of the
    tensor's first element. For the same reason `x.length()` is rejected; pass sizes, and strides
    if the tensor is not packed, in `push`. A shader's accesses are not checked: it must stay within
    its tensors, and terminate.

    Each buffer is one runtime array, bindings are 0, 1, 2... in set 0, and several arrays may
    alias one binding. `uint` arrays take tensors of any element type, as raw words.

    groups: an int, or up to three, each 1 to 65535.
    push: the other members of the push block, in order or by name; or raw bytes.
    spec: specialization constants, in order or by name; those left out keep their defaults.
    writes: names of the arrays that are written, if not all that are not `readonly`.
    """
    if not isinstance(name, str):
        raise ShaderError("kernel", "name must be a string", name=name)
    if isinstance(shader, str):
        shader = compile_glsl(shader, macros=macros)
    elif macros is not None:
        raise ShaderError(name, "macros need a source to compile", macros=macros)
    if not isinstance(shader, Shader):
        raise ShaderError(name, "shader must be a Shader or its source", shader=shader)
    return UserKernel(shader, name)


class UserKernel:
    """A checked shader that can be called with tensors. Created by `kernel()` only."""

    def __init__(self, shader: Shader, name: str) -> None:
        self.shader = shader
        self.name = name
        _check_interface(shader.module, name)
        blocks: dict[int, list[Binding]] = {}
        for block in shader.module.bindings:
            blocks.setdefault(block.number, []).append(block)
        self._blocks = [blocks[number] for number in sorted(blocks)]
        bases = {f"{block.array}_base": block for block in shader.module.bindings}
        # The positions in the push block, in words, of bases and of the caller's values.
        self._bases: list[tuple[int, Binding]] = []
        self._slots: list[tuple[int, Slot]] = []
        for member in shader.module.push:
            for leaf in member.leaves:
                if member.name in bases:
                    self._bases.append((leaf.offset // 4, bases[member.name]))
                else:
                    self._slots.append((leaf.offset // 4, Slot(member.name, leaf.type)))

    def __repr__(self) -> str:
        return f"<kernel {self.name}: {self.shader!r}>"

    def __call__(
        self,
        *tensors: Tensor,
        groups: int | Iterable[int],
        push: Values = (),
        spec: Values = (),
        writes: Iterable[str] | None = None,
    ) -> None:
        """Run the kernel on these tensors."""
        device = self._device(tensors)
        written = self._written(writes)
        operands = [
            self._operand(at, tensor, blocks, written)
            for at, (tensor, blocks) in enumerate(zip(tensors, self._blocks))
        ]
        spec_words = self._spec(spec, device.limits)
        if device.limits.ends_loops:
            self._check_rounds(spec_words, device.limits.max_rounds)
        bases = tuple([(at, block.number, block.stride) for at, block in self._bases])
        push_words, sizes = self._push(push), self._groups(groups)
        work = Dispatched(self.shader.spirv, spec_words, push_words, bases, sizes)
        device.dispatch(work, operands)

    def _device(self, tensors: tuple[Tensor, ...]) -> Device:
        from dml_vk.ops.view import View  # needs a device, which compiling does not

        if len(tensors) != len(self._blocks):
            rule = f"pass one tensor for each of the {len(self._blocks)} bindings"
            raise ShaderError(self.name, rule, tensors=len(tensors))
        for tensor in tensors:
            if not isinstance(tensor, View):
                rule = "operands must be tensors: convert arrays with asarray"
                raise DTypeError(self.name, rule, operand=type(tensor).__name__)
        device = tensors[0].device
        if any(tensor.device is not device for tensor in tensors):
            devices = tuple(tensor.device for tensor in tensors)
            raise DeviceError(self.name, ONE_DEVICE, devices=devices)
        most = device.limits.max_storage_buffers
        if len(tensors) > most:
            rule = f"this device takes at most {most} tensors per kernel"
            raise DeviceError(self.name, rule, tensors=len(tensors))
        return device

    def _written(self, writes: Iterable[str] | None) -> set[str | None]:
        arrays = {block.array for block in self.shader.module.bindings if block.writes}
        if writes is None:
            return arrays
        try:
            wanted: set[str | None] = (
                {writes} if isinstance(writes, str) else set(islice(writes, _MOST_NAMES))
            )
        except TypeError:
            wanted = {None}
        if not wanted <= arrays:
            rule = f"writes must name arrays that are not readonly: {sorted(map(str, arrays))}"
            raise ShaderError(self.name, rule, writes=writes)
        return wanted

    def _operand(
        self, at: int, tensor: Tensor, blocks: list[Binding], written: set[str | None]
    ) -> Access:
        writes = any(block.array in written for block in blocks)
        operand = access(tensor, writes)
        if not tensor.layout.numel:
            own = tensor.allocation
            start, end = own.offset, own.offset + max(1, own.nbytes)
            operand = replace(operand, base=start, low=start, high=end)
        for block in blocks:
            wanted = _DTYPES.get(block.scalar)
            if wanted not in (None, tensor.dtype.name):
                rule = f"tensor {at} must be {wanted} for the array {block.scalar} {block.array}[]"
                raise DTypeError(self.name, rule, dtype=tensor.dtype)
            if operand.base % block.stride:
                rule = (
                    f"tensor {at} must start at a whole element of {block.array}[], "
                    f"{block.stride} bytes each"
                )
                start = operand.base - tensor.allocation.offset
                raise ShaderError(self.name, rule, start_bytes=start)
            # Elements of the array may extend beyond the tensor, so hazards cover whole elements.
            low = operand.low // block.stride * block.stride
            high = -(-operand.high // block.stride) * block.stride
            operand = replace(operand, low=low, high=high)
        return operand

    def _spec(self, spec: Values, limits: Limits) -> tuple[int, ...]:
        declared = self.shader.module.spec
        values = {constant.number: constant.default for constant in declared}
        ordered: object = spec
        if isinstance(spec, Mapping):
            names = {constant.name: constant for constant in declared if constant.name in spec}
            if len(names) != len(spec):
                known = describe(Slot(constant.name, constant.type) for constant in declared)
                rule = f"spec must name specialization constants: {known or 'there are none'}"
                raise ShaderError(self.name, rule, spec=list(spec))
            declared, ordered = tuple(names.values()), [spec[name] for name in names]
        slots = [Slot(constant.name or "local_size", constant.type) for constant in declared]
        words = to_words(self.name, "spec", slots, ordered, whole=False)
        values.update({constant.number: word for constant, word in zip(declared, words)})
        x, y, z = sizes = self.shader.module.local_sizes(values)
        if not (min(sizes) > 0 and x * y * z <= limits.max_invocations and z <= _MAX_LOCAL_Z):
            rule = (
                f"the local size must be 1 to {limits.max_invocations} invocations on this device, "
                f"and at most {_MAX_LOCAL_Z} in z"
            )
            raise ShaderError(self.name, rule, local_size=sizes)
        shared = self.shader.module.shared_bytes(values)
        if shared > limits.max_shared_bytes:
            rule = f"shared memory must be at most {limits.max_shared_bytes} bytes on this device"
            raise ShaderError(self.name, rule, shared_bytes=shared)
        # Runtimes number constants by position; values for undeclared numbers have no effect.
        return tuple(values.get(number, 0) for number in range(max(values, default=-1) + 1))

    def _check_rounds(self, spec: tuple[int, ...], most: int) -> None:
        rounds = fixed_rounds(self.shader.spirv, spec, most)
        if rounds > most:
            rule = f"loops must run at most {most} iterations per invocation on this device"
            raise ShaderError(self.name, rule, rounds=rounds)

    def _push(self, push: Values) -> Words:
        words = np.zeros(self.shader.module.push_bytes // 4, np.uint32)
        slots = [slot for _, slot in self._slots]
        values = to_words(self.name, "push", slots, push, whole=True)
        for (at, _), value in zip(self._slots, values):
            words[at] = value
        return words

    def _groups(self, groups: int | Iterable[int]) -> Groups:
        slots = [Slot("groups", "uint")] * 3
        words = to_words(self.name, "groups", slots, groups, whole=False)
        if not words or not all(1 <= count <= _MAX_GROUPS for count in words):
            rule = f"groups must be one to three integers from 1 to {_MAX_GROUPS}"
            raise ShaderError(self.name, rule, groups=groups)
        x, y, z = (*words, 1, 1)[:3]
        return x, y, z


def _check_interface(module: Interface, name: str) -> None:
    """Check everything that can be checked without tensors."""
    check_capabilities(module, name)

    def refuse(rule: str, **got: object) -> None:
        raise ShaderError(name, rule, **got)

    if module.entry != "main":
        refuse("the entry point must be main", entry=module.entry)
    if module.others:
        refuse("a shader may use only storage buffers and a push block", others=module.others)
    if module.asks_length:
        rule = "length() is that of the whole buffer: pass sizes as push constants"
        refuse(rule, length="length()")
    numbers = sorted({block.number for block in module.bindings})
    if not numbers or numbers != list(range(len(numbers))) or any(b.set for b in module.bindings):
        places = [(block.set, block.number) for block in module.bindings]
        refuse("bindings must be 0, 1, 2... in set 0", bindings=places)
    arrays = [block.array for block in module.bindings]
    if len(set(arrays)) < len(arrays):
        refuse(
            "arrays must have distinct names, since their bases are named after them", arrays=arrays
        )
    members = {member.name: member for member in module.push}
    for block in module.bindings:
        if not block.array:
            refuse(
                "a buffer must contain one runtime array `T name[]` and nothing else",
                buffer=block.block,
            )
        if not 0 < block.stride <= _MAX_STRIDE or block.stride & (block.stride - 1):
            rule = f"an array's element size must be a power of two, at most {_MAX_STRIDE} bytes"
            refuse(rule, array=block.array, bytes=block.stride)
        base = members.get(f"{block.array}_base")
        if base is None or [leaf.type for leaf in base.leaves] not in (["uint"], ["int"]):
            rule = (
                f"the push block must have a member `uint {block.array}_base`, to be added to "
                f"every index into {block.array}[]"
            )
            refuse(rule, members=list(members))
    if module.push_bytes > 128:
        refuse("the push block must be at most 128 bytes", bytes=module.push_bytes)
    if module.spec and module.spec[-1].number > _MAX_SPEC_NUMBER:
        rule = f"a specialization constant's id must be at most {_MAX_SPEC_NUMBER}"
        refuse(rule, constant_id=module.spec[-1].number)
