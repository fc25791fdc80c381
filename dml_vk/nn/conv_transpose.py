"""Transposed convolution: convolutions of the parts of the result that are a stride apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from dml_vk.arguments import Ints, to_int
from dml_vk.array.calls import call
from dml_vk.dtypes import float64
from dml_vk.errors import LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.nn.activations import Activation, finish, to_activation
from dml_vk.nn.affine import grouped
from dml_vk.nn.float64 import conv as float64_conv
from dml_vk.nn.float64.taps import check_taps
from dml_vk.nn.operands import arrays_beside, network_dtype, sums_for
from dml_vk.nn.windows import Pair, each_dim, spatial_rank, to_padding
from dml_vk.ops.conv import convolve
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.view import View, check_count, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over, to_tensor
from dml_vk.tracing.formats import operation
from dml_vk.windows import Window


@hinted
def conv_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | Sequence[Sequence[int]] = 0,
    output_padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the transposed convolution of an input (N, C_in, spatial...) with 1 to 3 spatial dims.

    The weight is (C_in, C_out / groups, window...), the bias (C_out,). A spatial dim of the result
    has `(size - 1) * stride + (window - 1) * dilation + 1` elements, without the `padding` at
    either end, and with `output_padding` more at the end. The result has the input's format.

    >>> import dml_vk
    >>> from dml_vk import nn
    >>> x, weight = dml_vk.asarray([[[1.0, 2.0, 3.0]]]), dml_vk.asarray([[[1.0, 10.0, 100.0]]])
    >>> nn.conv_transpose(x, weight, stride=2).tolist()
    [[[1.0, 10.0, 102.0, 20.0, 203.0, 30.0, 300.0]]]
    """
    what = "conv_transpose"
    operands = arrays_beside(what, *((x, weight) if bias is None else (x, weight, bias)))
    rank = spatial_rank(what, to_tensor(what, "x", operands[0]).shape)
    for name, operand in zip(("x", "weight", "bias"), operands):
        to_tensor(what, name, operand)
    pairs = to_padding(what, padding, rank)
    if isinstance(pairs, str):
        raise RangeError(what, "padding must be numbers or pairs", padding=padding)
    return call(
        _conv_transpose,
        operands,
        out,
        *(each_dim(what, "stride", stride, rank), pairs),
        each_dim(what, "output_padding", output_padding, rank, 0),
        *(each_dim(what, "dilation", dilation, rank), to_int(what, "groups", groups)),
        to_activation(what, activation),
    )


@operation(flexible="first", images=True, weight=1)
def _conv_transpose(
    operands: Sequence[Tensor],
    out: Tensor | None,
    stride: Ints,
    padding: tuple[Pair, ...],
    output_padding: Ints,
    dilation: Ints,
    groups: int,
    activation: Activation | None,
) -> Tensor:
    what = "conv_transpose"
    dtype = network_dtype(what, operands)
    x, weight, *biases = operands
    if len(weight.shape) != len(x.shape):
        rule = "weight must have as many dims as x: (inputs, outputs / groups, window...)"
        raise LayoutError(what, rule, x=x.shape, weight=weight.shape)
    inputs, outputs, *kernel = weight.shape
    if groups < 1 or inputs % groups or x.shape[1] != inputs:
        rule = "groups must divide weight.shape[0], which must be x.shape[1]"
        raise RangeError(what, rule, groups=groups, x=x.shape, weight=weight.shape)
    if 0 in kernel:
        rule = "windows of the weight must have elements"
        raise LayoutError(what, rule, weight=weight.shape)
    outputs *= groups
    for bias in biases:
        if bias.shape != (outputs,):
            raise LayoutError(what, f"bias must have the shape ({outputs},)", bias=bias.shape)
    for more, *least in zip(output_padding, stride, dilation):
        if more >= max(least):
            rule = "output_padding must be smaller than stride or dilation"
            named = {"stride": stride, "dilation": dilation}
            raise RangeError(what, rule, output_padding=output_padding, **named)
    sizes = tuple(
        [
            Window(taps=width, stride=step, dilation=apart).reach(count) + more - sum(pair)
            for count, step, width, apart, more, pair in zip(
                x.shape[2:], stride, kernel, dilation, output_padding, padding
            )
        ]
    )
    if min(sizes) < 1 or 0 in x.shape[2:]:
        rule = "the input must not be empty, and padding must leave an output"
        raise LayoutError(what, rule, x=x.shape, result=sizes, padding=padding)
    layout = Layout.packed((x.shape[0], outputs, *sizes), x.layout.order)
    target = result_over(what, layout, dtype, x, out)
    for name, view in (("x", x), ("weight", weight), ("the result", target)):
        check_count(what, view, name)
    sources = [copy_if_overlapping(what, operand, target) for operand in operands]
    # Those of the convolution that this is the transpose of: over the result, one for each of x.
    windows = [
        Window(*dim, *pair)
        for *dim, pair in zip(sizes, x.shape[2:], kernel, stride, dilation, padding)
    ]
    if dtype is float64:
        check_taps(what, kernel, weight=weight.shape)
        image, factors = grouped(sources[0], 1, groups), grouped(sources[1], 0, groups)
        factors = with_layout(factors, factors.layout.transpose(1, 2))
        to = grouped(target, 1, groups)
        float64_conv.convolve(what, image, factors, to, windows, transposed=True)
        float64_conv.finish(what, (*sources[2:], None)[0], target, activation)
        return target
    sums = sums_for(what, target)
    phases = [list(_phases(window)) for window in windows]
    for parts in _of_groups(sources[0], sources[1], (*sources[2:], None)[0], sums, groups):
        for phase in product(*phases):
            _convolve_phase(what, parts, phase)
    finish(what, sums, target, activation)
    return target


class _Operands(NamedTuple):
    """Operands of a convolution: the weight is (outputs, inputs / groups, window...)."""

    x: View
    weight: View
    bias: View | None
    target: View
    groups: int


def _of_groups(
    x: View, weight: View, bias: View | None, target: View, groups: int
) -> Iterator[_Operands]:
    """All groups at once if there is one, or if each has one channel; otherwise one by one."""
    inputs, outputs = weight.layout.sizes[0] // groups, weight.layout.sizes[1]
    if inputs == outputs == 1:
        yield _Operands(x, weight, bias, target, groups)
        return
    for group in range(groups):
        factors = weight.layout.narrow(0, group * inputs, inputs).transpose(0, 1)
        first, count = group * outputs, outputs
        yield _Operands(
            with_layout(x, x.layout.narrow(1, group * inputs, inputs)),
            with_layout(weight, factors),
            None if bias is None else with_layout(bias, bias.layout.narrow(0, first, count)),
            with_layout(target, target.layout.narrow(1, first, count)),
            1,
        )


class _Phase(NamedTuple):
    """Along one dim, every `stride`-th element of the result from `first` on.

    They are a convolution of x with every `step`-th tap from `tap` on, in reverse, by `window`,
    which may have no taps.
    """

    first: int
    stride: int
    tap: int
    step: int
    window: Window


def _phases(window: Window) -> Iterator[_Phase]:
    """Divide the elements under windows by what remains of their distance by the stride."""
    stride, dilation = window.stride, window.dilation
    shared = math.gcd(stride, dilation)
    step = stride // shared
    for first in range(min(stride, window.size)):
        at = first + window.before
        read = [k for k in range(min(window.taps, step)) if (at - k * dilation) % stride == 0]
        tap = read[0] if read else window.taps
        taps = -(-(window.taps - tap) // step)
        # The element of x at the last tap, which comes first.
        lowest = (at - (tap + (taps - 1) * step) * dilation) // stride
        count = -(-(window.size - first) // stride)
        over_x = Window(window.count, count, taps, 1, dilation // shared, before=-lowest)
        yield _Phase(first, stride, tap, step, over_x)


def _convolve_phase(what: str, operands: _Operands, phases: tuple[_Phase, ...]) -> None:
    weight, to = operands.weight.layout, operands.target.layout
    for dim, phase in enumerate(phases, 2):
        to = to.slice(dim, phase.first, None, phase.stride)
        if phase.window.taps:
            weight = weight.slice(dim, phase.tap, None, phase.step).flip(dim)
        else:
            weight = weight.narrow(dim, 0, 0)
    windows = [phase.window for phase in phases]
    convolve(
        *(what, operands.x, with_layout(operands.weight, weight), operands.bias),
        *(with_layout(operands.target, to), windows, operands.groups),
    )
