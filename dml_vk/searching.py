"""Where elements are: those that are not 0, and where others belong among sorted ones."""

from __future__ import annotations

from typing import Any

from dml_vk.dtypes import int64
from dml_vk.errors import LayoutError, RangeError, explain
from dml_vk.layout import Layout
from dml_vk.operands import check_dtype, of_kinds, result_over, to_tensor, to_tensors, typed
from dml_vk.ops.compact import nonzero_positions
from dml_vk.ops.elementwise import converted
from dml_vk.ops.search import search_sorted, write_coordinates
from dml_vk.ops.strided import room
from dml_vk.promotion import common_dtype
from dml_vk.tensor import Tensor


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indexes of all elements that are not 0, in row-major order: int64, a tensor for each dim.

    How many there are must be known before the call returns, so it waits for all that x is made of.

    >>> import dml_vk
    >>> rows, columns = dml_vk.nonzero(dml_vk.asarray([[3, 0, 4], [0, 5, 0]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 0, 1], [0, 2, 1])
    """
    layout = to_tensor("nonzero", "x", x).layout
    if not layout.rank:
        raise LayoutError(explain("nonzero", "x must have a dim", shape=layout.sizes))
    if layout.rank == 1:
        return (Tensor(*nonzero_positions("nonzero", typed(x), int64)),)
    found = nonzero_positions("nonzero", typed(x)).strided
    indexes = []
    for axis in range(layout.rank):
        index = room("nonzero", Layout(found.layout.sizes), int64.itemsize, found)
        write_coordinates(found, index, layout.sizes, axis)
        indexes.append(Tensor(index, int64))
    return tuple(indexes)


def searchsorted(
    x1: Tensor,
    x2: Tensor,
    /,
    *,
    side: str = "left",
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """For each element of x2 the index, int64, at which it would keep x1 sorted.

    Before all that equal it, or with `side="right"` behind them. x1 has one dim and ascends, with
    NaN behind all numbers, or does so in the order of the indexes in `sorter`, as of `argsort`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([10, 20, 20, 30])
    >>> dml_vk.searchsorted(x, dml_vk.asarray([[20, 5], [25, 99]])).tolist()
    [[1, 0], [3, 4]]
    >>> dml_vk.searchsorted(x, dml_vk.asarray([20]), side="right").tolist()
    [3]
    """
    what = "searchsorted"
    tensors = [to_tensor(what, "x1", x1), to_tensor(what, "x2", x2)]
    if sorter is not None:
        tensors.append(to_tensor(what, "sorter", sorter))
        check_dtype(what, sorter.dtype, of_kinds("iu"))
    to_tensors(what, tensors)
    if not isinstance(side, str) or side not in ("left", "right"):
        raise RangeError(explain(what, "side must be 'left' or 'right'", side=side))
    _check_one_dim(what, "x1", x1)
    if sorter is not None:
        _check_one_dim(what, "sorter", sorter)
        if sorter.shape != x1.shape:
            must = "sorter must have an index for each element of x1"
            raise LayoutError(explain(what, must, sorter=sorter.shape, x1=x1.shape))
    common = common_dtype(what, [x1.dtype, x2.dtype])
    result = result_over(what, x2.layout.like(), int64, x2, out)
    search_sorted(
        what,
        converted(what, typed(x1), common),
        converted(what, typed(x2), common),
        None if sorter is None else typed(sorter),
        result.strided,
        right=side == "right",
    )
    return result


def _check_one_dim(what: str, name: str, x: Tensor) -> None:
    if x.layout.rank != 1:
        shape: dict[str, Any] = {name: x.shape}
        raise LayoutError(explain(what, f"{name} must have one dim", **shape))
