"""Medians and quantiles, with NumPy's names and methods: elements are sorted along the axes.

Results have the dtype of floats; for integers and bools they are float32, like means, except for
the methods `lower`, `higher` and `nearest`, which select an element. A result at an element's
position is that element, bit for bit; in between it is interpolated in the dtype, float16 in
float32, integers and bools in float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dml_vk.arguments import Axes, Ints, to_bool
from dml_vk.array.calls import whole
from dml_vk.array.creation.arrays import asarray, filled
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.indexing.take import elements_at, take
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math import elementwise
from dml_vk.array.math.elementwise import (
    add,
    astype,
    equal,
    greater_equal,
    isnan,
    multiply,
    subtract,
    where,
)
from dml_vk.array.sorting.sorts import sort
from dml_vk.array.statistics.quantile_positions import (
    CHOOSING,
    Places,
    places,
    to_fractions,
    to_method,
)
from dml_vk.array.statistics.reductions import (
    computed_in,
    count_nonzero,
    reduced_axes,
    reduced_layout,
)
from dml_vk.array.statistics.weighted_quantiles import of_weighted, weights_beside
from dml_vk.dtypes import DType, float32, float64, int64
from dml_vk.errors import ErrorsAs, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.host import Array, ArrayLike
from dml_vk.tensor.operands import check_ordered, result_over, to_tensor

_MEDIAN = "median"  # the mean of the two middle elements


@hinted
def median(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the medians over these axes, or the means of the two middle elements; NaN if any is.

    The median of no elements is NaN. Complex numbers are in the order of `sort`.

    >>> import dml_vk
    >>> dml_vk.median(dml_vk.asarray([[5.0, 1.0, 3.0], [2.0, 8.0, 4.0]]), axis=1).tolist()
    [3.0, 4.0]
    """
    return _quantiles("median", x, 0.5, axis, _MEDIAN, keepdims, out, False)


@hinted
def quantile(
    x: Tensor,
    /,
    q: ArrayLike,
    axis: Axes | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the q-th quantiles over these axes; NaN if any element is NaN.

    q is a number from 0 to 1, or several in a list, an array or a tensor, which is waited for;
    their dims come first in the result. Positions are computed in float64 by `method`, one of
    `linear`, `lower`, `higher`, `nearest`, `inverted_cdf`, `closest_observation`, `midpoint`,
    `averaged_inverted_cdf`, `interpolated_inverted_cdf`, `hazen`, `weibull`, `median_unbiased` and
    `normal_unbiased`. With `inverted_cdf` elements may have weights, of the shape of x or of its
    sizes along the axes, for which the call waits.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, 2.0, 4.0, 8.0])
    >>> dml_vk.quantile(x, [0.0, 0.5, 0.75]).tolist()
    [1.0, 3.0, 5.0]
    >>> dml_vk.quantile(x, 0.5, method="higher").item()
    4.0
    """
    return _of_share("quantile", x, q, axis, method, keepdims, weights, out)


@hinted
def percentile(
    x: Tensor,
    /,
    q: ArrayLike,
    axis: Axes | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the q-th percentiles over these axes, with the options of `quantile`.

    >>> import dml_vk
    >>> dml_vk.percentile(dml_vk.asarray([1.0, 2.0, 4.0, 8.0]), 75).item()
    5.0
    """
    return _of_share("percentile", x, q, axis, method, keepdims, weights, out)


@hinted
def nanmedian(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the medians over these axes, ignoring NaN; NaN if all are NaN.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan"), 4.0], [float("nan")] * 3])
    >>> dml_vk.nanmedian(x, axis=1).tolist()
    [2.5, nan]
    """
    return _quantiles("nanmedian", x, 0.5, axis, _MEDIAN, keepdims, out, True)


@hinted
def nanquantile(
    x: Tensor,
    /,
    q: ArrayLike,
    axis: Axes | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the quantiles over these axes, ignoring NaN, as `quantile`; NaN if all are NaN.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan"), 4.0], [float("nan")] * 3])
    >>> dml_vk.nanquantile(x, 0.25, axis=1).tolist()
    [1.75, nan]
    """
    return _of_share("nanquantile", x, q, axis, method, keepdims, weights, out)


@hinted
def nanpercentile(
    x: Tensor,
    /,
    q: ArrayLike,
    axis: Axes | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the percentiles over these axes, ignoring NaN, as `percentile`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan"), 4.0], [float("nan")] * 3])
    >>> dml_vk.nanpercentile(x, 100, axis=1).tolist()
    [4.0, nan]
    """
    return _of_share("nanpercentile", x, q, axis, method, keepdims, weights, out)


def _of_share(
    what: str,
    x: Tensor,
    q: ArrayLike,
    axis: Axes | None,
    method: str,
    keepdims: bool,
    weights: Tensor | None,
    out: Tensor | None,
) -> Tensor:
    x, weights = upload_operands(what, x, weights)
    to_tensor(what, "x", x)
    shares = to_fractions(what, q, 100 if what.endswith("percentile") else 1)
    rule = to_method(what, method)
    if weights is not None:
        weights = weights_beside(what, x, weights, axis, rule)
    without_nan = what.startswith("nan")
    return _quantiles(what, x, shares, axis, rule, keepdims, out, without_nan, weights)


def _quantiles(
    what: str,
    x: Tensor,
    q: ArrayLike,
    axis: Axes | None,
    method: str,
    keepdims: bool,
    out: Tensor | None,
    without_nan: bool,
    weights: Tensor | None = None,
) -> Tensor:
    x, q = to_tensor(what, "x", x), np.asarray(q)
    axes, floats = reduced_axes(what, x, axis), x.dtype.kind in "fc"
    if method != _MEDIAN:
        check_ordered(what, x)
    left = reduced_layout(x.layout, axes, to_bool(what, "keepdims", keepdims))
    dtype = x.dtype if floats or method in CHOOSING else float32
    target = result_over(what, _with_dims_before(left, q.shape), dtype, x, out)
    rows = rows_of(what, x, axes)
    count = rows.shape[0]
    if not count and method != _MEDIAN:
        rule = "zero-size reduction has no identity"
        raise RangeError(what, rule, axis=axis, shape=x.shape)
    if not count:
        return filled(target, what, np.nan)
    if not target.size:
        return target
    with ErrorsAs(what):
        if weights is not None:
            return of_weighted(what, x, q, axes, weights, without_nan, target)
        ordered = sort(rows, axis=0)
        shares = q.reshape(-1, *[1] * (rows.ndim - 1))
        if without_nan and floats:
            numbers = count_nonzero(equal(ordered, ordered), 0, keepdims=True)
            on_device = asarray(shares, device=x.device)
            positions = places(elementwise, method, on_device, astype(numbers, float64))
        else:
            positions = places(np, method, shares, np.float64(count))
        result = reshape(_between(ordered, positions, method, dtype), target.shape)
        if floats and not without_nan:
            # A NaN is sorted last.
            none = reshape(isnan(ordered[-1]), left.sizes)
            result = where(none, np.nan, result)
        return _written(what, result, target)


def _with_dims_before(left: Layout, sizes: Ints) -> Layout:
    """Return a packed layout with new outermost dims of these sizes."""
    order = (*range(len(sizes)), *[dim + len(sizes) for dim in left.order])
    return Layout.packed((*sizes, *left.sizes), order)


def rows_of(what: str, x: Tensor, axes: Ints) -> Tensor:
    """Merge the reduced dims, in any order, to one dim in front: a view if strides allow it."""
    layout = x.layout
    inner = [dim for dim in layout.order if dim in axes]
    others = [dim for dim in range(layout.rank) if dim not in axes]
    seen = layout.permute((*inner, *others))
    length = Layout(seen.sizes[: len(inner)]).numel
    rows = seen.view((length, *seen.sizes[len(inner) :]))
    if rows is not None:
        return x.over(rows)
    temporary = tensor_over(what, Layout(seen.sizes), x.dtype, x.device, x.allocation)
    copy_elements(what, x.over(seen), temporary)
    return reshape(temporary, (length, *seen.sizes[len(inner) :]))


def _between(ordered: Tensor, positions: Places, method: str, dtype: DType) -> Tensor:
    """Return the elements at these places, or interpolate between them."""
    below = _at(ordered, positions.below)
    if method in CHOOSING or (isinstance(positions.part, np.ndarray) and not positions.part.any()):
        return below if below.dtype is dtype else astype(below, dtype)
    wide = computed_in(dtype, below.dtype)
    low = astype(below, wide, copy=False)
    high = astype(_at(ordered, positions.above), wide, copy=False)
    if method == _MEDIAN:
        between = multiply(add(low, high), 0.5)
    else:
        between = _interpolated(low, high, positions.part)
    # Equal elements keep their bits, and infinities do not become NaN.
    result: Tensor = whole(_unless_equal, (low, high, between), None)
    return result


def _unless_equal(operands: Sequence[Tensor], out: Tensor | None) -> Tensor:
    """Return what is between two elements, or both if they are equal.

    Its gradient is that of the interpolation, also where they are.
    """
    low, high, between = operands
    return where(equal(low, high), low, between, out=out)


def _interpolated(low: Tensor, high: Tensor, part: Tensor) -> Tensor:
    """Interpolate from the nearer element, as NumPy does, so that results stay between both."""
    wide = low.dtype
    rest = 1 - part
    if isinstance(part, np.ndarray):
        part, rest = (asarray(weight, wide, device=low.device) for weight in (part, rest))
    else:
        part, rest = (astype(weight, wide, copy=False) for weight in (part, rest))
    off = subtract(high, low)
    upwards, downwards = add(low, multiply(off, part)), subtract(high, multiply(off, rest))
    return where(greater_equal(part, 0.5), downwards, upwards)


def _at(ordered: Tensor, index: Array | Tensor) -> Tensor:
    """Return the elements at indexes of the first dim, shared by all slices or one for each."""
    if not isinstance(index, Tensor):
        return take(ordered, index.reshape(-1).astype(np.int64), axis=0)
    return elements_at(ordered, astype(index, int64))


def _written(what: str, result: Tensor, target: Tensor) -> Tensor:
    if result.dtype is not target.dtype:
        return astype(result, target.dtype, out=target)
    copy_elements(what, result, target)
    return target
