"""Reductions: sums, minima and maxima, `any` and `all`, over some or all axes.

`dml_vk.kernels.reductions` lists them. They are named and called as in the array API standard, and
all with `out=`. The result keeps the memory format of the remaining dims. Floats are added in an
order that depends only on the shape and the axes, as specified in `dml_vk.ops.reduce`: the bits are
the same on every device and for every layout, and errors grow with the logarithm of the number of
elements, as in NumPy's best case.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from dml_vk.arguments import Axes, Ints, is_axis_of_none, is_one, to_bool
from dml_vk.array.calls import call
from dml_vk.array.manipulation.shapes import to_axes
from dml_vk.array.statistics.complex_extremes import is_extreme, write_extreme
from dml_vk.dtypes import (
    DTYPES,
    DType,
    DTypeLike,
    bool_,
    complex128,
    float32,
    float64,
    int64,
    to_dtype,
    uint8,
)
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.reductions import REDUCTIONS, Reduction
from dml_vk.layout import Layout
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
    left_dims = [dim for dim in range(layout.rank) if dim not in axes]
    order = [left_dims.index(dim) for dim in layout.order if dim not in axes]
    return Layout.packed([layout.sizes[dim] for dim in left_dims], order)


@lru_cache(maxsize=4096)
def _without(layout: Layout, axes: Ints) -> Layout:
    """Drop these dims, which have size 1."""
    left_dims = [dim for dim in range(layout.rank) if dim not in axes]
    sizes = [layout.sizes[dim] for dim in left_dims]
    strides = [layout.strides[dim] for dim in left_dims]
    return Layout(sizes, strides, layout.offset)


def without_reduced(target: View, axes: Ints, keepdims: bool) -> View:
    """Return a target without the reduced dims, which it has if keepdims is true."""
    return with_layout(target, _without(target.layout, axes)) if keepdims else target


def reduced_target(
    what: str, x: Tensor, axes: Ints, keepdims: bool, dtype: DType, out: Tensor | None
) -> Tensor:
    left = reduced_layout(x.layout, axes, to_bool(what, "keepdims", keepdims))
    return result_over(what, left, dtype, x, out)


def reduce_into(
    what: str, name: str, x: Tensor, axes: Ints, target: Tensor, keepdims: bool
) -> None:
    """Reduce into a target, which has the reduced dims if keepdims is true."""
    reduce_elements(what, name, x, without_reduced(target, axes, keepdims), axes)


def _reduced(
    what: str, x: Tensor, dtype: DType, axis: Axes | None, keepdims: bool, out: Tensor | None
) -> Tensor:
    """Reduce by the operator with the function's name."""
    return call(_reduce_to, (x,), out, what, dtype, *call_axes(what, x, axis, keepdims))


def _operand(what: str, x: object) -> Tensor:
    tensor, row = to_tensor(what, "x", x), REDUCTIONS[what]
    if not row.takes(tensor.dtype):
        check_dtype(what, tensor.dtype, filter(row.takes, DTYPES.values()))
    return tensor


@operation(flexible="all")
def _reduce_to(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    dtype: DType,
    axis: Axes | None,
    keepdims: bool,
) -> Tensor:
    x, name, row = _operand(what, operands[0]), what, REDUCTIONS[what]
    axes = reduced_axes(what, x, axis)
    target = to = reduced_target(what, x, axes, keepdims, dtype, out)
    if x.dtype.kind == "c" and row.extreme:
        choose, any_of = FUNCTIONS[row.extreme], FUNCTIONS["any"]
        if not row.finds:
            write_extreme(choose, any_of, x, axes, keepdims, target)
            return target
        x, name = is_extreme(choose, any_of, x, axes), "argmax"
    if x.dtype.kind == "c":
        x = Tensor(converted(what, x, bool_))
    if x.dtype.kind == "b" and row.extreme and not row.finds:
        x, to = [Tensor(with_dtype(operand, uint8)) for operand in (x, target)]
    reduce_into(what, name, x, axes, to, keepdims)
    return target


def call_axes(
    what: str, x: object, axis: Axes | None, keepdims: object
) -> tuple[int | Ints | None, bool]:
    """Return the axes and whether to keep them, in a hashable form for `call`."""
    if axis is not None and type(axis) is not int:
        axis = reduced_axes(what, to_tensor(what, "x", x), axis)
    return axis, to_bool(what, "keepdims", keepdims)


def check_one_axis(what: str, axis: object) -> None:
    if not is_one(axis):
        raise LayoutError(what, "axis must be an integer or None", axis=axis)


def _accumulated(
    what: str,
    x: Tensor,
    axis: Axes | None,
    dtype: DTypeLike | None,
    keepdims: bool,
    out: Tensor | None,
) -> Tensor:
    """Sum or multiply in the requested dtype."""
    wanted = None if dtype is None else to_dtype(what, dtype)
    return call(_accumulate, (x,), out, what, wanted, *call_axes(what, x, axis, keepdims))


@operation(flexible="all")
def _accumulate(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    dtype: DType | None,
    axis: Axes | None,
    keepdims: bool,
) -> Tensor:
    x = _operand(what, operands[0])
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
    if x.dtype.kind == "c" and what == "sum":
        x, target = Tensor(as_parts(x)), Tensor(as_parts(target))
    reduce_into(what, what, x, axes, target, keepdims)


def computed_in(dtype: DType, *operands: DType) -> DType:
    """Return the dtype in which a float or complex result of operands of these dtypes is computed.

    Integers are computed in float64, so that only the result is rounded. But where some operands
    are floats, integers that float32 holds are computed as floats.
    """
    if operands and not _hold_all(operands):
        return complex128 if dtype.kind == "c" else float64
    return float32 if dtype.kind == "f" and dtype.itemsize == 2 else dtype


def _hold_all(dtypes: Sequence[DType]) -> bool:
    """Whether there are floats among the dtypes, and float32 holds the integers beside them."""
    integers = [dtype for dtype in dtypes if dtype.kind not in "fc"]
    return len(integers) < len(dtypes) and builtins.all(dtype.itemsize <= 2 for dtype in integers)


def _accumulation(what: str) -> Callable[..., Tensor]:
    def function(
        x: Tensor,
        /,
        axis: Axes | None = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        out: Tensor | None = None,
    ) -> Tensor:
        return _accumulated(what, x, axis, dtype, keepdims, out)

    return function


def _index(what: str) -> Callable[..., Tensor]:
    def function(
        x: Tensor, /, axis: int | None = None, *, keepdims: bool = False, out: Tensor | None = None
    ) -> Tensor:
        check_one_axis(what, axis)
        return _reduced(what, x, int64, axis, keepdims, out)

    return function


def _over_axes(what: str, result: DType | None) -> Callable[..., Tensor]:
    """Define a reduction whose results are of a dtype, or of that of the elements."""

    def function(
        x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
    ) -> Tensor:
        dtype = to_tensor(what, "x", x).dtype if result is None else result
        return _reduced(what, x, dtype, axis, keepdims, out)

    return function


def _function(row: Reduction) -> Callable[..., Tensor]:
    if row.accumulates:
        function = _accumulation(row.name)
    elif row.finds:
        function = _index(row.name)
    else:
        function = _over_axes(row.name, DTYPES[row.result] if row.result else None)
    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = row.docstring
    return hinted(function)


# Each row of the table defines a function.
FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    name: _function(row) for name, row in REDUCTIONS.items()
}
globals().update(FUNCTIONS)
if TYPE_CHECKING:
    from dml_vk.array.statistics.reduction_functions import *  # noqa: F403
