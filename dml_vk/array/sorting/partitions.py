"""NumPy's partial orders and orders by several keys, all of them stable sorts."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Axes, several, to_axis, to_index, to_tuple
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.indexing.take import along_axis
from dml_vk.array.manipulation.shapes import broadcast_arrays, reshape
from dml_vk.array.sorting.sorts import argsort, sort
from dml_vk.dtypes import int64
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.hints import hinted
from dml_vk.ops.copy import copy_elements
from dml_vk.strides.views import check_pieces
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_out, to_tensor, to_tensors


@hinted
def partition(
    x: Tensor, /, kth: Axes, axis: int | None = -1, *, out: Tensor | None = None
) -> Tensor:
    """Return the elements with the k-th in its place, no larger ones before, no smaller after.

    Without an axis, all elements are one dim. This is the complete sort, which is one such order.

    >>> import dml_vk
    >>> dml_vk.partition(dml_vk.asarray([7, 1, 5, 3]), 1).tolist()
    [1, 3, 5, 7]
    """
    x, dim = _checked("partition", x, kth, axis)
    with ErrorsAs("partition"):
        return sort(x, axis=dim, out=out)


@hinted
def argpartition(
    x: Tensor, /, kth: Axes, axis: int | None = -1, *, out: Tensor | None = None
) -> Tensor:
    """Return the int64 indexes of `partition`, which are those of `argsort`.

    >>> import dml_vk
    >>> dml_vk.argpartition(dml_vk.asarray([7, 1, 5, 3]), 1).tolist()
    [1, 3, 2, 0]
    """
    x, dim = _checked("argpartition", x, kth, axis)
    with ErrorsAs("argpartition"):
        return argsort(x, axis=dim, out=out)


@hinted
def lexsort(
    keys: Tensor | Sequence[Tensor], /, axis: int = -1, *, out: Tensor | None = None
) -> Tensor:
    """Return the int64 indexes that sort by the last key, then by the one before, and so on.

    >>> import dml_vk
    >>> last, first = dml_vk.asarray([9, 4, 0]), dml_vk.asarray([1, 5, 1])
    >>> dml_vk.lexsort((last, first)).tolist()
    [2, 0, 1]
    """
    what = "lexsort"
    if isinstance(keys, Tensor):
        check_pieces(what, keys.shape[0] if keys.ndim else 0)
        keys = list(keys) if keys.ndim else ()
    if not isinstance(keys, (list, tuple)) or not keys:
        rule = "keys must be a non-empty list or tuple of tensors"
        raise DTypeError(what, rule, keys=type(keys).__name__)
    columns: Sequence[Tensor] = [
        to_tensor(what, "key", key) for key in upload_operands(what, *keys)
    ]
    to_tensors(what, columns)
    with ErrorsAs(what):
        columns = broadcast_arrays(*columns)
        dim = to_axis(what, "axis", axis, columns[0].ndim)
        order = argsort(columns[0], axis=dim)
        for key in columns[1:]:
            finer = argsort(along_axis(key, order, dim), axis=dim)
            order = along_axis(order, finer, dim)
    if out is None:
        return order
    target = check_out(what, out, order.shape, int64, order)
    copy_elements(what, order, target)
    return target


def _checked(what: str, x: Tensor, kth: Axes, axis: int | None) -> tuple[Tensor, int]:
    x = to_tensor(what, "x", x)
    if axis is None:
        x, axis = reshape(x, -1), 0
    dim = to_axis(what, "axis", axis, x.ndim)
    for k in to_tuple(what, "kth", several(kth)):
        to_index(what, "kth", k, x.shape[dim])
    return x, dim
