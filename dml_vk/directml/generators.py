"""The operators that need no input elements: random bits, and fills."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType, dtype_of
from dml_vk.directml.operators import CODES, Operator
from dml_vk.dtypes import uint32
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout

if TYPE_CHECKING:
    from dml_vk.buffer import Buffer
    from dml_vk.ops.view import View

__all__ = [
    "FillValueConstant",
    "FillValueSequence",
    "RandomGenerator",
    "RandomGeneratorType",
]


class RandomGeneratorType(enum.Enum):
    """The generators, with DirectML's numbers."""

    PHILOX_4X32_10 = 0


@dataclass(frozen=True, repr=False)
class RandomGenerator(Operator):
    """Random bits by Philox4x32-10, a pure function of the state.

    The state is four words of counter and two of key, each with the low word first. Element i of
    the output, in logical row-major order, is word i % 4 of block counter + i // 4. The output
    state has the same key, and the counter after the last block that was started.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, RandomGenerator
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
                rule = f"{name} must have the data type UINT32"
                raise DTypeError(self._what, rule, data_type=desc.data_type.name)
        sizes = self.input_state.sizes
        if sizes != (1,) * (len(sizes) - 1) + (6,):
            rule = "input_state must have sizes (1, 1, 1, 6), or 6 after any number of ones"
            raise LayoutError(self._what, rule, sizes=sizes)
        if self.output_state is not None and self.output_state.sizes != sizes:
            rule = f"output_state must have the sizes of input_state, {sizes}"
            raise LayoutError(self._what, rule, sizes=self.output_state.sizes)
        if self.type is not RandomGeneratorType.PHILOX_4X32_10:
            rule = "type must be RandomGeneratorType.PHILOX_4X32_10"
            raise LayoutError(self._what, rule, type=self.type)

    def bind(self, *buffers: Buffer | None) -> tuple[Buffer | None, ...]:
        """Check the buffers. The two states may share one, the output needs its own."""
        bound = input_state, output, output_state = super().bind(*buffers)
        if output is input_state or output is output_state:
            rule = "output cannot share a buffer with a state"
            raise LayoutError(self._what, rule, output=output)
        return bound

    def _run(self, what: str, input_state: View, output: View, output_state: View | None) -> None:
        from dml_vk.ops.philox import advance_state, blocks_begun, fill_philox

        state = _six_words(input_state)
        fill_philox(what, output, uint32, state)
        if output_state is not None:
            blocks = blocks_begun(output.layout.numel, uint32)
            advance_state(state, _six_words(output_state), blocks)


@dataclass(frozen=True, repr=False)
class FillValueConstant(Operator):
    """Fill a tensor with one value. A float is rounded to the tensor's type.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, FillValueConstant
    >>> FillValueConstant(BufferTensorDesc(DataType.FLOAT16, (4,)), DataType.FLOAT16, 0.1)
    FillValueConstant(output=FLOAT16 (4,), value_data_type=FLOAT16, value=0.0999755859375)
    """

    output: BufferTensorDesc
    value_data_type: DataType
    value: float

    _tensors = ("output",)

    def __post_init__(self) -> None:
        self._check_tensors()
        self._check_scalar_type("value_data_type", "output")
        self._hold("value", self.value_data_type)

    def _run(self, what: str, target: View) -> None:
        from dml_vk.ops.fill import fill_constant

        fill_constant(what, target, dtype_of(self.value_data_type), self.value)


@dataclass(frozen=True, repr=False)
class FillValueSequence(Operator):
    """Element i, in logical row-major order, is `value_start + i * value_delta`.

    Floats are exact and then rounded once, integers wrap. Start and delta have the output's type;
    the delta of an unsigned type may also be negative, down to half its range.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, FillValueSequence
    >>> bytes4 = BufferTensorDesc(DataType.UINT8, (2, 2))
    >>> FillValueSequence(bytes4, DataType.UINT8, 10, -2)
    FillValueSequence(output=UINT8 (2, 2), value_data_type=UINT8, value_start=10, value_delta=-2)
    """

    output: BufferTensorDesc
    value_data_type: DataType
    value_start: float
    value_delta: float

    _tensors = ("output",)

    def __post_init__(self) -> None:
        self._check_tensors()
        self._check_scalar_type("value_data_type", "output")
        self._hold("value_start", self.value_data_type)
        # In UINT8, -2 and 254 have the same bits; DirectML's own example uses -2.
        code = CODES[self.value_data_type]
        self._hold("value_delta", self.value_data_type, code + code.lower())

    def _run(self, what: str, target: View) -> None:
        from dml_vk.ops.sequence import fill_sequence

        fill_sequence(
            what, target, dtype_of(self.value_data_type), self.value_start, self.value_delta
        )


def _six_words(state: View) -> View:
    """The state without its dims of size 1."""
    layout = Layout((6,), state.layout.strides[-1:], state.layout.offset)
    from dml_vk.ops.view import with_layout

    return with_layout(state, layout)
