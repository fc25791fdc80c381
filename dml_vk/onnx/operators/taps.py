"""Source indexes and weights for resizing an axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dml_vk.errors import ModelError
from dml_vk.nn.taps import Tap, linear, taps_around
from dml_vk.tensor.host import Array


@dataclass(frozen=True)
class Axis:
    """How one axis is resized."""

    axis: int
    size: int
    to: int
    scale: float
    mode: str
    coordinates: str
    rounding: str
    cubic: float = -0.75
    excludes_outside: bool = False
    antialias: bool = False
    start: float = 0.0  # of the part of the input, for tf_crop_and_resize
    end: float = 1.0

    @property
    def is_identity(self) -> bool:
        whole = self.coordinates != "tf_crop_and_resize" or (self.start, self.end) == (0.0, 1.0)
        return self.size == self.to and self.scale == 1 and whole

    @property
    def places(self) -> Array:
        """The coordinate in the input of each element of the result."""
        at = np.arange(self.to, dtype=np.float64)
        last, length = self.size - 1, self.scale * self.size
        kind = self.coordinates
        if kind == "asymmetric":
            return at / self.scale
        if kind == "align_corners":
            return at * last / (length - 1) if length != 1 else at * 0
        if kind == "tf_half_pixel_for_nn":
            return (at + 0.5) / self.scale
        if kind == "tf_crop_and_resize":
            if length == 1:
                return at + 0.5 * (self.start + self.end) * last
            return self.start * last + at * (self.end - self.start) * last / (length - 1)
        if kind == "pytorch_half_pixel" and self.to == 1:
            return at * 0
        if kind == "half_pixel_symmetric":
            adjusted = self.to / (self.scale * self.size)
            return self.size / 2 * (1 - adjusted) + (at + 0.5) / self.scale - 0.5
        if kind in ("half_pixel", "pytorch_half_pixel"):
            return (at + 0.5) / self.scale - 0.5
        raise ModelError("Resize", "coordinates must be of ONNX's modes", mode=kind)


def taps(axis: Axis) -> list[Tap]:
    """The taps of an axis, in ascending order of their indexes."""
    at, last = axis.places, axis.size - 1
    if axis.mode == "nearest":
        return [Tap(np.clip(_rounded(at, axis.rounding), 0, last).astype(np.int64), None)]
    if axis.mode not in ("linear", "cubic"):
        raise ModelError("Resize", "mode must be nearest, linear or cubic", mode=axis.mode)
    reach, weigh = (1, linear) if axis.mode == "linear" else (2, _cubic_of(axis.cubic))
    shrink = min(axis.scale, 1.0) if axis.antialias else 1.0
    indexes, factors = taps_around(at, reach, shrink, weigh)
    if axis.excludes_outside:
        factors = np.where((indexes < 0) | (indexes > last), 0.0, factors)
    if axis.excludes_outside or axis.antialias:
        factors = factors / factors.sum(axis=0)
    return [Tap(*pair) for pair in zip(np.clip(indexes, 0, last).astype(np.int64), factors)]


def _rounded(at: Array, rounding: str) -> Array:
    if rounding == "floor":
        return np.floor(at)
    if rounding == "ceil":
        return np.ceil(at)
    if rounding == "round_prefer_ceil":
        return np.floor(at + 0.5)
    return np.ceil(at - 0.5)


def _cubic_of(a: float) -> Callable[[Array], Array]:
    return lambda distance: _cubic(distance, a)


def _cubic(x: Array, a: float) -> Array:
    near: Array = ((a + 2) * x - (a + 3)) * x**2 + 1
    far: Array = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))
