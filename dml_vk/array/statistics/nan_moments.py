"""Means, variances and standard deviations that ignore NaN."""

from __future__ import annotations

import numpy as np

from dml_vk.arguments import Axes
from dml_vk.array.data_types import imag, real
from dml_vk.array.math.elementwise import (
    add,
    astype,
    divide,
    greater,
    isnan,
    sqrt,
    square,
    subtract,
    where,
)
from dml_vk.array.statistics import reductions
from dml_vk.array.statistics.moments import mean, to_correction
from dml_vk.array.statistics.nan_statistics import cast_into, counts, filled, same_dtype
from dml_vk.array.statistics.reductions import computed_in, reduced_axes, reduced_target
from dml_vk.dtypes import DTypeLike, float32, to_dtype
from dml_vk.errors import ErrorsAs
from dml_vk.hints import hinted
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import of_kind, to_tensor


@hinted
def nanmean(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the means over these axes, ignoring NaN; NaN if all are NaN.

    With a dtype, elements are converted to it first.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanmean(x, axis=0).tolist()
    [2.0, 2.0]
    """
    what = "nanmean"
    x = _converted(what, x, dtype)
    axes = reduced_axes(what, x, axis)
    with ErrorsAs(what):
        if x.dtype.kind not in "fc":
            return mean(x, axes, keepdims=keepdims, out=out)
        target = reduced_target(what, x, axes, keepdims, x.dtype, out)
        wide = computed_in(x.dtype)
        total = reductions.sum(filled(x, 0), axes, dtype=wide, keepdims=keepdims)
        return cast_into(
            divide(total, counts(x, axes, keepdims), out=same_dtype(target, wide)), target
        )


@hinted
def nanvar(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: DTypeLike | None = None,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the variances over these axes, ignoring NaN, as defined by `var`.

    They are NaN if there are not more numbers than `correction`, or NumPy's `ddof`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanvar(x, axis=1).tolist()
    [0.0, 0.25]
    """
    return _spread("nanvar", x, axis, dtype, correction, ddof, keepdims, out)


@hinted
def nanstd(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: DTypeLike | None = None,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the standard deviations over these axes: the square roots of `nanvar`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, float("nan")], [3.0, 2.0]])
    >>> dml_vk.nanstd(x, axis=1).tolist()
    [0.0, 0.5]
    """
    return _spread("nanstd", x, axis, dtype, correction, ddof, keepdims, out)


def _spread(
    what: str,
    x: Tensor,
    axis: Axes | None,
    dtype: DTypeLike | None,
    correction: float,
    ddof: float | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    x = _converted(what, x, dtype)
    axes, less = reduced_axes(what, x, axis), to_correction(what, correction, ddof)
    target = reduced_target(what, x, axes, keepdims, float_dtype(x.dtype).part, out)
    wide = computed_in(float_dtype(x.dtype), x.dtype)
    x = of_kind(what, x, wide)
    with ErrorsAs(what):
        means = astype(nanmean(astype(x, wide, copy=False), axes, keepdims=True), wide, copy=False)
        off = subtract(astype(x, wide, copy=False), means)
        squares = where(isnan(x), 0, _squared(off))
        total = reductions.sum(squares, axes, keepdims=keepdims)
        by = subtract(counts(x, axes, keepdims), less)
        by = where(greater(by, 0), by, np.nan)
        variances = divide(total, by, out=same_dtype(target, wide.part))
        return cast_into(variances if what == "nanvar" else sqrt(variances, out=variances), target)


def _squared(off: Tensor) -> Tensor:
    """Return the squares of magnitudes; those of floats in place."""
    if off.dtype.kind != "c":
        return square(off, out=off)
    return add(square(real(off)), square(imag(off)))


def _converted(what: str, x: Tensor, dtype: DTypeLike | None) -> Tensor:
    """Convert to the dtype of the computation, if one is given.

    Results of integers are float32 in any case, and are computed without rounding them first.
    """
    x = to_tensor(what, "x", x)
    kind = x.dtype if dtype is None else to_dtype(what, dtype)
    return x if kind is float32 and x.dtype.kind not in "fc" else astype(x, kind, copy=False)
