"""Reductions: sums, means, extremes and truths over some or all axes of a tensor.

Named and called as in the array API standard, and `out=` on all. The result keeps the memory format
of what is left of x. Sums of floats are added in an order that depends on nothing but the shape and
the axes, as `dml_vk.ops.reduce` tells: the bits are the same on every device and for every layout,
and the error grows with the logarithm of what is added, as NumPy's does at best.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dml_vk.dtypes import DType, bool_, float32, float64, int64
from dml_vk.error_names import ErrorsAs
from dml_vk.errors import DTypeError, LayoutError, RangeError, explain
from dml_vk.functions import astype, divide
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.manipulation import to_axes
from dml_vk.operands import (
    check_dtype,
    of_kinds,
    result_over,
    sum_dtype,
    to_number,
    to_tensor,
    typed,
)
from dml_vk.ops.elementwise import Typed, cast_elements, compute, converted, scalar_words
from dml_vk.ops.reduce import reduce_elements
from dml_vk.strides.order import Axes, Ints, is_one, row_major, to_bool
from dml_vk.tensor import Tensor, tensor_over


def sum(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The sums over these axes, or over all.

    Integers are added as int64 or uint64, bools as int64, and floats in their own dtype, unless
    `dtype` says otherwise; float16 is added in float32 and rounded once.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> dml_vk.sum(x).item(), dml_vk.sum(x, axis=0).tolist()
    (21, [5, 7, 9])
    >>> dml_vk.sum(x, axis=1, keepdims=True).tolist()
    [[6], [15]]
    """
    return _accumulated("sum", x, axis, dtype, keepdims, out)


def prod(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The products over these axes, or over all; dtypes and order are those of `sum`.

    >>> import dml_vk
    >>> dml_vk.prod(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), axis=1).tolist()
    [6, 120]
    """
    return _accumulated("prod", x, axis, dtype, keepdims, out)


def max(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The largest elements over these axes; NaN where there is one, and +0 is more than -0.

    >>> import dml_vk
    >>> dml_vk.max(dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]]), axis=0).tolist()
    [3.0, 7.0]
    """
    return _reduced("max", x, _of("max", x, "iuf").dtype, axis, keepdims, out)


def min(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The smallest elements over these axes; NaN where there is one, and -0 is less than +0.

    >>> import dml_vk
    >>> dml_vk.min(dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]]), axis=0).tolist()
    [1.0, 2.0]
    """
    return _reduced("min", x, _of("min", x, "iuf").dtype, axis, keepdims, out)


def any(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Whether any element over these axes is true, that is not 0; NaN is true.

    >>> import dml_vk
    >>> dml_vk.any(dml_vk.asarray([[0, 0], [0, 3]]), axis=1).tolist()
    [False, True]
    """
    return _reduced("any", x, bool_, axis, keepdims, out)


def all(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Whether all elements over these axes are true, that is not 0; NaN is true.

    >>> import dml_vk
    >>> dml_vk.all(dml_vk.asarray([[0, 1], [2, 3]]), axis=1).tolist()
    [False, True]
    """
    return _reduced("all", x, bool_, axis, keepdims, out)


def count_nonzero(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """How many elements over these axes are not 0, as int64; NaN is not 0.

    >>> import dml_vk
    >>> dml_vk.count_nonzero(dml_vk.asarray([[0, 1], [2, 3]]), axis=1).tolist()
    [1, 2]
    """
    return _reduced("count_nonzero", x, int64, axis, keepdims, out)


def argmax(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The index of the first of the largest elements, or of the first NaN, along an axis as int64.

    Without an axis it is the index in the flattened tensor.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]])
    >>> dml_vk.argmax(x).item(), dml_vk.argmax(x, axis=0).tolist()
    (1, [1, 0])
    """
    return _arg("argmax", x, axis, keepdims, out)


def argmin(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The index of the first of the smallest elements, or of the first NaN, as `argmax`.

    >>> import dml_vk
    >>> dml_vk.argmin(dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]]), axis=0).tolist()
    [0, 1]
    """
    return _arg("argmin", x, axis, keepdims, out)


def mean(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """The sums over these axes, divided by how many there are; of nothing it is NaN.

    Integers and bools are added exactly, rounded to float32 and divided.

    >>> import dml_vk
    >>> dml_vk.mean(dml_vk.asarray([True, False, True, True])).item()
    0.75
    >>> dml_vk.mean(dml_vk.asarray([[1.0, 2.0], [3.0, 5.0]]), axis=0).tolist()
    [2.0, 3.5]
    """
    what = "mean"
    x, axes = _of(what, x, "biuf"), reduced_axes(what, x, axis)
    if x.dtype.kind != "f":
        with ErrorsAs(what):
            total = astype(sum(x, axis=axes, keepdims=keepdims), float32)
            return divide(total, _count(x, axes), out=out)
    target = reduced_target(what, x, axes, keepdims, x.dtype, out)
    _divided_sum(what, x, axes, _count(x, axes), target, keepdims)
    return target


def var(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The variances of floats over these axes: the mean square of what they are off their mean.

    It is divided by how many there are less `correction`, or by 0 if that is negative. NumPy's name
    for that, `ddof`, will do as well.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 2.0], [3.0, 6.0]])
    >>> dml_vk.var(x, axis=0).tolist(), dml_vk.var(x, axis=0, correction=1).tolist()
    ([1.0, 4.0], [2.0, 8.0])
    """
    return _spread("var", x, axis, correction, ddof, keepdims, out)


def std(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The standard deviations of floats over these axes: the square roots of `var`.

    >>> import dml_vk
    >>> dml_vk.std(dml_vk.asarray([[1.0, 2.0], [3.0, 6.0]]), axis=0).tolist()
    [1.0, 2.0]
    """
    return _spread("std", x, axis, correction, ddof, keepdims, out)


def _of(what: str, x: object, kinds: str) -> Tensor:
    tensor = to_tensor(what, "x", x)
    check_dtype(what, tensor.dtype, of_kinds(kinds))
    return tensor


def reduced_axes(what: str, x: Tensor, axis: Axes | None) -> Ints:
    """Those that are reduced, ascending."""
    if axis is None:
        return row_major(x.layout.rank)
    return tuple(sorted(to_axes(what, axis, x.layout.rank)))


def _count(x: Tensor, axes: Ints) -> int:
    """How many elements come to one."""
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return count


@lru_cache(maxsize=4096)
def reduced_layout(layout: Layout, axes: Ints, keepdims: bool) -> Layout:
    """What these axes leave of a layout, packed in its order."""
    if keepdims:
        sizes = [1 if dim in axes else size for dim, size in enumerate(layout.sizes)]
        return Layout.packed(sizes, layout.order)
    kept = [dim for dim in range(layout.rank) if dim not in axes]
    order = [kept.index(dim) for dim in layout.order if dim not in axes]
    return Layout.packed([layout.sizes[dim] for dim in kept], order)


@lru_cache(maxsize=4096)
def _without(layout: Layout, axes: Ints) -> Layout:
    """The same elements without these dims, which have one index each."""
    kept = [dim for dim in range(layout.rank) if dim not in axes]
    sizes, strides = [layout.sizes[dim] for dim in kept], [layout.strides[dim] for dim in kept]
    return Layout(sizes, strides, layout.offset)


def reduced_target(
    what: str, x: Tensor, axes: Ints, keepdims: bool, dtype: DType, out: Tensor | None
) -> Tensor:
    left = reduced_layout(x.layout, axes, to_bool(what, "keepdims", keepdims))
    return result_over(what, left, dtype, x, out)


def _reduce(what: str, name: str, x: Tensor, axes: Ints, target: Tensor, keepdims: bool) -> None:
    """Into a target that has the reduced dims if they are kept."""
    to = target.strided
    if keepdims:
        to = to.over(_without(to.layout, axes))
    reduce_elements(what, name, typed(x), Typed(to, target.dtype), axes)


def _reduced(
    what: str, x: Tensor, dtype: DType, axis: Axes | None, keepdims: bool, out: Tensor | None
) -> Tensor:
    """By the reduction that has the function's name."""
    x = to_tensor(what, "x", x)
    axes = reduced_axes(what, x, axis)
    target = reduced_target(what, x, axes, keepdims, dtype, out)
    _reduce(what, what, x, axes, target, keepdims)
    return target


def _arg(what: str, x: Tensor, axis: int | None, keepdims: bool, out: Tensor | None) -> Tensor:
    x = _of(what, x, "biuf")
    check_one_axis(what, axis)
    return _reduced(what, x, int64, axis, keepdims, out)


def check_one_axis(what: str, axis: Any) -> None:
    if not is_one(axis):
        raise LayoutError(explain(what, "axis must be one integer, or None for all", axis=axis))


def _accumulated(
    what: str, x: Tensor, axis: Axes | None, dtype: object, keepdims: bool, out: Tensor | None
) -> Tensor:
    """Sums and products, in the dtype that is asked for."""
    x = to_tensor(what, "x", x)
    axes = reduced_axes(what, x, axis)
    wanted = sum_dtype(what, x.dtype, dtype)
    target = reduced_target(what, x, axes, keepdims, wanted, out)
    if x.dtype is float64 and wanted.kind == "f" and wanted is not float64:
        # Added as it is, and rounded once.
        wide = reduced_target(what, x, axes, keepdims, float64, None)
        _reduce(what, what, x, axes, wide, keepdims)
        cast_elements(what, typed(wide), typed(target))
        return target
    if (x.dtype.kind == "f") != (wanted.kind == "f"):
        x = Tensor(*converted(what, typed(x), computed_in(wanted)))
    _reduce(what, what, x, axes, target, keepdims)
    return target


def computed_in(dtype: DType) -> DType:
    """In what a result of this dtype is computed."""
    return float32 if dtype.kind == "f" and dtype.itemsize == 2 else dtype


def _divided_sum(
    what: str, x: Tensor, axes: Ints, by: float, target: Tensor, keepdims: bool
) -> None:
    """Write sums, divided and then rounded to the target's dtype."""
    wide = computed_in(target.dtype)
    sums = target if wide is target.dtype else reduced_target(what, x, axes, keepdims, wide, None)
    _reduce(what, "sum", x, axes, sums, keepdims)
    words = scalar_words(what, "count", wide, by)
    compute(what, OPERATORS["divide"], [typed(sums), None], typed(target), wide, words)


def to_correction(what: str, correction: Any, ddof: Any) -> float:
    """What a count is lessened by, under either name."""
    if ddof is not None and not (isinstance(correction, float) and correction == 0):
        must = "correction and ddof must not both be given"
        raise RangeError(explain(what, must, correction=correction, ddof=ddof))
    name, less = ("correction", correction) if ddof is None else ("ddof", ddof)
    try:
        return float(to_number(what, name, less))
    except OverflowError:
        raise DTypeError(explain(what, f"{name} must be a real number", **{name: less})) from None


def _spread(
    what: str,
    x: Tensor,
    axis: Axes | None,
    correction: float,
    ddof: float | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    """The variance, and for `std` its root. float16 is rounded at the end alone."""
    x = _of(what, x, "f")
    axes = reduced_axes(what, x, axis)
    by = _count(x, axes) - to_correction(what, correction, ddof)
    target = reduced_target(what, x, axes, keepdims, x.dtype, out)
    wide = computed_in(x.dtype)
    means = reduced_target(what, x, axes, True, wide, None)
    _divided_sum(what, x, axes, _count(x, axes), means, True)
    squares = tensor_over(what, x.layout.like(), wide, x.device, x.strided.allocation)
    sources, to = [typed(x), typed(means)], typed(squares)
    if wide is float64:
        compute(what, OPERATORS["subtract"], sources, to, wide)
        compute(what, OPERATORS["square"], [to], to, wide)
    else:
        compute(what, OPERATORS["difference_square"], sources, to, wide)
    del means
    root = what == "std"
    variances = reduced_target(what, x, axes, keepdims, wide, None) if root else target
    _divided_sum(what, squares, axes, 0.0 if by <= 0 else by, variances, keepdims)
    if root:
        compute(what, OPERATORS["sqrt"], [typed(variances)], typed(target), wide)
    return target
