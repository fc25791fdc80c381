"""DirectML's operators: built from descriptors, where all checking happens, called with buffers.

Names and rules are DirectML's. Two rules are ours: elements of an output must not share an
address, and no tensor is OWNED_BY_DML, for there is no initialization that would take it.
"""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dml_vk.directml.descriptors import BufferTensorDesc, DataType, TensorFlags
from dml_vk.dtypes import DTYPES, DType, uint32
from dml_vk.errors import DeviceError, DTypeError, LayoutError, explain
from dml_vk.layout import Layout

# What runs needs NumPy, and is imported by what runs: descriptors and operators work without it.
if TYPE_CHECKING:
    from dml_vk.directml.buffer import Buffer
    from dml_vk.ops.strided import Strided

__all__ = [
    "ElementWiseIdentity",
    "FillValueConstant",
    "FillValueSequence",
    "RandomGenerator",
    "RandomGeneratorType",
]

# A scalar as `struct` packs it.
_CODES = {
    DataType.FLOAT16: "e", DataType.FLOAT32: "f", DataType.FLOAT64: "d",
    DataType.INT8: "b", DataType.INT16: "h", DataType.INT32: "i", DataType.INT64: "q",
    DataType.UINT8: "B", DataType.UINT16: "H", DataType.UINT32: "I", DataType.UINT64: "Q",
}  # fmt: skip


class RandomGeneratorType(enum.Enum):
    """The generators, with DirectML's numbers."""

    PHILOX_4X32_10 = 0


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
            raise DeviceError(self._explain("all buffers must be on one device", **given))
        return bound

    def _check_tensors(self) -> None:
        for name in self._tensors:
            desc = getattr(self, name)
            if desc is None and name in self._optional:
                continue
            if not isinstance(desc, BufferTensorDesc):
                must = f"{name} must be a BufferTensorDesc"
                raise LayoutError(self._explain(must, **{name: desc}))
            if desc.data_type not in _CODES:
                must = f"{name} must not have a 4-bit type"
                raise DTypeError(self._explain(must, data_type=desc.data_type.name))
            if desc.flags is not TensorFlags.NONE:
                must = f"{name} must not be OWNED_BY_DML: there is no initialization to take it"
                raise LayoutError(self._explain(must, flags=desc.flags.name))
            if name.startswith("output") and desc.layout.overlaps:
                must = f"elements of {name} must not share an address"
                raise LayoutError(self._explain(must, sizes=desc.sizes, strides=desc.strides))

    def _explain(self, must: str, **got: object) -> str:
        return explain(type(self).__name__, must, **got)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={_brief(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({given})"


@dataclass(frozen=True, repr=False)
class RandomGenerator(Operator):
    """Random bits by Philox4x32-10, a pure function of the state.

    The state is four words of counter and two of key, each low word first. Element i of the output,
    in logical row-major order, is word i % 4 of block counter + i // 4. The output state has the
    same key, and the counter after the last block begun.

    >>> state = BufferTensorDesc(DataType.UINT32, (1, 1, 1, 6))
    >>> RandomGenerator(state, BufferTensorDesc(DataType.UINT32, (2, 3)), state)
    RandomGenerator(input_state=UINT32 (1, 1, 1, 6), output=UINT32 (2, 3), \
output_state=UINT32 (1, 1, 1, 6), type=PHILOX_4X32_10)
    """

    input_state: BufferTensorDesc
    output: BufferTensorDesc
    output_state: BufferTensorDesc | None = None
    type: RandomGeneratorType = RandomGeneratorType.PHILOX_4X32_10

    _tensors = ("input_state", "output", "output_state")
    _optional = ("output_state",)

    def __post_init__(self) -> None:
        self._check_tensors()
        for name in self._tensors:
            desc = getattr(self, name)
            if desc is not None and desc.data_type is not DataType.UINT32:
                must = f"{name} must have the data type UINT32"
                raise DTypeError(self._explain(must, data_type=desc.data_type.name))
        sizes = self.input_state.sizes
        if sizes != (1,) * (len(sizes) - 1) + (6,):
            must = "input_state must have sizes (1, 1, 1, 6), or 6 after fewer or more ones"
            raise LayoutError(self._explain(must, sizes=sizes))
        if self.output_state is not None and self.output_state.sizes != sizes:
            must = f"output_state must have the sizes of input_state, {sizes}"
            raise LayoutError(self._explain(must, sizes=self.output_state.sizes))
        if self.type is not RandomGeneratorType.PHILOX_4X32_10:
            must = "type must be RandomGeneratorType.PHILOX_4X32_10"
            raise LayoutError(self._explain(must, type=self.type))

    def bind(self, *buffers: Buffer | None) -> tuple[Buffer | None, ...]:
        """As for every operator. The two states may share a buffer, the output has its own."""
        bound = input_state, output, output_state = super().bind(*buffers)
        if output is input_state or output is output_state:
            must = "output must not be bound to the buffer of a state"
            raise LayoutError(self._explain(must, output=output))
        return bound

    def _run(
        self, what: str, input_state: Strided, output: Strided, output_state: Strided | None
    ) -> None:
        from dml_vk.ops.philox import advance_state, blocks_begun, fill_philox

        state = _six_words(input_state)
        fill_philox(what, output, uint32, state)
        if output_state is not None:
            blocks = blocks_begun(output.layout.numel, uint32)
            advance_state(state, _six_words(output_state), blocks)


@dataclass(frozen=True, repr=False)
class ElementWiseIdentity(Operator):
    """The same elements under other strides: DirectML's strided copy. It works in place too.

    >>> planar = BufferTensorDesc(DataType.FLOAT16, (2, 3, 4, 5))
    >>> interleaved = BufferTensorDesc(DataType.FLOAT16, (2, 3, 4, 5), (60, 1, 15, 3))
    >>> ElementWiseIdentity(planar, interleaved)
    ElementWiseIdentity(input=FLOAT16 (2, 3, 4, 5), output=FLOAT16 (2, 3, 4, 5) by (60, 1, 15, 3))
    """

    input: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("input", "output")

    def __post_init__(self) -> None:
        self._check_tensors()
        if self.output.data_type is not self.input.data_type:
            must = f"output must have the data type of input, {self.input.data_type.name}"
            raise DTypeError(self._explain(must, data_type=self.output.data_type.name))
        if self.output.sizes != self.input.sizes:
            must = f"output must have the sizes of input, {self.input.sizes}"
            raise LayoutError(self._explain(must, sizes=self.output.sizes))

    def _run(self, what: str, source: Strided, target: Strided) -> None:
        from dml_vk.ops.copy import copy_elements

        copy_elements(what, source, target)


class Fill(Operator):
    """The operators whose values come as scalars."""

    output: BufferTensorDesc
    value_data_type: DataType

    _tensors = ("output",)

    @property
    def _dtype(self) -> DType:
        return DTYPES[self.value_data_type.name.lower()]

    def _check_value_data_type(self) -> None:
        wanted, given = self.output.data_type, self.value_data_type
        if given is not wanted:
            must = f"value_data_type must be that of output, {wanted.name}"
            raise DTypeError(self._explain(must, value_data_type=getattr(given, "name", given)))

    def _round_scalar(self, name: str, *codes: str) -> None:
        """Make the value what its type holds, by the first of these codes that takes it."""
        given = getattr(self, name)
        for code in codes:
            try:
                # This refuses finite values that would round to infinity, and no other floats.
                (held,) = struct.unpack(f"<{code}", struct.pack(f"<{code}", given))
            except (TypeError, OverflowError, struct.error):
                continue
            object.__setattr__(self, name, held)
            return
        must = f"{name} must be a number that {self.value_data_type.name} can hold"
        raise DTypeError(self._explain(must, **{name: given}))


@dataclass(frozen=True, repr=False)
class FillValueConstant(Fill):
    """One value everywhere. A float is rounded to its type as it comes in.

    >>> FillValueConstant(BufferTensorDesc(DataType.FLOAT16, (4,)), DataType.FLOAT16, 0.1)
    FillValueConstant(output=FLOAT16 (4,), value_data_type=FLOAT16, value=0.0999755859375)
    """

    output: BufferTensorDesc
    value_data_type: DataType
    value: float

    def __post_init__(self) -> None:
        self._check_tensors()
        self._check_value_data_type()
        self._round_scalar("value", _CODES[self.value_data_type])

    def _run(self, what: str, target: Strided) -> None:
        from dml_vk.ops.fill import fill_constant

        fill_constant(what, target, self._dtype, self.value)


@dataclass(frozen=True, repr=False)
class FillValueSequence(Fill):
    """Element i, in logical row-major order, is `value_start + i * value_delta`.

    Floats are exact and then rounded once, integers wrap. Start and delta are of the output's type;
    the delta of an unsigned type may also be negative, down to half its range.

    >>> bytes4 = BufferTensorDesc(DataType.UINT8, (2, 2))
    >>> FillValueSequence(bytes4, DataType.UINT8, 10, -2)
    FillValueSequence(output=UINT8 (2, 2), value_data_type=UINT8, value_start=10, value_delta=-2)
    """

    output: BufferTensorDesc
    value_data_type: DataType
    value_start: float
    value_delta: float

    def __post_init__(self) -> None:
        self._check_tensors()
        self._check_value_data_type()
        code = _CODES[self.value_data_type]
        self._round_scalar("value_start", code)
        # -2 and 254 are the same step of UINT8, and the same bits: DirectML's own example has -2.
        self._round_scalar("value_delta", code, code.lower())

    def _run(self, what: str, target: Strided) -> None:
        from dml_vk.ops.fill import fill_sequence

        fill_sequence(what, target, self._dtype, self.value_start, self.value_delta)


def _six_words(state: Strided) -> Strided:
    """The state without its dims of size 1."""
    layout = Layout((6,), state.layout.strides[-1:], state.layout.offset)
    return state._replace(layout=layout)


def _brief(value: object) -> str:
    """A descriptor or an enum member in a few words."""
    if isinstance(value, BufferTensorDesc):
        strides = "" if value.strides is None else f" by {value.strides}"
        return f"{value.data_type.name} {value.sizes}{strides}"
    return value.name if isinstance(value, enum.Enum) else repr(value)
