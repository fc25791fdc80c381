"""NumPy's joins by rank: operands with too few dims are first viewed with more dims.

Everything else is as in `concat`: the dtype, and the format of the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.shapes import concat
from dml_vk.dtypes import DTypeLike
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor

Seen = Tensor | tuple[Tensor, ...]


def atleast_1d(*arrays: Tensor) -> Seen:
    """View a tensor with at least one dim; with several tensors, return a tuple.

    >>> import dml_vk
    >>> dml_vk.atleast_1d(dml_vk.asarray(5)).tolist()
    [5]
    """
    return _views("atleast_1d", _at_least_1d, arrays)


def atleast_2d(*arrays: Tensor) -> Seen:
    """View a tensor with at least two dims, new ones first; with several tensors, return a tuple.

    >>> import dml_vk
    >>> dml_vk.atleast_2d(dml_vk.asarray([1, 2])).tolist()
    [[1, 2]]
    """
    return _views("atleast_2d", _at_least_2d, arrays)


def atleast_3d(*arrays: Tensor) -> Seen:
    """View a tensor with at least three dims; with several tensors, return a tuple.

    Sizes (n,) become (1, n, 1), and (m, n) become (m, n, 1).

    >>> import dml_vk
    >>> dml_vk.atleast_3d(dml_vk.zeros((2, 5))).shape
    (2, 5, 1)
    """
    return _views("atleast_3d", _at_least_3d, arrays)


def vstack(
    tup: Sequence[Tensor],
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """Join tensors along the first dim; a 1-D tensor counts as a row.

    >>> import dml_vk
    >>> row = dml_vk.asarray([1, 2])
    >>> dml_vk.vstack([row, row + 2]).tolist()
    [[1, 2], [3, 4]]
    """
    return _concat("vstack", _at_least_2d, tup, 0, out, dtype, casting)


def hstack(
    tup: Sequence[Tensor],
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """Join tensors along the second dim, or 1-D tensors along their only one.

    >>> import dml_vk
    >>> row = dml_vk.asarray([1, 2])
    >>> dml_vk.hstack([row, row + 2]).tolist()
    [1, 2, 3, 4]
    """
    return _concat("hstack", _at_least_1d, tup, 1, out, dtype, casting)


def column_stack(tup: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Join tensors along the second dim; a 1-D tensor counts as a column.

    >>> import dml_vk
    >>> column = dml_vk.asarray([1, 2])
    >>> dml_vk.column_stack([column, column + 2]).tolist()
    [[1, 3], [2, 4]]
    """
    return _concat("column_stack", _as_columns, tup, 1, out)


def dstack(tup: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Join tensors along the third dim, after `atleast_3d`.

    >>> import dml_vk
    >>> row = dml_vk.asarray([1, 2])
    >>> dml_vk.dstack([row, row + 2]).tolist()
    [[[1, 3], [2, 4]]]
    """
    return _concat("dstack", _at_least_3d, tup, 2, out)


def _at_least_1d(x: Tensor) -> Tensor:
    return x if x.ndim else x.unsqueeze(0)


def _at_least_2d(x: Tensor) -> Tensor:
    return x if x.ndim > 1 else _at_least_1d(x).unsqueeze(0)


def _at_least_3d(x: Tensor) -> Tensor:
    return x if x.ndim > 2 else _at_least_2d(x).unsqueeze(2)


def _as_columns(x: Tensor) -> Tensor:
    return x if x.ndim > 1 else _at_least_1d(x).unsqueeze(1)


def _views(what: str, view: Callable[[Tensor], Tensor], arrays: Sequence[Tensor]) -> Seen:
    views = tuple([view(to_tensor(what, "array", x)) for x in upload_operands(what, *arrays)])
    return views[0] if len(views) == 1 else views


def _concat(
    what: str,
    view: Callable[[Tensor], Tensor],
    tup: Sequence[Tensor],
    axis: int,
    out: Tensor | None,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    if not isinstance(tup, (list, tuple)):
        rule = "arrays must be a non-empty list or tuple of tensors"
        raise DTypeError(what, rule, arrays=type(tup).__name__)
    seen = [view(to_tensor(what, "array", x)) for x in upload_operands(what, *tup)]
    with ErrorsAs(what):
        along = min(axis, seen[0].ndim - 1) if seen else 0
        return concat(seen, axis=along, out=out, dtype=dtype, casting=casting)
