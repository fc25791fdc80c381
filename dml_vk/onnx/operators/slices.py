"""Slice, Pad, ReverseSequence and CenterCropPad."""

from __future__ import annotations

from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk.onnx.context import Context, Values
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


@operator("Slice", host=(1, 2, 3, 4), of_arrays=True)
def cut(node: Context, x: Values, *bounds: Array | None) -> Values:
    return x[slices(node, x.ndim, *bounds)]


def slices(
    node: Context,
    rank: int,
    starts: Any = None,
    ends: Any = None,
    axes: Any = None,
    steps: Any = None,
) -> tuple[slice, ...]:
    """The slice of each axis; bounds are inputs since opset 10, and attributes before."""
    if node.opset < 10:
        starts, ends, axes = node["starts"], node["ends"], node.get("axes")
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    cuts = [slice(None)] * rank
    for axis, start, end, step in zip(axes, starts, ends, steps):
        if not -rank <= axis < rank or step == 0:
            rule = "axes must be those of the input, and steps not 0"
            raise node.refuse(rule, rank=rank, axis=int(axis), step=int(step))
        cuts[int(axis)] = slice(int(start), int(end), int(step))
    return tuple(cuts)


@operator("Pad", host=(1, 2, 3))
def pad(
    node: Context,
    x: Tensor,
    amounts: Array | None = None,
    value: Array | None = None,
    axes: Array | None = None,
) -> Tensor:
    """Pad x; negative amounts crop it first."""
    if node.opset < 11:
        listed, number = node["pads"], node.get("value", 0.0)
    else:
        listed = amounts
        number = 0 if value is None or not value.size else value.reshape(()).item()
    places = range(x.ndim) if axes is None else [int(axis) % x.ndim for axis in axes]
    widths = [(0, 0)] * x.ndim
    count = len(listed) // 2
    for axis, begin, end in zip(places, listed[:count], listed[count:]):
        widths[axis] = (int(begin), int(end))
    cuts = [slice(max(-b, 0), size - max(-e, 0)) for (b, e), size in zip(widths, x.shape)]
    x = x[tuple(cuts)]
    widths = [(max(begin, 0), max(end, 0)) for begin, end in widths]
    mode = node.get("mode", "constant")
    if mode == "constant":
        return dv.pad(x, widths, value=number)
    return padded(x, widths, mode)


def padded(x: Tensor, widths: list[tuple[int, int]], mode: str) -> Tensor:
    """Pad with elements of x: edge, reflect or wrap."""
    for axis, (begin, end) in enumerate(widths):
        if begin or end:
            index = pad_index(x.shape[axis], begin, end, mode)
            x = dv.take(x, index, axis=axis)
    return x


def pad_index(size: int, begin: int, end: int, mode: str) -> Array:
    """The index in x of each padded element along an axis."""
    places = np.arange(-begin, size + end)
    if mode == "edge":
        return np.clip(places, 0, size - 1)
    if mode == "wrap":
        return places % size
    if size == 1:
        return np.zeros_like(places)
    period = 2 * (size - 1)
    places = places % period
    return np.where(places < size, places, period - places)


@operator("ReverseSequence", first=10)
def reverse_sequence(node: Context, x: Tensor, lengths: Tensor) -> Tensor:
    """Reverse the first `lengths[b]` elements along the time axis."""
    time, batch = node["time_axis"], node["batch_axis"]
    shape = [1] * x.ndim
    shape[time] = x.shape[time]
    places = dv.reshape(dv.arange(0, x.shape[time], dtype="int64", device=x.device), shape)
    shape = [1] * x.ndim
    shape[batch] = x.shape[batch]
    count = dv.reshape(dv.astype(lengths, "int64", copy=False), shape)
    index = dv.where(dv.less(places, count), count - 1 - places, places)
    return dv.take_along_axis(x, dv.broadcast_to(index, x.shape), axis=time)


@operator("CenterCropPad", first=18, host=(1,))
def center_crop_pad(node: Context, x: Tensor, sizes: Array) -> Tensor:
    axes = node.get("axes") or range(x.ndim)
    widths, cuts = [(0, 0)] * x.ndim, [slice(None)] * x.ndim
    for axis, size in zip(axes, sizes):
        have, wanted = x.shape[axis], int(size)
        if wanted < have:
            start = (have - wanted) // 2
            cuts[axis] = slice(start, start + wanted)
        else:
            begin = (wanted - have) // 2
            widths[axis] = (begin, wanted - have - begin)
    return dv.pad(x[tuple(cuts)], widths)
