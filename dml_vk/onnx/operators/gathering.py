"""Elements by index."""

from __future__ import annotations

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("Gather")
def gather(node: Context, x: Tensor, index: Tensor) -> Tensor:
    return dv.take(x, index, axis=node["axis"])


@operator("GatherElements", first=11)
def gather_elements(node: Context, x: Tensor, index: Tensor) -> Tensor:
    axis = node["axis"] % x.ndim
    # Only the axis of the index may be longer than that of x: others take the first ones.
    cut = [slice(0, size) for size in index.shape]
    cut[axis] = slice(None)
    return dv.take_along_axis(x[tuple(cut)], index, axis=axis)


@operator("GatherND", first=11)
def gather_nd(node: Context, x: Tensor, index: Tensor) -> Tensor:
    batch = node.get("batch_dims", 0)
    return x[index_of(x, index, batch)]


def index_of(x: Tensor, index: Tensor, batch: int = 0) -> tuple[Tensor, ...]:
    """The last axis of `index` as a tuple of indexes for the first axes of x."""
    parts: list[Tensor] = []
    outer = index.ndim - 1
    for axis in range(batch):
        shape = [1] * outer
        shape[axis] = x.shape[axis]
        parts.append(dv.reshape(dv.arange(0, x.shape[axis], dtype="int64", device=x.device), shape))
    parts += [index[..., position] for position in range(index.shape[-1])]
    return tuple(parts)
