"""Resampling: images of another size, by the nearest element or by interpolation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dml_vk.arguments import Ints, several, to_bool, to_tuple
from dml_vk.array.calls import call, composed
from dml_vk.dtypes import float16, float32, uint32
from dml_vk.errors import LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.nn.arguments import check_images, to_word
from dml_vk.nn.coordinates import (
    COORDINATES,
    CUBIC,
    ROUNDINGS,
    CoordinateMap,
    Tap,
    map_of,
    nearest,
    taps,
)
from dml_vk.nn.windows import each_dim
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.resample import resample_elements
from dml_vk.ops.view import View
from dml_vk.runtime.device import Device
from dml_vk.runtime.device_cache import device_cache
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, check_out, result_over, to_number, to_tensor
from dml_vk.tracing.formats import operation

MODES = ("nearest", "nearest_exact", "linear", "cubic")


@hinted
def resample(
    x: Tensor,
    *,
    size: int | Sequence[int] | None = None,
    scale: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    coordinates: str | Sequence[object] | None = None,
    rounding: str | None = None,
    cubic: float = CUBIC,
    out: Tensor | None = None,
) -> Tensor:
    """Resize the spatial dims of (N, C, ...) to `size`, or by the factors `scale`, as PyTorch does.

    "nearest" takes the element at floor(i * in / out), "nearest_exact" the one at
    floor((i + 0.5) * in / out). "linear" and "cubic" interpolate along one dim after the other, the
    last one first: factors are rounded to float32, and their products with the elements added from
    the lowest index on. float16 is computed in float32 and rounded once. Indexes beyond the edge
    become the nearest one. If both are given, `scale` only says how far elements are apart.

    ONNX's `coordinates` are "half_pixel", "asymmetric", "pytorch_half_pixel" or "align_corners";
    DirectML's are a pair of offsets, in pixels of the input and of the result: (0.5, -0.5) is
    "half_pixel". `rounding`, for "nearest", is "floor", "ceil", "round_prefer_floor" or
    "round_prefer_ceil". `cubic` is the coefficient of "cubic".

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[1.0, 2.0, 4.0]]])
    >>> dml_vk.nn.resample(x, size=6).tolist()
    [[[1.0, 1.0, 2.0, 2.0, 4.0, 4.0]]]
    >>> dml_vk.nn.resample(x, scale=5 / 3, mode="linear", align_corners=True).tolist()
    [[[1.0, 1.5, 2.0, 3.0, 4.0]]]
    """
    what, x = "resample", to_tensor("resample", "x", x)
    check_dtype(what, x.dtype, (float16, float32))
    check_images(what, x, (1, 2, 3))
    to_word(what, "mode", mode, MODES)
    corners = to_bool(what, "align_corners", align_corners)
    chosen = _coordinates(what, coordinates, mode, corners)
    maps = _maps(what, x.shape[2:], size, scale, chosen)
    factor = float(to_number(what, "cubic", cubic))
    if not math.isfinite(factor):
        raise RangeError(what, "cubic must be finite", cubic=cubic)
    if mode.startswith("nearest"):
        if rounding is None:
            rounding = "round_prefer_ceil" if mode == "nearest_exact" else "floor"
        to_word(what, "rounding", rounding, tuple(ROUNDINGS))
        return composed(_resampled, (x,), out, tuple([nearest(dim, rounding) for dim in maps]))
    if rounding is not None:
        rule = "rounding must not be given unless mode is nearest"
        raise RangeError(what, rule, rounding=rounding, mode=mode)
    return composed(_resampled, (x,), out, tuple([taps(dim, mode, factor) for dim in maps]))


def _maps(
    what: str, sizes: Ints, size: object, scale: Any, coordinates: Any
) -> tuple[CoordinateMap, ...]:
    if size is None and scale is None:
        raise RangeError(what, "size or scale must be given", size=size, scale=scale)
    if 0 in sizes:
        raise LayoutError(what, "spatial dims must not be empty", sizes=sizes)
    count = len(sizes)
    wanted = None if size is None else each_dim(what, "size", size, count, 1)
    if scale is None:
        assert wanted is not None
        steps = [Fraction(own, to) for own, to in zip(sizes, wanted)]
    else:
        factors = _numbers_of(what, "scale", scale, count)
        if wanted is None and min(factors) > 0:
            wanted = tuple([math.floor(own * by) for own, by in zip(sizes, factors)])
        if wanted is None or min(factors) <= 0 or min(wanted) < 1:
            rule = "scale must be positive, and leave at least one element"
            raise RangeError(what, rule, scale=scale, sizes=sizes)
        steps = [1 / Fraction(by) for by in factors]
    known = tuple(zip(sizes, wanted, steps))
    if isinstance(coordinates, str):
        return tuple([map_of(*dim, coordinates) for dim in known])
    own, others = [
        [Fraction(number) for number in _numbers_of(what, "coordinates", each, count)]
        for each in coordinates
    ]
    return tuple([CoordinateMap(*dim, *pair) for dim, pair in zip(known, zip(own, others))])


def _coordinates(what: str, value: object, mode: str, corners: bool) -> object:
    """Return a name, or the pair of offsets."""
    if corners:
        if value is not None:
            rule = "align_corners and coordinates must not both be given"
            raise RangeError(what, rule, align_corners=True, coordinates=value)
        return "align_corners"
    if value is None:
        return "asymmetric" if mode == "nearest" else "half_pixel"
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            rule = "coordinates must be a name, or offsets in the input and in the result"
            raise LayoutError(what, rule, coordinates=value)
        return value
    return to_word(what, "coordinates", value, COORDINATES)


def _numbers_of(what: str, name: str, value: object, count: int) -> list[float]:
    """Convert to a finite number for each spatial dim; a single one holds for all."""
    values = to_tuple(what, name, several(value))
    numbers = [float(to_number(what, name, number)) for number in values]
    numbers *= count if len(numbers) == 1 else 1
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        rule = f"{name} must have a finite number, or {count} of them"
        raise RangeError(what, rule, **{name: value})
    return numbers


@operation(flexible="first", images=True)
def _resampled(
    operands: Sequence[Tensor], out: Tensor | None, dims: tuple[tuple[Tap, ...], ...]
) -> Tensor:
    (x,) = operands
    sizes = (*x.shape[:2], *[len(taps[0].indexes) for taps in dims])
    layout = Layout.packed(sizes, x.layout.order)
    if out is not None:
        # The offsets are those of the strides that are read.
        target = check_out("resample", out, layout.sizes, x.dtype, x)
        x = Tensor(copy_if_overlapping("resample", x, target))
    table = _table(x.device, dims, x.layout.strides[2:])
    return call(_launched, (x, table), out, layout, len(dims[0]))


@operation(flexible="first", images=True)
def _launched(operands: Sequence[Tensor], out: Tensor | None, layout: Layout, count: int) -> Tensor:
    what, (x, table) = "resample", operands
    result = result_over(what, layout, x.dtype, x, out)
    resample_elements(what, x, table, result, count)
    return result


@device_cache(256)
def _table(device: Device, dims: tuple[tuple[Tap, ...], ...], strides: Ints) -> Tensor:
    """Return where taps are and their factors, on the device, which must not be changed."""
    parts = []
    for dim, stride in zip(reversed(dims), reversed(strides)):
        offsets = [np.array(tap.indexes, np.int64) * stride for tap in dim]
        words = [numbers.astype(np.uint32) for numbers in offsets]
        if len(dim) > 1:
            words += [np.array(tap.factors, np.float32).view(np.uint32) for tap in dim]
        parts.append(np.stack(words, 1).reshape(-1))
    data = np.concatenate(parts)
    allocation = device.allocate_for_host("resample", data.nbytes)
    device.upload(data.view(np.uint8), allocation)
    return Tensor(View(device, allocation, Layout((data.size,)), uint32))
