"""DirectML's operators on linearly quantized tensors: dequantize, compute, and quantize again.

Products of integers are exact sums in int32, or in int64 where the operands are wider, which are
rounded to float32 and multiplied by the quotient of the scales; this is rounded half to even.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.convolutions import (
    check_of_channels,
    forward_channels,
    integer_sums,
    row_of,
)
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS, SIGNED, SMALL, UNSIGNED
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.pooling import Pooling
from dml_vk.directml.products import Matrices
from dml_vk.directml.rounding import widened, write_rounded
from dml_vk.directml.windows import Windowed
from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = [
    "ElementWiseQuantizedLinearAdd",
    "MatrixMultiplyIntegerToFloat",
    "QuantizedLinearAveragePooling",
    "QuantizedLinearConvolution",
    "QuantizedLinearMatrixMultiply",
]

FLOAT = (DataType.FLOAT32,)
UP_TO_32_BITS = SIGNED[1:] + UNSIGNED[1:]


@dataclass(frozen=True, repr=False)
class ElementWiseQuantizedLinearAdd(
    OverTensors,
    types=SMALL,
    a_scale=FLOAT,
    a_zero_point="a",
    b=SMALL,
    b_scale=FLOAT,
    b_zero_point="b",
    output_scale=FLOAT,
    output_zero_point="output",
    output=SMALL,
):
    """(a - a_zero_point) * a_scale + (b - b_zero_point) * b_scale, quantized for the output.

    Scales and zero points have one element.
    """

    a: BufferTensorDesc
    a_scale: BufferTensorDesc
    a_zero_point: BufferTensorDesc | None
    b: BufferTensorDesc
    b_scale: BufferTensorDesc
    b_zero_point: BufferTensorDesc | None
    output_scale: BufferTensorDesc
    output_zero_point: BufferTensorDesc | None
    output: BufferTensorDesc

    _tensors = (
        *("a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point"),
        *("output_scale", "output_zero_point", "output"),
    )
    _optional = ("a_zero_point", "b_zero_point", "output_zero_point")
    _parameters = ("output_scale", "output_zero_point")

    def _check(self) -> None:
        ones = (1,) * self._check_ranks(range(1, 9), "1 to 8")
        for name in self._given:
            if name != "a":
                self._check_sizes(name, self.a.sizes if name in ("b", "output") else ones)

    def _compute(
        self,
        a: Tensor,
        a_scale: Tensor,
        p: Tensor | None,
        b: Tensor,
        b_scale: Tensor,
        q: Tensor | None,
        scale: Tensor,
        point: Tensor | None,
        out: Tensor,
    ) -> None:
        from dml_vk.nn.quantized import dequantize, quantize

        total = dequantize(a, a_scale, _or_zero(p)) + dequantize(b, b_scale, _or_zero(q))
        quantize(total, scale, _or_zero(point), dtype=out.dtype, out=out)


@dataclass(frozen=True, repr=False)
class QuantizedLinearMatrixMultiply(
    Matrices,
    types=SMALL,
    a_scale=FLOAT,
    a_zero_point="a",
    b=SMALL,
    b_scale=FLOAT,
    b_zero_point="b",
    output_scale=FLOAT,
    output_zero_point="output",
    output=SMALL,
):
    """The product of quantized matrices, quantized for the output.

    Scales and zero points of a and the output have one element, or one for each row; those of b
    one, or one for each column.
    """

    a: BufferTensorDesc
    a_scale: BufferTensorDesc
    a_zero_point: BufferTensorDesc | None
    b: BufferTensorDesc
    b_scale: BufferTensorDesc
    b_zero_point: BufferTensorDesc | None
    output_scale: BufferTensorDesc
    output_zero_point: BufferTensorDesc | None
    output: BufferTensorDesc

    _tensors = ElementWiseQuantizedLinearAdd._tensors
    _optional = ElementWiseQuantizedLinearAdd._optional
    _parameters = ElementWiseQuantizedLinearAdd._parameters

    def _check(self) -> None:
        self._check_ranks((4,), "4")
        self._check_product(self.a.sizes, self.b.sizes)
        rows = ("a_scale", "a_zero_point", "output_scale", "output_zero_point")
        self._check_of_lines(4, rows=rows, columns=("b_scale", "b_zero_point"))

    def _compute(
        self,
        a: Tensor,
        a_scale: Tensor,
        p: Tensor | None,
        b: Tensor,
        b_scale: Tensor,
        q: Tensor | None,
        scale: Tensor,
        point: Tensor | None,
        out: Tensor,
    ) -> None:
        from dml_vk.nn.quantized import matmul_integer

        sums = matmul_integer(a, b, _or_zero(p), _or_zero(q))
        _write_quantized(self._what, sums, a_scale * b_scale / scale, point, out)


@dataclass(frozen=True, repr=False)
class QuantizedLinearConvolution(
    Windowed,
    types=SMALL,
    input_scale=FLOAT,
    input_zero_point="input",
    filter=SMALL,
    filter_scale=FLOAT,
    filter_zero_point="filter",
    bias=(DataType.INT32,),
    output_scale=FLOAT,
    output_zero_point="output",
    output=SMALL,
):
    """A convolution of quantized tensors, quantized for the output.

    Scales and zero points have one element; those of the filter may have one for each output
    channel. The bias is added to the sums of integers.
    """

    input: BufferTensorDesc
    input_scale: BufferTensorDesc
    input_zero_point: BufferTensorDesc | None
    filter: BufferTensorDesc
    filter_scale: BufferTensorDesc
    filter_zero_point: BufferTensorDesc | None
    bias: BufferTensorDesc | None
    output_scale: BufferTensorDesc
    output_zero_point: BufferTensorDesc | None
    output: BufferTensorDesc
    _: KW_ONLY
    strides: Sequence[int] = ()
    dilations: Sequence[int] = ()
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()
    group_count: int = 1

    _tensors = (
        *("input", "input_scale", "input_zero_point", "filter", "filter_scale"),
        *("filter_zero_point", "bias", "output_scale", "output_zero_point", "output"),
    )
    _optional = ("input_zero_point", "filter_zero_point", "bias", "output_zero_point")
    _parameters = ("output_scale", "output_zero_point")

    def _check(self) -> None:
        rank = self._check_ranks((4,), "4")
        self._hold_windows(rank - 2)
        self._hold_int("group_count", 1)
        outputs = forward_channels(self)
        spatial = self._counts(self.input.sizes[2:], self.filter.sizes[2:])
        self._check_sizes("output", (self.input.sizes[0], outputs, *spatial))
        if self.bias is not None:
            self._check_sizes("bias", (1, outputs, 1, 1))
        of_input, of_output = ("input_scale", "input_zero_point"), self._parameters
        check_of_channels(self, rank, **dict.fromkeys((*of_input, *of_output), 1))
        check_of_channels(self, rank, filter_scale=outputs, filter_zero_point=outputs)

    def _compute(
        self,
        x: Tensor,
        x_scale: Tensor,
        p: Tensor | None,
        weight: Tensor,
        w_scale: Tensor,
        q: Tensor | None,
        bias: Tensor | None,
        scale: Tensor,
        point: Tensor | None,
        out: Tensor,
    ) -> None:
        sums = integer_sums(self, x, p, weight, q)
        sums = sums if bias is None else sums + bias
        _write_quantized(self._what, sums, x_scale * w_scale / scale, point, out)


@dataclass(frozen=True, repr=False)
class QuantizedLinearAveragePooling(
    Pooling,
    types=SMALL,
    input_scale=FLOAT,
    input_zero_point="input",
    output_scale=FLOAT,
    output_zero_point="output",
    output=SMALL,
):
    """The mean of each window of a quantized tensor, quantized for the output.

    Scales and zero points have one element, or one for each channel.
    """

    input: BufferTensorDesc
    input_scale: BufferTensorDesc
    input_zero_point: BufferTensorDesc | None
    output_scale: BufferTensorDesc
    output_zero_point: BufferTensorDesc | None
    output: BufferTensorDesc
    _: KW_ONLY
    strides: Sequence[int] = ()
    window_size: Sequence[int]
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()
    dilations: Sequence[int] = ()
    include_padding: bool

    _tensors = (
        *("input", "input_scale", "input_zero_point"),
        *("output_scale", "output_zero_point", "output"),
    )
    _optional = ("input_zero_point", "output_zero_point")
    _parameters = ("output_scale", "output_zero_point")

    def _check(self) -> None:
        rank = self._check_ranks((4, 5), "4 or 5", "input", "output")
        self._check_windows(rank, "input", "output")
        self._hold_flag("include_padding")
        names = [name for name in self._tensors if name not in ("input", "output")]
        check_of_channels(self, rank, **dict.fromkeys(names, self.input.sizes[1]))

    def _compute(
        self,
        x: Tensor,
        x_scale: Tensor,
        p: Tensor | None,
        scale: Tensor,
        point: Tensor | None,
        out: Tensor,
    ) -> None:
        from dml_vk.nn.pooling import avg_pool
        from dml_vk.nn.quantized import dequantize, quantize

        wide = dequantize(x, _of_channels(x_scale, x), 0 if p is None else _of_channels(p, x))
        means = avg_pool(wide, **self._arguments, count_include_pad=self.include_padding)
        zero = 0 if point is None else _of_channels(point, x)
        quantize(means, _of_channels(scale, x), zero, dtype=out.dtype, out=out)


@dataclass(frozen=True, repr=False)
class MatrixMultiplyIntegerToFloat(
    Matrices,
    types=UP_TO_32_BITS,
    a_scale=FLOATS,
    a_zero_point="a",
    b="a",
    b_scale="a_scale",
    b_zero_point="a",
    bias="a_scale",
    output="a_scale",
):
    """The product of quantized matrices as floats, plus a bias.

    Scales and zero points of a have one element, or one for each row; those of b one, or one for
    each column. Sums of 16 and 32-bit integers wrap at 64 bits.
    """

    a: BufferTensorDesc
    a_scale: BufferTensorDesc
    a_zero_point: BufferTensorDesc | None
    b: BufferTensorDesc
    b_scale: BufferTensorDesc
    b_zero_point: BufferTensorDesc | None
    bias: BufferTensorDesc | None
    output: BufferTensorDesc

    _tensors = (
        *("a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point"),
        *("bias", "output"),
    )
    _optional = ("a_zero_point", "b_zero_point", "bias")

    def _check(self) -> None:
        rank = self._check_ranks((2, 3, 4), "2 to 4", "a", "b", "bias", "output")
        self._check_product(self.a.sizes, self.b.sizes)
        if self.bias is not None:
            self._check_sizes("bias", self.output.sizes)
        lines = ("a_scale", "a_zero_point", "b_scale", "b_zero_point")
        own = self._check_ranks(range(1, 5), "1 to 4", *lines)
        height, width = self.output.sizes[-2:]
        for name, line in zip(lines, [(height, 1)] * 2 + [(1, width)] * 2):
            wanted = (*[1] * (own - 2), *line)[-own:]
            if own > rank or (name in self._given and not self._is_line(name, wanted)):
                rule = f"{name} must have one element, or the sizes {wanted}"
                raise LayoutError(self._what, rule, sizes=self._desc(name).sizes)

    def _is_line(self, name: str, wanted: tuple[int, ...]) -> bool:
        sizes = self._desc(name).sizes
        return sizes == wanted or set(sizes) == {1}

    def _compute(
        self,
        a: Tensor,
        a_scale: Tensor,
        p: Tensor | None,
        b: Tensor,
        b_scale: Tensor,
        q: Tensor | None,
        bias: Tensor | None,
        out: Tensor,
    ) -> None:
        from dml_vk.array.math.elementwise import astype
        from dml_vk.array.products.matrix_products import matmul
        from dml_vk.nn.quantized import matmul_integer

        if a.dtype.itemsize == 1:
            sums = matmul_integer(a, b, *[_or_zero(p), _or_zero(q)])
        else:
            a, b = [
                astype(x, "int64") - (0 if point is None else astype(point, "int64"))
                for x, point in ((a, p), (b, q))
            ]
            sums = matmul(a, b)
        wide, rows, columns = widened(sums, a_scale, b_scale)
        result = wide * (rows * columns)
        if bias is not None:
            result = result + widened(bias)[0]
        write_rounded(self._what, (result, out))


def _or_zero(point: Tensor | None) -> Tensor | int:
    return 0 if point is None else point


def _of_channels(numbers: Tensor, x: Tensor) -> Tensor:
    """View numbers, one for each channel or a single one, so that they broadcast to x."""
    row = numbers.over(row_of(numbers.layout))
    return row.reshape((1, -1, *[1] * (x.ndim - 2)))


def _write_quantized(
    what: str, sums: Tensor, factor: Tensor, point: Tensor | None, out: Tensor
) -> None:
    """Write round(sums * factor) plus a zero point, saturated."""
    from dml_vk.array.math.elementwise import round
    from dml_vk.nn.quantized import saturated

    (wide,) = widened(sums)
    write_rounded(what, (saturated(round(wide * factor), _or_zero(point), out.dtype), out))
