"""Convolution."""

from __future__ import annotations

from collections.abc import Sequence

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
from dml_vk.nn.windows import Padding, Windows, each_dim, spatial_rank, to_padding, windows_of
from dml_vk.ops.activation import opcode_of
from dml_vk.ops.conv import convolve, is_one_launch
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.view import check_count
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over, to_tensor
from dml_vk.tracing.formats import operation


@hinted
def conv(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | Sequence[Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the convolution of an input (N, C_in, spatial...) with 1 to 3 spatial dims.

    The weight is (C_out, C_in / groups, window...), the bias (C_out,). As in networks, windows are
    not reversed. `padding` is a number, one for each dim, pairs of begin and end, "same" or
    "valid"; padding is never read nor added. `activation` is the name of an activation, or
    (name, {parameters}). The result has the input's format; dml_vk.ops.conv states the order of
    its sums.

    >>> import dml_vk
    >>> from dml_vk import nn
    >>> x = dml_vk.asarray([[[1.0, 2.0, 3.0, 4.0]]])
    >>> weight = dml_vk.asarray([[[1.0, 10.0]], [[-1.0, 0.0]]])
    >>> nn.conv(x, weight).tolist()
    [[[21.0, 32.0, 43.0], [-1.0, -2.0, -3.0]]]
    >>> nn.conv(x, weight, stride=2, padding=1, activation="relu").tolist()
    [[[10.0, 32.0, 4.0], [0.0, 0.0, 0.0]]]
    """
    what = "conv"
    operands = arrays_beside(what, *((x, weight) if bias is None else (x, weight, bias)))
    rank = spatial_rank(what, to_tensor(what, "x", operands[0]).shape)
    for name, operand in zip(("x", "weight", "bias"), operands):
        to_tensor(what, name, operand)
    return call(
        _conv,
        operands,
        out,
        *(each_dim(what, "stride", stride, rank), to_padding(what, padding, rank)),
        *(each_dim(what, "dilation", dilation, rank), to_int(what, "groups", groups)),
        to_activation(what, activation),
    )


@operation(flexible="first", images=True, weight=1)
def _conv(
    operands: Sequence[Tensor],
    out: Tensor | None,
    stride: Ints,
    padding: Padding,
    dilation: Ints,
    groups: int,
    activation: Activation | None,
) -> Tensor:
    what = "conv"
    dtype = network_dtype(what, operands)
    x, weight, *biases = operands
    windows = windows_for(what, x.shape, weight.shape, stride, padding, dilation, groups)
    outputs = weight.shape[0]
    for bias in biases:
        if bias.shape != (outputs,):
            raise LayoutError(what, f"bias must have the shape ({outputs},)", bias=bias.shape)
    sizes = (x.shape[0], outputs, *[window.count for window in windows])
    target = result_over(what, Layout.packed(sizes, x.layout.order), dtype, x, out)
    for name, view in (("x", x), ("weight", weight), ("the result", target)):
        check_count(what, view, name)
    sources = [copy_if_overlapping(what, operand, target) for operand in operands]
    if dtype is float64:
        check_taps(what, weight.shape[2:], weight=weight.shape)
        image, factors = grouped(sources[0], 1, groups), grouped(sources[1], 0, groups)
        float64_conv.convolve(what, image, factors, grouped(target, 1, groups), windows)
        float64_conv.finish(what, (*sources[2:], None)[0], target, activation)
        return target
    inputs = sources[0], sources[1], (*sources[2:], None)[0]
    if is_one_launch(weight.layout, x.layout):
        convolve(what, *inputs, target, windows, groups, opcode_of(activation))
        return target
    sums = sums_for(what, target)
    convolve(what, *inputs, sums, windows, groups)
    finish(what, sums, target, activation)
    return target


def windows_for(
    what: str,
    x: Ints,
    weight: Ints,
    stride: Ints,
    padding: Padding,
    dilation: Ints,
    groups: int,
) -> Windows:
    """Return the windows of a convolution of these shapes, which must fit each other."""
    if len(weight) != len(x):
        rule = "weight must have as many dims as x: (outputs, inputs / groups, window...)"
        raise LayoutError(what, rule, x=x, weight=weight)
    outputs, inputs, *kernel = weight
    if groups < 1 or outputs % groups or x[1] != inputs * groups:
        rule = "groups must divide weight.shape[0], and x.shape[1] be groups * weight.shape[1]"
        raise RangeError(what, rule, groups=groups, x=x, weight=weight)
    if 0 in kernel:
        rule = "windows of the weight must have elements"
        raise LayoutError(what, rule, weight=weight)
    return windows_of(what, x[2:], tuple(kernel), stride, padding, dilation, weight=weight)
