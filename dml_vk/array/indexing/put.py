"""NumPy's functions that write to elements of a tensor, where it is."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from dml_vk import context
from dml_vk.arguments import to_bool
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.creation.grids import arange
from dml_vk.array.host_operands import upload_array, upload_operands
from dml_vk.array.indexing.api import write_checked, write_known
from dml_vk.array.indexing.keys import not_within
from dml_vk.array.indexing.modes import check_mode, in_range
from dml_vk.array.indexing.positions import Part
from dml_vk.array.indexing.selection import flatnonzero, within
from dml_vk.array.indexing.take import elements_at
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.elementwise import add, astype, less, remainder, where
from dml_vk.dtypes import bool_, int64
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.layout import Layout
from dml_vk.observe.callers import writes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike
from dml_vk.tensor.operands import Operand, check_dtype, of_kinds, plain, to_tensor


@writes
def fill_diagonal(a: Tensor, val: ArrayLike, /, wrap: bool = False) -> None:
    """Write to the diagonal a number, or numbers, which are repeated.

    With more than two dims, all sizes must be equal. With `wrap`, the diagonal of a tall matrix
    starts anew after each row that it leaves out.

    >>> import dml_vk
    >>> x = dml_vk.zeros((2, 3))
    >>> dml_vk.fill_diagonal(x, 7)
    >>> x.tolist()
    [[7.0, 0.0, 0.0], [0.0, 7.0, 0.0]]
    """
    what = "fill_diagonal"
    x = to_tensor(what, "a", a)
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        rule = "a must be a matrix, or have more dims of one size"
        raise LayoutError(what, rule, shape=x.shape)
    rows, columns = x.shape[0], min(x.shape[1:])
    again = to_bool(what, "wrap", wrap) and x.ndim == 2 and rows > columns
    layout, at = x.layout, 0
    with ErrorsAs(what):
        for start in range(0, rows if again and columns else 1, columns + 1):
            size = min(rows - start, columns)
            offset = layout.offset + start * layout.strides[0]
            line = x.over(Layout((size,), (sum(layout.strides),), offset))
            line[...] = repeated(what, val, x, size, at)
            at += size


@writes
def put(a: Tensor, ind: ArrayLike, v: ArrayLike, /, mode: str = "raise") -> None:
    """Write values, which are repeated, to elements by their row-major indexes.

    Negative indexes count from the end. Without values nothing is written. It waits for the check
    of indexes; "wrap" takes them modulo the size, and "clip" the nearest one.

    >>> import dml_vk
    >>> x = dml_vk.zeros((2, 2), dtype="int32")
    >>> dml_vk.put(x, [0, -1], [5, 7])
    >>> x.tolist()
    [[5, 0], [0, 7]]
    """
    what = "put"
    x = to_tensor(what, "a", a)
    check_mode(what, mode)
    with ErrorsAs(what):
        if _is_nothing(v):
            return
        index = ind if isinstance(ind, Tensor) else asarray(ind, device=x.device)
        if not index.size:
            return
        check_dtype(what, index.dtype, of_kinds("iu"))
        index = reshape(index, -1)
        values = repeated(what, v, x, index.size)
        if mode == "raise" and x.ndim and context.recorder() is None:
            write_checked(x, index, values, _refuse_index)
            return
        index = astype(index, int64)
        if mode == "raise":
            index = within(what, where(less(index, 0), add(index, x.size), index), x.size)
        else:
            index = in_range(mode, index, x.size)
        if x.ndim:
            write_known(x, index, values, is_distinct=False)
        else:
            x[...] = values


def _refuse_index(what: str, part: Part, index: Array) -> NoReturn:
    known = index.astype(np.int64)
    known = np.where(known < 0, known + part.size, known)
    raise not_within(what, part.size, int(known.min()), int(known.max()))


@writes
def putmask(a: Tensor, mask: ArrayLike, values: ArrayLike, /) -> None:
    """Write, where the mask is true, the value of the same row-major index; they are repeated.

    Without values nothing is written.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 2, 3, 4])
    >>> dml_vk.putmask(x, x > 2, [10, 20])
    >>> x.tolist()
    [1, 2, 10, 20]
    """
    what = "putmask"
    x, chosen = _masked(what, a, mask)
    with ErrorsAs(what):
        if _is_nothing(values):
            return
        source = repeated(what, values, x, x.size)
        if isinstance(source, Tensor):
            source = astype(reshape(source, x.shape), x.dtype, copy=False)
        x[...] = where(chosen, source, x)


@writes
def place(arr: Tensor, mask: ArrayLike, vals: ArrayLike, /) -> None:
    """Write, where the mask is true, the first values, one after the other; they are repeated.

    It waits for the number of elements.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 2, 3, 4])
    >>> dml_vk.place(x, x > 2, [10, 20])
    >>> x.tolist()
    [1, 2, 10, 20]
    """
    what = "place"
    x, chosen = _masked(what, arr, mask)
    with ErrorsAs(what):
        places = flatnonzero(chosen)
        if places.size:
            write_known(x, places, repeated(what, vals, x, places.size), is_distinct=True)


def _masked(what: str, a: Tensor, mask: ArrayLike) -> tuple[Tensor, Tensor]:
    x = to_tensor(what, "a", a)
    chosen = to_tensor(what, "mask", upload_operands(what, x, mask)[1])
    if chosen.size != x.size:
        rule = "mask must have as many elements as the tensor"
        raise LayoutError(what, rule, mask=chosen.shape, shape=x.shape)
    with ErrorsAs(what):
        return x, reshape(astype(chosen, bool_, copy=False), x.shape)


def _is_nothing(values: ArrayLike) -> bool:
    return 0 in values.shape if isinstance(values, Tensor) else np.size(values) == 0


def repeated(what: str, values: ArrayLike, x: Tensor, count: int, first: int = 0) -> Operand:
    """Return a number, or `count` values from the `first` on, as often repeated as it takes."""
    source = values if isinstance(values, Tensor) else plain(values)
    if not isinstance(source, Tensor):
        if isinstance(source, (bool, int, float, complex)):
            return source
        source = upload_array(what, source, x)
    if not source.size:
        raise LayoutError(what, "values must not be empty", values=source.shape)
    flat = reshape(source, -1)
    if flat.size == count and not first:
        return flat
    return elements_at(flat, remainder(arange(first, first + count, device=x.device), flat.size))
