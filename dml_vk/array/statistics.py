"""Reductions: sums, means, minima and maxima, `any` and `all`, over some or all axes.

Named and called as in the array API standard, and all with `out=`. The result keeps the memory
format of the remaining dims. Floats are added in an order that depends only on the shape and the
axes, as specified in `dml_vk.ops.reduce`: the bits are the same on every device and for every
layout, and errors grow with the logarithm of the number of elements, as in NumPy's best case.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from dml_vk.arguments import Axes, Ints, is_axis_of_none, is_one, to_bool
from dml_vk.array.calls import call
from dml_vk.array.complex_extremes import is_extreme, write_extreme
from dml_vk.array.manipulation import to_axes
from dml_vk.dtypes import DType, bool_, complex128, float32, float64, int64, to_dtype, uint8
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.ops.complex_products import multiply_along
from dml_vk.ops.elementwise import cast_elements, check_cast, converted
from dml_vk.ops.parts import as_parts
from dml_vk.ops.reduce import reduce_elements
from dml_vk.ops.view import View, with_dtype, with_layout
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    check_dtype,
    of_kinds,
    result_over,
    sum_dtype,
    to_tensor,
)
from dml_vk.tracing.formats import operation


@hinted
def sum(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sums over these axes, or over all.

    Unless `dtype` is given, integers are added as int64 or uint64, bools as int64, and floats in
    their own dtype; float16 is added in float32 and rounded once.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> dml_vk.sum(x).item(), dml_vk.sum(x, axis=0).tolist()
    (21, [5, 7, 9])
    >>> dml_vk.sum(x, axis=1, keepdims=True).tolist()
    [[6], [15]]
    """
    return _accumulated("sum", x, axis, dtype, keepdims, out)


@hinted
def prod(
    x: Tensor,
    /,
    axis: Axes | None = None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the products over these axes, or over all, with the dtypes and the order of `sum`.

    >>> import dml_vk
    >>> dml_vk.prod(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), axis=1).tolist()
    [6, 120]
    """
    return _accumulated("prod", x, axis, dtype, keepdims, out)


@hinted
def max(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the maxima over these axes; NaN if any element is NaN. +0 is greater than -0.

    Complex numbers are compared by their real parts, and then by their imaginary parts.

    >>> import dml_vk
    >>> dml_vk.max(dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]]), axis=0).tolist()
    [3.0, 7.0]
    """
    return _reduced("max", x, to_tensor("max", "x", x).dtype, axis, keepdims, out)


@hinted
def min(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the minima over these axes; NaN if any element is NaN. -0 is less than +0.

    Complex numbers are compared as by `max`.

    >>> import dml_vk
    >>> dml_vk.min(dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]]), axis=0).tolist()
    [1.0, 2.0]
    """
    return _reduced("min", x, to_tensor("min", "x", x).dtype, axis, keepdims, out)


@hinted
def any(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return whether any element over these axes is true (not 0); NaN is true.

    >>> import dml_vk
    >>> dml_vk.any(dml_vk.asarray([[0, 0], [0, 3]]), axis=1).tolist()
    [False, True]
    """
    return _reduced("any", x, bool_, axis, keepdims, out)


@hinted
def all(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return whether all elements over these axes are true (not 0); NaN is true.

    >>> import dml_vk
    >>> dml_vk.all(dml_vk.asarray([[0, 1], [2, 3]]), axis=1).tolist()
    [False, True]
    """
    return _reduced("all", x, bool_, axis, keepdims, out)


@hinted
def count_nonzero(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Count the elements over these axes that are not 0, as int64; NaN is not 0.

    >>> import dml_vk
    >>> dml_vk.count_nonzero(dml_vk.asarray([[0, 1], [2, 3]]), axis=1).tolist()
    [1, 2]
    """
    return _reduced("count_nonzero", x, int64, axis, keepdims, out)


@hinted
def argmax(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the index of the first maximum, or of the first NaN, along an axis, as int64.

    Without an axis it is the index in the flattened tensor.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]])
    >>> dml_vk.argmax(x).item(), dml_vk.argmax(x, axis=0).tolist()
    (1, [1, 0])
    """
    return _arg("argmax", x, axis, keepdims, out)


@hinted
def argmin(
    x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the index of the first minimum, or of the first NaN, as in `argmax`.

    >>> import dml_vk
    >>> dml_vk.argmin(dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]]), axis=0).tolist()
    [0, 1]
    """
    return _arg("argmin", x, axis, keepdims, out)


_CHOOSE = {"max": max, "min": min}


def tensor_of(what: str, x: object, kinds: str) -> Tensor:
    tensor = to_tensor(what, "x", x)
    check_dtype(what, tensor.dtype, of_kinds(kinds))
    return tensor


def reduced_axes(what: str, x: Tensor, axis: Axes | None) -> Ints:
    """Return the reduced axes in ascending order."""
    if axis is None:
        return row_major(x.layout.rank)
    if is_axis_of_none(axis, x.layout.rank):
        return ()
    return tuple(sorted(to_axes(what, axis, x.layout.rank)))


@lru_cache(maxsize=4096)
def reduced_layout(layout: Layout, axes: Ints, keepdims: bool) -> Layout:
    """Return the packed layout of the result of a reduction over these axes."""
    if keepdims:
        sizes = [1 if dim in axes else size for dim, size in enumerate(layout.sizes)]
        return Layout.packed(sizes, layout.order)
    kept = [dim for dim in range(layout.rank) if dim not in axes]
    order = [kept.index(dim) for dim in layout.order if dim not in axes]
    return Layout.packed([layout.sizes[dim] for dim in kept], order)


@lru_cache(maxsize=4096)
def _without(layout: Layout, axes: Ints) -> Layout:
    """Drop these dims, which have size 1."""
    kept = [dim for dim in range(layout.rank) if dim not in axes]
    sizes, strides = [layout.sizes[dim] for dim in kept], [layout.strides[dim] for dim in kept]
    return Layout(sizes, strides, layout.offset)


def reduced_target(
    what: str, x: Tensor, axes: Ints, keepdims: bool, dtype: DType, out: Tensor | None
) -> Tensor:
    left = reduced_layout(x.layout, axes, to_bool(what, "keepdims", keepdims))
    return result_over(what, left, dtype, x, out)


def reduce_into(
    what: str, name: str, x: Tensor, axes: Ints, target: Tensor, keepdims: bool
) -> None:
    """Reduce into a target, which has the reduced dims if keepdims is true."""
    to: View = target
    if keepdims:
        to = with_layout(to, _without(to.layout, axes))
    reduce_elements(what, name, x, to, axes)


def _reduced(
    what: str, x: Tensor, dtype: DType, axis: Axes | None, keepdims: bool, out: Tensor | None
) -> Tensor:
    """Reduce by the operator with the function's name."""
    return call(_reduce_to, (x,), out, what, dtype, *call_axes(what, x, axis, keepdims))


@operation(flexible="all")
def _reduce_to(
    operands: Sequence[Tensor], out: Any, what: str, dtype: DType, axis: Any, keepdims: bool
) -> Tensor:
    x = to_tensor(what, "x", operands[0])
    axes = reduced_axes(what, x, axis)
    target = reduced_target(what, x, axes, keepdims, dtype, out)
    if x.dtype.kind == "c" and what in ("max", "min"):
        write_extreme(_CHOOSE[what], any, x, axes, keepdims, target)
        return target
    if x.dtype.kind == "c" and what in ("argmax", "argmin"):
        x, what = is_extreme(_CHOOSE[what[3:]], any, x, axes), "argmax"
    if x.dtype.kind == "c":
        x = Tensor(converted(what, x, bool_))
    to = target
    if x.dtype.kind == "b" and what in ("max", "min"):
        x, to = (Tensor(with_dtype(one, uint8)) for one in (x, target))
    reduce_into(what, what, x, axes, to, keepdims)
    return target


def call_axes(what: str, x: Any, axis: Any, keepdims: Any) -> tuple[int | Ints | None, bool]:
    """Return the axes and whether to keep them, in a hashable form for `call`."""
    if axis is not None and type(axis) is not int:
        axis = reduced_axes(what, to_tensor(what, "x", x), axis)
    return axis, to_bool(what, "keepdims", keepdims)


def _arg(what: str, x: Tensor, axis: int | None, keepdims: bool, out: Tensor | None) -> Tensor:
    check_one_axis(what, axis)
    return _reduced(what, x, int64, axis, keepdims, out)


def check_one_axis(what: str, axis: Any) -> None:
    if not is_one(axis):
        raise LayoutError(what, "axis must be an integer or None", axis=axis)


def _accumulated(
    what: str, x: Tensor, axis: Axes | None, dtype: object, keepdims: bool, out: Tensor | None
) -> Tensor:
    """Sum or multiply in the requested dtype."""
    wanted = None if dtype is None else to_dtype(what, dtype)
    return call(_accumulate, (x,), out, what, wanted, *call_axes(what, x, axis, keepdims))


@operation(flexible="all")
def _accumulate(
    operands: Sequence[Tensor], out: Any, what: str, dtype: DType | None, axis: Any, keepdims: bool
) -> Tensor:
    x = to_tensor(what, "x", operands[0])
    axes = reduced_axes(what, x, axis)
    wanted = sum_dtype(what, x.dtype, dtype)
    target = reduced_target(what, x, axes, keepdims, wanted, out)
    check_cast(what, x.dtype, wanted)
    if x.dtype in (float64, complex128) and wanted.kind == x.dtype.kind and wanted is not x.dtype:
        # Accumulate in float64 and round once.
        wide = reduced_target(what, x, axes, keepdims, x.dtype, None)
        _accumulate_into(what, x, axes, wide, keepdims)
        cast_elements(what, wide, target)
        return target
    if wanted.kind == "c" or (x.dtype.kind == "f") != (wanted.kind == "f"):
        x = Tensor(converted(what, x, computed_in(wanted)))
    _accumulate_into(what, x, axes, target, keepdims)
    return target


def _accumulate_into(what: str, x: Tensor, axes: Ints, target: Tensor, keepdims: bool) -> None:
    """Sum or multiply elements of the target's dtype; complex ones are added by parts."""
    if x.dtype.kind != "c":
        reduce_into(what, what, x, axes, target, keepdims)
    elif what == "sum":
        reduce_into(what, what, Tensor(as_parts(x)), axes, Tensor(as_parts(target)), keepdims)
    else:
        to = with_layout(target, _without(target.layout, axes)) if keepdims else target
        multiply_along(what, x, to, axes)


def computed_in(dtype: DType, *given: DType) -> DType:
    """Return the dtype in which a float or complex result of operands of these dtypes is computed.

    Integers are computed in float64, so that only the result is rounded; but those that float32
    holds are computed as floats if there are others.
    """
    if given and not _hold_all(given):
        return complex128 if dtype.kind == "c" else float64
    return float32 if dtype.kind == "f" and dtype.itemsize == 2 else dtype


def _hold_all(given: Sequence[DType]) -> bool:
    """Whether there are floats among the dtypes, and float32 holds the integers beside them."""
    integers = [one for one in given if one.kind not in "fc"]
    return len(integers) < len(given) and builtins.all(one.itemsize <= 2 for one in integers)
