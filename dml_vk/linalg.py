"""Linear algebra without decompositions, named as in the array API standard."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk.aliases import not_there
from dml_vk.array import elementwise, statistics
from dml_vk.array.einsum import numeric_dtype
from dml_vk.array.manipulation import to_axes
from dml_vk.array.products import (
    check_matrices,
    matmul,
    matrix_transpose,
    shared_axis,
    tensordot,
    vecdot,
)
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import converted
from dml_vk.promotion import float_dtype
from dml_vk.strides.order import Ints, to_bool, to_int
from dml_vk.strides.propagate import broadcast_sizes, commutative_elementwise
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, check_out, of_kinds, result_over, to_tensor

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

if not TYPE_CHECKING:  # It would make type checkers accept all names.

    def __getattr__(name: str) -> Any:
        raise AttributeError(not_there("module 'dml_vk.linalg'", name))


def outer(x1: Tensor, x2: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the outer product of two vectors.

    >>> import dml_vk
    >>> dml_vk.linalg.outer(dml_vk.asarray([1, 2]), dml_vk.asarray([3, 4, 5])).tolist()
    [[3, 4, 5], [6, 8, 10]]
    """
    dtype = numeric_dtype("outer", (("x1", x1), ("x2", x2)))
    if (x1.layout.rank, x2.layout.rank) != (1, 1):
        rule = "x1 and x2 must be 1-D"
        raise LayoutError("outer", rule, x1=x1.shape, x2=x2.shape)
    if out is not None:
        check_out("outer", out, (*x1.shape, *x2.shape), dtype, x1)
    return elementwise.multiply(x1.over(x1.layout.unsqueeze(1)), x2, out=out)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Return the diagonals of matrices, the last two dims, as a view; `offset` moves to the right.

    >>> import dml_vk
    >>> dml_vk.linalg.diagonal(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), offset=1).tolist()
    [2, 6]
    """
    to_tensor("diagonal", "x", x)
    check_matrices("diagonal", x)
    return x.over(x.layout.diagonal(to_int("diagonal", "offset", offset), -2, -1))


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Return the sums of the diagonals of matrices, the last two dims, with the dtype of `sum`.

    >>> import dml_vk
    >>> dml_vk.linalg.trace(dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])).tolist()
    5.0
    """
    check_dtype("trace", to_tensor("trace", "x", x).dtype, of_kinds("iufc"))
    check_matrices("trace", x)
    with ErrorsAs("trace"):
        return statistics.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype, out=out)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1, out: Tensor | None = None) -> Tensor:
    """Return the cross products of 3-vectors along an axis; the other dims broadcast.

    >>> import dml_vk
    >>> dml_vk.linalg.cross(dml_vk.asarray([1, 2, 3]), dml_vk.asarray([4, 5, 6])).tolist()
    [-3, 6, -3]
    """
    dtype = numeric_dtype("cross", (("x1", x1), ("x2", x2)))
    axis = shared_axis("cross", axis, x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        rule = "x1 and x2 must have three elements along axis"
        raise LayoutError("cross", rule, axis=axis, x1=x1.shape, x2=x2.shape)
    sizes = broadcast_sizes("cross", (x1.shape, x2.shape))
    layout = Layout.packed(sizes, commutative_elementwise(sizes, (x1.layout, x2.layout)))
    target = result_over("cross", layout, dtype, x1, out)
    a, b, to = [[x.over(x.layout.select(axis, k)) for k in range(3)] for x in (x1, x2, target)]
    # Compute all products before writing, since `out` may be an operand.
    pairs = [
        (elementwise.multiply(a[k - 2], b[k - 1]), elementwise.multiply(a[k - 1], b[k - 2]))
        for k in range(3)
    ]
    for (plus, minus), place in zip(pairs, to):
        elementwise.subtract(plus, minus, out=place)
    return target


def vector_norm(
    x: Tensor,
    /,
    *,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    ord: float = 2,
    out: Tensor | None = None,
) -> Tensor:
    """Return the norm over one axis, several or all: (sum of |x|**ord) ** (1/ord).

    With `ord` inf it is the largest magnitude, with -inf the smallest, and with 0 the number of
    elements that are not 0.

    >>> import dml_vk
    >>> x = dml_vk.asarray([3.0, -4.0])
    >>> [dml_vk.linalg.vector_norm(x, ord=order).item() for order in (2, 1, 0)]
    [5.0, 7.0, 2.0]
    """
    what = "vector_norm"
    dtype = _float_dtype(what, x)
    try:
        order = float(ord) if isinstance(ord, (numbers.Real, np.bool_)) else None
    except (OverflowError, TypeError):  # integers beyond all floats, and broken number types
        order = None
    if order is None:
        raise RangeError(what, "ord must be a real number", ord=ord)
    rank = x.layout.rank
    if axis is None:
        dims: Ints = tuple(range(rank))
    else:
        dims = to_axes(what, axis, rank)
    _check_norm(what, x, dims, keepdims, dtype, abs(order) == math.inf, out)
    return _norm(what, x, dims, keepdims, order, dtype, out)


def matrix_norm(
    x: Tensor,
    /,
    *,
    keepdims: bool = False,
    ord: float | str | None = "fro",
    out: Tensor | None = None,
) -> Tensor:
    """Return the norm of matrices, the last two dims.

    "fro" is the square root of the sum of squares, 1 and -1 are the largest and the smallest sum of
    magnitudes of a column, inf and -inf of a row. 2, -2 and "nuc" need singular values, which are
    not available.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, -2.0], [4.0, 2.0]])
    >>> dml_vk.linalg.matrix_norm(x).tolist(), dml_vk.linalg.matrix_norm(x, ord=1).tolist()
    (5.0, 5.0)
    """
    what = "matrix_norm"
    dtype = _float_dtype(what, x)
    check_matrices(what, x)
    if not isinstance(ord, (str, numbers.Real, np.bool_)) or ord not in _MATRIX_NORMS:
        rule = 'ord must be "fro", 1, -1, inf or -inf: other norms need singular values'
        raise RangeError(what, rule, ord=ord)
    rank = x.layout.rank
    last = (rank - 2, rank - 1)
    _check_norm(what, x, last, keepdims, dtype, ord != "fro", out)
    if ord == "fro":
        return _norm(what, x, last, keepdims, 2.0, dtype, out)
    along, largest = _MATRIX_NORMS[ord]
    sums = statistics.sum(elementwise.abs(_wide(what, x)), axis=along, keepdims=True)
    choose = statistics.max if largest else statistics.min
    return _narrowed(choose(sums, axis=last, keepdims=keepdims), dtype, out)


# The axis to sum along, and whether to take the largest sum or the smallest.
_MATRIX_NORMS: dict[Any, tuple[int, bool]] = {
    "fro": (-1, True),
    1: (-2, True),
    -1: (-2, False),
    math.inf: (-1, True),
    -math.inf: (-1, False),
}


def _float_dtype(what: str, x: Any) -> DType:
    """Return the dtype of a norm, which is real."""
    return float_dtype(to_tensor(what, "x", x).dtype).part


def _check_norm(
    what: str, x: Tensor, dims: Ints, keepdims: bool, dtype: DType, chooses: bool, out: Any
) -> None:
    """Check the arguments before anything is computed."""
    layout = statistics.reduced_layout(x.layout, dims, to_bool(what, "keepdims", keepdims))
    if chooses and math.prod([x.shape[dim] for dim in dims]) == 0:
        rule = "zero-size reduction has no identity"
        raise RangeError(what, rule, shape=x.shape, axis=dims)
    if out is not None:
        check_out(what, out, layout.sizes, dtype, x)


def _norm(
    what: str, x: Tensor, dims: Ints, keepdims: bool, order: float, dtype: DType, out: Any
) -> Tensor:
    x = _wide(what, x)
    last = out if x.dtype is dtype else None  # `out` of the last step, if it needs no conversion
    if abs(order) == math.inf:
        choose = statistics.max if order > 0 else statistics.min
        found = choose(elementwise.abs(x), axis=dims, keepdims=keepdims, out=last)
    elif order == 2:
        sums = statistics.sum(elementwise.square(x), axis=dims, keepdims=keepdims)
        found = elementwise.sqrt(sums, out=last)
    elif order == 1:
        found = statistics.sum(elementwise.abs(x), axis=dims, keepdims=keepdims, out=last)
    elif order == 0:
        found = statistics.count_nonzero(x, axis=dims, keepdims=keepdims)
    else:
        powers = elementwise.pow(elementwise.abs(x), order)
        sums = statistics.sum(powers, axis=dims, keepdims=keepdims)
        found = elementwise.pow(sums, 1.0 / order, out=last)
    return found if found is out else _narrowed(found, dtype, out)


def _wide(what: str, x: Tensor) -> Tensor:
    """Convert float16 to float32, so that squares and sums do not overflow or lose precision.

    Integers and bools become float32 too, and complex numbers their sizes.
    """
    if x.dtype.kind == "c":
        return elementwise.abs(x)
    return x if x.dtype in (float32, float64) else Tensor(converted(what, x, float32))


def _narrowed(found: Tensor, dtype: DType, out: Any) -> Tensor:
    return elementwise.astype(found, dtype, copy=False, out=out)


def __dir__() -> list[str]:
    return __all__
