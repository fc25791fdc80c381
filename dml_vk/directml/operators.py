"""DirectML's operators: built from descriptors, where all checking happens, called with buffers.

Names and rules are DirectML's. Two rules are ours: elements of an output must not share an
address, and no tensor is OWNED_BY_DML, for there is no initialization that would take it.
"""

from __future__ import annotations

import enum
import struct
from typing import TYPE_CHECKING, Any, ClassVar

from dml_vk.directml.descriptors import BufferTensorDesc, DataType, TensorFlags
from dml_vk.errors import DeviceError, DTypeError, LayoutError, explain

# What runs needs NumPy, and is imported by what runs: descriptors and operators work without it.
if TYPE_CHECKING:
    from dml_vk.directml.buffer import Buffer

# A scalar as `struct` packs it.
CODES = {
    DataType.FLOAT16: "e", DataType.FLOAT32: "f", DataType.FLOAT64: "d",
    DataType.INT8: "b", DataType.INT16: "h", DataType.INT32: "i", DataType.INT64: "q",
    DataType.UINT8: "B", DataType.UINT16: "H", DataType.UINT32: "I", DataType.UINT64: "Q",
}  # fmt: skip


class Operator:
    """What all operators share. A subclass is a frozen dataclass, its tensors first."""

    _tensors: ClassVar[tuple[str, ...]]  # in the order in which buffers are bound
    _optional: ClassVar[tuple[str, ...]] = ()

    def __call__(self, *buffers: Buffer | None) -> None:
        """Do it with the buffers that `bind` takes, after all that was asked before."""
        from dml_vk.ops.strided import Strided

        operands: list[Strided | None] = []
        for name, buffer in zip(self._tensors, self.bind(*buffers)):
            if buffer is None:
                operands.append(None)
            else:
                desc: BufferTensorDesc = getattr(self, name)
                itemsize = desc.data_type.bits // 8
                operands.append(Strided(buffer.device, buffer.allocation, desc.layout, itemsize))
        self._run(type(self).__name__, *operands)

    def _run(self, what: str, *operands: Any) -> None:
        """Launch it over the tensors, which are checked. Every subclass says how."""

    def bind(self, *buffers: Buffer | None) -> tuple[Buffer | None, ...]:
        """The buffers, checked: one for each tensor, None for one that is not described."""
        from dml_vk.directml.buffer import Buffer

        names = self._tensors
        if len(buffers) > len(names):
            must = f"there must be at most one buffer for each of {', '.join(names)}"
            raise LayoutError(self._explain(must, buffers=len(buffers)))
        bound = buffers + (None,) * (len(names) - len(buffers))
        for name, buffer in zip(names, bound):
            desc: BufferTensorDesc | None = getattr(self, name)
            if desc is None:
                if buffer is not None:
                    must = f"{name} must not be bound where it is not described"
                    raise LayoutError(self._explain(must, **{name: buffer}))
            elif not isinstance(buffer, Buffer):
                must = f"{name} must be bound to a Buffer"
                raise LayoutError(self._explain(must, **{name: buffer}))
            elif buffer.nbytes < desc.total_tensor_size_in_bytes:
                must = f"{name} must be bound to at least {desc.total_tensor_size_in_bytes} bytes"
                raise LayoutError(self._explain(must, **{f"{name}.nbytes": buffer.nbytes}))
        given = {name: buffer.device for name, buffer in zip(names, bound) if buffer is not None}
        if len(set(given.values())) > 1:
            raise DeviceError(self._explain("operands must be on one device", **given))
        return bound

    def _check_tensors(self) -> None:
        for name in self._tensors:
            desc = getattr(self, name)
            if desc is None and name in self._optional:
                continue
            if not isinstance(desc, BufferTensorDesc):
                must = f"{name} must be a BufferTensorDesc"
                raise LayoutError(self._explain(must, **{name: desc}))
            if desc.data_type not in CODES:
                must = f"{name} must not have a 4-bit type"
                raise DTypeError(self._explain(must, data_type=desc.data_type.name))
            if desc.flags is not TensorFlags.NONE:
                must = f"{name} must not be OWNED_BY_DML: there is no initialization to take it"
                raise LayoutError(self._explain(must, flags=desc.flags.name))
            if name.startswith("output") and desc.layout.overlaps:
                must = f"elements of {name} must not share an address"
                raise LayoutError(self._explain(must, sizes=desc.sizes, strides=desc.strides))

    def _hold(self, name: str, data_type: DataType, codes: str = "") -> None:
        """Make a scalar what its type holds."""
        number = held(type(self).__name__, name, data_type, getattr(self, name), codes)
        object.__setattr__(self, name, number)

    def _check_scalar_type(self, name: str, tensor: str) -> None:
        """The type of scalars is that of a tensor."""
        wanted: DataType = getattr(self, tensor).data_type
        given = getattr(self, name)
        if given is not wanted:
            must = f"{name} must be that of {tensor}, {wanted.name}"
            raise DTypeError(self._explain(must, **{name: getattr(given, "name", given)}))

    def _explain(self, must: str, **got: object) -> str:
        return explain(type(self).__name__, must, **got)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={_brief(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({given})"


def held(what: str, name: str, data_type: DataType, value: Any, codes: str = "") -> Any:
    """The number as its type holds it, by the first of these codes that takes it."""
    for code in codes or CODES[data_type]:
        try:
            # This refuses finite values that would round to infinity, and no other floats.
            (number,) = struct.unpack(f"<{code}", struct.pack(f"<{code}", value))
        except (TypeError, OverflowError, struct.error):
            continue
        return number
    must = f"{name} must be a number that {data_type.name} can hold"
    raise DTypeError(explain(what, must, **{name: value}))


def _brief(value: object) -> str:
    """A descriptor or an enum member in a few words."""
    if isinstance(value, BufferTensorDesc):
        strides = "" if value.strides is None else f" by {value.strides}"
        return f"{value.data_type.name} {value.sizes}{strides}"
    return value.name if isinstance(value, enum.Enum) else repr(value)
