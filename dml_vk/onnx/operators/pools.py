"""Pooling."""

from __future__ import annotations

import math
from typing import Any

import dml_vk as dv
from dml_vk import nn
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.windows import each, padding
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def _settings(node: Context, x: Tensor) -> dict[str, Any]:
    rank = x.ndim - 2
    kernel, stride = each(node, "kernel_shape", rank), each(node, "strides", rank)
    dilation = each(node, "dilations", rank)
    return {
        "kernel_size": kernel,
        "stride": stride,
        "padding": padding(node, x.shape[2:], kernel, stride, dilation),
        "dilation": dilation,
        "ceil_mode": bool(node.get("ceil_mode", 0)),
    }


@operator("MaxPool")
def max_pool(node: Context, x: Tensor) -> Any:
    given = _settings(node, x)
    if not node.wants(1):
        return nn.max_pool(x, **given)
    values, index = nn.max_pool(x, return_indices=True, **given)
    # Indexes count through the whole tensor, and spatial dims in either order.
    spatial = x.shape[2:]
    if node.get("storage_order", 0):
        index = _column_major(index, spatial)
    count = math.prod(spatial)
    planes = dv.arange(0, x.shape[0] * x.shape[1], dtype="int64", device=x.device)
    start = dv.reshape(dv.multiply(planes, count), (*x.shape[:2], *[1] * len(spatial)))
    return values, dv.add(index, start)


def _column_major(index: Tensor, spatial: tuple[int, ...]) -> Tensor:
    places = []
    for size in reversed(spatial):
        places.append(dv.remainder(index, size))
        index = dv.floor_divide(index, size)
    found, step = dv.zeros_like(index), 1
    for place, size in zip(reversed(places), spatial):
        found = dv.add(found, dv.multiply(place, step))
        step *= size
    return found


@operator("AveragePool")
def average_pool(node: Context, x: Tensor) -> Tensor:
    counted = bool(node.get("count_include_pad", 0))
    return nn.avg_pool(x, count_include_pad=counted, **_settings(node, x))


@operator("LpPool")
def lp_pool(node: Context, x: Tensor) -> Tensor:
    return nn.lp_pool(dv.abs(x), float(node.get("p", 2)), **_settings(node, x))


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
    """Elements at the places that pooling gave, which count through the whole tensor."""
    rank = x.ndim - 2
    kernel, stride = each(node, "kernel_shape", rank), each(node, "strides", rank)
    pads = padding(node, x.shape[2:], kernel, stride, (1,) * rank)
    small = [
        (size - 1) * step - begin - end + window
        for size, step, window, (begin, end) in zip(x.shape[2:], stride, kernel, pads)
    ]
    count = math.prod(small)
    # The places are those of the result that has no extra size.
    planes = dv.arange(0, x.shape[0] * x.shape[1], dtype="int64", device=x.device)
    start = dv.reshape(dv.multiply(planes, count), (*x.shape[:2], *[1] * rank))
    within = dv.subtract(index, start)
    found = nn.max_unpool(x, within, tuple(small))
    if sizes is None:
        return found
    more = [(0, int(to) - have) for to, have in zip(sizes, found.shape)]
    return dv.pad(found, more)
