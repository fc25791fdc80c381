"""Sums, means and variances of arrays of Dask, with the bits that one tensor would give.

The names and parameters are those of dask.array. How many chunks there are and where they are cut
does not matter. Where sizes of chunks are not known, Dask's own functions are called instead, whose
sums depend on the chunks.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar, cast

import dask.array as da
import numpy as np
from dask.array import reductions
from dask.graph_manipulation import clone

from dml_vk.arguments import Axes, Ints
from dml_vk.array.manipulation.shapes import squeeze, to_axes
from dml_vk.array.math.elementwise import astype, divide, sqrt, square, subtract
from dml_vk.array.statistics.moments import of_words, to_correction
from dml_vk.array.statistics.reductions import computed_in
from dml_vk.dask.chunks import has_tensors, meta_like, meta_of
from dml_vk.dask.sums import reduced
from dml_vk.dtypes import DTYPES, DType, DTypeLike, float32, float64, to_dtype
from dml_vk.ops.parts import as_parts, words_of
from dml_vk.promotion import float_dtype
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import sum_dtype

SplitEvery = int | Mapping[int, int] | None  # how many chunks are joined at once
_Function = TypeVar("_Function", bound=Callable[..., da.Array])


def has_tensor_chunks(x: da.Array) -> bool:
    """Whether chunks are tensors, and their sizes known."""
    return has_tensors(x) and not np.isnan(x.shape).any()


def fallback_to_dask(function: _Function) -> _Function:
    """Leave other arrays to Dask's function of the same name."""
    theirs = getattr(reductions, function.__name__)

    @functools.wraps(function)
    def call(x: da.Array, *args: object, **kwargs: object) -> da.Array:
        return (function if has_tensor_chunks(x) else theirs)(x, *args, **kwargs)

    return cast(_Function, call)


@fallback_to_dask
def sum(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the sums over these axes, in the order of `dml_vk.sum`.

    >>> import dask.array
    >>> import dml_vk.dask
    >>> x = dml_vk.dask.random.Generator(seed=1).normal((40, 50), chunks=7)
    >>> whole = dml_vk.random.Generator(seed=1).normal((40, 50))
    >>> x.sum().compute().item() == dml_vk.sum(whole).item()
    True
    """
    return _accumulated("sum", x, axis, dtype, keepdims, split_every, out)


@fallback_to_dask
def prod(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the products over these axes, in the order of `dml_vk.prod`.

    >>> import dml_vk.dask
    >>> dml_vk.dask.prod(dml_vk.dask.asarray([[2, 3], [4, 5]], chunks=1), axis=0).compute().tolist()
    [8, 15]
    """
    return _accumulated("prod", x, axis, dtype, keepdims, split_every, out)


@fallback_to_dask
def mean(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the means over these axes, with the bits of `dml_vk.mean`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, 2.0], [3.0, 5.0]], chunks=1)
    >>> dml_vk.dask.mean(x, axis=0).compute().tolist()
    [2.0, 3.5]
    """
    if dtype is not None:
        x = as_dtype(x, to_dtype("mean", dtype))
    axes, kind = axes_of("mean", x, axis), dtype_of(x)
    count = math.prod([x.shape[dim] for dim in axes])
    if kind.kind not in "fc":
        total = _integer_sum(x, axes, keepdims)
        means = as_dtype(map_chunks(total, partial(_quotient, by=count), float64), float32)
    else:
        means = _divided(x, axes, count, kind, keepdims)
    return store_out(means, out)


@fallback_to_dask
def var(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the variances over these axes, with the bits of `dml_vk.var`.

    Chunks are computed twice, for the means and for the squares, unless they were persisted before.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, 2.0], [3.0, 6.0]], chunks=1)
    >>> dml_vk.dask.var(x, axis=0, ddof=1).compute().tolist()
    [2.0, 8.0]
    """
    return store_out(_spread("var", x, axis, dtype, keepdims, ddof), out)


@fallback_to_dask
def std(
    x: da.Array,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    ddof: float = 0,
    split_every: SplitEvery = None,
    out: object = None,
) -> da.Array:
    """Return the standard deviations over these axes, with the bits of `dml_vk.std`.

    Chunks are computed twice, as for `var`.

    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray([[1.0, 2.0], [3.0, 6.0]], chunks=1)
    >>> dml_vk.dask.std(x, axis=0).compute().tolist()
    [1.0, 2.0]
    """
    return store_out(_spread("std", x, axis, dtype, keepdims, ddof), out)


def dtype_of(x: da.Array) -> DType:
    return to_dtype("dask", x.dtype)


def as_dtype(x: da.Array, dtype: DType) -> da.Array:
    """Cast the chunks."""
    return x if dtype_of(x) is dtype else map_chunks(x, partial(_cast, dtype=dtype), dtype)


def map_chunks(x: da.Array, function: Callable[..., Tensor], dtype: DType) -> da.Array:
    """Call a function with each chunk, for a chunk of the same shape and this dtype."""
    return x.map_blocks(function, meta=meta_like(x, dtype))


def _accumulated(
    what: str,
    x: da.Array,
    axis: Axes | None,
    dtype: DTypeLike | None,
    keepdims: bool,
    split_every: SplitEvery,
    out: object,
) -> da.Array:
    axes, own = axes_of(what, x, axis), dtype_of(x)
    wanted = sum_dtype(what, own, None if dtype is None else to_dtype(what, dtype))
    wide = own if own.kind == wanted.kind and own.itemsize > wanted.itemsize else wanted
    x = as_dtype(x, computed_in(wide))
    if wide.kind == "c" and what == "sum":
        total = _whole(reduced(what, _parts(x), axes, wide.part, keepdims=keepdims), wide)
    else:
        total = reduced(what, x, axes, computed_in(wide), keepdims=keepdims)
    return store_out(as_dtype(total, wanted), out)


def _divided(x: da.Array, axes: Ints, by: float, dtype: DType, keepdims: bool) -> da.Array:
    """Sums of real or complex floats, divided and then rounded to this dtype."""
    if dtype.kind == "c":
        return _whole(_divided(_parts(x), axes, by, dtype.part, keepdims), dtype)
    total = reduced(
        "sum", as_dtype(x, computed_in(dtype)), axes, computed_in(dtype), keepdims=keepdims
    )
    return as_dtype(map_chunks(total, partial(_quotient, by=by), computed_in(dtype)), dtype)


def _integer_sum(x: da.Array, axes: Ints, keepdims: bool) -> da.Array:
    """The sums of integers or bools as float64, rounded once."""
    if dtype_of(x).itemsize < 8:
        return as_dtype(sum(x, axes, keepdims=keepdims), float64)
    kinds = DTYPES["uint32"], DTYPES[f"{'u' * (dtype_of(x).kind == 'u')}int32"]
    words = [map_chunks(x, partial(_word_of, number=k), kind) for k, kind in enumerate(kinds)]
    low, high = (sum(word, axes, keepdims=keepdims) for word in words)
    return da.map_blocks(of_words, low, high, meta=meta_like(low, float64))


def _spread(
    what: str, x: da.Array, axis: Axes | None, dtype: DTypeLike | None, keepdims: bool, ddof: float
) -> da.Array:
    if dtype is not None:
        x = as_dtype(x, to_dtype(what, dtype))
    axes = axes_of(what, x, axis)
    count = math.prod([x.shape[dim] for dim in axes])
    by = count - to_correction(what, 0.0, ddof)
    kind = float_dtype(dtype_of(x))
    wide, summed = computed_in(kind.part, dtype_of(x)), axes
    if kind.kind == "c":
        x, summed = _parts(x), (*axes, x.ndim)
    x = as_dtype(x, wide)
    means = _divided(x, axes, count, wide, True)
    # The second pass computes chunks again: else all would have to stay until the means are known.
    squares = da.map_blocks(_squared, clone(x, seed=what), means, meta=x._meta)
    variances = _divided(squares, summed, max(by, 0.0), wide, keepdims)
    if keepdims and kind.kind == "c":
        variances = variances[..., 0]
    return as_dtype(map_chunks(variances, sqrt, wide) if what == "std" else variances, kind.part)


def _cast(x: Tensor, dtype: DType) -> Tensor:
    return astype(x, dtype)


def _quotient(total: Tensor, by: float) -> Tensor:
    return divide(total, float(by))


def _squared(x: Tensor, mean: Tensor) -> Tensor:
    return square(subtract(x, mean))


def _word_of(x: Tensor, number: int) -> Tensor:
    return Tensor(words_of(x)[number])


def _parts(x: da.Array) -> da.Array:
    """The real and the imaginary parts of complex chunks, along one more axis."""
    meta = meta_of(x.ndim + 1, dtype_of(x).part, (*x._meta.layout.order, x.ndim))
    return x.map_blocks(_parts_of, chunks=(*x.chunks, (2,)), new_axis=x.ndim, meta=meta)


def _whole(parts: da.Array, dtype: DType) -> da.Array:
    """The complex numbers that have these parts."""
    last = parts.ndim - 1
    order = [dim for dim in parts._meta.layout.order if dim != last]
    return parts.map_blocks(
        partial(_whole_of, dtype=dtype),
        chunks=parts.chunks[:-1],
        drop_axis=last,
        meta=meta_of(last, dtype, order),
    )


def _parts_of(x: Tensor) -> Tensor:
    return Tensor(as_parts(x))


def _whole_of(parts: Tensor, dtype: DType) -> Tensor:
    return squeeze(parts.view(dtype), axis=-1)


def axes_of(what: str, x: da.Array, axis: Axes | None) -> Ints:
    """The axes in ascending order; all of them for None."""
    return row_major(x.ndim) if axis is None else tuple(sorted(to_axes(what, axis, x.ndim)))


def store_out(result: object, out: object) -> da.Array:
    """Return the result, and store it in Dask's array `out` if that is not None."""
    return result if out is None else da.core.handle_out(out, result)
