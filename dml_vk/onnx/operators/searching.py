"""Sorting, searching and cumulative operators."""

from __future__ import annotations

from collections.abc import Callable

import dml_vk as dv
from dml_vk.array.statistics.reductions import FUNCTIONS
from dml_vk.kernels.reductions import REDUCTIONS, Reduction
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def _extreme(node: Context, x: Tensor, function: Callable[..., Tensor]) -> Tensor:
    """The index of the extreme: of equal ones the first, or with `select_last_index` the last."""
    axis = node["axis"]
    if not node.get("select_last_index", 0):
        return function(x, axis=axis, keepdims=bool(node["keepdims"]))
    turned = function(dv.flip(x, axis=axis), axis=axis, keepdims=bool(node["keepdims"]))
    return dv.subtract(x.shape[axis] - 1, turned)


def _entered(row: Reduction) -> None:
    @operator(row.onnx)
    def find(node: Context, x: Tensor) -> Tensor:
        return _extreme(node, x, FUNCTIONS[row.name])


for _row in REDUCTIONS.values():
    if _row.onnx and _row.finds:
        _entered(_row)


@operator("TopK", host=(1,))
def top_k(node: Context, x: Tensor, k: Array | None = None) -> tuple[Tensor, Tensor]:
    """The first elements of a stable sort along the axis, and their indexes."""
    count = node["k"] if k is None else int(k.reshape(()))
    axis = node.get("axis", -1)
    order = dv.argsort(x, axis=axis, descending=bool(node.get("largest", 1)), stable=True)
    cut = [slice(None)] * x.ndim
    cut[axis] = slice(0, count)
    order = order[tuple(cut)]
    if not 0 <= count <= x.shape[axis]:
        raise node.refuse("k must be from 0 to the size of the axis", k=count, shape=x.shape)
    return dv.take_along_axis(x, order, axis=axis), order


def _cumulative(node: Context, x: Tensor, axis: Array, function: Callable[..., Tensor]) -> Tensor:
    along = int(axis.reshape(()))
    x = dv.flip(x, axis=along) if node["reverse"] else x
    sums = function(x, axis=along, dtype=x.dtype, include_initial=bool(node["exclusive"]))
    if node["exclusive"]:
        cut = [slice(None)] * x.ndim
        cut[along] = slice(0, x.shape[along])
        sums = sums[tuple(cut)]
    return dv.flip(sums, axis=along) if node["reverse"] else sums


@operator("CumSum", first=11, host=(1,))
def cumulative_sum(node: Context, x: Tensor, axis: Array) -> Tensor:
    return _cumulative(node, x, axis, dv.cumulative_sum)


@operator("CumProd", first=26, host=(1,))
def cumulative_prod(node: Context, x: Tensor, axis: Array) -> Tensor:
    return _cumulative(node, x, axis, dv.cumulative_prod)


@operator("NonZero", first=9)
def nonzero(node: Context, x: Tensor) -> Tensor:
    if not x.ndim:
        x = dv.reshape(x, (1,))
        return dv.stack(dv.nonzero(x))[:0]
    return dv.stack(dv.nonzero(x))


@operator("Unique", first=11)
def unique(node: Context, x: Tensor) -> tuple[Tensor, ...]:
    """Unique values, their first indexes, the inverse, and their counts."""
    axis = node.get("axis")
    results = dv.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    values, first, inverse, counts = results
    inverse = dv.reshape(inverse, (-1,))
    if not node["sorted"]:
        order = dv.argsort(first)
        values = dv.take(values, order, axis=0 if axis is None else axis)
        first, counts = dv.take(first, order, axis=0), dv.take(counts, order, axis=0)
        inverse = dv.take(dv.argsort(order), inverse, axis=0)
    return values, first, inverse, counts


@operator("Compress", first=9, host=(1,))
def compress(node: Context, x: Tensor, condition: Array) -> Tensor:
    axis = node.get("axis")
    source = dv.reshape(x, (-1,)) if axis is None else x
    along = 0 if axis is None else axis
    places = condition[: source.shape[along]].nonzero()[0]
    return dv.take(source, places, axis=along)
