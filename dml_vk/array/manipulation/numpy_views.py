"""NumPy's names of views: turned, reversed, transposed, flat, diagonal."""

from __future__ import annotations

from dml_vk.arguments import Axes, to_axis, to_int
from dml_vk.array.creation.arrays import zeros
from dml_vk.array.manipulation.shapes import flip, reshape, to_axes
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor


def fliplr(x: Tensor, /) -> Tensor:
    """Return a view with the second dim reversed.

    >>> import dml_vk
    >>> dml_vk.fliplr(dml_vk.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 1], [4, 3]]
    """
    with ErrorsAs("fliplr"):
        return flip(x, axis=1)


def flipud(x: Tensor, /) -> Tensor:
    """Return a view with the first dim reversed.

    >>> import dml_vk
    >>> dml_vk.flipud(dml_vk.asarray([[1, 2], [3, 4]])).tolist()
    [[3, 4], [1, 2]]
    """
    with ErrorsAs("flipud"):
        return flip(x, axis=0)


@hinted
def rot90(x: Tensor, /, k: int = 1, axes: Axes = (0, 1)) -> Tensor:
    """Return a view turned by `k` right angles, from the first of two axes towards the second.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.rot90(x).tolist(), dml_vk.rot90(x, 2).tolist(), dml_vk.rot90(x, -1).tolist()
    ([[2, 4], [1, 3]], [[4, 3], [2, 1]], [[3, 1], [4, 2]])
    """
    x = to_tensor("rot90", "x", x)
    dims = to_axes("rot90", axes, x.ndim, "axes")
    if len(dims) != 2:
        raise LayoutError("rot90", "axes must be a pair of axes", axes=axes)
    turns, layout = to_int("rot90", "k", k) % 4, x.layout
    if turns == 2:
        return x.over(layout.flip(dims))
    if turns:
        # A quarter turn is a reversal of the second axis and a transposition.
        reverses = turns == 1
        layout = layout.flip(dims[1:] if reverses else dims[:1]).transpose(*dims)
    return x.over(layout)


def swapaxes(x: Tensor, /, axis1: int, axis2: int) -> Tensor:
    """Return a view with two axes swapped.

    >>> import dml_vk
    >>> dml_vk.swapaxes(dml_vk.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    x = to_tensor("swapaxes", "x", x)
    dims = [
        to_axis("swapaxes", name, axis, x.ndim)
        for name, axis in (("axis1", axis1), ("axis2", axis2))
    ]
    return x.over(x.layout.transpose(*dims))


def ravel(x: Tensor, /, order: str = "C") -> Tensor:
    """Return the elements as one dim: a view if strides allow it, else a copy.

    They are in row-major order, with "F" in column-major order, and with "K" in that of memory. "A"
    is "F" for tensors whose memory is in column-major order.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.ravel(x).tolist(), dml_vk.ravel(x, "F").tolist()
    ([1, 2, 3, 4], [1, 3, 2, 4])
    """
    x = to_tensor("ravel", "x", x)
    with ErrorsAs("ravel"):
        if isinstance(order, str) and order.upper() == "K":
            return reshape(x.permute(*x.layout.order), -1)
        return reshape(x, -1, order=order)


def diag(x: Tensor, /, k: int = 0) -> Tensor:
    """View the k-th diagonal of a matrix, or make a matrix of zeros with the vector x on it.

    >>> import dml_vk
    >>> dml_vk.diag(dml_vk.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    >>> dml_vk.diag(dml_vk.asarray([1, 2]), k=1).tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    x, offset = to_tensor("diag", "x", x), to_int("diag", "k", k)
    if x.ndim == 2:
        with ErrorsAs("diag", offset="k"):
            return x.over(x.layout.diagonal(offset))
    if x.ndim != 1:
        raise LayoutError("diag", "x must be 1-D or 2-D", shape=x.shape)
    return _with_diagonal("diag", x, offset)


def diagflat(x: Tensor, /, k: int = 0) -> Tensor:
    """Make a matrix of zeros with the elements of x, in row-major order, on the k-th diagonal.

    >>> import dml_vk
    >>> dml_vk.diagflat(dml_vk.asarray([[1], [2]])).tolist()
    [[1, 0], [0, 2]]
    """
    with ErrorsAs("diagflat"):
        flat = reshape(x, -1)
    return _with_diagonal("diagflat", flat, to_int("diagflat", "k", k))


def diagonal(x: Tensor, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """View the diagonals of two axes as the last dim of the result.

    >>> import dml_vk
    >>> dml_vk.diagonal(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), offset=1).tolist()
    [2, 6]
    """
    x = to_tensor("diagonal", "x", x)
    with ErrorsAs("diagonal"):
        return x.over(x.layout.diagonal(offset, axis1, axis2))


def _with_diagonal(what: str, values: Tensor, offset: int) -> Tensor:
    size = values.size + abs(offset)
    with ErrorsAs(what):
        matrix = zeros((size, size), values.dtype, device=values.device)
    matrix.over(Layout((size, size)).diagonal(offset))[...] = values
    return matrix
