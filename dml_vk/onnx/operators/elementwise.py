"""Arithmetic, comparisons and logic, element by element."""

from __future__ import annotations

import functools
from collections.abc import Callable

import dml_vk as dv
from dml_vk.onnx.context import Context, Value
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor

_UNARY = {
    "Abs": dv.abs,
    "Acos": dv.acos,
    "Acosh": dv.acosh,
    "Asin": dv.asin,
    "Asinh": dv.asinh,
    "Atan": dv.atan,
    "Atanh": dv.atanh,
    "BitwiseNot": dv.bitwise_invert,
    "Ceil": dv.ceil,
    "Cos": dv.cos,
    "Cosh": dv.cosh,
    "Erf": dv.erf,
    "Exp": dv.exp,
    "Floor": dv.floor,
    "IsNaN": dv.isnan,
    "Log": dv.log,
    "Neg": dv.negative,
    "Not": dv.logical_not,
    "Reciprocal": dv.reciprocal,
    "Round": dv.round,
    "Sign": dv.sign,
    "Sin": dv.sin,
    "Sinh": dv.sinh,
    "Sqrt": dv.sqrt,
    "Tan": dv.tan,
    "Tanh": dv.tanh,
}
_BINARY = {
    "Add": dv.add,
    "And": dv.logical_and,
    "BitwiseAnd": dv.bitwise_and,
    "BitwiseOr": dv.bitwise_or,
    "BitwiseXor": dv.bitwise_xor,
    "Equal": dv.equal,
    "Greater": dv.greater,
    "GreaterOrEqual": dv.greater_equal,
    "Less": dv.less,
    "LessOrEqual": dv.less_equal,
    "Mul": dv.multiply,
    "Or": dv.logical_or,
    "Sub": dv.subtract,
    "Xor": dv.logical_xor,
}


def _unary(function: Callable[[Tensor], Tensor]) -> Callable[[Context, Tensor], Tensor]:
    return lambda node, x: function(x)


def _binary(
    function: Callable[[Tensor, Tensor], Tensor],
) -> Callable[[Context, Tensor, Tensor], Tensor]:
    return lambda node, x, y: function(x, aligned(node, x, y))


def aligned(node: Context, x: Tensor, y: Tensor) -> Tensor:
    """y, reshaped for broadcasting from the attribute `axis` on, as before opset 7."""
    axis = node.get("axis") if node.opset < 7 else None
    if axis is None:
        return y
    return dv.reshape(y, (*y.shape, *[1] * (x.ndim - axis % x.ndim - y.ndim)))


for _name, _function in _UNARY.items():
    operator(_name)(_unary(_function))
for _name, _joined in _BINARY.items():
    operator(_name)(_binary(_joined))
FUNCTIONS: dict[str, Callable[..., Tensor]] = {**_UNARY, **_BINARY}


@operator("Div")
def div(node: Context, x: Tensor, y: Tensor) -> Tensor:
    """Quotients; those of integers are rounded towards zero."""
    y = aligned(node, x, y)
    return dv.trunc_divide(x, y) if x.dtype.kind in "iu" else dv.divide(x, y)


@operator("Mod", first=10)
def mod(node: Context, x: Tensor, y: Tensor) -> Tensor:
    return dv.fmod(x, y) if node["fmod"] else dv.remainder(x, y)


@operator("Pow")
def power(node: Context, x: Tensor, y: Tensor) -> Tensor:
    """Powers, in the dtype of the base."""
    y = aligned(node, x, y)
    if x.dtype.kind in "iu" and y.dtype.kind == "f":
        return dv.astype(dv.pow(dv.astype(x, y.dtype), y), x.dtype)
    return dv.pow(x, dv.astype(y, x.dtype, copy=False))


@operator("Max")
def maximum(node: Context, *xs: Tensor) -> Tensor:
    return functools.reduce(dv.maximum, xs)


@operator("Min")
def minimum(node: Context, *xs: Tensor) -> Tensor:
    return functools.reduce(dv.minimum, xs)


@operator("Sum")
def total(node: Context, *xs: Tensor) -> Tensor:
    return functools.reduce(dv.add, xs)


@operator("Mean")
def mean(node: Context, *xs: Tensor) -> Tensor:
    return dv.divide(functools.reduce(dv.add, xs), float(len(xs)))


@operator("BitShift", first=11)
def bit_shift(node: Context, x: Tensor, y: Tensor) -> Tensor:
    left = node["direction"] == "LEFT"
    return (dv.bitwise_left_shift if left else dv.bitwise_right_shift)(x, y)


@operator("IsInf", first=10)
def is_inf(node: Context, x: Tensor) -> Tensor:
    if node["detect_positive"]:
        return (dv.isinf if node["detect_negative"] else dv.isposinf)(x)
    if node["detect_negative"]:
        return dv.isneginf(x)
    return dv.zeros_like(x, dtype="bool")


@operator("Clip")
def clip(
    node: Context, x: Tensor, low: Tensor | float | None = None, high: Tensor | float | None = None
) -> Tensor:
    """Numbers between bounds, which are inputs from opset 11 on, and attributes before."""
    if node.opset < 11:
        low, high = node.get("min"), node.get("max")
    # One after the other: where the bounds are in the wrong order, the upper one holds.
    x = x if low is None else dv.maximum(x, low)
    return x if high is None else dv.minimum(x, high)


def either(condition: Tensor, x: Tensor | float, y: Tensor | float) -> Tensor:
    """`where`, typed as a tensor."""
    result: Tensor = dv.where(condition, x, y)
    return result


@operator("Where", first=9)
def where(node: Context, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return either(condition, x, y)


@operator("Identity", raw=True, of_arrays=True)
def identity(node: Context, x: Value) -> Value:
    return x
