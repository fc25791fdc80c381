"""NumPy's functions that select, insert and delete elements, by conditions or by indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_vk.arguments import Ints, is_bool, is_one, several, to_axis, to_ints, to_sizes, to_tuple
from dml_vk.array.creation.arrays import asarray, full
from dml_vk.array.host_operands import is_on_host, upload_array, upload_operands
from dml_vk.array.indexing.keys import not_within
from dml_vk.array.indexing.modes import check_mode, in_range
from dml_vk.array.indexing.take import take, take_known
from dml_vk.array.manipulation.shapes import (
    broadcast_to,
    by_columns,
    concat,
    moveaxis,
    reshape,
    stack,
)
from dml_vk.array.math.elementwise import add, astype, floor_divide, multiply, remainder, where
from dml_vk.array.sorting.searching import check_one_dim, nonzero
from dml_vk.array.statistics.answers import answers
from dml_vk.array.statistics.reductions import max, min
from dml_vk.dtypes import int64
from dml_vk.errors import ErrorsAs, LayoutError, LayoutIndexError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.observe.callers import writes
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    of_kinds,
    plain,
    to_complex,
    to_tensor,
    to_tensors,
)

Index = int | Sequence[int] | slice | Tensor


@hinted
def append(
    arr: Tensor, values: ArrayLike, /, axis: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Join values to the end of an axis, or after all elements, in row-major order.

    >>> import dml_vk
    >>> dml_vk.append(dml_vk.asarray([1, 2]), [7, 8]).tolist()
    [1, 2, 7, 8]
    """
    arr, more = _with_tensor_of_values("append", arr, values)
    with ErrorsAs("append"):
        if axis is None:
            arr, more, axis = reshape(arr, -1), reshape(more, -1), 0
        return concat([arr, more], axis=axis, out=out)


@hinted
def delete(
    arr: Tensor, obj: Index, /, axis: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return the elements without those at these indexes of an axis, or of all elements.

    >>> import dml_vk
    >>> dml_vk.delete(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), [0, -1], axis=1).tolist()
    [[2], [5]]
    """
    arr, axis = _tensor_and_axis("delete", arr, axis)
    size = arr.shape[axis]
    remaining = np.delete(np.arange(size), _host_indexes("delete", obj, size))
    with ErrorsAs("delete"):
        return take(arr, remaining, axis=axis, out=out)


@hinted
def insert(
    arr: Tensor,
    obj: Index,
    values: ArrayLike,
    /,
    axis: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the elements with values before these indexes of an axis, or of all elements.

    Values broadcast to the shape of arr, with one of them for each index. At a single index there
    may be any number of them.

    >>> import dml_vk
    >>> dml_vk.insert(dml_vk.asarray([1, 2, 3]), 1, [8, 9]).tolist()
    [1, 8, 9, 2, 3]
    >>> dml_vk.insert(dml_vk.asarray([[1, 2], [3, 4]]), [0, 2], 7, axis=1).tolist()
    [[7, 1, 2, 7], [7, 3, 4, 7]]
    """
    what = "insert"
    arr, axis = _tensor_and_axis(what, arr, axis)
    size = arr.shape[axis]
    indexes = np.array(_host_indexes(what, obj, size, 1), np.int64)
    arr, more = _with_tensor_of_values(what, arr, values)
    with ErrorsAs(what):
        more = reshape(more, (*[1] * (arr.ndim - more.ndim), *more.shape))
        if is_one(obj) and not isinstance(obj, slice):
            more = moveaxis(more, 0, axis)
        count = more.shape[axis] if len(indexes) == 1 else len(indexes)
        more = broadcast_to(more, (*arr.shape[:axis], count, *arr.shape[axis + 1 :]))
        both = concat([arr, astype(more, arr.dtype, copy=False)], axis=axis)
        index = indexes[0] if len(indexes) == 1 else indexes
        order = np.insert(np.arange(size), index, np.arange(size, size + count))
        return take(both, order, axis=axis, out=out)


@hinted
def compress(
    condition: ArrayLike, x: Tensor, /, axis: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return the indexes of an axis, or of all elements, where a 1-D condition is true.

    The condition may be shorter than the axis. The call waits for it.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> dml_vk.compress([True, False, True], x, axis=1).tolist()
    [[1, 3], [4, 6]]
    """
    what = "compress"
    x, axis = _tensor_and_axis(what, x, axis)
    mask = to_tensor(what, "condition", upload_operands(what, condition, x)[0])
    check_one_dim(what, "condition", mask)
    with ErrorsAs(what):
        if mask.size > x.shape[axis]:
            return take(x, nonzero(mask)[0], axis=axis, out=out)
        return take_known("take", x, nonzero(mask)[0], axis, out)


def extract(condition: ArrayLike, x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the elements, in row-major order, where the condition is true, for which it waits.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 5], [7, 3]])
    >>> dml_vk.extract(x > 4, x).tolist()
    [5, 7]
    """
    mask, x = upload_operands("extract", condition, x)
    with ErrorsAs("extract"):
        return compress(reshape(mask, -1), reshape(x, -1), out=out)


def select(
    condlist: Sequence[ArrayLike],
    choicelist: Sequence[ArrayLike],
    /,
    default: Operand = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Choose, for each element, the choice of the first condition that is true, or the default.

    >>> import dml_vk
    >>> x = dml_vk.arange(5)
    >>> dml_vk.select([x < 2, x < 4], [x, x * 10], -1).tolist()
    [0, 1, 20, 30, -1]
    """
    what = "select"
    conditions, choices = (
        to_tuple(what, name, value)
        for name, value in (("condlist", condlist), ("choicelist", choicelist))
    )
    count = len(conditions)
    if not count or count != len(choices):
        rule = "condlist and choicelist must have the same length, at least 1"
        raise LayoutError(what, rule, condlist=count, choicelist=len(choices))
    first, *rest = upload_operands(what, default, *conditions, *choices)
    result: Tensor = first
    with ErrorsAs(what):
        for k in range(count - 1, -1, -1):
            result = where(rest[k], rest[count + k], result, out=None if k else out)
    return result


def argwhere(x: Tensor, /) -> Tensor:
    """Return the indexes of the elements that are not 0: one row each, in row-major order.

    This waits for their number.

    >>> import dml_vk
    >>> dml_vk.argwhere(dml_vk.asarray([[3, 0], [0, 5]])).tolist()
    [[0, 0], [1, 1]]
    """
    x = to_tensor("argwhere", "x", x)
    with ErrorsAs("argwhere"):
        if not x.ndim:
            positions = nonzero(x.over(x.layout.unsqueeze(0)))[0]
            return positions.over(positions.layout.unsqueeze(1).narrow(1, 0, 0))
        return stack(nonzero(x), axis=1)


def flatnonzero(x: Tensor, /) -> Tensor:
    """Return the row-major indexes of the elements that are not 0. It waits for their number.

    >>> import dml_vk
    >>> dml_vk.flatnonzero(dml_vk.asarray([[3, 0], [0, 5]])).tolist()
    [0, 3]
    """
    with ErrorsAs("flatnonzero"):
        return nonzero(reshape(x, -1))[0]


@writes
@hinted
def put_along_axis(
    x: Tensor, indices: ArrayLike, /, values: Operand, axis: int | None = -1
) -> None:
    """Write values to the elements that `take_along_axis` would read.

    Without an axis, indexes are those of all elements, whose strides must allow a view of one dim.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[3, 1], [5, 9]])
    >>> dml_vk.put_along_axis(x, [[0], [1]], 0, axis=1)
    >>> x.tolist()
    [[0, 1], [5, 0]]
    """
    what = "put_along_axis"
    x = to_tensor(what, "x", x)
    with ErrorsAs(what):
        if axis is None:
            x, axis = reshape(x, -1, copy=False), 0
        dim = to_axis(what, "axis", axis, x.ndim)
        index = indices if isinstance(indices, Tensor) else asarray(indices, device=x.device)
        if index.ndim != x.ndim:
            rule = "x and indices must have the same number of dims"
            raise LayoutError(what, rule, x=x.shape, indices=index.shape)
        key: list[Any] = [
            np.arange(size).reshape(-1, *[1] * (x.ndim - k - 1)) for k, size in enumerate(x.shape)
        ]
        key[dim] = index
        x[tuple(key)] = values


def unravel_index(
    indices: Operand, shape: int | Sequence[int], /, order: str = "C"
) -> tuple[Tensor, ...]:
    """Return the coordinates of row-major indexes in this shape: an int64 tensor for each dim.

    With the order "F" indexes count column by column. It waits, since the indexes are checked.

    >>> import dml_vk
    >>> [one.tolist() for one in dml_vk.unravel_index(dml_vk.asarray([1, 5]), (2, 3))]
    [[0, 1], [1, 2]]
    """
    what = "unravel_index"
    indexes = to_tensor(what, "indices", indices)
    with ErrorsAs(what, sizes="shape"):
        sizes = to_sizes(what, several(shape))
        left = within(what, indexes, Layout(sizes).numel)
    step = 1 if by_columns(what, order) else -1
    coordinates = []
    for size in sizes[::step]:
        coordinates.append(remainder(left, size))
        left = floor_divide(left, size)
    return tuple(coordinates[::step])


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: int | Sequence[int],
    /,
    mode: str | Sequence[str] = "raise",
    order: str = "C",
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the row-major indexes of elements whose coordinates are in one tensor for each dim.

    With the order "F" indexes count column by column. It waits if coordinates are checked: "wrap"
    takes them modulo the size, and "clip" the nearest one; there may be a mode for each dim.

    >>> import dml_vk
    >>> rows, columns = dml_vk.asarray([0, 1]), dml_vk.asarray([1, 2])
    >>> dml_vk.ravel_multi_index((rows, columns), (2, 3)).tolist()
    [1, 5]
    """
    what = "ravel_multi_index"
    indexes = upload_operands(what, *to_tuple(what, "multi_index", multi_index))
    with ErrorsAs(what, sizes="dims"):
        sizes = to_sizes(what, several(dims))
    if not indexes or len(indexes) != len(sizes):
        rule = "multi_index must have coordinates for each of the dims"
        raise LayoutError(what, rule, multi_index=len(indexes), dims=sizes)
    to_tensors(what, [to_tensor(what, "coordinates", index) for index in indexes])
    modes = [mode] * len(sizes) if isinstance(mode, str) else list(to_tuple(what, "mode", mode))
    if len(modes) != len(sizes):
        rule = "mode must be one of 'raise', 'wrap' and 'clip', or one for each of the dims"
        raise LayoutError(what, rule, mode=mode, dims=sizes)
    columns = by_columns(what, order)
    for name in modes:
        check_mode(what, name)
    with ErrorsAs(what):
        coordinates = _coordinates_in_range(what, modes, indexes, sizes)
        if columns:
            coordinates, sizes = coordinates[::-1], sizes[::-1]
        if len(coordinates) == 1:
            return astype(coordinates[0], int64, out=out)
        result = coordinates[0]
        for coordinate, size in zip(coordinates[1:-1], sizes[1:-1]):
            result = add(multiply(result, size), coordinate)
        return add(multiply(result, sizes[-1]), coordinates[-1], out=out)


def _coordinates_in_range(
    what: str, modes: Sequence[str], indexes: Sequence[Tensor], sizes: Ints
) -> list[Tensor]:
    for index in indexes:
        check_dtype(what, index.dtype, of_kinds("iu"))
    cases = list(zip(modes, indexes, sizes))
    checked = iter(all_within(what, [(x, size) for mode, x, size in cases if mode == "raise"]))
    return [
        next(checked) if mode == "raise" else in_range(mode, x, size) for mode, x, size in cases
    ]


def within(what: str, index: Tensor, size: int) -> Tensor:
    check_dtype(what, index.dtype, of_kinds("iu"))
    return all_within(what, [(index, size)])[0]


def all_within(what: str, indexes: Sequence[tuple[Tensor, int]]) -> list[Tensor]:
    """Check that all are from 0 to less than their sizes, and return them as int64.

    This waits once, or where they have several dtypes, once for each.
    """
    ends: dict[int, tuple[int, int]] = {}
    for dtype in dict.fromkeys(index.dtype for index, _ in indexes if index.size):
        same = [k for k, (index, _) in enumerate(indexes) if index.size and index.dtype is dtype]
        asked = [(extreme, indexes[k][0]) for k in same for extreme in (min, max)]
        numbers = answers(dtype, *asked).tolist()
        ends |= zip(same, zip(numbers[::2], numbers[1::2]))
    for number, (least, most) in sorted(ends.items()):
        if least < 0 or most >= indexes[number][1]:
            raise not_within(what, indexes[number][1], least, most)
    return [astype(index, int64, copy=False) for index, _ in indexes]


def _tensor_and_axis(what: str, x: Tensor, axis: int | None) -> tuple[Tensor, int]:
    """Return a tensor and one of its axes; without an axis, all elements as one dim."""
    x = to_tensor(what, "arr", x)
    if axis is None:
        with ErrorsAs(what):
            return reshape(x, -1), 0
    return x, to_axis(what, "axis", axis, x.ndim)


def _host_indexes(what: str, obj: Index, size: int, beyond: int = 0) -> list[int]:
    """Return indexes on the host, for those of a tensor are waited for."""
    if isinstance(obj, slice):
        try:
            return list(range(*obj.indices(size)))
        except (TypeError, ValueError):
            rule = "obj must be a slice of integers"
            raise LayoutError(what, rule, obj=obj) from None
    listed = to_tuple(what, "obj", several(obj.numpy() if isinstance(obj, Tensor) else obj))
    if listed and all(map(is_bool, listed)):
        if len(listed) != size:
            raise LayoutError(
                what, "a mask must have the size of the axis", mask=len(listed), size=size
            )
        return [k for k, is_selected in enumerate(listed) if is_selected]
    limit = size + beyond
    indexes = []
    for index in to_ints(what, "obj", listed):
        if not -size <= index < limit:
            rule = f"obj must be from {-size} to {limit - 1}"
            raise LayoutIndexError(what, rule, obj=index)
        indexes.append(index + size if index < 0 else index)
    return indexes


def _with_tensor_of_values(what: str, arr: Tensor, values: ArrayLike) -> tuple[Tensor, Tensor]:
    arr = to_tensor(what, "arr", arr)
    if is_on_host(values):
        return arr, upload_array(what, values, arr)
    if isinstance(values, Tensor):
        to_tensors(what, [arr, values])
        return arr, values
    number = to_complex(what, "values", values)
    if isinstance(plain(values), bool):
        number = bool(number)
    dtype = common_dtype(what, [arr.dtype], [number])
    with ErrorsAs(what):
        return arr, full((1,), number, dtype, device=arr.device)
