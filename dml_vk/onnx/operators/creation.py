"""Tensors that are made of shapes and numbers."""

from __future__ import annotations

import math

import numpy as np

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


@operator("Constant")
def constant(node: Context) -> Array:
    """The value of the attribute, a tensor, number or list, on the host."""
    for name, kind in (("value", None), ("value_float", np.float32), ("value_int", np.int64)):
        if node.get(name) is not None:
            return np.asarray(node[name], kind)
    for name, kind in (("value_floats", np.float32), ("value_ints", np.int64)):
        if node.get(name) is not None:
            return np.asarray(node[name], kind)
    raise node.refuse("a constant must be numbers", attributes=list(node.node.attributes))


@operator("ConstantOfShape", first=9, host=(0,))
def constant_of_shape(node: Context, sizes: Array) -> Tensor:
    value = node.machine.wanted(filling(node))
    shape = tuple(int(size) for size in sizes)
    return dv.full(shape, value.item(), value.dtype, device=node.machine.device)


def filling(node: Context) -> Array:
    value = node.get("value")
    number: Array = np.zeros(1, np.float32) if value is None else value
    if number.size != 1:
        raise node.refuse("value must be one number", shape=number.shape)
    return number.reshape(())


@operator("Range", first=11, host=True)
def arange(node: Context, start: Array, limit: Array, delta: Array) -> Tensor:
    """`start + i * delta`, rounded after the product and after the sum."""
    count = range_count(node, start, limit, delta)
    dtype = node.machine.wanted(start).dtype
    if dtype.kind in "iu":
        steps = dv.arange(0, count, dtype=dtype, device=node.machine.device)
        return dv.add(dv.multiply(steps, delta.item()), start.item())
    steps = dv.arange(0, count, dtype="int64", device=node.machine.device)
    return dv.add(dv.multiply(dv.astype(steps, dtype), delta.item()), start.item())


def range_count(node: Context, start: Array, limit: Array, delta: Array) -> int:
    if start.size != 1 or limit.size != 1 or delta.size != 1 or delta.item() == 0:
        rule = "start, limit and delta must be numbers, and delta not 0"
        raise node.refuse(rule, start=start, limit=limit, delta=delta)
    if start.dtype.kind in "iu":
        first, last, step = [int(number.item()) for number in (start, limit, delta)]
        count: int = -((first - last) // step)
        return max(count, 0)
    steps: float = (limit.item() - start.item()) / delta.item()
    return max(math.ceil(steps), 0)


@operator("EyeLike", first=9)
def eye_like(node: Context, x: Tensor) -> Tensor:
    number = node.get("dtype")
    dtype = x.dtype if number is None else node.dtype(number)
    if x.ndim != 2:
        raise node.refuse("the input must be a matrix", shape=x.shape)
    return dv.eye(*x.shape, k=node["k"], dtype=dtype, device=x.device)


@operator("OneHot", first=9, host=(1,))
def one_hot(node: Context, x: Tensor, depth: Array, values: Tensor) -> Tensor:
    """`values[1]` at the index, which may be negative; `values[0]` elsewhere."""
    count = int(depth.reshape(()))
    axis = node["axis"] + (x.ndim + 1 if node["axis"] < 0 else 0)
    index = dv.astype(x, "int64", copy=False)
    index = dv.expand_dims(dv.where(dv.less(index, 0), index + count, index), axis=axis)
    shape = [1] * (x.ndim + 1)
    shape[axis] = count
    places = dv.reshape(dv.arange(0, count, dtype="int64", device=x.device), shape)
    return dv.where(dv.equal(index, places), values[1], values[0])


@operator("Trilu", first=14, host=(1,))
def trilu(node: Context, x: Tensor, k: Array | None = None) -> Tensor:
    offset = 0 if k is None else int(k.reshape(()))
    return (dv.triu if node["upper"] else dv.tril)(x, k=offset)


@operator("Dropout", host=(1, 2), is_random=True)
def dropout(
    node: Context, x: Tensor, ratio: Array | None = None, training: Array | None = None
) -> tuple[Tensor, ...]:
    """In inference the input and a mask of ones; in training, random zeros and scaled elements."""
    share = 0.5 if ratio is None else float(ratio)
    if node.opset < 12 or training is None or not bool(training) or share == 0:
        return x, dv.ones_like(x, dtype=x.dtype if node.opset < 10 else "bool")
    is_kept = dv.greater_equal(node.generator().random(x.shape), share)
    scaled = dv.multiply(x, 1 / (1 - share))
    return dv.where(is_kept, scaled, dv.zeros_like(x)), is_kept
