"""Resampling of an axis by any taps: weighted sums of its elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from dml_vk.array.creation.arrays import asarray
from dml_vk.array.indexing.take import take
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.elementwise import add, multiply
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


class Tap(NamedTuple):
    """For each element of the result: an index of the input, and its weight."""

    indexes: Array
    factors: Array | None  # None for 1


def taps_around(
    at: Array, reach: int, shrink: float, weigh: Callable[[Array], Array]
) -> tuple[Array, Array]:
    """Return indexes and weights of the elements around coordinates.

    Weights are a function of the distance, 0 from `reach` on, which is stretched by 1 / shrink.
    Indexes may be outside of the axis.
    """
    whole = np.floor(at)
    part = at - whole
    first = int(np.floor(-reach / shrink)) + 1
    shifts = range(first, 2 - first)
    factors = np.array([weigh(np.abs((shift - part) * shrink)) for shift in shifts])
    return np.array([whole + shift for shift in shifts]), factors


def linear(distance: Array) -> Array:
    weights: Array = np.clip(1 - distance, 0, 1)
    return weights


def weighted(x: Tensor, axis: int, taps: Sequence[Tap]) -> Tensor:
    """Return the sums of the elements of an axis, in the order of taps; x has wide floats."""
    shape = [1] * x.ndim
    total: Tensor | None = None
    for tap in taps:
        part = take(x, tap.indexes, axis=axis)
        if tap.factors is not None:
            shape[axis] = len(tap.factors)
            factors = asarray(tap.factors.astype(x.dtype.numpy_name), device=x.device)
            part = multiply(part, reshape(factors, tuple(shape)))
        total = part if total is None else add(total, part)
    assert total is not None  # since there is a tap
    return total
