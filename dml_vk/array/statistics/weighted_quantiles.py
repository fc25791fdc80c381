"""Quantiles of weighted elements, by NumPy's only method for them, `inverted_cdf`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.arguments import Axes, Ints
from dml_vk.array.indexing.take import along_axis
from dml_vk.array.manipulation.shapes import broadcast_to, concat, permute_dims, reshape, to_axes
from dml_vk.array.math.cumulative import cumulative_sum
from dml_vk.array.math.elementwise import (
    astype,
    divide,
    equal,
    greater,
    isfinite,
    isnan,
    less,
    logical_and,
    logical_or,
    maximum,
    minimum,
    subtract,
    where,
)
from dml_vk.array.sorting.sorts import argsort
from dml_vk.array.statistics.answers import answers
from dml_vk.array.statistics.averages import along_axes
from dml_vk.array.statistics.reductions import all, any, count_nonzero
from dml_vk.dtypes import bool_, float64
from dml_vk.errors import RangeError
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array
from dml_vk.tensor.operands import check_dtype, of_kinds, to_tensor, to_tensors

METHOD = "inverted_cdf"


def weights_beside(what: str, x: Tensor, weights: Tensor, axis: Axes | None, method: str) -> Tensor:
    """Check weights, and view them in the shape of x."""
    if method != METHOD:
        rule = f"method must be {METHOD} where there are weights"
        raise RangeError(what, rule, method=method)
    to_tensors(what, [x, to_tensor(what, "weights", weights)])
    check_dtype(what, weights.dtype, of_kinds("biuf"))
    axes = tuple(range(x.ndim)) if axis is None else to_axes(what, axis, x.ndim)
    return broadcast_to(along_axes(what, x, weights, axes), x.shape)


def of_weighted(
    what: str,
    x: Tensor,
    shares: Array,
    axes: Ints,
    weights: Tensor,
    without_nan: bool,
    target: Tensor,
) -> Tensor:
    """Write the first elements at which the sum of weights, in float64, reaches each share."""
    rows, heavy = (_rows(operand, axes) for operand in (x, weights))
    order = argsort(rows, axis=0)
    ordered = along_axis(rows, order, 0)
    heavy = along_axis(astype(heavy, float64, copy=False), order, 0)
    lost = isnan(ordered) if x.dtype.kind == "f" else None
    last: Any = rows.shape[0] - 1
    if without_nan and lost is not None:
        heavy = where(lost, 0.0, heavy)
        last = maximum(subtract(count_nonzero(equal(ordered, ordered), 0), 1), 0)
    sums = cumulative_sum(heavy, axis=0)
    total = sums[-1]
    valid = logical_and(greater(total, 0), isfinite(total))
    if without_nan and lost is not None:
        valid = logical_or(valid, all(lost, axis=0))
    is_negative, are_valid = answers(bool_, (any, less(weights, 0)), (all, valid))
    if is_negative:
        raise RangeError(what, "weights must not be negative", weights=weights.shape)
    if not are_valid:
        rule = "weights must be finite, and not all of them 0"
        raise RangeError(what, rule, weights=weights.shape)
    # A share of 0 is not reached before the first weight that is not 0.
    reached = where(equal(sums, 0), -1.0, divide(sums, total))
    quantiles = []
    for share in shares.reshape(-1).tolist():
        index = minimum(count_nonzero(less(reached, share), 0), last)
        quantiles.append(along_axis(ordered, index[None], 0))
    result = concat(quantiles, axis=0)
    if lost is not None and not without_nan:
        result = where(lost[-1], np.nan, result)
    copy_elements(what, reshape(result, target.shape), target)
    return target


def _rows(x: Tensor, axes: Ints) -> Tensor:
    """Merge the reduced dims, in their logical order, to one dim in front."""
    others = [dim for dim in range(x.ndim) if dim not in axes]
    sizes = [x.shape[dim] for dim in others]
    length = Layout([x.shape[dim] for dim in axes]).numel
    return reshape(permute_dims(x, (*axes, *others)), (length, *sizes))
