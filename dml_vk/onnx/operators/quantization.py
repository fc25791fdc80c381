"""Quantization, and sums of products of small integers."""

from __future__ import annotations

import dml_vk as dv
from dml_vk import nn
from dml_vk.nn.quantized import range_of, saturated
from dml_vk.onnx.context import Context
from dml_vk.onnx.element_types import WIDENED
from dml_vk.onnx.narrow import limits
from dml_vk.onnx.operators.convolutions import settings
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


def along(node: Context, x: Tensor, parameter: Tensor, axis: int, block: int = 0) -> Tensor:
    """A scale or zero point, broadcast to x: per tensor, per axis or per block."""
    if parameter.size == 1 and not block:
        return dv.reshape(parameter, (1,) * x.ndim)
    if block:
        wide = dv.repeat(parameter, block, axis=axis)
        cut = [slice(None)] * x.ndim
        cut[axis] = slice(0, x.shape[axis])
        return wide[tuple(cut)]
    shape = [1] * x.ndim
    shape[axis] = parameter.shape[0]
    return dv.reshape(parameter, shape)


@operator("QuantizeLinear", first=10)
def quantize(node: Context, x: Tensor, scale: Tensor, zero: Tensor | None = None) -> Tensor:
    """round(x / scale) + zero point, rounding half to even, saturated."""
    number = node.get("output_dtype", 0)
    kind = dv.uint8 if zero is None else zero.dtype
    if zero is None and number:
        kind = WIDENED[number] if number in WIDENED else node.dtype(number)
    axis, block = node.get("axis", 1), node.get("block_size", 0)
    scales = along(node, x, scale, axis, block)
    points: Tensor | int = 0 if zero is None else along(node, x, zero, axis, block)
    precision = node.get("precision", 0)
    if x.dtype in (dv.float16, dv.float32) and not precision:
        quantized = nn.quantize(x, scales, points, dtype=kind)
        return dv.clip(quantized, *limits(number)) if number in WIDENED else quantized
    wide = node.dtype(precision) if precision else scales.dtype
    steps = dv.divide(dv.astype(x, wide, copy=False), dv.astype(scales, wide, copy=False))
    quantized = saturated(dv.round(dv.astype(steps, "float32", copy=False)), points, kind)
    return dv.clip(quantized, *limits(number)) if number in WIDENED else quantized


@operator("DequantizeLinear", first=10)
def dequantize(node: Context, x: Tensor, scale: Tensor, zero: Tensor | None = None) -> Tensor:
    axis, block = node.get("axis", 1), node.get("block_size", 0)
    scales = along(node, x, scale, axis, block)
    points: Tensor | int = 0 if zero is None else along(node, x, zero, axis, block)
    number = node.get("output_dtype", 0)
    kind = node.dtype(number) if number else scale.dtype
    if kind is dv.float64:
        if isinstance(points, Tensor):
            points = dv.astype(points, "float64")
        steps = dv.subtract(dv.astype(x, "float64"), points)
        return dv.multiply(steps, dv.astype(scales, "float64"))
    return nn.dequantize(x, scales, points, dtype=kind)


@operator("DynamicQuantizeLinear", first=11)
def dynamic_quantize(node: Context, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Quantize to uint8, with scale and zero point from the range of x, extended to include 0."""
    low, high = dv.minimum(dv.min(x), 0.0), dv.maximum(dv.max(x), 0.0)
    scale, zero = range_of(low, high, dv.uint8)
    shape = (1,) * x.ndim
    quantized = nn.quantize(x, dv.reshape(scale, shape), dv.reshape(zero, shape), dtype="uint8")
    return quantized, scale, zero


@operator("MatMulInteger", first=10)
def matmul_integer(
    node: Context, a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None
) -> Tensor:
    return _product(a, b, a_zero, b_zero)


def _product(a: Tensor, b: Tensor, a_zero: Tensor | None, b_zero: Tensor | None) -> Tensor:
    points: list[Tensor | int] = []
    for zero, shape in ((a_zero, (-1, 1)), (b_zero, (1, -1))):
        if zero is None:
            points.append(0)
        else:
            points.append(dv.reshape(zero, shape) if zero.ndim < 2 else zero)
    rows = dv.reshape(a, (1, -1)) if a.ndim == 1 else a
    columns = dv.reshape(b, (-1, 1)) if b.ndim == 1 else b
    product = nn.matmul_integer(rows, columns, *points)
    product = dv.squeeze(product, axis=-1) if b.ndim == 1 else product
    return (
        dv.squeeze(product, axis=0 if a.ndim == 1 and b.ndim == 1 else -2)
        if a.ndim == 1
        else product
    )


@operator("QLinearMatMul", first=10)
def quantized_matmul(
    node: Context,
    a: Tensor,
    a_scale: Tensor,
    a_zero: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
) -> Tensor:
    """round(sums * (a_scale * b_scale / y_scale)) + y_zero."""
    sums = dv.astype(_product(a, b, a_zero, b_zero), "float32")
    rows = _wide(a_scale, (-1, 1)) if a_scale.ndim == 1 and a_scale.size > 1 else _wide(a_scale)
    factor = dv.divide(dv.multiply(rows, _wide(b_scale)), _wide(y_scale))
    return saturated(dv.round(dv.multiply(sums, factor)), y_zero, y_zero.dtype)


def _wide(x: Tensor, shape: tuple[int, ...] | None = None) -> Tensor:
    x = dv.astype(x, "float32", copy=False)
    return x if shape is None else dv.reshape(x, shape)


@operator("QLinearConv", first=10)
def quantized_conv(
    node: Context,
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """round((sums + bias) * (x_scale * w_scale / y_scale)) + y_zero."""
    sums = nn.conv_integer(x, w, x_zero, w_zero, **settings(node, x, w))
    channels = (-1, *[1] * (x.ndim - 2))
    sums = sums if bias is None else dv.add(sums, dv.reshape(bias, channels))
    factor = dv.divide(dv.multiply(x_scale, w_scale), y_scale)
    factor = dv.reshape(factor, channels) if factor.size > 1 else factor
    scaled = dv.round(dv.multiply(dv.astype(sums, "float32"), factor))
    return saturated(scaled, y_zero, y_zero.dtype)
