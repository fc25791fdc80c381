"""Statistics that ignore NaN, as in NumPy's functions of the same names.

Integers and bools have no NaN, so for them these functions are the same as the plain ones. Means
and variances are in `nan_moments`, medians and quantiles in `quantiles`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dml_vk.arguments import Axes, to_axis
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.clipping import clip
from dml_vk.array.math.cumulative import cumulative_prod, cumulative_sum
from dml_vk.array.math.elementwise import (
    astype,
    equal,
    isnan,
    where,
)
from dml_vk.array.statistics import reductions
from dml_vk.array.statistics.reductions import (
    check_one_axis,
    computed_in,
    count_nonzero,
    reduced_axes,
    reduced_target,
)
from dml_vk.dtypes import DType, DTypeLike, int64
from dml_vk.errors import ErrorsAs, RangeError
from dml_vk.hints import hinted
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.parts import as_parts
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    result_over,
    sum_dtype,
    to_number,
    to_tensor,
)


def nan_to_num(
    x: Tensor,
    /,
    *,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Replace NaN and the infinities with other numbers.

    By default, infinities become the largest and the smallest number of the dtype. In complex
    numbers each part is replaced.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.5, float("nan"), float("-inf")])
    >>> dml_vk.nan_to_num(x, nan=-1.0, neginf=-9.0).tolist()
    [1.5, -1.0, -9.0]
    """
    what = "nan_to_num"
    x, nan = to_tensor(what, "x", x), to_number(what, "nan", nan)
    bounds = {"posinf": posinf, "neginf": neginf}
    replacements = {
        name: to_number(what, name, number) for name, number in bounds.items() if number is not None
    }
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if x.dtype.kind not in "fc":
        copy_elements(what, x, target)
        return target
    to = target
    if x.dtype.kind == "c":
        x, to = Tensor(as_parts(x)), Tensor(as_parts(target))
    result, most = x, float(np.finfo(x.dtype.numpy_name).max)
    with ErrorsAs(what):
        for name, infinity in (("posinf", np.inf), ("neginf", -np.inf)):
            if name in replacements:
                result = where(equal(x, infinity), replacements[name], result)
        # A given replacement may itself be infinite, and must not be clipped.
        upper, lower = (None if name in replacements else most for name in ("posinf", "neginf"))
        if upper or lower:
            result = clip(result, lower and -lower, upper)
        where(isnan(x), nan, result, out=to)
    return target


@hinted
def nansum(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sums over these axes, ignoring NaN; 0 if all are NaN. Dtypes are those of `sum`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nansum(x, axis=1).tolist()
    [1.0, 5.0]
    """
    return _accumulated("nansum", reductions.sum, 0, x, axis, dtype, keepdims, out)


@hinted
def nanprod(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the products over these axes, ignoring NaN; 1 if all are NaN. Dtypes as in `sum`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanprod(x, axis=0).tolist()
    [3.0, 2.0]
    """
    return _accumulated("nanprod", reductions.prod, 1, x, axis, dtype, keepdims, out)


@hinted
def nanmax(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the maxima over these axes, ignoring NaN; NaN if all are NaN.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanmax(x, axis=0).tolist()
    [3.0, 2.0]
    """
    return _extreme("nanmax", reductions.max, -np.inf, x, axis, keepdims, out)


@hinted
def nanmin(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the minima over these axes, ignoring NaN; NaN if all are NaN.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanmin(x, axis=0).tolist()
    [1.0, 2.0]
    """
    return _extreme("nanmin", reductions.min, np.inf, x, axis, keepdims, out)


@hinted
def nanargmax(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the index of the first maximum along an axis, ignoring NaN, as int64.

    A slice with only NaN is an error, as in NumPy. Only the device knows whether there is one, so
    for floats this waits. Unlike in NumPy, the index of an infinity is never that of a NaN before
    it.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanargmax(x).item(), dml_vk.nanargmax(x, axis=0).tolist()
    (2, [1, 1])
    """
    return _arg("nanargmax", reductions.argmax, nanmax, x, axis, keepdims, out)


@hinted
def nanargmin(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the index of the first minimum along an axis, ignoring NaN, as int64.

    It waits, and a slice with only NaN is an error, as for `nanargmax`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanargmin(x).item(), dml_vk.nanargmin(x, axis=0).tolist()
    (0, [0, 1])
    """
    return _arg("nanargmin", reductions.argmin, nanmin, x, axis, keepdims, out)


@hinted
def nancumsum(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the cumulative sums along an axis, or of all flattened, with NaN as 0.

    Dtypes and order are those of `cumulative_sum`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nancumsum(x).tolist()
    [1.0, 1.0, 4.0, 6.0]
    """
    return _cumulative("nancumsum", cumulative_sum, 0, x, axis, dtype, out)


@hinted
def nancumprod(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the cumulative products along an axis, or of all flattened, with NaN as 1.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nancumprod(x, axis=1).tolist()
    [[1.0, 1.0], [3.0, 6.0]]
    """
    return _cumulative("nancumprod", cumulative_prod, 1, x, axis, dtype, out)


def filled(x: Tensor, number: complex) -> Tensor:
    """Replace each NaN with a number."""
    return where(isnan(x), number, x) if x.dtype.kind in "fc" else x


def counts(x: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    """Count the elements that are not NaN, in the dtype that x is computed in."""
    counts = count_nonzero(equal(x, x), axes, keepdims=keepdims)
    return astype(counts, computed_in(x.dtype).part)


def same_dtype(target: Tensor, wide: DType) -> Tensor | None:
    """Return the target if it has the dtype of the computation, as its `out`, else None."""
    return target if wide is target.dtype else None


def cast_into(result: Tensor, target: Tensor) -> Tensor:
    return target if result is target else astype(result, target.dtype, out=target)


def _accumulated(
    what: str,
    plain: Callable[..., Tensor],
    nothing: int,
    x: Tensor,
    axis: Axes | None,
    dtype: DTypeLike | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    axes, wanted = reduced_axes(what, x, axis), sum_dtype(what, x.dtype, dtype)
    target = reduced_target(what, x, axes, keepdims, wanted, out)
    with ErrorsAs(what):
        return plain(filled(x, nothing), axes, dtype=wanted, keepdims=keepdims, out=target)


def _extreme(
    what: str,
    plain: Callable[..., Tensor],
    beyond: float,
    x: Tensor,
    axis: Axes | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    """Reduce with NaN replaced by the identity `beyond`; slices of only NaN become NaN again."""
    x = to_tensor(what, "x", x)
    axes = reduced_axes(what, x, axis)
    with ErrorsAs(what):
        if x.dtype.kind not in "fc":
            return plain(x, axes, keepdims=keepdims, out=out)
        target = reduced_target(what, x, axes, keepdims, x.dtype, out)
        number = beyond if x.dtype.kind == "f" else complex(beyond, beyond)
        extremes = plain(filled(x, number), axes, keepdims=keepdims)
        none = reductions.all(isnan(x), axes, keepdims=keepdims)
        return where(none, np.nan, extremes, out=target)


def _arg(
    what: str,
    plain: Callable[..., Tensor],
    extreme: Callable[..., Tensor],
    x: Tensor,
    axis: int | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    check_one_axis(what, axis)
    axes = reduced_axes(what, x, axis)
    target = reduced_target(what, x, axes, keepdims, int64, out)
    with ErrorsAs(what):
        if x.dtype.kind not in "fc":
            return plain(x, axis, keepdims=keepdims, out=target)
        extremes = extreme(x, axes, keepdims=True)
        if reductions.any(isnan(extremes)):
            rule = "a slice along axis is all NaN"
            raise RangeError(what, rule, axis=axis, shape=x.shape)
        return reductions.argmax(equal(x, extremes), axis, keepdims=keepdims, out=target)


def _cumulative(
    what: str,
    plain: Callable[..., Tensor],
    nothing: int,
    x: Tensor,
    axis: int | None,
    dtype: DTypeLike | None,
    out: Tensor | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    wanted = sum_dtype(what, x.dtype, dtype)
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis = to_axis(what, "axis", axis, x.ndim)
    target = result_over(what, x.layout.like(), wanted, x, out)
    with ErrorsAs(what):
        return plain(filled(x, nothing), axis=axis, dtype=wanted, out=target)
