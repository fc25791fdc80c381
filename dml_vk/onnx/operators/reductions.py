"""Reductions: their axes are an attribute, or from opset 13 or 18 on an input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import dml_vk as dv
from dml_vk import nn
from dml_vk.arguments import Ints
from dml_vk.array.statistics.reductions import FUNCTIONS
from dml_vk.kernels.reductions import REDUCTIONS, Reduction
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def reduced_axes(node: Context, rank: int, axes: Array | None) -> tuple[int, ...]:
    """The axes to reduce: all if none are listed, unless the node says that this means none."""
    listed = node.get("axes") if axes is None else axes
    if listed is None or not np.size(listed):
        return () if node.get("noop_with_empty_axes", 0) else tuple(range(rank))
    return tuple(int(axis) for axis in np.reshape(listed, -1))


def _sum(x: Tensor, along: Ints, keepdims: bool) -> Tensor:
    return dv.sum(x, axis=along, keepdims=keepdims, dtype=x.dtype)


def _log_sum_exp(x: Tensor, along: Ints, keepdims: bool) -> Tensor:
    # Without elements, the result is the logarithm of 0.
    empty = not x.size
    return (
        dv.log(_sum(dv.exp(x), along, keepdims))
        if empty
        else nn.logsumexp(x, axis=along, keepdims=keepdims)
    )


def _reduction(row: Reduction) -> Callable[[Tensor, Ints, bool], Tensor]:
    """A reduction of this library that ONNX has too."""
    function = FUNCTIONS[row.name]
    if row.accumulates:  # Integers keep their dtype, in which sums wrap.
        return lambda x, along, keepdims: function(x, axis=along, keepdims=keepdims, dtype=x.dtype)
    if row.extreme:
        return lambda x, along, keepdims: _extreme(row.extreme, x, along, keepdims)
    return lambda x, along, keepdims: function(x, axis=along, keepdims=keepdims)


_REDUCTIONS = {
    **{row.onnx: _reduction(row) for row in REDUCTIONS.values() if row.onnx.startswith("Reduce")},
    "ReduceL1": lambda x, along, keepdims: _sum(dv.abs(x), along, keepdims),
    "ReduceL2": lambda x, along, keepdims: _root(_sum(dv.square(x), along, keepdims)),
    "ReduceLogSum": lambda x, along, keepdims: dv.log(_sum(x, along, keepdims)),
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMean": lambda x, along, keepdims: dv.astype(
        dv.mean(x, axis=along, keepdims=keepdims), x.dtype, copy=False
    ),
    "ReduceSumSquare": lambda x, along, keepdims: _sum(dv.square(x), along, keepdims),
}
# Results where no axis is reduced: functions of each element.
_OF_ELEMENTS = {
    "ReduceL1": dv.abs,
    "ReduceL2": dv.abs,
    "ReduceLogSum": dv.log,
    "ReduceSumSquare": dv.square,
}


def _root(x: Tensor) -> Tensor:
    return dv.sqrt(x) if x.dtype.kind == "f" else dv.astype(dv.sqrt(x), x.dtype)


def _extreme(name: str, x: Tensor, along: tuple[int, ...], keepdims: bool) -> Tensor:
    """The largest or smallest element; without elements, the other end of the dtype's range."""
    if x.dtype.kind == "b":
        # Without elements, the largest is False, and the smallest True.
        return (dv.any if name == "max" else dv.all)(x, axis=along, keepdims=keepdims)
    if x.size or all(x.shape[axis] for axis in along):
        return FUNCTIONS[name](x, axis=along, keepdims=keepdims)
    limits = dv.finfo(x.dtype) if x.dtype.kind == "f" else dv.iinfo(x.dtype)
    ends = (float("-inf"), float("inf")) if x.dtype.kind == "f" else (limits.min, limits.max)
    shape = dv.sum(x, axis=along, keepdims=keepdims).shape
    return dv.full(shape, ends[name == "min"], x.dtype, device=x.device)


def _entered(name: str, function: Callable[..., Tensor]) -> None:
    @operator(name, host=(1,))
    def reduce(node: Context, x: Tensor, axes: Array | None = None) -> Tensor:
        along = reduced_axes(node, x.ndim, axes)
        if not along and x.ndim:
            return _OF_ELEMENTS[name](x) if name in _OF_ELEMENTS else x
        result: Tensor = function(x, along, bool(node.get("keepdims", 1)))
        return result


for _name, _function in _REDUCTIONS.items():
    _entered(_name, _function)
