"""Where the elements of a resampled dim are taken from, computed exactly on the host."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from dml_vk.arguments import Ints

COORDINATES = ("half_pixel", "asymmetric", "pytorch_half_pixel", "align_corners")
_HALF = Fraction(1, 2)
ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "floor": floor,
    "ceil": ceil,
    "round_prefer_floor": lambda at: ceil(at - _HALF),
    "round_prefer_ceil": lambda at: floor(at + _HALF),
}
CUBIC = -0.75  # PyTorch's and ONNX's coefficient of cubic interpolation


class Tap(NamedTuple):
    """For each element of the result: the index that it reads, and the factor of what it reads."""

    indexes: Ints
    factors: tuple[float, ...]


class CoordinateMap(NamedTuple):
    """From coordinates of a resampled dim to those of the input, with DirectML's offsets."""

    size: int
    to: int
    step: Fraction  # from one element of the result to the next
    offset: Fraction  # in the input
    to_offset: Fraction  # in the result

    def source(self, index: int) -> Fraction:
        """Return the coordinate in the input, in pixels, of an element of the result."""
        return (index - self.to_offset) * self.step - self.offset


def map_of(size: int, to: int, step: Fraction, coordinates: str) -> CoordinateMap:
    """Return the map with a name; `step` counts unless it aligns corners."""
    zero = Fraction(0)
    if coordinates == "align_corners":
        return CoordinateMap(size, to, Fraction(size - 1, max(1, to - 1)), zero, zero)
    if coordinates == "asymmetric":
        return CoordinateMap(size, to, step, zero, zero)
    if coordinates == "pytorch_half_pixel" and to == 1:
        return CoordinateMap(size, to, zero, zero, zero)
    return CoordinateMap(size, to, step, _HALF, -_HALF)


@functools.lru_cache(maxsize=256)
def nearest(dim: CoordinateMap, rounding: str) -> tuple[Tap]:
    """Return the only tap of "nearest", which has no factors."""
    rounded = ROUNDINGS[rounding]
    last = dim.size - 1
    return (Tap(tuple([min(max(rounded(dim.source(k)), 0), last) for k in range(dim.to)]), ()),)


@functools.lru_cache(maxsize=256)
def taps(dim: CoordinateMap, mode: str, cubic: float) -> tuple[Tap, ...]:
    """Return the two taps of "linear", or the four of "cubic", in ascending order."""
    last = dim.size - 1
    places = [dim.source(k) for k in range(dim.to)]
    if mode == "linear":
        places = [min(max(at, Fraction(0)), Fraction(last)) for at in places]
    wholes = [floor(at) for at in places]
    parts = [at - whole for at, whole in zip(places, wholes)]
    shifts = (0, 1) if mode == "linear" else (-1, 0, 1, 2)
    weigh = _linear if mode == "linear" else _cubic
    neighbours = []
    for shift in shifts:
        indexes = [min(max(whole + shift, 0), last) for whole in wholes]
        factors = [float(weigh(abs(part - shift), Fraction(cubic))) for part in parts]
        neighbours.append(Tap(tuple(indexes), tuple(factors)))
    return tuple(neighbours)


def _linear(distance: Fraction, _: Fraction) -> Fraction:
    return 1 - distance


def _cubic(distance: Fraction, a: Fraction) -> Fraction:
    """Return the weight by Keys, for distances up to 2."""
    if distance <= 1:
        return ((a + 2) * distance - (a + 3)) * distance**2 + 1
    return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
