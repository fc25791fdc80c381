"""Norms of vectors and of matrices."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dml_vk.array import elementwise, statistics
from dml_vk.array.manipulation import to_axes
from dml_vk.array.products import check_matrices
from dml_vk.dtypes import DType, float32, float64
from dml_vk.errors import RangeError
from dml_vk.linalg.singular import singular_values
from dml_vk.ops.elementwise import converted
from dml_vk.promotion import float_dtype
from dml_vk.strides.order import Ints, to_bool
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_out, to_tensor


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
    known = isinstance(ord, (str, numbers.Real, np.bool_))
    if not known or not (ord in _MATRIX_NORMS or ord in _SPECTRAL):
        rule = 'ord must be "fro", "nuc", 1, -1, 2, -2, inf or -inf'
        raise RangeError(what, rule, ord=ord)
    rank = x.layout.rank
    last = (rank - 2, rank - 1)
    _check_norm(what, x, last, keepdims, dtype, ord not in ("fro", "nuc"), out)
    if ord == "fro":
        return _norm(what, x, last, keepdims, 2.0, dtype, out)
    if ord in _SPECTRAL:
        s = singular_values(what, x if x.dtype.kind == "c" else _wide(what, x))
        found = _SPECTRAL[ord](s, axis=-1, keepdims=keepdims)
        return _narrowed(found.unsqueeze(-1) if keepdims else found, dtype, out)
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
# What is made of singular values.
_SPECTRAL: dict[Any, Callable[..., Tensor]] = {
    2: statistics.max,
    -2: statistics.min,
    "nuc": statistics.sum,
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
