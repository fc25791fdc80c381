"""Elements written by index, in the order of the updates."""

from __future__ import annotations

from collections.abc import Callable

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.gathering import index_of
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor

_JOINED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": dv.add,
    "mul": dv.multiply,
    "max": dv.maximum,
    "min": dv.minimum,
}


def _join(node: Context) -> Callable[[Tensor, Tensor], Tensor] | None:
    kind = node.get("reduction", "none")
    if kind != "none" and kind not in _JOINED:
        raise node.refuse("reduction must be none, add, mul, max or min", reduction=kind)
    return _JOINED.get(kind)


@operator("ScatterElements", "Scatter", first=9)
def scatter_elements(node: Context, x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    axis, join = node["axis"] % x.ndim, _join(node)
    result = x.clone()
    # Only along the axis may indexes leave the part of x that is beside the updates.
    cut = [slice(0, size) for size in index.shape]
    cut[axis] = slice(None)
    part = result[tuple(cut)]
    # Indexes of one slice of the updates are of different elements.
    for position in range(index.shape[axis]):
        row = [slice(None)] * x.ndim
        row[axis] = slice(position, position + 1)
        where, values = index[tuple(row)], updates[tuple(row)]
        if join is not None:
            values = join(dv.take_along_axis(part, where, axis=axis), values)
        dv.put_along_axis(part, where, values, axis=axis)
    return result


@operator("ScatterND", first=11)
def scatter_nd(node: Context, x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    join = _join(node)
    result = x.clone()
    if join is None:
        result[index_of(x, index)] = updates
        return result
    rows = dv.reshape(index, (-1, index.shape[-1]))
    values = dv.reshape(updates, (rows.shape[0], *x.shape[index.shape[-1] :]))
    for row in range(rows.shape[0]):
        where = index_of(x, rows[row : row + 1])
        result[where] = join(result[where], values[row : row + 1])
    return result


@operator("TensorScatter", first=24)
def tensor_scatter(
    node: Context, past: Tensor, update: Tensor, start: Tensor | None = None
) -> Tensor:
    """Write the update into a cache along an axis, from an index per batch."""
    axis = node["axis"] % past.ndim
    shape = [1] * past.ndim
    shape[axis] = update.shape[axis]
    places = dv.reshape(dv.arange(0, update.shape[axis], dtype="int64", device=past.device), shape)
    if start is not None:
        begin = dv.reshape(dv.astype(start, "int64", copy=False), (-1, *[1] * (past.ndim - 1)))
        places = places + begin
    if node.get("mode", "linear") == "circular":
        places = dv.remainder(places, past.shape[axis])
    result = past.clone()
    dv.put_along_axis(result, dv.broadcast_to(places, update.shape), update, axis=axis)
    return result
