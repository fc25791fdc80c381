"""Convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk import nn
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.images import computed_in, sampled
from dml_vk.onnx.operators.windows import SAME, each, listed_padding, padding
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.windows import Window, halves


def settings(node: Context, x: Tensor, w: Tensor) -> dict[str, Any]:
    """The arguments of a convolution."""
    rank = x.ndim - 2
    kernel = tuple(w.shape[2:])
    stride, dilation = each(node, "strides", rank), each(node, "dilations", rank)
    pads = padding(node, x.shape[2:], kernel, stride, dilation)
    return {
        "stride": stride,
        "padding": pads,
        "dilation": dilation,
        "groups": node.get("group", 1),
    }


@operator("Conv")
def conv(node: Context, x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    return nn.conv(x, w, b, activation=node.node.activation, **settings(node, x, w))


@operator("ConvTranspose")
def conv_transpose(node: Context, x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    rank = x.ndim - 2
    kernel = w.shape[2:]
    stride, dilation = each(node, "strides", rank), each(node, "dilations", rank)
    extra = each(node, "output_padding", rank, 0)
    full = [
        Window(taps=taps, stride=step, dilation=gap).reach(count) + more
        for count, step, taps, gap, more in zip(x.shape[2:], stride, kernel, dilation, extra)
    ]
    wanted = node.get("output_shape")
    kind = node.get("auto_pad", "NOTSET")
    if wanted is None and kind in SAME:
        wanted = [size * step for size, step in zip(x.shape[2:], stride)]
    if wanted is None:
        pads = [(0, 0)] * rank if kind == "VALID" else listed_padding(node, rank)
    else:
        lower = kind != "SAME_UPPER"
        pads = [halves(size - to, lower=lower) for size, to in zip(full, wanted[-rank:])]
    return transposed(x, w, b, stride, pads, extra, dilation, node.get("group", 1))


def transposed(
    x: Tensor, w: Tensor, b: Any, stride: Any, pads: Any, extra: Any, dilation: Any, groups: int
) -> Tensor:
    """A transposed convolution, whose negative padding makes the result longer, with zeros."""
    longer = [(max(-begin, 0), max(-end, 0)) for begin, end in pads]
    pads = [(max(begin, 0), max(end, 0)) for begin, end in pads]
    if not any(map(any, longer)):
        return nn.conv_transpose(
            x,
            w,
            b,
            stride=stride,
            padding=pads,
            output_padding=extra,
            dilation=dilation,
            groups=groups,
        )
    y = transposed(x, w, None, stride, pads, extra, dilation, groups)
    y = dv.pad(y, [(0, 0), (0, 0), *longer])
    return y if b is None else dv.add(y, dv.reshape(b, (-1, *[1] * (x.ndim - 2))))


@operator("ConvInteger", first=10, host=())
def conv_integer(
    node: Context, x: Tensor, w: Tensor, x_zero: Tensor | None = None, w_zero: Tensor | None = None
) -> Tensor:
    zeros = (0 if x_zero is None else x_zero, 0 if w_zero is None else w_zero)
    return nn.conv_integer(x, w, *zeros, **settings(node, x, w))


@operator("DeformConv", first=19)
def deform_conv(
    node: Context,
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """A convolution whose windows read where offsets move each of their elements, by interpolation.

    Groups of channels have offsets of their own. Sums are those of a matrix product.
    """
    options, rank = settings(node, x, w), x.ndim - 2
    kernel, sizes = w.shape[2:], tuple(offset.shape[2:])
    groups, count, taps = node.get("offset_group", 1), x.shape[0], math.prod(kernel)
    wide, parts = computed_in(x), count * groups
    moves = dv.reshape(offset, (parts, taps, rank, *sizes))
    places = []
    for axis, size in enumerate(sizes):
        (begin, _), gap, step = (options[name][axis] for name in ("padding", "dilation", "stride"))
        inside = np.indices(kernel)[axis].reshape(-1, *[1] * rank) * gap
        along = np.arange(size).reshape(*[-1 if k == axis else 1 for k in range(rank)]) * step
        start = dv.asarray((inside + along - begin).astype(wide.numpy_name), device=x.device)
        places.append(dv.add(dv.astype(moves[:, :, axis], wide, copy=False), start))
    images = dv.reshape(x, (parts, x.shape[1] // groups, *x.shape[2:]))
    columns = sampled(images, places, "linear", "zeros")
    columns = dv.reshape(columns, (count, groups, -1, taps, math.prod(sizes)))
    if mask is not None:
        columns = dv.multiply(columns, dv.reshape(mask, (count, groups, 1, taps, -1)))
    of_filters = options["groups"]
    columns = dv.reshape(columns, (count, of_filters, -1, math.prod(sizes)))
    y = dv.matmul(dv.reshape(w, (of_filters, w.shape[0] // of_filters, -1)), columns)
    y = dv.reshape(y, (count, w.shape[0], *sizes))
    return y if b is None else dv.add(y, dv.reshape(b, (-1, *[1] * rank)))
