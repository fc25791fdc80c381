"""Operators on small values of the host, such as shapes, by NumPy; all are exact.

A function returns None where the operation is not exact, or not small: then the device computes it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dml_vk.onnx.context import Context
from dml_vk.onnx.element_types import DTYPES
from dml_vk.onnx.execute import MOST_ON_HOST
from dml_vk.onnx.operators.creation import filling, range_count
from dml_vk.onnx.operators.elementwise import FUNCTIONS
from dml_vk.onnx.operators.reductions import reduced_axes
from dml_vk.onnx.operators.shapes import expanded
from dml_vk.onnx.registry import on_host
from dml_vk.tensor.host import Array

# Of numbers of up to 64 bits, rounded once; NumPy has them by the names that they have here.
_EXACT_OPERATORS = (
    *("Abs", "Add", "And", "Ceil", "Equal", "Floor", "Greater", "GreaterOrEqual", "Less"),
    *("LessOrEqual", "Mul", "Neg", "Not", "Or", "Sqrt", "Sub", "Xor"),
)
_ELEMENTWISE: dict[str, Callable[..., Array]] = {
    **{name: getattr(np, FUNCTIONS[name].__name__) for name in _EXACT_OPERATORS},
    "Max": np.maximum,
    "Min": np.minimum,
    "Where": np.where,
}
_OF_ANY = (np.maximum, np.minimum)
_EXACT = (np.dtype(np.float32), np.dtype(np.float64))


def _elementwise(function: Callable[..., Array]) -> Callable[..., Array | None]:
    def compute(node: Context, *xs: Array) -> Array | None:
        if _is_large(xs) or not all(x.dtype.kind in "biu" or x.dtype in _EXACT for x in xs):
            return None
        with np.errstate(all="ignore"):
            if function in _OF_ANY:
                return functools.reduce(function, xs)
            return np.asarray(function(*xs))

    return compute


def _is_large(xs: Sequence[Array]) -> bool:
    try:
        return int(np.prod(np.broadcast_shapes(*[x.shape for x in xs]))) > MOST_ON_HOST
    except ValueError:
        return True  # the device's function says what is wrong


for _name, _function in _ELEMENTWISE.items():
    on_host(_name)(_elementwise(_function))


@on_host("Div")
def div(node: Context, x: Array, y: Array) -> Array | None:
    if _is_large((x, y)):
        return None
    if x.dtype.kind not in "iu":
        return np.asarray(np.divide(x, y)) if x.dtype in _EXACT and np.all(y) else None
    # By integers alone, and towards zero; the device says what a division by zero gives.
    return np.asarray((x - np.fmod(x, y)) // y) if np.all(y) else None


@on_host("Mod")
def mod(node: Context, x: Array, y: Array) -> Array | None:
    if _is_large((x, y)) or x.dtype.kind not in "iu" or not np.all(y):
        return None
    return np.asarray((np.fmod if node["fmod"] else np.remainder)(x, y))


@on_host("Cast")
def cast(node: Context, x: Array) -> Array | None:
    dtype = np.dtype(node.dtype(node["to"]).numpy_name)
    if x.dtype.kind == "f" and dtype.kind in "iu" and not np.all(np.abs(x) < 2**31):
        return None
    if "c" in (x.dtype.kind, dtype.kind) or dtype.itemsize * 8 < x.dtype.itemsize * 4:
        return None
    with np.errstate(all="ignore"):
        return x.astype(DTYPES[node["to"]].numpy_name)


@on_host("Gather")
def gather(node: Context, x: Array, index: Array) -> Array | None:
    axis = node["axis"]
    if not x.ndim or not np.all((index >= -x.shape[axis]) & (index < x.shape[axis])):
        return None
    return np.asarray(np.take(x, index, axis=axis))


@on_host("Concat")
def concat(node: Context, *xs: Array) -> Array:
    return np.concatenate(xs, axis=node["axis"])


@on_host("Transpose")
def transpose(node: Context, x: Array) -> Array:
    return np.transpose(x, node.get("perm"))


@on_host("Expand")
def expand(node: Context, x: Array, sizes: Array) -> Array | None:
    wanted = tuple(int(size) for size in sizes)
    if np.prod(wanted, dtype=float) > MOST_ON_HOST:
        return None
    return np.broadcast_to(x, expanded(x.shape, sizes))


@on_host("Tile")
def tile(node: Context, x: Array, repeats: Array) -> Array | None:
    if x.size * np.prod(repeats, dtype=float) > MOST_ON_HOST:
        return None
    return np.tile(x, tuple(int(repeat) for repeat in repeats))


@on_host("ConstantOfShape")
def constant_of_shape(node: Context, sizes: Array) -> Array | None:
    wanted = tuple(int(size) for size in sizes)
    if np.prod(wanted, dtype=float) > MOST_ON_HOST:
        return None
    value = filling(node)
    return np.full(wanted, value, value.dtype)


@on_host("Range")
def arange(node: Context, start: Array, limit: Array, delta: Array) -> Array | None:
    count = range_count(node, start, limit, delta)
    if start.dtype.kind not in "iu" or count > MOST_ON_HOST:
        return None
    steps: Array = np.arange(count, dtype=start.dtype)
    return np.asarray(start.reshape(()) + steps * delta.reshape(()))


def _reduction(function: Any) -> Callable[..., Array | None]:
    def compute(node: Context, x: Array, axes: Array | None = None) -> Array | None:
        if x.dtype.kind not in "iu" or not x.size:
            return None
        along = reduced_axes(node, x.ndim, axes)
        keepdims = bool(node.get("keepdims", 1))
        return np.asarray(function(x, axis=along, keepdims=keepdims)).astype(x.dtype)

    return compute


for _name, _reduced in {
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceSum": np.sum,
}.items():
    on_host(_name)(_reduction(_reduced))
