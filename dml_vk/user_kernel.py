"""Compute shaders of the user's own, on tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk.errors import DeviceError, DTypeError, ShaderError, explain
from dml_vk.kernels.capabilities import check_capabilities
from dml_vk.kernels.loops import fixed_rounds
from dml_vk.kernels.spirv import Binding, Module, read
from dml_vk.kernels.words import Slot, describe, to_words

if TYPE_CHECKING:
    from dml_vk.limits import Limits
    from dml_vk.runtime.device import Device
    from dml_vk.runtime.kompute import Words
    from dml_vk.runtime.launch import Operand
    from dml_vk.runtime.pipelines import Groups
    from dml_vk.tensor import Tensor

_DTYPES = {"float": "float32", "int": "int32"}  # uint reads any element type as raw words
_MAX_GROUPS = 65535  # in each of the three directions, on every device
_MAX_LOCAL_Z = 64
_MAX_SPEC_NUMBER = 127
_MOST_NAMES = 1000  # of arrays, though there were no end of them
_MAX_STRIDE = 256  # of an array's elements, for that is how allocations are aligned


@dataclass(frozen=True, repr=False)
class Shader:
    """A compiled compute shader: its SPIR-V, and what it declares."""

    spirv: bytes
    module: Module

    def __repr__(self) -> str:
        module = self.module
        buffers = [
            f"{'' if block.writes else 'readonly '}{block.scalar} {block.array}[]"
            for block in module.bindings
        ]
        push = [Slot(member.name, leaf.type) for member in module.push for leaf in member.leaves]
        spec = [Slot(one.name, one.type) for one in module.spec]
        size = " x ".join(
            str(part) if isinstance(part, int) else f"{part.name or 'local_size'}={part.default}"
            for part in module.local_size
        )
        parts = {"buffers": ", ".join(buffers), "push": describe(push), "spec": describe(spec)}
        told = "".join(f"{name}: {text}; " for name, text in parts.items() if text)
        return f"<Shader {told}local size: {size}; {len(self.spirv)} bytes>"


def compile_glsl(source: str, *, macros: Mapping[str, str | int] | None = None) -> Shader:
    """A GLSL compute shader, compiled. It needs glslang-tools and spirv-tools on the path.

    `macros` are defined before the first line; errors carry the line numbers of `source`.

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
    from dml_vk.kernels import glslang

    if not isinstance(source, str) or "\0" in source:
        must = "source must be the text of a GLSL compute shader"
        raise ShaderError(explain("compile_glsl", must, source=source))
    spirv = glslang.compile(source, macros, name="compile_glsl")
    return Shader(spirv, read(spirv, "compile_glsl"))


def kernel(
    shader: Shader | str,
    *,
    macros: Mapping[str, str | int] | None = None,
    name: str = "kernel",
) -> UserKernel:
    """A shader, or its source, as a function of tensors.

    The function is called with one tensor for each binding. Like every operation its work waits
    until somebody looks, and stands behind all earlier work on the same memory.

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

    Many tensors share one buffer, so a shader must add where a tensor starts: for each array
    `T x[]` the push block has a member `uint x_base`, which is filled in with the first element's
    place, counted in elements of the array. For the same reason `x.length()` is refused; pass
    sizes, and strides if the tensor is not packed, in `push`. Nothing checks what a shader does
    inside: it must keep within its tensors, and end.

    Each buffer is one runtime array, bindings are 0, 1, 2... in set 0, and several arrays may
    look at one binding. `uint` arrays take tensors of any element type, as raw words.

    groups: an int, or up to three, each 1 to 65535.
    push: the other members of the push block, in order or by name; or bytes, as they are.
    spec: specialization constants, in order or by name; those left out keep their defaults.
    writes: names of the arrays that are written, where it is fewer than those not `readonly`.
    """
    if not isinstance(name, str):
        raise ShaderError(explain("kernel", "name must be a text", name=name))
    if isinstance(shader, str):
        shader = compile_glsl(shader, macros=macros)
    elif macros is not None:
        raise ShaderError(explain(name, "macros must come with a source", macros=macros))
    if not isinstance(shader, Shader):
        raise ShaderError(explain(name, "shader must be a Shader or its source", shader=shader))
    return UserKernel(shader, name)


class UserKernel:
    """A checked shader, to be called with tensors. Made by `kernel()` only."""

    def __init__(self, shader: Shader, name: str) -> None:
        self.shader = shader
        self.name = name
        _check_interface(shader.module, name)
        blocks: dict[int, list[Binding]] = {}
        for block in shader.module.bindings:
            blocks.setdefault(block.number, []).append(block)
        self._blocks = [blocks[number] for number in sorted(blocks)]
        bases = {f"{block.array}_base": block for block in shader.module.bindings}
        # Where in the push block each base goes, and each word that the caller gives.
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
        push: Any = (),
        spec: Any = (),
        writes: Iterable[str] | None = None,
    ) -> None:
        """Run it on these tensors."""
        device = self._device(tensors)
        written = self._written(writes)
        operands = [
            self._operand(at, tensor, blocks, written)
            for at, (tensor, blocks) in enumerate(zip(tensors, self._blocks))
        ]
        spec_words = self._spec(spec, device.limits)
        if device.limits.ends_loops:
            self._check_rounds(spec_words, device.limits.max_rounds)
        push_words = self._push(push, operands)
        device.queue.dispatch(
            self.shader.spirv, spec_words, push_words, self._groups(groups), operands
        )

    def _device(self, tensors: tuple[Tensor, ...]) -> Device:
        from dml_vk.ops.strided import Strided  # It needs a device; to compile does not.

        if len(tensors) != len(self._blocks):
            must = f"there must be a tensor for each of the {len(self._blocks)} bindings"
            raise ShaderError(explain(self.name, must, tensors=len(tensors)))
        for tensor in tensors:
            if not isinstance(getattr(tensor, "strided", None), Strided):
                must = "operands must be tensors: asarray makes tensors of arrays"
                raise DTypeError(explain(self.name, must, operand=type(tensor).__name__))
        device = tensors[0].device
        if any(tensor.device is not device for tensor in tensors):
            devices = tuple(tensor.device for tensor in tensors)
            raise DeviceError(explain(self.name, "operands must be on one device", devices=devices))
        most = device.limits.max_storage_buffers
        if len(tensors) > most:
            must = f"this device must take as many tensors in one kernel: it takes {most}"
            raise DeviceError(explain(self.name, must, tensors=len(tensors)))
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
            must = f"writes must name arrays that are not readonly: {sorted(map(str, arrays))}"
            raise ShaderError(explain(self.name, must, writes=writes))
        return wanted

    def _operand(
        self, at: int, tensor: Tensor, blocks: list[Binding], written: set[str | None]
    ) -> Operand:
        writes = any(block.array in written for block in blocks)
        operand = tensor.strided.operand(writes)
        if not tensor.layout.numel:
            operand = operand._replace(base=0, low=0, high=max(1, operand.allocation.nbytes))
        for block in blocks:
            wanted = _DTYPES.get(block.scalar)
            if wanted not in (None, tensor.dtype.name):
                must = f"tensor {at} must be {wanted} for the array {block.scalar} {block.array}[]"
                raise DTypeError(explain(self.name, must, dtype=tensor.dtype))
            if operand.base % block.stride:
                must = (
                    f"tensor {at} must start at a whole element of {block.array}[], "
                    f"{block.stride} bytes each"
                )
                raise ShaderError(explain(self.name, must, start_bytes=operand.base))
            # An element of the array may reach beyond the tensor's own: hazards count it whole.
            low = operand.low // block.stride * block.stride
            high = -(-operand.high // block.stride) * block.stride
            operand = operand._replace(low=low, high=high)
        return operand

    def _spec(self, given: Any, limits: Limits) -> tuple[int, ...]:
        declared = self.shader.module.spec
        values = {one.number: one.default for one in declared}
        if isinstance(given, Mapping):
            names = {one.name: one for one in declared if one.name in given}
            if len(names) != len(given):
                known = describe(Slot(one.name, one.type) for one in declared)
                must = f"spec must name specialization constants: {known or 'there are none'}"
                raise ShaderError(explain(self.name, must, spec=list(given)))
            declared, given = tuple(names.values()), [given[name] for name in names]
        slots = [Slot(one.name or "local_size", one.type) for one in declared]
        words = to_words(self.name, "spec", slots, given, whole=False)
        values.update({one.number: word for one, word in zip(declared, words)})
        x, y, z = sizes = self.shader.module.local_sizes(values)
        if not (min(sizes) > 0 and x * y * z <= limits.max_invocations and z <= _MAX_LOCAL_Z):
            must = (
                f"the local size must be 1 to {limits.max_invocations} invocations on this device, "
                f"and at most {_MAX_LOCAL_Z} in z"
            )
            raise ShaderError(explain(self.name, must, local_size=sizes))
        shared = self.shader.module.shared_bytes(values)
        if shared > limits.max_shared_bytes:
            must = f"shared memory must be at most {limits.max_shared_bytes} bytes on this device"
            raise ShaderError(explain(self.name, must, shared_bytes=shared))
        # Kompute numbers constants by position; a number that nobody declares changes nothing.
        return tuple(values.get(number, 0) for number in range(max(values, default=-1) + 1))

    def _check_rounds(self, spec: tuple[int, ...], most: int) -> None:
        rounds = fixed_rounds(self.shader.spirv, spec, most)
        if rounds > most:
            must = f"loops must go at most {most} rounds in an invocation, which this device allows"
            raise ShaderError(explain(self.name, must, rounds=rounds))

    def _push(self, given: Any, operands: list[Operand]) -> Words:
        words = np.zeros(self.shader.module.push_bytes // 4, np.uint32)
        slots = [slot for _, slot in self._slots]
        values = to_words(self.name, "push", slots, given, whole=True)
        for (at, _), value in zip(self._slots, values):
            words[at] = value
        for at, block in self._bases:
            operand = operands[block.number]
            words[at] = (operand.allocation.offset + operand.base) // block.stride
        return words

    def _groups(self, given: int | Iterable[int]) -> Groups:
        slots = [Slot("groups", "uint")] * 3
        words = to_words(self.name, "groups", slots, given, whole=False)
        if not words or not all(1 <= count <= _MAX_GROUPS for count in words):
            must = f"groups must be one to three numbers from 1 to {_MAX_GROUPS}"
            raise ShaderError(explain(self.name, must, groups=given))
        x, y, z = (*words, 1, 1)[:3]
        return x, y, z


def _check_interface(module: Module, name: str) -> None:
    """All that can be known to be wrong before there is a tensor."""
    check_capabilities(module, name)

    def refuse(must: str, **got: object) -> None:
        raise ShaderError(explain(name, must, **got))

    if module.entry != "main":
        refuse("the entry point must be main", entry=module.entry)
    if module.others:
        refuse("a shader must use storage buffers and a push block only", others=module.others)
    if module.asks_length:
        must = "length() must not be used, for it is that of the whole buffer: push sizes"
        refuse(must, length="length()")
    numbers = sorted({block.number for block in module.bindings})
    if not numbers or numbers != list(range(len(numbers))) or any(b.set for b in module.bindings):
        places = [(block.set, block.number) for block in module.bindings]
        refuse("bindings must be 0, 1, 2... in set 0", bindings=places)
    arrays = [block.array for block in module.bindings]
    if len(set(arrays)) < len(arrays):
        refuse("arrays must have different names, for their bases go by them", arrays=arrays)
    members = {member.name: member for member in module.push}
    for block in module.bindings:
        if not block.array:
            refuse("a buffer must hold one runtime array `T name[]` alone", buffer=block.block)
        if not 0 < block.stride <= _MAX_STRIDE or block.stride & (block.stride - 1):
            must = f"an array's elements must be a power of two of bytes, {_MAX_STRIDE} at most"
            refuse(must, array=block.array, bytes=block.stride)
        base = members.get(f"{block.array}_base")
        if base is None or [leaf.type for leaf in base.leaves] not in (["uint"], ["int"]):
            must = (
                f"the push block must have a member `uint {block.array}_base`, to be added to "
                f"every index into {block.array}[]"
            )
            refuse(must, members=list(members))
    if module.push_bytes > 128:
        refuse("the push block must be at most 128 bytes", bytes=module.push_bytes)
    if module.spec and module.spec[-1].number > _MAX_SPEC_NUMBER:
        must = f"a specialization constant's number must be at most {_MAX_SPEC_NUMBER}"
        refuse(must, constant_id=module.spec[-1].number)
