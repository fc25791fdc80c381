"""DirectML's linear quantization, by a scale of each element or of a whole tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS, SIGNED, SMALL, UNSIGNED
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.rounding import widened, write_rounded
from dml_vk.errors import DTypeError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["DynamicQuantizeLinear", "ElementWiseDequantizeLinear", "ElementWiseQuantizeLinear"]

INTEGERS = SIGNED[1:] + UNSIGNED[1:]


class Linear(OverTensors):
    """An operator whose tensors have equal sizes."""

    def _check(self) -> None:
        first, *others = self._given
        for name in others:
            self._check_sizes(name, self._desc(first).sizes)


@dataclass(frozen=True, repr=False)
class ElementWiseQuantizeLinear(
    Linear,
    types=(*FLOATS, DataType.INT32),
    scale=FLOATS,
    zero_point="output",
    output=SMALL,
):
    """round(input / scale) + zero_point, clamped to the output's type; halves are rounded to even.

    The scale has the type of the input, or FLOAT32 for INT32. All is computed in float32.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, ElementWiseQuantizeLinear
    >>> x = BufferTensorDesc(DataType.FLOAT32, (2, 3))
    >>> scale = BufferTensorDesc(DataType.FLOAT32, (2, 3), (0, 0))
    >>> y = BufferTensorDesc(DataType.INT8, (2, 3))
    >>> ElementWiseQuantizeLinear(x, scale, None, y)
    ElementWiseQuantizeLinear(input=FLOAT32 (2, 3), scale=FLOAT32 (2, 3) by (0, 0), \
zero_point=None, output=INT8 (2, 3))
    """

    input: BufferTensorDesc
    scale: BufferTensorDesc
    zero_point: BufferTensorDesc | None
    output: BufferTensorDesc

    _tensors = ("input", "scale", "zero_point", "output")
    _optional = ("zero_point",)

    def _check(self) -> None:
        super()._check()
        own = self.input.data_type
        wanted = own if own in FLOATS else DataType.FLOAT32
        if self.scale.data_type is not wanted:
            rule = f"scale must have the data type {wanted.name} if input has {own.name}"
            raise DTypeError(self._what, rule, data_type=self.scale.data_type.name)

    def _compute(self, x: Tensor, scale: Tensor, point: Tensor | None, out: Tensor) -> None:
        from dml_vk.dtypes import float32
        from dml_vk.nn import quantize
        from dml_vk.ops.elementwise import converted
        from dml_vk.tensor.core import Tensor

        if x.dtype.kind != "f":
            x = Tensor(converted(self._what, x, float32))
        quantize(x, scale, 0 if point is None else point, dtype=out.dtype, out=out)


@dataclass(frozen=True, repr=False)
class ElementWiseDequantizeLinear(
    Linear,
    types=INTEGERS,
    scale=FLOATS,
    zero_point="input",
    output="scale",
):
    """(input - zero_point) * scale: the difference is exact, then rounded to float32."""

    input: BufferTensorDesc
    scale: BufferTensorDesc
    zero_point: BufferTensorDesc | None
    output: BufferTensorDesc

    _tensors = ("input", "scale", "zero_point", "output")
    _optional = ("zero_point",)

    def _compute(self, x: Tensor, scale: Tensor, point: Tensor | None, out: Tensor) -> None:
        from dml_vk.dtypes import float32, int64
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.nn import dequantize
        from dml_vk.ops.elementwise import cast_elements, compute
        from dml_vk.ops.view import temporary_like

        what = self._what
        if x.dtype.itemsize < 4:
            dequantize(x, scale, 0 if point is None else point, dtype=out.dtype, out=out)
            return
        # Differences of 32-bit integers need more bits.
        exact = temporary_like(what, out, int64)
        if point is None:
            cast_elements(what, x, exact)
        else:
            compute(what, OPERATORS["subtract"], [x, point], exact, int64)
        steps = temporary_like(what, out, float32)
        cast_elements(what, exact, steps)
        compute(what, OPERATORS["multiply"], [steps, scale], out, out.dtype)


@dataclass(frozen=True, repr=False)
class DynamicQuantizeLinear(
    OverTensors,
    types=FLOATS,
    output=SMALL,
    output_scale=(DataType.FLOAT32,),
    output_zero_point="output",
):
    """Quantize by a scale and zero point from the least and largest elements, which it returns.

    The range includes 0, as ONNX's operator of this name has it: so the zero point fits its type.
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    output_scale: BufferTensorDesc
    output_zero_point: BufferTensorDesc

    _tensors = ("input", "output", "output_scale", "output_zero_point")

    def _check(self) -> None:
        ones = (1,) * self._check_ranks(range(1, 9), "1 to 8")
        self._check_sizes("output", self.input.sizes)
        for name in ("output_scale", "output_zero_point"):
            self._check_sizes(name, ones)

    def _compute(self, x: Tensor, out: Tensor, out_scale: Tensor, out_point: Tensor) -> None:
        from dml_vk.array.math.elementwise import maximum, minimum
        from dml_vk.nn.quantized import quantize, range_of

        (x,) = widened(x)
        scale, zero = range_of(minimum(x.min(), 0.0), maximum(x.max(), 0.0), out.dtype)
        shape = (1,) * x.ndim
        scale, zero = scale.reshape(shape), zero.reshape(shape)
        quantize(x, scale, zero, dtype=out.dtype, out=out)
        write_rounded(self._what, (scale, out_scale), (zero, out_point))
