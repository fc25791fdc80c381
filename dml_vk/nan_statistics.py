"""Statistics of what is a number: NaN is left out, as in NumPy's functions of the same names.

Integers and bools hold no NaN, so on them these functions are the plain ones. Medians and quantiles
of this kind are in `dml_vk.quantiles`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_vk import statistics
from dml_vk.cumulative import cumulative_prod, cumulative_sum
from dml_vk.dtypes import DType, int64
from dml_vk.error_names import ErrorsAs
from dml_vk.errors import RangeError, explain
from dml_vk.functions import (
    astype,
    clip,
    divide,
    equal,
    greater,
    isnan,
    sqrt,
    square,
    subtract,
    where,
)
from dml_vk.manipulation import reshape
from dml_vk.operands import check_dtype, of_kinds, result_over, sum_dtype, to_number, to_tensor
from dml_vk.ops.copy import copy_elements
from dml_vk.statistics import (
    check_one_axis,
    computed_in,
    count_nonzero,
    reduced_axes,
    reduced_target,
    to_correction,
)
from dml_vk.strides.order import Axes, to_index
from dml_vk.tensor import Tensor


def nan_to_num(
    x: Tensor,
    /,
    *,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The elements, with other numbers in the place of NaN and of the infinities.

    These become the largest and the least number of the dtype, unless told otherwise.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.5, float("nan"), float("-inf")])
    >>> dml_vk.nan_to_num(x, nan=-1.0, neginf=-9.0).tolist()
    [1.5, -1.0, -9.0]
    """
    what = "nan_to_num"
    x, nan = to_tensor(what, "x", x), to_number(what, "nan", nan)
    bounds = {"posinf": posinf, "neginf": neginf}
    told = {name: to_number(what, name, one) for name, one in bounds.items() if one is not None}
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if x.dtype.kind != "f":
        copy_elements(what, x.strided, target.strided)
        return target
    found, most = x, float(np.finfo(x.dtype.numpy_name).max)
    with ErrorsAs(what):
        for name, infinity in (("posinf", np.inf), ("neginf", -np.inf)):
            if name in told:
                found = where(equal(x, infinity), told[name], found)
        # What is told may be an infinity itself, and stays.
        upper, lower = (None if name in told else most for name in ("posinf", "neginf"))
        if upper or lower:
            found = clip(found, lower and -lower, upper)
        return where(isnan(x), nan, found, out=target)


def nansum(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The sums over these axes of what is no NaN, 0 where all is; dtypes are those of `sum`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nansum(x, axis=1).tolist()
    [1.0, 5.0]
    """
    return _accumulated("nansum", statistics.sum, 0, x, axis, dtype, keepdims, out)


def nanprod(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The products over these axes of what is no NaN, 1 where all is; dtypes are those of `sum`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanprod(x, axis=0).tolist()
    [3.0, 2.0]
    """
    return _accumulated("nanprod", statistics.prod, 1, x, axis, dtype, keepdims, out)


def nanmax(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The largest elements over these axes that are no NaN; NaN where all are.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanmax(x, axis=0).tolist()
    [3.0, 2.0]
    """
    return _extreme("nanmax", statistics.max, -np.inf, x, axis, keepdims, out)


def nanmin(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The smallest elements over these axes that are no NaN; NaN where all are.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanmin(x, axis=0).tolist()
    [1.0, 2.0]
    """
    return _extreme("nanmin", statistics.min, np.inf, x, axis, keepdims, out)


def nanargmax(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The index, int64, of the first of the largest elements along an axis, NaN left out.

    An error where a slice has no number, as in NumPy. Whether one has only the device knows, so for
    floats this waits. Unlike NumPy's, the index of an infinity is never that of a NaN before it.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanargmax(x).item(), dml_vk.nanargmax(x, axis=0).tolist()
    (2, [1, 1])
    """
    return _arg("nanargmax", statistics.argmax, nanmax, x, axis, keepdims, out)


def nanargmin(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The index, int64, of the first of the smallest elements along an axis, NaN left out.

    It waits, and what has no number is an error, as for `nanargmax`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanargmin(x).item(), dml_vk.nanargmin(x, axis=0).tolist()
    (0, [0, 1])
    """
    return _arg("nanargmin", statistics.argmin, nanmin, x, axis, keepdims, out)


def nanmean(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The means over these axes of what is no NaN; NaN where all is.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanmean(x, axis=0).tolist()
    [2.0, 2.0]
    """
    what = "nanmean"
    x = to_tensor(what, "x", x)
    axes = reduced_axes(what, x, axis)
    if x.dtype.kind != "f":
        with ErrorsAs(what):
            return statistics.mean(x, axes, keepdims=keepdims, out=out)
    target = reduced_target(what, x, axes, keepdims, x.dtype, out)
    wide = computed_in(x.dtype)
    total = statistics.sum(_filled(x, 0), axes, dtype=wide, keepdims=keepdims)
    return _cast(divide(total, _counts(x, axes, keepdims), out=_room(target, wide)), target)


def nanvar(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The variances of floats over these axes, NaN left out, as `var` has them.

    They are NaN where there are no more numbers than `correction`, or NumPy's `ddof`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanvar(x, axis=1).tolist()
    [0.0, 0.25]
    """
    return _spread("nanvar", x, axis, correction, ddof, keepdims, out)


def nanstd(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The standard deviations of floats over these axes: the square roots of `nanvar`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanstd(x, axis=1).tolist()
    [0.0, 0.5]
    """
    return _spread("nanstd", x, axis, correction, ddof, keepdims, out)


def nancumsum(
    x: Tensor, /, axis: int | None = None, *, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """The sum of all elements up to each one along an axis, or of all flattened, NaN as 0.

    Dtypes and order are those of `cumulative_sum`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nancumsum(x).tolist()
    [1.0, 1.0, 4.0, 6.0]
    """
    return _cumulative("nancumsum", cumulative_sum, 0, x, axis, dtype, out)


def nancumprod(
    x: Tensor, /, axis: int | None = None, *, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """The product of all elements up to each one along an axis, or of all flattened, NaN as 1.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nancumprod(x, axis=1).tolist()
    [[1.0, 1.0], [3.0, 6.0]]
    """
    return _cumulative("nancumprod", cumulative_prod, 1, x, axis, dtype, out)


def _filled(x: Tensor, number: float) -> Tensor:
    """With a number in the place of each NaN."""
    return where(isnan(x), number, x) if x.dtype.kind == "f" else x


def _counts(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    """How many elements are no NaN, in the dtype that x is computed in."""
    counts = count_nonzero(equal(x, x), axes, keepdims=keepdims)
    return astype(counts, computed_in(x.dtype))


def _room(target: Tensor, wide: DType) -> Tensor | None:
    """The target itself, for what is computed in its dtype."""
    return target if wide is target.dtype else None


def _cast(found: Tensor, target: Tensor) -> Tensor:
    return target if found is target else astype(found, target.dtype, out=target)


def _accumulated(
    what: str,
    plain: Callable[..., Tensor],
    nothing: int,
    x: Any,
    axis: Axes | None,
    dtype: Any,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    axes, wanted = reduced_axes(what, x, axis), sum_dtype(what, x.dtype, dtype)
    target = reduced_target(what, x, axes, keepdims, wanted, out)
    return plain(_filled(x, nothing), axes, dtype=wanted, keepdims=keepdims, out=target)


def _extreme(
    what: str,
    plain: Callable[..., Tensor],
    beyond: float,
    x: Any,
    axis: Axes | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    """NaNs become an infinity that no number is beyond, and so does a result of nothing else."""
    x = to_tensor(what, "x", x)
    axes = reduced_axes(what, x, axis)
    if x.dtype.kind != "f":
        with ErrorsAs(what):
            return plain(x, axes, keepdims=keepdims, out=out)
    target = reduced_target(what, x, axes, keepdims, x.dtype, out)
    with ErrorsAs(what):
        found = plain(_filled(x, beyond), axes, keepdims=keepdims)
        none = statistics.all(isnan(x), axes, keepdims=keepdims)
        return where(none, np.nan, found, out=target)


def _arg(
    what: str,
    plain: Callable[..., Tensor],
    extreme: Callable[..., Tensor],
    x: Any,
    axis: int | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    check_one_axis(what, axis)
    axes = reduced_axes(what, x, axis)
    target = reduced_target(what, x, axes, keepdims, int64, out)
    with ErrorsAs(what):
        if x.dtype.kind != "f":
            return plain(x, axis, keepdims=keepdims, out=target)
        found = extreme(x, axes, keepdims=True)
        if statistics.any(isnan(found)):
            must = "there must be a number in each slice along axis"
            raise RangeError(explain(what, must, axis=axis, shape=x.shape))
        return statistics.argmax(equal(x, found), axis, keepdims=keepdims, out=target)


def _spread(
    what: str,
    x: Any,
    axis: Axes | None,
    correction: float,
    ddof: float | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("f"))
    axes, less = reduced_axes(what, x, axis), to_correction(what, correction, ddof)
    target = reduced_target(what, x, axes, keepdims, x.dtype, out)
    wide = computed_in(x.dtype)
    means = astype(nanmean(astype(x, wide, copy=False), axes, keepdims=True), wide, copy=False)
    off = subtract(astype(x, wide, copy=False), means)
    squares = where(isnan(x), 0, square(off, out=off))
    total = statistics.sum(squares, axes, keepdims=keepdims)
    by = subtract(_counts(x, axes, keepdims), less)
    by = where(greater(by, 0), by, np.nan)
    if what == "nanvar":
        return _cast(divide(total, by, out=_room(target, wide)), target)
    return _cast(sqrt(divide(total, by), out=_room(target, wide)), target)


def _cumulative(
    what: str,
    plain: Callable[..., Tensor],
    nothing: int,
    x: Any,
    axis: int | None,
    dtype: Any,
    out: Tensor | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    wanted = sum_dtype(what, x.dtype, dtype)
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis = to_index(what, "axis", axis, x.ndim)
    target = result_over(what, x.layout.like(), wanted, x, out)
    return plain(_filled(x, nothing), axis=axis, dtype=wanted, out=target)
