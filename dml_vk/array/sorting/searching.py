"""Searching: nonzero elements, and positions among sorted elements."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

from dml_vk.array.calls import composed
from dml_vk.array.host_operands import number_as_tensor, upload_operands
from dml_vk.dtypes import int64
from dml_vk.errors import LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import converted
from dml_vk.ops.nonzero import nonzero_positions
from dml_vk.ops.search import search_sorted, write_coordinates
from dml_vk.ops.view import temporary
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    check_ordered,
    of_kinds,
    plain,
    result_over,
    to_tensor,
    to_tensors,
)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Return the indexes of the elements that are not 0: one int64 tensor per dim.

    Elements are in row-major order. Their number must be known before the call returns, so it waits
    for everything that x depends on.

    >>> import dml_vk
    >>> rows, columns = dml_vk.nonzero(dml_vk.asarray([[3, 0, 4], [0, 5, 0]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 0, 1], [0, 2, 1])
    """
    layout = to_tensor("nonzero", "x", x).layout
    if not layout.rank:
        raise LayoutError("nonzero", "x must have at least one dim", shape=layout.sizes)
    if layout.rank == 1:
        return (Tensor(nonzero_positions("nonzero", x, int64)),)
    positions = nonzero_positions("nonzero", x)
    indexes = []
    for axis in range(layout.rank):
        index = temporary("nonzero", Layout(positions.layout.sizes), int64, positions)
        write_coordinates(positions, index, layout.sizes, axis)
        indexes.append(Tensor(index))
    return tuple(indexes)


def searchsorted(
    x1: Tensor,
    x2: Operand,
    /,
    *,
    side: str = "left",
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the int64 index at which each element of x2 could be inserted to keep x1 sorted.

    The index is before all equal elements, or after them with `side="right"`. x1 is 1-D and
    ascends, with NaN after all numbers, or it does so in the order of the indexes in `sorter`, such
    as those of `argsort`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([10, 20, 20, 30])
    >>> dml_vk.searchsorted(x, dml_vk.asarray([[20, 5], [25, 99]])).tolist()
    [[1, 0], [3, 4]]
    >>> dml_vk.searchsorted(x, dml_vk.asarray([20]), side="right").tolist()
    [3]
    """
    what = "searchsorted"
    x1, wanted, sorter = upload_operands(what, x1, x2, sorter)
    if isinstance(x1, Tensor) and isinstance(plain(wanted), numbers.Real):
        wanted = number_as_tensor(what, wanted, x1)
    x2 = to_tensor(what, "x2", wanted)
    tensors = [to_tensor(what, "x1", x1), x2]
    if sorter is not None:
        tensors.append(to_tensor(what, "sorter", sorter))
        check_dtype(what, sorter.dtype, of_kinds("iu"))
    to_tensors(what, tensors)
    check_ordered(what, *tensors)
    if not isinstance(side, str) or side not in ("left", "right"):
        raise RangeError(what, "side must be 'left' or 'right'", side=side)
    check_one_dim(what, "x1", x1)
    if sorter is not None:
        check_one_dim(what, "sorter", sorter)
        if sorter.shape != x1.shape:
            rule = "sorter must have one index for each element of x1"
            raise LayoutError(what, rule, sorter=sorter.shape, x1=x1.shape)
    return composed(_searched, tensors, out, side == "right")


def _searched(operands: Sequence[Tensor], out: Tensor | None, right: bool) -> Tensor:
    what, (x1, x2, *sorter) = "searchsorted", operands
    common = common_dtype(what, [x1.dtype, x2.dtype])
    result = result_over(what, x2.layout.like(), int64, x2, out)
    views = converted(what, x1, common), converted(what, x2, common)
    search_sorted(what, *views, sorter[0] if sorter else None, result, right=right)
    return result


def check_one_dim(what: str, name: str, x: Tensor) -> None:
    if x.layout.rank != 1:
        shape: dict[str, object] = {name: x.shape}
        raise LayoutError(what, f"{name} must be 1-D", **shape)
