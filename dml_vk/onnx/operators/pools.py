"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Callable

import dml_vk as dv
from dml_vk import nn
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.windows import each, padding
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array
from dml_vk.windows import Window, span

Pooled = Tensor | tuple[Tensor, ...]  # the results, or these and their indexes


def _pool(node: Context, x: Tensor, pool: Callable[..., Pooled], **named: object) -> Pooled:
    """Call a pool of `nn` with the attributes of a node."""
    rank = x.ndim - 2
    kernel, stride = list(each(node, "kernel_shape", rank)), list(each(node, "strides", rank))
    dilation = each(node, "dilations", rank)
    pads = padding(node, x.shape[2:], kernel, stride, dilation)
    cut = [slice(None)] * x.ndim
    for dim, (size, gap, pair) in enumerate(zip(x.shape[2:], dilation, tuple(pads))):
        room = size + sum(pair)
        beyond = span(kernel[dim], gap) - room
        if beyond <= 0 or room < 1:
            continue
        # onnxruntime rounds the number of windows towards zero: one that does not fit, but lacks
        # less than a stride, gives a result, of what it sees.
        if beyond >= 2 * stride[dim]:
            rule = "windows must not exceed the padded input by two strides"
            raise node.refuse(rule, x=x.shape, kernel_shape=tuple(kernel), pads=pads)
        if beyond >= stride[dim]:
            cut[2 + dim] = slice(0)
        kernel[dim], stride[dim] = (room - 1) // gap + 1, room
        pads[dim] = pair[0], max(0, span(kernel[dim], gap) - pair[0] - size)
    y = pool(
        x,
        kernel_size=tuple(kernel),
        stride=tuple(stride),
        padding=pads,
        dilation=dilation,
        ceil_mode=bool(node.get("ceil_mode", 0)),
        **named,
    )
    if all(part == slice(None) for part in cut):
        return y
    if isinstance(y, tuple):
        return tuple(result[tuple(cut)] for result in y)
    return y[tuple(cut)]


@operator("MaxPool")
def max_pool(node: Context, x: Tensor) -> Pooled:
    if not node.wants(1):
        return _pool(node, x, nn.max_pool)
    values, index = _pool(node, x, nn.max_pool, return_indices=True)
    # Indexes count through the whole tensor, and spatial dims in either order.
    spatial = x.shape[2:]
    if node.get("storage_order", 0):
        index = _column_major(index, spatial)
    count = math.prod(spatial)
    planes = dv.arange(0, x.shape[0] * x.shape[1], dtype="int64", device=x.device)
    start = dv.reshape(dv.multiply(planes, count), (*x.shape[:2], *[1] * len(spatial)))
    return values, dv.add(index, start)


def _column_major(index: Tensor, spatial: tuple[int, ...]) -> Tensor:
    along = []  # the index along each spatial dim, innermost first
    for size in reversed(spatial):
        along.append(dv.remainder(index, size))
        index = dv.floor_divide(index, size)
    turned, step = dv.zeros_like(index), 1
    for own, size in zip(reversed(along), spatial):
        turned = dv.add(turned, dv.multiply(own, step))
        step *= size
    return turned


@operator("AveragePool")
def average_pool(node: Context, x: Tensor) -> Pooled:
    counted = bool(node.get("count_include_pad", 0))
    return _pool(node, x, nn.avg_pool, count_include_pad=counted)


@operator("LpPool")
def lp_pool(node: Context, x: Tensor) -> Pooled:
    return _pool(node, dv.abs(x), nn.lp_pool, p=float(node.get("p", 2)))


@operator("GlobalAveragePool")
def global_average_pool(node: Context, x: Tensor) -> Tensor:
    return nn.global_avg_pool(x)


@operator("GlobalMaxPool")
def global_max_pool(node: Context, x: Tensor) -> Tensor:
    return nn.global_max_pool(x)


@operator("GlobalLpPool")
def global_lp_pool(node: Context, x: Tensor) -> Tensor:
    p = node.get("p", 2)
    axes = tuple(range(2, x.ndim))
    if p == 1:
        return dv.sum(dv.abs(x), axis=axes, keepdims=True)
    if p == 2:
        return dv.sqrt(dv.sum(dv.square(x), axis=axes, keepdims=True))
    return dv.pow(dv.sum(dv.pow(dv.abs(x), float(p)), axis=axes, keepdims=True), 1 / p)


@operator("MaxUnpool", first=9, host=(2,))
def max_unpool(node: Context, x: Tensor, index: Tensor, sizes: Array | None = None) -> Tensor:
    """Scatter elements to the indexes of pooling, which count through the whole tensor."""
    rank = x.ndim - 2
    kernel, stride = each(node, "kernel_shape", rank), each(node, "strides", rank)
    pads = padding(node, x.shape[2:], kernel, stride, (1,) * rank)
    small = [
        Window(taps=taps, stride=step).reach(count) - sum(pair)
        for count, step, taps, pair in zip(x.shape[2:], stride, kernel, pads)
    ]
    count = math.prod(small)
    # The places are those of the result that has no extra size.
    planes = dv.arange(0, x.shape[0] * x.shape[1], dtype="int64", device=x.device)
    start = dv.reshape(dv.multiply(planes, count), (*x.shape[:2], *[1] * rank))
    within = dv.subtract(index, start)
    y = nn.max_unpool(x, within, tuple(small))
    if sizes is None:
        return y
    return dv.pad(y, [(0, int(to) - size) for to, size in zip(sizes, y.shape)])
