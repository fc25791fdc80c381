"""Resize and Upsample, one axis after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import dml_vk as dv
from dml_vk.nn.taps import weighted
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.taps import Axis, taps
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


@operator("Upsample", host=(1,))
def upsample(node: Context, x: Tensor, scales: Array | None = None) -> Tensor:
    """Resize by factors, an attribute before opset 9 and an input since."""
    factors = node["scales"] if scales is None else [float(scale) for scale in scales]
    sizes = [math.floor(size * by) for size, by in zip(x.shape, factors)]
    mode = {"nearest": "nearest", "linear": "linear", "bilinear": "linear"}.get(node["mode"])
    if mode is None:
        raise node.refuse("mode must be nearest or linear", mode=node["mode"])
    axes = [
        Axis(*axis, mode, "asymmetric", "floor")
        for axis in zip(range(x.ndim), x.shape, sizes, factors)
    ]
    return _resized(x, axes)


@operator("Resize", first=10, host=(1, 2, 3))
def resize(node: Context, x: Tensor, *optional: Array | None) -> Tensor:
    """Resize to sizes or by factors; before opset 11 only factors and asymmetric coordinates."""
    roi, scales, sizes = _arguments(node, optional)
    places = [int(axis) % x.ndim for axis in node.get("axes") or range(x.ndim)]
    have = [x.shape[axis] for axis in places]
    if sizes is not None:
        to, by = _fitted(node, have, [int(number) for number in sizes])
    elif scales is not None and scales.size == len(places):
        by = [float(number) for number in scales]
        to = [math.floor(size * factor) for size, factor in zip(have, by)]
    else:
        raise node.refuse("scales or sizes must be given, one for each axis", axes=places)
    if min(to, default=1) < 0 or not all(0 < number < math.inf for number in by if number):
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
    resized = _resized(x, axes)
    if coordinates != "tf_crop_and_resize":
        return resized
    return _extrapolated(resized, axes, float(node["extrapolation_value"]))


def _arguments(node: Context, inputs: Sequence[Array | None]) -> tuple[Array | None, ...]:
    if node.opset < 11:
        return None, inputs[0], None
    padded = [array if array is not None and array.size else None for array in inputs]
    return (*padded, *(None,) * (3 - len(padded)))


def _fitted(node: Context, have: list[int], wanted: list[int]) -> tuple[list[int], list[float]]:
    """Sizes and factors, adjusted by the policy for the aspect ratio."""
    if len(have) != len(wanted) or 0 in have:
        raise node.refuse("sizes must be given for each axis", have=have, sizes=wanted)
    factors = [to / size for size, to in zip(have, wanted)]
    policy = node.get("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return wanted, factors
    factor = min(factors) if policy == "not_larger" else max(factors)
    return [math.floor(factor * size + 0.5) for size in have], [factor] * len(have)


def _resized(x: Tensor, axes: list[Axis]) -> Tensor:
    """Resize from the last axis to the first; sums are in float32 or wider, and rounded once."""
    dtype = x.dtype
    for axis in reversed(axes):
        if axis.is_identity:
            continue
        parts = taps(axis)
        if parts[0].factors is None:
            x = dv.take(x, parts[0].indexes, axis=axis.axis)
            continue
        x = x if x.dtype.kind == "f" and x.dtype.itemsize > 2 else dv.astype(x, "float32")
        x = weighted(x, axis.axis, parts)
    if x.dtype is dtype:
        return x
    if dtype.kind in "iu":
        limits = dv.iinfo(dtype)
        x = dv.clip(dv.round(x), float(limits.min), float(limits.max))
    return dv.astype(x, dtype)


def _extrapolated(x: Tensor, axes: list[Axis], value: float) -> Tensor:
    """Set elements whose coordinates lie outside of the input to `value`."""
    for axis in axes:
        at = axis.places
        outside = (at < 0) | (at > axis.size - 1)
        if outside.any():
            shape = [1] * x.ndim
            shape[axis.axis] = axis.to
            mask = dv.asarray(np.reshape(outside, shape), device=x.device)
            x = dv.where(mask, dv.full((), value, x.dtype, device=x.device), x)
    return x
