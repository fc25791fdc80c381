"""Norms of vectors and of matrices."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dml_vk.arguments import Ints, to_bool
from dml_vk.array.calls import whole
from dml_vk.array.manipulation.shapes import moveaxis, to_axes
from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import check_matrices
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.linalg.singular import singular_values
from dml_vk.ops.elementwise import converted
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_out, to_tensor


@hinted
def norm(
    x: Tensor,
    /,
    ord: float | str | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the norms of vectors along one axis, or of matrices over two, with NumPy's parameters.

    Without `ord` it is the square root of the sum of squares, over all elements without an axis.
    Without an axis, `ord` is that of a 1-D or a 2-D tensor. See `vector_norm` and `matrix_norm`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[3.0, 4.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]]])
    >>> dml_vk.linalg.norm(x, axis=-1).tolist()
    [[5.0, 0.0], [1.0, 1.4142135381698608]]
    >>> dml_vk.linalg.norm(x, 1, axis=(0, 1)).tolist()
    [3.0, 5.0]
    """
    what = "norm"
    rank = to_tensor(what, "x", x).ndim
    dims = tuple(range(rank)) if axis is None else to_axes(what, axis, rank)
    if ord is not None and len(dims) not in (1, 2):
        rule = "with ord, x must be 1-D or 2-D, or axis an integer or two"
        raise LayoutError(what, rule, ord=ord, axis=axis, shape=x.shape)
    with ErrorsAs(what):
        if ord is None or len(dims) == 1:
            two: Any = 2 if ord is None else ord
            return vector_norm(x, axis=dims, keepdims=keepdims, ord=two, out=out)
        last = (-2, -1)
        seen, target = moveaxis(x, dims, last), out
        if out is not None and to_bool(what, "keepdims", keepdims):
            target = moveaxis(to_tensor(what, "out", out), dims, last)
        result = matrix_norm(seen, keepdims=keepdims, ord=ord, out=target)
        if out is not None:
            return out
        return moveaxis(result, last, dims) if keepdims else result


@hinted
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
    elements that are not 0. Of no elements it is 0, but the smallest is an error.

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
    _check_norm(what, x, dims, keepdims, dtype, dims if order == -math.inf else (), out)
    length: Tensor = whole(_norm, (x,), out, what, dims, keepdims, order, dtype)
    return length


@hinted
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
    magnitudes of a column, inf and -inf of a row. 2 and -2 are the largest and the smallest
    singular value, and "nuc" is their sum.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, -2.0], [4.0, 2.0]])
    >>> dml_vk.linalg.matrix_norm(x).tolist(), dml_vk.linalg.matrix_norm(x, ord=1).tolist()
    (5.0, 5.0)
    """
    what = "matrix_norm"
    dtype = _float_dtype(what, x)
    check_matrices(what, x)
    is_valid = isinstance(ord, (str, numbers.Real, np.bool_))
    if not is_valid or not (ord in _MATRIX_NORMS or ord in _SPECTRAL):
        rule = 'ord must be "fro", "nuc", 1, -1, 2, -2, inf or -inf'
        raise RangeError(what, rule, ord=ord)
    rank = x.layout.rank
    last = (rank - 2, rank - 1)
    least: Ints = last if ord == -2 else ()
    if ord in (-1, -math.inf):
        least = (rank - 1,) if ord == -1 else (rank - 2,)
    _check_norm(what, x, last, keepdims, dtype, least, out)
    if ord == "fro":
        length: Tensor = whole(_norm, (x,), out, what, last, keepdims, 2.0, dtype)
        return length
    if ord in _SPECTRAL:
        s = singular_values(what, x if x.dtype.kind == "c" else _wide(what, x))
        reduce = _SPECTRAL[ord] if s.size else reductions.sum
        # Over two dims equal values share the gradient, over one the first has all of it.
        return _narrowed(reduce(s.unsqueeze(-1), axis=(-2, -1), keepdims=keepdims), dtype, out)
    along, largest = _MATRIX_NORMS[ord]
    sums = reductions.sum(elementwise.abs(_wide(what, x)), axis=along, keepdims=True)
    extreme = _extreme(sums, largest)
    return _narrowed(extreme(sums, axis=last, keepdims=keepdims), dtype, out)


# The axis to sum along, and whether to take the largest sum or the smallest.
_MATRIX_NORMS: dict[float | str | None, tuple[int, bool]] = {
    "fro": (-1, True),
    1: (-2, True),
    -1: (-2, False),
    math.inf: (-1, True),
    -math.inf: (-1, False),
}
# The reduction of singular values.
_SPECTRAL: dict[float | str | None, Callable[..., Tensor]] = {
    2: reductions.max,
    -2: reductions.min,
    "nuc": reductions.sum,
}


def _float_dtype(what: str, x: Tensor) -> DType:
    """Return the dtype of a norm, which is real."""
    return float_dtype(to_tensor(what, "x", x).dtype).part


def _check_norm(
    what: str, x: Tensor, dims: Ints, keepdims: bool, dtype: DType, least: Ints, out: Tensor | None
) -> None:
    """Check the arguments before anything is computed: no elements along `least` have no least."""
    layout = reductions.reduced_layout(x.layout, dims, to_bool(what, "keepdims", keepdims))
    if least and math.prod([x.shape[dim] for dim in least]) == 0:
        rule = "zero-size reduction has no identity"
        raise RangeError(what, rule, shape=x.shape, axis=dims)
    if out is not None:
        check_out(what, out, layout.sizes, dtype, x)


def _norm(
    operands: Sequence[Tensor],
    out: Tensor | None,
    what: str,
    dims: Ints,
    keepdims: bool,
    order: float,
    dtype: DType,
) -> Tensor:
    x = _wide(what, operands[0])
    last = out if x.dtype is dtype else None  # `out` of the last step, if it needs no conversion
    if abs(order) == math.inf:
        extreme = _extreme(x, order > 0)
        result = extreme(elementwise.abs(x), axis=dims, keepdims=keepdims, out=last)
    elif order == 2:
        sums = reductions.sum(elementwise.square(x), axis=dims, keepdims=keepdims)
        result = elementwise.sqrt(sums, out=last)
    elif order == 1:
        result = reductions.sum(elementwise.abs(x), axis=dims, keepdims=keepdims, out=last)
    elif order == 0:
        result = reductions.count_nonzero(x, axis=dims, keepdims=keepdims)
    else:
        powers = elementwise.pow(elementwise.abs(x), order)
        sums = reductions.sum(powers, axis=dims, keepdims=keepdims)
        result = elementwise.pow(sums, 1.0 / order, out=last)
    return result if result is out else _narrowed(result, dtype, out)


def root_of_squares(total: Tensor) -> Tensor:
    """Return the norm of what has this sum of squares: its gradient at 0 is 0."""
    norm: Tensor = whole(_root, (total,), None)
    return norm


def _root(operands: Sequence[Tensor], out: Tensor | None) -> Tensor:
    return elementwise.sqrt(operands[0], out=out)


def _extreme(sizes: Tensor, largest: bool) -> Callable[..., Tensor]:
    """The reduction that finds the largest or the least; the largest of no sizes is 0."""
    if largest:
        return reductions.max if sizes.size else reductions.sum
    return reductions.min


def _wide(what: str, x: Tensor) -> Tensor:
    """Convert float16 to float32, so that squares and sums do not overflow or lose precision.

    Integers that float32 does not hold become float64, others and bools float32, and complex
    numbers their sizes.
    """
    if x.dtype.kind == "c":
        return elementwise.abs(x)
    if x.dtype in (float32, float64):
        return x
    large = x.dtype.kind in "iu" and x.dtype.itemsize > 2
    return Tensor(converted(what, x, float64 if large else float32))


def _narrowed(result: Tensor, dtype: DType, out: Tensor | None) -> Tensor:
    return elementwise.astype(result, dtype, copy=False, out=out)
