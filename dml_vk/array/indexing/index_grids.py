"""NumPy's tuples of indexes: of diagonals, of triangles, and of the rows and columns of a grid."""

from __future__ import annotations

import numpy as np

from dml_vk.arguments import to_int
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.creation.grids import arange
from dml_vk.array.host_operands import upload_array
from dml_vk.array.indexing.take import elements_at
from dml_vk.array.info import MOST_DIMS
from dml_vk.array.math.elementwise import add, astype, subtract
from dml_vk.array.sorting.searching import check_one_dim, nonzero, searchsorted
from dml_vk.dtypes import bool_, int64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import to_tensor

Indexes = tuple[Tensor, ...]


def ix_(*args: ArrayLike) -> Indexes:
    """Return indexes of the grid of all combinations: each argument along a dim of its own.

    Masks stand for the indexes at which they are true, which are waited for.

    >>> import dml_vk
    >>> x = dml_vk.reshape(dml_vk.arange(6), (2, 3))
    >>> x[dml_vk.ix_([1, 0], [0, 2])].tolist()
    [[3, 5], [0, 2]]
    """
    what = "ix_"
    near = next((arg for arg in args if isinstance(arg, Tensor)), None)
    indexes = []
    for dim, arg in enumerate(args):
        with ErrorsAs(what):
            index = _vector(what, arg, near)
            check_one_dim(what, "args", index)
            if index.dtype is bool_:
                (index,) = nonzero(index)
            indexes.append(index.view([-1 if k == dim else 1 for k in range(len(args))]))
    return tuple(indexes)


def diag_indices(n: int, ndim: int = 2, /, *, device: DeviceLike = None) -> Indexes:
    """Return the indexes of the main diagonal of a tensor with `ndim` dims of size n.

    >>> import dml_vk
    >>> x = dml_vk.zeros((2, 2))
    >>> x[dml_vk.diag_indices(2)] = 7
    >>> x.tolist()
    [[7.0, 0.0], [0.0, 7.0]]
    """
    what = "diag_indices"
    size, rank = to_int(what, "n", n), to_int(what, "ndim", ndim)
    if size < 0 or not 0 <= rank <= MOST_DIMS:
        rule = f"n must not be negative, and ndim be from 0 to {MOST_DIMS}"
        raise RangeError(what, rule, n=n, ndim=ndim)
    return (arange(size, device=device),) * rank


def diag_indices_from(x: Tensor, /) -> Indexes:
    """Return the indexes of the main diagonal of a tensor whose sizes are equal.

    >>> import dml_vk
    >>> [one.tolist() for one in dml_vk.diag_indices_from(dml_vk.zeros((2, 2)))]
    [[0, 1], [0, 1]]
    """
    what = "diag_indices_from"
    x = to_tensor(what, "x", x)
    if x.ndim < 2 or len(set(x.shape)) > 1:
        rule = "x must have at least two dims, all of one size"
        raise LayoutError(what, rule, shape=x.shape)
    return (arange(x.shape[0], device=x.device),) * x.ndim


def tril_indices(
    n: int, k: int = 0, m: int | None = None, /, *, device: DeviceLike = None
) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of what lies on and below the k-th diagonal of n rows.

    There are n columns, or m.

    >>> import dml_vk
    >>> [one.tolist() for one in dml_vk.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return _triangle("tril_indices", n, k, m, device)


def tril_indices_from(x: Tensor, /, k: int = 0) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of what lies on and below the k-th diagonal of a matrix.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> x[dml_vk.tril_indices_from(x)].tolist()
    [1, 3, 4]
    """
    return _triangle_of("tril_indices_from", x, k)


def triu_indices(
    n: int, k: int = 0, m: int | None = None, /, *, device: DeviceLike = None
) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of what lies on and above the k-th diagonal of n rows.

    There are n columns, or m.

    >>> import dml_vk
    >>> [one.tolist() for one in dml_vk.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return _triangle("triu_indices", n, k, m, device)


def triu_indices_from(x: Tensor, /, k: int = 0) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of what lies on and above the k-th diagonal of a matrix.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> x[dml_vk.triu_indices_from(x)].tolist()
    [1, 2, 4]
    """
    return _triangle_of("triu_indices_from", x, k)


def _vector(what: str, value: ArrayLike, near: Tensor | None) -> Tensor:
    """Return a tensor as it is, and an empty list as integers."""
    if isinstance(value, Tensor):
        return value
    vector = asarray(value) if near is None else upload_array(what, value, near)
    return vector if vector.size or isinstance(value, np.ndarray) else astype(vector, int64)


def _triangle_of(what: str, x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    x = to_tensor(what, "x", x)
    if x.ndim != 2:
        raise LayoutError(what, "x must be a matrix", shape=x.shape)
    rows, columns = x.shape
    return _triangle(what, rows, k, columns, x.device)


def _triangle(
    what: str, n: int, k: int, m: int | None, device: DeviceLike
) -> tuple[Tensor, Tensor]:
    """Find the row of each element from the number of elements in the rows before."""
    rows, which = to_int(what, "n", n), to_int(what, "k", k)
    columns = rows if m is None else to_int(what, "m", m)
    if min(rows, columns) < 0:
        raise RangeError(what, "n and m must not be negative", n=n, m=m)
    lower = what.startswith("tril")
    # The column of the first element of row i, and the one after its last, are i + edge and the
    # ends of the row. Rows without elements are left out.
    edge = min(max(which, -rows), columns) + lower
    start = min(max(0, 1 - edge), rows) if lower else 0
    stop = rows if lower else min(rows, max(0, columns - edge))
    total = _count(start, stop, edge, columns, lower)
    with ErrorsAs(what):
        position = arange(total, device=device)
        if not total:
            return position, position
        edges = np.clip(np.arange(start, stop) + edge, 0, columns)
        ends = np.cumsum(edges if lower else columns - edges)
        own = searchsorted(asarray(ends, device=device), position, side="right")
        # The column is the place in the row, which for upper triangles counts from the last column.
        first = np.append(0, ends[:-1]) if lower else ends - columns
        column = subtract(position, elements_at(asarray(first, device=device), own))
        return add(own, start), column


def _count(start: int, stop: int, edge: int, columns: int, lower: bool) -> int:
    """Return the number of elements of these rows, without going through them."""
    # In rows up to `turn`, edges are on one side of the ends of rows, and beyond it on the other.
    if lower:
        turn = min(stop, max(start, columns - edge))
        count, whole, least = turn - start, stop - turn, start + edge
    else:
        turn = min(stop, max(start, -edge))
        count, whole, least = stop - turn, turn - start, columns - (stop - 1 + edge)
    return columns * whole + count * least + count * (count - 1) // 2
