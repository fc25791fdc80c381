"""Padding with statistics of the tensor: extremes, means, medians, and ramps from its ends.

Dims are padded one after the other, and later ones from the results of those before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dml_vk.arguments import to_int
from dml_vk.array.creation.grids import arange
from dml_vk.array.math.elementwise import add, astype, divide, floor, multiply, round, subtract
from dml_vk.array.statistics import reductions
from dml_vk.array.statistics.moments import mean
from dml_vk.array.statistics.quantiles import median
from dml_vk.dtypes import DType, complex128, float64
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import result_over

MODES = ("maximum", "minimum", "mean", "median", "linear_ramp", "empty")
_STATISTICS: dict[str, Callable[..., Tensor]] = {
    "maximum": reductions.max,
    "minimum": reductions.min,
    "mean": mean,
    "median": median,
}
Pair = tuple[int, int]


def pad_by_dims(
    x: Tensor,
    pairs: Sequence[Pair],
    mode: str,
    stat_length: ArrayLike | None,
    end_values: ArrayLike,
    out: Tensor | None,
) -> Tensor:
    """Pad in one of these modes, by the numbers of elements before and after along each dim."""
    lengths = _lengths(stat_length, x.ndim)
    ends = _ends(end_values, x.ndim)
    for size, pair, length in zip(x.shape, pairs, lengths):
        if mode != "empty" and any(pair) and not size:
            raise LayoutError("pad", "in this mode, no dim may be empty", shape=x.shape)
        if mode in ("maximum", "minimum") and 0 in length:
            rule = "stat_length must be positive in this mode"
            raise LayoutError("pad", rule, stat_length=stat_length)
    sizes = [before + size + after for size, (before, after) in zip(x.shape, pairs)]
    result = result_over("pad", Layout.packed(sizes, x.layout.order), x.dtype, x, out)
    source = copy_if_overlapping("pad", x, result)
    inner = result
    for dim, ((before, _), size) in enumerate(zip(pairs, x.shape)):
        inner = inner.narrow(dim, before, size)
    copy_elements("pad", source, inner)
    if mode == "empty" or not result.size:
        return result
    with ErrorsAs("pad"):
        for dim, pair in enumerate(pairs):
            # What has been padded so far, and not yet along later dims.
            part = result
            for later in range(dim + 1, x.ndim):
                part = part.narrow(later, pairs[later][0], x.shape[later])
            if mode == "linear_ramp":
                _ramps(part, dim, pair, ends[dim])
            else:
                _statistics(part, dim, pair, _STATISTICS[mode], lengths[dim])
    return result


def _statistics(
    part: Tensor,
    dim: int,
    pair: Pair,
    statistic: Callable[..., Tensor],
    length: Sequence[int | None],
) -> None:
    before, after = pair
    size = part.shape[dim] - before - after
    own = part.narrow(dim, before, size)
    left, right = [size if count is None else min(count, size) for count in length]
    for near, index, width in (
        (own.narrow(dim, 0, left), 0, before),
        (own.narrow(dim, size - right, right), before + size, after),
    ):
        if not width:
            continue
        whole = part.dtype.kind in "iu" and statistic in (mean, median)
        value = statistic(astype(near, float64) if whole else near, axis=dim, keepdims=True)
        value = astype(round(value) if whole else value, part.dtype, copy=False)
        part.narrow(dim, index, width)[...] = value


def _ramps(part: Tensor, dim: int, pair: Pair, ends: Sequence[complex]) -> None:
    """Write equal steps from an end, exclusive of the nearest element, as NumPy computes them."""
    before, after = pair
    size = part.shape[dim] - before - after
    kind: DType = complex128 if part.dtype.kind == "c" else float64
    for edge, index, width, end in (
        (before, 0, before, ends[0]),
        (before + size - 1, before + size, after, ends[1]),
    ):
        if not width:
            continue
        near = astype(part.narrow(dim, edge, 1), kind)
        step = divide(subtract(near, end), width)
        steps = arange(width, dtype=float64, device=part.device)
        along = steps.view([width if k == dim else 1 for k in range(part.ndim)])
        ramp = add(multiply(along, step), end)
        ramp = astype(floor(ramp) if part.dtype.kind in "iu" else ramp, part.dtype)
        target = part.narrow(dim, index, width)
        target[...] = ramp if index == 0 else ramp.flip(dim)


def _lengths(stat_length: ArrayLike | None, rank: int) -> list[Sequence[int | None]]:
    """Return how many elements count before and after along each dim, where None is all."""
    array = np.asarray(stat_length, dtype=object)
    try:
        rows = np.broadcast_to(array, (rank, 2)).tolist()
    except ValueError:
        rule = "stat_length must be a positive integer, a pair, or one pair per dim"
        raise LayoutError("pad", rule, stat_length=stat_length) from None
    lengths: list[Sequence[int | None]] = [
        [None if count is None else to_int("pad", "stat_length", count) for count in row]
        for row in rows
    ]
    if any(count is not None and count < 0 for row in lengths for count in row):
        rule = "stat_length must not be negative"
        raise LayoutError("pad", rule, stat_length=stat_length)
    return lengths


def _ends(end_values: ArrayLike, rank: int) -> list[list[complex]]:
    try:
        rows = np.broadcast_to(np.asarray(end_values), (rank, 2))
    except ValueError:
        rule = "end_values must be a number, a pair, or one pair per dim"
        raise LayoutError("pad", rule, end_values=end_values) from None
    if rows.dtype.kind not in "biufc":
        rule = "end_values must be numbers"
        raise LayoutError("pad", rule, end_values=end_values)
    ends: list[list[complex]] = rows.tolist()
    return ends
