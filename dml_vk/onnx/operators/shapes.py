"""Operators on shapes: views, and operators that move elements."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import dml_vk as dv
from dml_vk import nn
from dml_vk.onnx.context import Context, Values
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


@operator("Shape", raw=True)
def shape(node: Context, x: Tensor | Array) -> Array:
    """Sizes, on the host."""
    return np.array(x.shape, np.int64)[node.get("start", 0) : node.get("end")]


@operator("Size", raw=True)
def size(node: Context, x: Tensor | Array) -> Array:
    return np.array(math.prod(x.shape), np.int64)


@operator("Reshape", host=(1,), of_arrays=True)
def reshape(node: Context, x: Values, sizes: Array) -> Values:
    result: Values = node.xp.reshape(x, reshaped(node, x.shape, sizes))
    return result


def reshaped(node: Context, before: Sequence[int], sizes: Array) -> list[int]:
    """The new sizes: 0 copies the old size, unless `allowzero`; -1 is inferred."""
    wanted = [int(size) for size in sizes]
    keeps = not node.get("allowzero", 0)
    if keeps:
        wanted = [
            before[axis] if size == 0 and axis < len(before) else size
            for axis, size in enumerate(wanted)
        ]
    if wanted.count(-1) == 1:
        known, count = -math.prod(wanted), math.prod(before)
        if known:
            wanted[wanted.index(-1)] = count // known
    if min(wanted, default=0) < 0 or math.prod(wanted) != math.prod(before):
        rule = "the new shape must have as many elements"
        raise node.refuse(rule, shape=tuple(before), new=[int(size) for size in sizes])
    return wanted


@operator("Flatten")
def flatten(node: Context, x: Tensor) -> Tensor:
    axis = node.get("axis", 1)
    axis += x.ndim if axis < 0 else 0
    return dv.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@operator("Squeeze", host=(1,), of_arrays=True)
def squeeze(node: Context, x: Values, axes: Array | None = None) -> Values:
    result: Values = node.xp.squeeze(x, axis=squeezed(node, x.shape, axes))
    return result


def squeezed(node: Context, before: Sequence[int], axes: Array | None) -> tuple[int, ...]:
    """The axes to remove, from an input (opset 13) or an attribute (before)."""
    listed = node.get("axes") if node.opset < 13 else axes
    if listed is None:
        return tuple(axis for axis, size in enumerate(before) if size == 1)
    return tuple(int(axis) for axis in np.reshape(listed, -1))


@operator("Unsqueeze", host=(1,), of_arrays=True)
def unsqueeze(node: Context, x: Values, axes: Array | None = None) -> Values:
    result: Values = node.xp.expand_dims(x, axis=unsqueezed(node, axes))
    return result


def unsqueezed(node: Context, axes: Array | None) -> tuple[int, ...]:
    listed = node["axes"] if node.opset < 13 or axes is None else axes
    return tuple(int(axis) for axis in np.reshape(listed, -1))


@operator("Transpose")
def transpose(node: Context, x: Tensor) -> Tensor:
    return dv.permute_dims(x, node.get("perm") or tuple(reversed(range(x.ndim))))


@operator("Expand", host=(1,))
def expand(node: Context, x: Tensor, sizes: Array) -> Tensor:
    return dv.broadcast_to(x, expanded(x.shape, sizes))


def expanded(before: Sequence[int], sizes: Array) -> tuple[int, ...]:
    return np.broadcast_shapes(tuple(before), tuple(int(size) for size in sizes))


@operator("Tile", host=(1,))
def tile(node: Context, x: Tensor, repeats: Array) -> Tensor:
    return dv.tile(x, tuple(int(repeat) for repeat in repeats))


@operator("DepthToSpace")
def depth_to_space(node: Context, x: Tensor) -> Tensor:
    return nn.pixel_shuffle(x, node["blocksize"], order=node.get("mode", "DCR"))


@operator("SpaceToDepth")
def space_to_depth(node: Context, x: Tensor) -> Tensor:
    return nn.pixel_unshuffle(x, node["blocksize"], order=node.get("mode", "DCR"))
