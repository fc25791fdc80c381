"""DirectML's quantization by blocks, also to elements of 4 bits."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS, SMALL
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.four_bits import unpacked, write_packed
from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["Dequantize", "QuantizationType", "Quantize"]

INTEGERS = (*SMALL, DataType.INT4, DataType.UINT4)


class QuantizationType(enum.Enum):
    """Which tensors describe a quantization, with DirectML's numbers."""

    NONE = 0
    SCALE = 1
    SCALE_ZERO_POINT = 2


@dataclass(frozen=True, repr=False)
class Blocks(OverTensors):
    """A quantization whose scale has a number for each block of the input.

    Along each dim, the blocks are as long as the size of the input divided by that of the scale.
    """

    input: BufferTensorDesc
    quantization_tensors: Sequence[BufferTensorDesc]
    output: BufferTensorDesc
    _: KW_ONLY
    quantization_type: QuantizationType = QuantizationType.SCALE_ZERO_POINT

    _tensors = ("input", "quantization_tensors", "output")
    _several = "quantization_tensors"
    _takes_4_bits = True

    def _check(self) -> None:
        self._check_enum("quantization_type", QuantizationType)
        self._check_ranks(range(1, 9), "1 to 8")
        count, kind = len(self.quantization_tensors), self.quantization_type
        if kind is QuantizationType.NONE or count != kind.value:
            rule = "quantization_tensors must be what quantization_type names, at least a scale"
            raise LayoutError(self._what, rule, quantization_type=kind.name, tensors=count)
        sizes = self.input.sizes
        self._check_sizes("output", sizes)
        for name in self._given[1:-1]:
            own = self._desc(name).sizes
            if any(size % blocks for size, blocks in zip(sizes, own)):
                rule = f"{name} must divide the sizes of input, {sizes}"
                raise LayoutError(self._what, rule, sizes=own)
        self._check_sizes(self._given[-2], self._desc("quantization_tensors[0]").sizes)

    def _read(self, x: Tensor, name: str) -> Tensor:
        desc = self._desc(name)
        return unpacked(x, desc) if desc.data_type.bits < 8 else x

    def _parameters_of(self, tensors: Sequence[Tensor]) -> tuple[Tensor, Tensor | int]:
        """The scale and the zero point, which broadcast to the input."""
        names = self._given[1:-1]
        scale, *points = [
            _repeated(self._read(x, name), self.input.sizes) for x, name in zip(tensors, names)
        ]
        return scale, points[0] if points else 0


def _repeated(x: Tensor, sizes: Ints) -> Tensor:
    """Repeat the numbers of blocks, unless a block is a whole dim or an element of it."""
    from dml_vk.array.manipulation.repetition import repeat

    for dim, (size, blocks) in enumerate(zip(sizes, x.shape)):
        if blocks not in (1, size):
            x = repeat(x, size // blocks, axis=dim)
    return x


@dataclass(frozen=True, repr=False)
class Quantize(
    Blocks,
    types=FLOATS,
    **{"quantization_tensors[1]": "output"},
    output=INTEGERS,
):
    """round(input / scale) + zero point, clamped to the output's type; halves round to even.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Quantize
    >>> x = BufferTensorDesc(DataType.FLOAT32, (4, 32))
    >>> scale = BufferTensorDesc(DataType.FLOAT32, (4, 2))  # for blocks of 16
    >>> point, y = [BufferTensorDesc(DataType.UINT4, sizes) for sizes in ((4, 2), (4, 32))]
    >>> Quantize(x, [scale, point], y).output.total_tensor_size_in_bytes
    64
    """

    def _compute(self, x: Tensor, *tensors: Tensor) -> None:
        from dml_vk.array.math.clipping import clip
        from dml_vk.nn.quantized import quantize

        scale, point = self._parameters_of(tensors[:-1])
        out, desc = tensors[-1], self.output
        if desc.data_type.bits == 8:
            quantize(x, scale, point, dtype=out.dtype, out=out)
            return
        signed = desc.data_type is DataType.INT4
        values = quantize(x, scale, point, dtype="int8" if signed else "uint8")
        write_packed(self._what, clip(values, *((-8, 7) if signed else (0, 15))), out, desc)


@dataclass(frozen=True, repr=False)
class Dequantize(
    Blocks,
    types=INTEGERS,
    **{"quantization_tensors[0]": FLOATS, "quantization_tensors[1]": "input"},
    output="quantization_tensors[0]",
):
    """(input - zero point) * scale."""

    def _compute(self, x: Tensor, *tensors: Tensor) -> None:
        from dml_vk.nn.quantized import dequantize

        scale, point = self._parameters_of(tensors[:-1])
        out = tensors[-1]
        dequantize(self._read(x, "input"), scale, point, dtype=out.dtype, out=out)
