"""Resize and Upsample: one axis after the other, from a few elements each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.taps import Axis, taps
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


@operator("Upsample", host=(1,))
def upsample(node: Context, x: Tensor, scales: Array | None = None) -> Tensor:
    """By factors: an attribute before opset 9, and an input there."""
    given = node["scales"] if scales is None else [float(one) for one in scales]
    sizes = [math.floor(size * by) for size, by in zip(x.shape, given)]
    mode = {"nearest": "nearest", "linear": "linear", "bilinear": "linear"}.get(node["mode"])
    if mode is None:
        raise node.refuse("mode must be nearest or linear", mode=node["mode"])
    axes = [
        Axis(*one, mode, "asymmetric", "floor") for one in zip(range(x.ndim), x.shape, sizes, given)
    ]
    return _resized(x, axes)


@operator("Resize", first=10, host=(1, 2, 3))
def resize(node: Context, x: Tensor, *given: Array | None) -> Tensor:
    """To sizes or by factors; before opset 11 there are only factors, and simple coordinates."""
    roi, scales, sizes = _arguments(node, given)
    places = [int(axis) % x.ndim for axis in node.get("axes") or range(x.ndim)]
    have = [x.shape[axis] for axis in places]
    if sizes is not None:
        to, by = _fitted(node, have, [int(one) for one in sizes])
    elif scales is not None and scales.size == len(places):
        by = [float(one) for one in scales]
        to = [math.floor(size * factor) for size, factor in zip(have, by)]
    else:
        raise node.refuse("scales or sizes must be given, one for each axis", axes=places)
    if min(to, default=1) < 0 or not all(0 < one < math.inf for one in by if one):
        raise node.refuse("sizes and scales must be positive", sizes=to, scales=by)
    coordinates = node.get("coordinate_transformation_mode", "asymmetric")
    rounding = node.get("nearest_mode", "floor")
    ends = [(0.0, 1.0)] * len(places)
    if coordinates == "tf_crop_and_resize" and roi is not None:
        ends = [(float(roi[k]), float(roi[k + len(places)])) for k in range(len(places))]
    axes = [
        Axis(
            *(axis, size, wanted, factor, node["mode"], coordinates, rounding),
            float(node.get("cubic_coeff_a", -0.75)),
            bool(node.get("exclude_outside", 0)),
            bool(node.get("antialias", 0)),
            *pair,
        )
        for axis, size, wanted, factor, pair in zip(places, have, to, by, ends)
    ]
    found = _resized(x, axes)
    if coordinates != "tf_crop_and_resize":
        return found
    return _extrapolated(found, axes, float(node["extrapolation_value"]))


def _arguments(node: Context, given: Any) -> tuple[Array | None, ...]:
    if node.opset < 11:
        return None, given[0], None
    padded = [one if one is not None and one.size else None for one in given]
    return (*padded, *(None,) * (3 - len(padded)))


def _fitted(node: Context, have: list[int], wanted: list[int]) -> tuple[list[int], list[float]]:
    """The sizes, and the factors from the old to the new ones, which may keep their relation."""
    if len(have) != len(wanted) or 0 in have:
        raise node.refuse("sizes must be given for each axis", have=have, sizes=wanted)
    factors = [to / size for size, to in zip(have, wanted)]
    policy = node.get("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return wanted, factors
    factor = min(factors) if policy == "not_larger" else max(factors)
    return [math.floor(factor * size + 0.5) for size in have], [factor] * len(have)


def _resized(x: Tensor, axes: list[Axis]) -> Tensor:
    """The last axis first; sums in float32 or wider, from the lowest index on, rounded once."""
    dtype = x.dtype
    for axis in reversed(axes):
        if axis.is_identity:
            continue
        found = taps(axis)
        if found[0].factors is None:
            x = dv.take(x, found[0].indexes, axis=axis.axis)
            continue
        x = x if x.dtype.kind == "f" and x.dtype.itemsize > 2 else dv.astype(x, "float32")
        shape = [1] * x.ndim
        shape[axis.axis] = axis.to
        total: Any = None
        for one in found:
            factors = dv.asarray(one.factors.astype(x.dtype.numpy_name), device=x.device)
            part = dv.take(x, one.indexes, axis=axis.axis)
            product = dv.multiply(part, dv.reshape(factors, shape))
            total = product if total is None else dv.add(total, product)
        x = total
    if x.dtype is dtype:
        return x
    if dtype.kind in "iu":
        limits = dv.iinfo(dtype)
        x = dv.clip(dv.round(x), float(limits.min), float(limits.max))
    return dv.astype(x, dtype)


def _extrapolated(x: Tensor, axes: list[Axis], value: float) -> Tensor:
    """The value where a coordinate lies outside of the input."""
    for axis in axes:
        at = axis.places
        outside = (at < 0) | (at > axis.size - 1)
        if outside.any():
            shape = [1] * x.ndim
            shape[axis.axis] = axis.to
            mask = dv.asarray(np.reshape(outside, shape), device=x.device)
            found: Any = dv.where(mask, dv.full((), value, x.dtype, device=x.device), x)
            x = found
    return x
