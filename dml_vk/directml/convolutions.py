"""DirectML's convolutions."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from dml_vk.arguments import Ints
from dml_vk.directml.activations import FusedActivation, check_fused, write_activated
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS, SMALL
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.directml.unary import ElementWiseClip
from dml_vk.directml.windows import Windowed
from dml_vk.errors import LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.windows import Window

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["Convolution", "ConvolutionDirection", "ConvolutionInteger", "ConvolutionMode"]


class ConvolutionMode(enum.Enum):
    """Whether the filter is reversed along its spatial dims first, with DirectML's numbers."""

    CONVOLUTION = 0
    CROSS_CORRELATION = 1


class ConvolutionDirection(enum.Enum):
    """FORWARD, or BACKWARD for a transposed convolution, with DirectML's numbers."""

    FORWARD = 0
    BACKWARD = 1


@dataclass(frozen=True, repr=False)
class Convolution(Windowed, types=FLOATS):
    """A convolution, or a transposed one, plus a bias for each output channel.

    Forward, the filter is {outputs, inputs / group_count, ...}. Backward, it is {inputs,
    outputs / group_count, ...}, and an output dim has `(size - 1) * stride + window span +
    output_padding` elements less the padding.

    >>> from dml_vk.directml import BufferTensorDesc, Convolution, DataType
    >>> image = BufferTensorDesc(DataType.FLOAT32, (1, 3, 8, 8))
    >>> kernels = BufferTensorDesc(DataType.FLOAT32, (16, 3, 3, 3))
    >>> wrong = BufferTensorDesc(DataType.FLOAT32, (1, 16, 6, 6))
    >>> Convolution(image, kernels, None, wrong, start_padding=(1, 1), end_padding=(1, 1))
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: Convolution: output must have the sizes (1, 16, 8, 8); \
got sizes=(1, 16, 6, 6)
    """

    input: BufferTensorDesc
    filter: BufferTensorDesc
    bias: BufferTensorDesc | None
    output: BufferTensorDesc
    _: KW_ONLY
    mode: ConvolutionMode = ConvolutionMode.CROSS_CORRELATION
    direction: ConvolutionDirection = ConvolutionDirection.FORWARD
    strides: Sequence[int] = ()
    dilations: Sequence[int] = ()
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()
    output_padding: Sequence[int] = ()
    group_count: int = 1
    fused_activation: FusedActivation | None = None

    _tensors = ("input", "filter", "bias", "output")
    _optional = ("bias",)

    def _check(self) -> None:
        rank = self._check_ranks((3, 4, 5), "3 to 5")
        self._check_enum("mode", ConvolutionMode)
        self._check_enum("direction", ConvolutionDirection)
        self._hold_windows(rank - 2)
        more = self._hold_ints("output_padding", rank - 2, 0, MOST_INT, default=0)
        self._hold_int("group_count", 1)
        check_fused(self._what, self.fused_activation, ElementWiseClip)
        backward = self.direction is ConvolutionDirection.BACKWARD
        if backward:
            outputs, spatial = self._backward(more)
        else:
            outputs = forward_channels(self)
            spatial = self._counts(self.input.sizes[2:], self.filter.sizes[2:])
            if any(more):
                rule = "output_padding must be 0 unless direction is BACKWARD"
                raise RangeError(self._what, rule, output_padding=more)
        self._check_sizes("output", (self.input.sizes[0], outputs, *spatial))
        if self.bias is not None:
            self._check_sizes("bias", (1, outputs, *[1] * (rank - 2)))

    def _backward(self, more: Ints) -> tuple[int, Ints]:
        inputs, outputs, *window = self.filter.sizes
        if self.input.sizes[1] != inputs or inputs % self.group_count:
            rule = "group_count must divide filter.sizes[0], which must be input.sizes[1]"
            raise LayoutError(self._what, rule, **_channels(self))
        if any(n >= max(each) for n, *each in zip(more, self.strides, self.dilations)):
            rule = "output_padding must be less than the stride or the dilation"
            named = {"strides": self.strides, "dilations": self.dilations}
            raise RangeError(self._what, rule, output_padding=more, **named)
        whole = [
            Window(taps=width, stride=step, dilation=apart).reach(count) + extra
            for count, step, width, apart, extra in zip(
                self.input.sizes[2:], self.strides, window, self.dilations, more
            )
        ]
        spatial = tuple([size - sum(pair) for size, pair in zip(whole, self._padding)])
        if min(spatial) < 1:
            rule = "start_padding and end_padding must leave an output"
            padding = {"start_padding": self.start_padding, "end_padding": self.end_padding}
            raise LayoutError(self._what, rule, unpadded=tuple(whole), **padding)
        return outputs * self.group_count, spatial

    def _compute(self, x: Tensor, weight: Tensor, bias: Tensor | None, out: Tensor) -> None:
        from dml_vk.nn import conv, conv_transpose

        if self.mode is ConvolutionMode.CONVOLUTION:
            layout = weight.layout
            for dim in range(2, layout.rank):
                layout = layout.flip(dim)
            weight = weight.over(layout)
        if bias is not None:
            bias = bias.over(row_of(bias.layout))
        numbers: dict[str, Any] = {
            "stride": self.strides,
            "dilation": self.dilations,
            "padding": self._padding,
        }
        numbers["groups"] = self.group_count
        function: Callable[..., Tensor] = conv
        if self.direction is ConvolutionDirection.BACKWARD:
            function, numbers["output_padding"] = conv_transpose, self.output_padding

        def write(x: Tensor, activation: object, out: Tensor) -> None:
            function(x, weight, bias, **numbers, activation=activation, out=out)

        write_activated(self._what, self.fused_activation, x, out, write)


@dataclass(frozen=True, repr=False)
class ConvolutionInteger(
    Windowed,
    types=SMALL,
    input_zero_point="input",
    filter=SMALL,
    filter_zero_point="filter",
    output=(DataType.INT32,),
):
    """A convolution of integers less their zero points; its sums wrap.

    The input's zero point has one element. The filter's may also have one for each output channel,
    as {1, outputs, 1, 1} or with fewer dims, {outputs}. Padding adds nothing.
    """

    input: BufferTensorDesc
    input_zero_point: BufferTensorDesc | None
    filter: BufferTensorDesc
    filter_zero_point: BufferTensorDesc | None
    output: BufferTensorDesc
    _: KW_ONLY
    strides: Sequence[int] = ()
    dilations: Sequence[int] = ()
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()
    group_count: int = 1

    _tensors = ("input", "input_zero_point", "filter", "filter_zero_point", "output")
    _optional = ("input_zero_point", "filter_zero_point")

    def _check(self) -> None:
        rank = self._check_ranks((3, 4), "3 or 4", "input", "filter", "output")
        self._hold_windows(rank - 2)
        self._hold_int("group_count", 1)
        outputs = forward_channels(self)
        spatial = self._counts(self.input.sizes[2:], self.filter.sizes[2:])
        self._check_sizes("output", (self.input.sizes[0], outputs, *spatial))
        check_of_channels(self, rank, input_zero_point=1, filter_zero_point=outputs)

    def _compute(
        self, x: Tensor, p: Tensor | None, weight: Tensor, q: Tensor | None, out: Tensor
    ) -> None:
        integer_sums(self, x, p, weight, q, out)


def integer_sums(
    operator: Windowed,
    x: Tensor,
    p: Tensor | None,
    weight: Tensor,
    q: Tensor | None,
    out: Tensor | None = None,
) -> Tensor:
    """Convolve integers less their zero points."""
    from dml_vk.nn import conv_integer

    points: list[Any] = [
        0 if point is None else point.over(row_of(point.layout)) for point in (p, q)
    ]
    return conv_integer(
        *(x, weight, *points),
        stride=operator.strides,
        padding=operator._padding,
        dilation=operator.dilations,
        groups=getattr(operator, "group_count", 1),
        out=out,
    )


def check_of_channels(operator: OverTensors, rank: int, **counts: int) -> None:
    """Check that tensors have one element, or one for each channel, as dim 1 or the only one."""
    for name, count in counts.items():
        if name in operator._given:
            sizes = operator._desc(name).sizes
            each = (count,) if len(sizes) == 1 else (1, count, *[1] * (len(sizes) - 2))
            if len(sizes) > rank or (sizes != each and set(sizes) != {1}):
                rule = f"{name} must have one element, or the sizes {(1, count, 1, 1, 1)[:rank]}"
                raise LayoutError(operator._what, rule, sizes=sizes)


def row_of(layout: Layout) -> Layout:
    """View numbers, all but at most one of whose dims have size 1, in one dim."""
    longest = max(range(layout.rank), key=layout.sizes.__getitem__)
    return Layout(layout.sizes[longest : longest + 1], layout.strides[longest : longest + 1])


def forward_channels(operator: Windowed) -> int:
    """Check the channels of input and filter; return how many the output has."""
    outputs, inputs = operator._desc("filter").sizes[:2]
    groups: int = getattr(operator, "group_count", 1)
    if outputs % groups or operator._desc("input").sizes[1] != groups * inputs:
        rule = (
            "group_count must divide filter.sizes[0], and input.sizes[1] be group_count * "
            "filter.sizes[1]"
        )
        raise LayoutError(operator._what, rule, **_channels(operator))
    return outputs


def _channels(operator: Windowed) -> dict[str, object]:
    """What errors about channels show."""
    return {
        "group_count": getattr(operator, "group_count", 1),
        "input.sizes": operator._desc("input").sizes,
        "filter.sizes": operator._desc("filter").sizes,
    }
