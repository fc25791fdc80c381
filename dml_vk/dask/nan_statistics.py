"""Sums, means and variances of arrays of Dask that ignore NaN, with the bits of one tensor.

The names and parameters are those of dask.array. See `dml_vk.dask.statistics`.
"""

from __future__ import annotations

from functools import partial

import dask.array as da
import numpy as np
from dask.graph_manipulation import clone

from dml_vk.arguments import Axes
from dml_vk.array.data_types import imag, real
from dml_vk.array.math.elementwise import (
    add,
    divide,
    equal,
    greater,
    isnan,
    sqrt,
    square,
    subtract,
    where,
)
from dml_vk.array.statistics.moments import to_correction
from dml_vk.array.statistics.nan_statistics import filled
from dml_vk.array.statistics.reductions import computed_in
from dml_vk.dask import statistics
from dml_vk.dask.chunks import meta_like
from dml_vk.dask.statistics import (
    SplitEvery,
    as_dtype,
    axes_of,
    dtype_of,
    fallback_to_dask,
    map_chunks,
    store_out,
)
from dml_vk.dtypes import DType, DTypeLike, bool_, to_dtype
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor


@fallback_to_dask
def nansum(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the sums over these axes, ignoring NaN, with the bits of `dml_vk.nansum`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, float("nan")], [3.0, 2.0]], chunks=1)
    >>> dml_vk.dask.nansum(x, axis=1).compute().tolist()
    [1.0, 5.0]
    """
    return statistics.sum(_filled(x, 0), axis, dtype, keepdims, split_every, out)


@fallback_to_dask
def nanprod(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the products over these axes, ignoring NaN, with the bits of `dml_vk.nanprod`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, float("nan")], [3.0, 2.0]], chunks=1)
    >>> dml_vk.dask.nanprod(x, axis=0).compute().tolist()
    [3.0, 2.0]
    """
    return statistics.prod(_filled(x, 1), axis, dtype, keepdims, split_every, out)


@fallback_to_dask
def nanmean(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the means over these axes, ignoring NaN, with the bits of `dml_vk.nanmean`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, float("nan")], [3.0, 2.0]], chunks=1)
    >>> dml_vk.dask.nanmean(x, axis=0).compute().tolist()
    [2.0, 2.0]
    """
    if dtype is not None:
        x = as_dtype(x, to_dtype("nanmean", dtype))
    kind = dtype_of(x)
    if kind.kind not in "fc":
        return statistics.mean(x, axis, None, keepdims, split_every, out)
    return store_out(as_dtype(_mean(x, axis, computed_in(kind), keepdims), kind), out)


@fallback_to_dask
def nanvar(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the variances over these axes, ignoring NaN, with the bits of `dml_vk.nanvar`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, float("nan")], [3.0, 2.0]], chunks=1)
    >>> dml_vk.dask.nanvar(x, axis=1).compute().tolist()
    [0.0, 0.25]
    """
    return store_out(_spread("nanvar", x, axis, dtype, keepdims, ddof), out)


@fallback_to_dask
def nanstd(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the standard deviations over these axes, ignoring NaN: the square roots of `nanvar`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, float("nan")], [3.0, 2.0]], chunks=1)
    >>> dml_vk.dask.nanstd(x, axis=1).compute().tolist()
    [0.0, 0.5]
    """
    return store_out(_spread("nanstd", x, axis, dtype, keepdims, ddof), out)


def _filled(x: da.Array, number: int) -> da.Array:
    return map_chunks(x, partial(filled, number=number), dtype_of(x))


def _counts(x: da.Array, axes: Axes | None, keepdims: bool) -> da.Array:
    """How many elements are not NaN, in the dtype that x is computed in."""
    counts = statistics.sum(map_chunks(x, _is_number, bool_), axes, keepdims=keepdims)
    return as_dtype(counts, computed_in(dtype_of(x)).part)


def _mean(x: da.Array, axes: Axes | None, wide: DType, keepdims: bool) -> da.Array:
    total = statistics.sum(as_dtype(_filled(x, 0), wide), axes, keepdims=keepdims)
    counts = _counts(x, axes, keepdims)
    return da.map_blocks(divide, total, counts, meta=total._meta)


def _spread(
    what: str, x: da.Array, axis: Axes | None, dtype: DTypeLike | None, keepdims: bool, ddof: float
) -> da.Array:
    if dtype is not None:
        x = as_dtype(x, to_dtype(what, dtype))
    axes, less = axes_of(what, x, axis), to_correction(what, 0.0, ddof)
    kind = float_dtype(dtype_of(x))
    wide = computed_in(kind, dtype_of(x))
    x = x if dtype_of(x).kind in "fc" else as_dtype(x, wide)
    # As in `var`, chunks are computed again for the second pass.
    again, means = as_dtype(clone(x, seed=what), wide), _mean(as_dtype(x, wide), axes, wide, True)
    squares = da.map_blocks(_squares, again, means, meta=meta_like(again, wide.part))
    total = statistics.sum(squares, axes, keepdims=keepdims)
    counts = _counts(x, axes, keepdims)
    variances = da.map_blocks(partial(_quotient, less=less), total, counts, meta=total._meta)
    return as_dtype(
        map_chunks(variances, sqrt, wide.part) if what == "nanstd" else variances, kind.part
    )


def _is_number(x: Tensor) -> Tensor:
    return equal(x, x)


def _squares(x: Tensor, mean: Tensor) -> Tensor:
    """The squares of the distances from the mean, 0 for NaN."""
    off = subtract(x, mean)
    whole = square(off) if off.dtype.kind != "c" else add(square(real(off)), square(imag(off)))
    return where(isnan(x), 0, whole)


def _quotient(total: Tensor, counts: Tensor, less: float) -> Tensor:
    by = subtract(counts, less)
    return divide(total, where(greater(by, 0), by, np.nan))
