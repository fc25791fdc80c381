"""Cumulative sums and products, and differences of neighbours.

`dml_vk.ops.scan` specifies the order in which floats are added: it is the same on every device and
for every layout, and far more accurate than adding one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_axis, to_bool, to_int
from dml_vk.array.calls import composed
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math.elementwise import not_equal, subtract
from dml_vk.dtypes import DType, DTypeLike
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout, concatenate
from dml_vk.ops.complex_products import scan_products
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements, check_cast, converted
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.parts import as_parts
from dml_vk.ops.scan import PRODUCT, SUM, scan_elements
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    of_kinds,
    plain,
    result_over,
    sum_dtype,
    to_tensor,
    to_tensors,
)


@hinted
def cumulative_sum(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the cumulative sums along an axis, which can be left out if x is 1-D.

    Integers and bools are added as int64 or uint64, unless `dtype` is given. With `include_initial`
    the result starts with an additional 0.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> dml_vk.cumulative_sum(x, axis=1).tolist()
    [[1, 3, 6], [4, 9, 15]]
    >>> dml_vk.cumulative_sum(x, axis=0, include_initial=True).tolist()
    [[0, 0, 0], [1, 2, 3], [5, 7, 9]]
    """
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial, out)


@hinted
def cumulative_prod(
    x: Tensor,
    /,
    axis: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the cumulative products along an axis, with the options of `cumulative_sum`.

    With `include_initial` the result starts with an additional 1.

    >>> import dml_vk
    >>> dml_vk.cumulative_prod(dml_vk.asarray([2, 3, 4]), include_initial=True).tolist()
    [1, 2, 6, 24]
    """
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial, out)


@hinted
def diff(
    x: Tensor,
    /,
    n: int = 1,
    axis: int = -1,
    *,
    prepend: Tensor | float | None = None,
    append: Tensor | float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the differences of neighbouring elements along an axis, taken `n` times.

    `prepend` and `append` are first joined to x; they may differ from x only in the size along the
    axis, or are numbers, which stand for a size of 1. If n is 0, x is returned as it is.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 4, 9, 16])
    >>> dml_vk.diff(x).tolist(), dml_vk.diff(x, n=2).tolist()
    ([3, 5, 7], [2, 2])
    >>> dml_vk.diff(x, prepend=0).tolist()
    [1, 3, 5, 7]
    """
    x, prepend, append = upload_operands("diff", x, prepend, append)
    x = to_tensor("diff", "x", x)
    axis, count = to_axis("diff", "axis", axis, x.layout.rank), to_int("diff", "n", n)
    named = {"prepend": prepend, "x": x, "append": append}
    pieces = [_edge(name, part, x, axis) for name, part in named.items() if part is not None]
    to_tensors("diff", pieces)
    common = common_dtype("diff", [part.dtype for part in pieces])
    check_dtype("diff", common, of_kinds("biufc"))
    if count < 0:
        raise LayoutError("diff", "n must not be negative", n=n)
    _check_sizes(x, pieces, axis)
    if not count:
        result = result_over("diff", x.layout.like(), x.dtype, x, out)
        copy_elements("diff", x, result)
        return result
    order = concatenate([part.layout for part in pieces], axis).order
    length = sum([part.shape[axis] for part in pieces])

    def new_result(length: int, out: Tensor | None = None) -> Tensor:
        sizes = (*x.shape[:axis], max(0, length), *x.shape[axis + 1 :])
        return result_over("diff", Layout.packed(sizes, order), common, x, out)

    result = new_result(length - count, out)
    if not result.layout.numel:
        return result
    views = [converted("diff", part, common) for part in pieces if part.shape[axis]]
    if len(views) > 1:
        # Each is read after parts of the result have been written.
        views = [copy_if_overlapping("diff", part, result) for part in views]
    parts = list(map(Tensor, views))
    for k in range(1, count):
        between = new_result(length - k)
        _difference(parts, between, axis)
        parts = [between]
    _difference(parts, result, axis)
    return result


def _edge(name: str, value: Operand, x: Tensor, axis: int) -> Tensor:
    """Convert `prepend` or `append` to a tensor; a number becomes one index of the axis."""
    number = plain(value)
    if not isinstance(number, (int, float, complex)):
        return to_tensor("diff", name, value)
    kind = common_dtype("diff", [x.dtype], [number])
    sizes = [1 if dim == axis else size for dim, size in enumerate(x.shape)]
    edge = tensor_over("diff", Layout.packed(sizes), kind, x.device, x.allocation)
    fill_constant("diff", edge, kind, number)
    return edge


def _check_sizes(x: Tensor, parts: list[Tensor], axis: int) -> None:
    for part in parts:
        sizes = part.shape
        if sizes[:axis] != x.shape[:axis] or sizes[axis + 1 :] != x.shape[axis + 1 :]:
            rule = f"prepend and append must match the shape of x except along axis {axis}"
            raise LayoutError("diff", rule, x=x.shape, other=sizes)


def _difference(parts: list[Tensor], target: Tensor, axis: int) -> None:
    """Write the differences within the parts, and between each part and the next.

    No part is empty.
    """
    at = 0
    difference = not_equal if target.dtype.kind == "b" else subtract
    for k, part in enumerate(parts):
        within = part.shape[axis] - 1
        pairs = [(_piece(part, axis, 1, within), _piece(part, axis, 0, within), within)]
        if k + 1 < len(parts):
            pairs.append((_piece(parts[k + 1], axis, 0, 1), _piece(part, axis, within, 1), 1))
        for later, earlier, length in pairs:
            difference(later, earlier, out=_piece(target, axis, at, length))
            at += length


def _piece(x: Tensor, axis: int, start: int, length: int) -> Tensor:
    return x.over(x.layout.narrow(axis, start, length))


def _cumulative(
    what: str,
    x: Tensor,
    axis: int | None,
    dtype: DTypeLike | None,
    include_initial: bool,
    out: Tensor | None,
) -> Tensor:
    layout = to_tensor(what, "x", x).layout
    if axis is None:
        if layout.rank != 1:
            rule = "axis is required unless x is 1-D"
            raise LayoutError(what, rule, x=layout.sizes)
        axis = 0
    axis = to_axis(what, "axis", axis, layout.rank)
    chosen = sum_dtype(what, x.dtype, dtype)
    include_initial = to_bool(what, "include_initial", include_initial)
    return composed(_scanned, (x,), out, what, axis, chosen, include_initial)


def _scanned(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    axis: int,
    chosen: DType,
    include_initial: bool,
) -> Tensor:
    (x,) = operands
    layout, operator = x.layout, SUM if what == "cumulative_sum" else PRODUCT
    length = layout.sizes[axis]
    longer = (*layout.sizes[:axis], length + 1, *layout.sizes[axis + 1 :])
    layout_out = Layout.packed(longer, layout.order) if include_initial else layout.like()
    result = result_over(what, layout_out, chosen, x, out)
    to = _piece(result, axis, 1, length) if include_initial else result
    check_cast(what, x.dtype, chosen)
    if chosen.kind != "c":
        scan_elements(what, operator, x, to, axis)
    elif operator == SUM:
        own = converted(what, x, chosen)
        scan_elements(what, operator, as_parts(own), as_parts(to), axis)
    else:
        cast_elements(what, copy_if_overlapping(what, x, to), to)
        scan_products(what, to, axis)
    if include_initial:
        first = _piece(result, axis, 0, 1)
        fill_constant(what, first, chosen, int(operator == PRODUCT))
    return result
