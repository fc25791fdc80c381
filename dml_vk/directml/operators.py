"""DirectML's operators: created from descriptors, which are checked, and called with buffers.

Names and rules are DirectML's. Two rules are specific to dml_vk: elements of an output must not
share an address, and no tensor can be OWNED_BY_DML, since operators are not initialized.
"""

from __future__ import annotations

import enum
import struct
from typing import TYPE_CHECKING, Any, ClassVar

from dml_vk.arguments import to_tuple
from dml_vk.directml.descriptors import BufferTensorDesc, DataType, TensorFlags, elements_of
from dml_vk.errors import ONE_DEVICE, DeviceError, DTypeError, LayoutError

# Modules that need NumPy are imported when an operator runs: creating it works without NumPy.
if TYPE_CHECKING:
    from dml_vk.buffer import Buffer
    from dml_vk.ops.view import View

# `struct` codes of scalars.
CODES = {
    DataType.FLOAT16: "e", DataType.FLOAT32: "f", DataType.FLOAT64: "d",
    DataType.INT8: "b", DataType.INT16: "h", DataType.INT32: "i", DataType.INT64: "q",
    DataType.UINT8: "B", DataType.UINT16: "H", DataType.UINT32: "I", DataType.UINT64: "Q",
}  # fmt: skip


class Operator:
    """The base class of all operators. A subclass is a frozen dataclass with DirectML's fields."""

    _tensors: ClassVar[tuple[str, ...]]  # in the order in which buffers are bound
    _optional: ClassVar[tuple[str, ...]] = ()
    _several: ClassVar[str] = ""  # the field that is a sequence of tensors
    _parameters: ClassVar[tuple[str, ...]] = ()  # of outputs: tensors that are read
    _takes_4_bits: ClassVar[bool] = False

    def __call__(self, *buffers: Buffer | None) -> None:
        """Run the operator with the buffers that `bind` takes, after all earlier work."""
        from dml_vk.ops.view import View

        operands: list[View | None] = []
        for desc, buffer in zip(self._bindings.values(), self.bind(*buffers)):
            if buffer is None or desc is None:
                operands.append(None)
            else:
                operands.append(View(buffer.device, buffer.allocation, *elements_of(desc)))
        self._run(type(self).__name__, *operands)

    def _run(self, what: str, *operands: Any) -> None:
        """Launch the operator on checked tensors. Every subclass implements it."""

    @classmethod
    def is_output(cls, name: str) -> bool:
        """Whether a tensor is written."""
        return name.startswith("output") and name not in cls._parameters

    @property
    def _bindings(self) -> dict[str, BufferTensorDesc | None]:
        """Each tensor by its name, in the order of buffers; those of a sequence are numbered."""
        if not self._several:
            return {name: getattr(self, name) for name in self._tensors}
        bindings: dict[str, BufferTensorDesc | None] = {}
        for name in self._tensors:
            value = getattr(self, name)
            several = name == self._several
            bindings.update(
                {f"{name}[{k}]": x for k, x in enumerate(value)} if several else {name: value}
            )
        return bindings

    def bind(self, *buffers: Buffer | None) -> tuple[Buffer | None, ...]:
        """Check the buffers: one for each tensor, None for an optional tensor that was left out."""
        from dml_vk.buffer import Buffer

        names = list(self._bindings)
        if len(buffers) > len(names):
            rule = f"at most one buffer can be bound for each of {', '.join(names)}"
            raise LayoutError(self._what, rule, buffers=len(buffers))
        bound = buffers + (None,) * (len(names) - len(buffers))
        for (name, desc), buffer in zip(self._bindings.items(), bound):
            if desc is None:
                if buffer is not None:
                    rule = f"{name} cannot be bound without a descriptor"
                    raise LayoutError(self._what, rule, **{name: buffer})
            elif not isinstance(buffer, Buffer):
                rule = f"{name} must be bound to a Buffer"
                raise LayoutError(self._what, rule, **{name: buffer})
            elif buffer.nbytes < desc.total_tensor_size_in_bytes:
                rule = f"{name} needs a buffer of at least {desc.total_tensor_size_in_bytes} bytes"
                raise LayoutError(self._what, rule, **{f"{name}.nbytes": buffer.nbytes})
        devices = {name: buffer.device for name, buffer in zip(names, bound) if buffer is not None}
        if len(set(devices.values())) > 1:
            raise DeviceError(self._what, ONE_DEVICE, **devices)
        return bound

    def _check_tensors(self) -> None:
        if self._several:
            descs = to_tuple(self._what, self._several, getattr(self, self._several))
            if not descs:
                rule = f"{self._several} must be at least one BufferTensorDesc"
                raise LayoutError(self._what, rule, **{self._several: descs})
            object.__setattr__(self, self._several, descs)
        for name, desc in self._bindings.items():
            if desc is None and name in self._optional:
                continue
            if not isinstance(desc, BufferTensorDesc):
                rule = f"{name} must be a BufferTensorDesc"
                raise LayoutError(self._what, rule, **{name: desc})
            if desc.data_type not in CODES and not self._takes_4_bits:
                rule = f"{name} cannot have a 4-bit type"
                raise DTypeError(self._what, rule, data_type=desc.data_type.name)
            if desc.flags is not TensorFlags.NONE:
                rule = f"{name} cannot be OWNED_BY_DML: operators have no initialization step"
                raise LayoutError(self._what, rule, flags=desc.flags.name)
            if self.is_output(name) and desc.layout.overlaps:
                rule = f"{name} has overlapping elements"
                raise LayoutError(self._what, rule, sizes=desc.sizes, strides=desc.strides)

    def _hold(self, name: str, data_type: DataType, codes: str = "") -> None:
        """Round a scalar attribute to its data type."""
        number = held(type(self).__name__, name, data_type, getattr(self, name), codes)
        object.__setattr__(self, name, number)

    def _check_scalar_type(self, name: str, tensor: str) -> None:
        """Check that the data type of scalars is that of a tensor."""
        wanted: DataType = getattr(self, tensor).data_type
        value = getattr(self, name)
        if value is not wanted:
            rule = f"{name} must be the data type of {tensor}, {wanted.name}"
            raise DTypeError(self._what, rule, **{name: getattr(value, "name", value)})

    @property
    def _what(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_brief(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({values})"


def held(what: str, name: str, data_type: DataType, value: object, codes: str = "") -> Any:
    """Convert a number to a data type, by the first of these `struct` codes that accepts it."""
    for code in codes or CODES[data_type]:
        try:
            # `struct` rejects finite floats that would round to infinity.
            (number,) = struct.unpack(f"<{code}", struct.pack(f"<{code}", value))
        except (TypeError, OverflowError, struct.error):
            continue
        return number
    rule = f"{name} must be a number that {data_type.name} can hold"
    raise DTypeError(what, rule, **{name: value})


def _brief(value: object) -> str:
    """A short repr of descriptors or an enum member."""
    if isinstance(value, tuple) and value and isinstance(value[0], BufferTensorDesc):
        return f"[{', '.join(map(_brief, value))}]"
    if isinstance(value, BufferTensorDesc):
        strides = "" if value.strides is None else f" by {value.strides}"
        return f"{value.data_type.name} {value.sizes}{strides}"
    return value.name if isinstance(value, enum.Enum) else repr(value)
