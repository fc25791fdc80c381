"""Joins by the number of dims, as NumPy has them: what has too few is seen with more of them first.

The rest is `concat`: the dtype that all promote to, and the format of the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dml_vk.error_names import ErrorsAs
from dml_vk.errors import DTypeError, explain
from dml_vk.manipulation import concat
from dml_vk.operands import to_tensor
from dml_vk.tensor import Tensor

Seen = Tensor | tuple[Tensor, ...]


def atleast_1d(*arrays: Tensor) -> Seen:
    """A view with a dim where x has none; of several tensors a tuple.

    >>> import dml_vk
    >>> dml_vk.atleast_1d(dml_vk.asarray(5)).tolist()
    [5]
    """
    return _views("atleast_1d", _one, arrays)


def atleast_2d(*arrays: Tensor) -> Seen:
    """A view of two dims at least, the new ones in front; of several tensors a tuple.

    >>> import dml_vk
    >>> dml_vk.atleast_2d(dml_vk.asarray([1, 2])).tolist()
    [[1, 2]]
    """
    return _views("atleast_2d", _two, arrays)


def atleast_3d(*arrays: Tensor) -> Seen:
    """A view of three dims at least; of several tensors a tuple.

    Sizes (n,) become (1, n, 1), and (m, n) become (m, n, 1).

    >>> import dml_vk
    >>> dml_vk.atleast_3d(dml_vk.zeros((2, 5))).shape
    (2, 5, 1)
    """
    return _views("atleast_3d", _three, arrays)


def vstack(tup: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one below another: along the first dim, where one dim is a row.

    >>> import dml_vk
    >>> row = dml_vk.asarray([1, 2])
    >>> dml_vk.vstack([row, row + 2]).tolist()
    [[1, 2], [3, 4]]
    """
    return _joined("vstack", _two, tup, 0, out)


def hstack(tup: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along the second dim, or along the only one.

    >>> import dml_vk
    >>> row = dml_vk.asarray([1, 2])
    >>> dml_vk.hstack([row, row + 2]).tolist()
    [1, 2, 3, 4]
    """
    return _joined("hstack", _one, tup, 1, out)


def column_stack(tup: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side, where one dim is a column.

    >>> import dml_vk
    >>> column = dml_vk.asarray([1, 2])
    >>> dml_vk.column_stack([column, column + 2]).tolist()
    [[1, 3], [2, 4]]
    """
    return _joined("column_stack", _column, tup, 1, out)


def dstack(tup: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one behind another: along the third dim, as `atleast_3d` has it.

    >>> import dml_vk
    >>> row = dml_vk.asarray([1, 2])
    >>> dml_vk.dstack([row, row + 2]).tolist()
    [[[1, 3], [2, 4]]]
    """
    return _joined("dstack", _three, tup, 2, out)


def _one(x: Tensor) -> Tensor:
    return x if x.ndim else x.unsqueeze(0)


def _two(x: Tensor) -> Tensor:
    return x if x.ndim > 1 else _one(x).unsqueeze(0)


def _three(x: Tensor) -> Tensor:
    return x if x.ndim > 2 else _two(x).unsqueeze(2)


def _column(x: Tensor) -> Tensor:
    return x if x.ndim > 1 else _one(x).unsqueeze(1)


def _views(what: str, view: Callable[[Tensor], Tensor], arrays: Sequence[Tensor]) -> Seen:
    found = tuple([view(to_tensor(what, "array", one)) for one in arrays])
    return found[0] if len(found) == 1 else found


def _joined(
    what: str, view: Callable[[Tensor], Tensor], tup: Any, axis: int, out: Tensor | None
) -> Tensor:
    if not isinstance(tup, (list, tuple)):
        must = "arrays must be a list or tuple of tensors, one at least"
        raise DTypeError(explain(what, must, arrays=type(tup).__name__))
    seen = [view(to_tensor(what, "array", one)) for one in tup]
    with ErrorsAs(what):
        return concat(seen, axis=min(axis, seen[0].ndim - 1) if seen else 0, out=out)
