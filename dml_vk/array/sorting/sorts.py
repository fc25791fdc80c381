"""Sorting, named as in the array API standard. All sorts are stable.

NaN is greater than all numbers, so it comes last, or first with `descending`; -0.0 equals 0.0.
Complex numbers are in NumPy's order: by the real part, then by the imaginary part, and those with
NaN last.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_axis, to_bool, to_int
from dml_vk.array.calls import composed
from dml_vk.array.indexing.take import along_axis
from dml_vk.array.math.elementwise import astype
from dml_vk.dtypes import complex64, complex128, int64
from dml_vk.errors import ErrorsAs, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.ops.noted import tape
from dml_vk.ops.sort import argsort_elements, first_elements, sort_elements
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over, to_tensor


@hinted
def sort(
    x: Tensor,
    /,
    axis: int = -1,
    *,
    descending: bool = False,
    stable: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Sort the elements along an axis, keeping x's memory format.

    The sort is always stable. Elements keep their bits, including those of NaN and -0.0.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[3, 1, 2], [6, 5, 4]])
    >>> dml_vk.sort(x).tolist(), dml_vk.sort(x, axis=0, descending=True).tolist()
    ([[1, 2, 3], [4, 5, 6]], [[6, 5, 4], [3, 1, 2]])
    """
    x, dim = _check("sort", x, axis, descending=descending, stable=stable)
    return composed(_sorted, (x,), out, dim, descending)


def _sorted(operands: Sequence[Tensor], out: Tensor | None, dim: int, descending: bool) -> Tensor:
    (x,) = operands
    target = result_over("sort", x.layout.like(), x.dtype, x, out)
    sort_elements("sort", x, target, dim, descending)
    return target


def sort_complex(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Sort the elements along the last axis as complex numbers.

    Bools and integers of up to 16 bits become complex64, other real numbers complex128.

    >>> import dml_vk
    >>> dml_vk.sort_complex(dml_vk.asarray([2, 1j, 1], dtype="complex64")).tolist()
    [1j, (1+0j), (2+0j)]
    """
    x = to_tensor("sort_complex", "x", x)
    kind = x.dtype
    if kind.kind != "c":
        kind = complex64 if kind.kind != "f" and kind.itemsize <= 2 else complex128
    with ErrorsAs("sort_complex"):
        return sort(astype(x, kind, copy=False), out=out)


@hinted
def argsort(
    x: Tensor,
    /,
    axis: int = -1,
    *,
    descending: bool = False,
    stable: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Return the int64 indexes that sort x along an axis.

    >>> import dml_vk
    >>> dml_vk.argsort(dml_vk.asarray([2.5, -1.0, 2.5, 0.0])).tolist()
    [1, 3, 0, 2]
    >>> dml_vk.argsort(dml_vk.asarray([2.5, -1.0, 2.5, 0.0]), descending=True).tolist()
    [0, 2, 3, 1]
    """
    x, dim = _check("argsort", x, axis, descending=descending, stable=stable)
    return composed(_order, (x,), out, dim, descending)


def _order(operands: Sequence[Tensor], out: Tensor | None, dim: int, descending: bool) -> Tensor:
    (x,) = operands
    target = result_over("argsort", x.layout.like(), int64, x, out)
    argsort_elements("argsort", x, target, dim, descending)
    return target


@hinted
def top_k(x: Tensor, k: int, *, axis: int = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """Return the k largest or smallest elements along an axis, sorted, and their int64 indexes.

    Of equal elements the one with the lower index comes first; NaN is the largest. Both results
    have x's memory format.

    >>> import dml_vk
    >>> values, indices = dml_vk.top_k(dml_vk.asarray([3, 9, 7, 9]), 3)
    >>> values.tolist(), indices.tolist()
    ([9, 9, 7], [1, 3, 2])
    """
    x, dim = _check("top_k", x, axis, largest=largest)
    count, length = to_int("top_k", "k", k), x.shape[dim]
    if not 0 <= count <= length:
        rule = f"k must be from 0 to {length}, the size of axis {dim}"
        raise RangeError("top_k", rule, k=k)
    if tape() is not None:
        indices = composed(_first_order, (x,), None, count, dim, largest)
        return along_axis(x, indices, dim), indices
    return _first((x,), count, dim, largest)


def _first_order(
    operands: Sequence[Tensor], out: Tensor | None, count: int, dim: int, largest: bool
) -> Tensor:
    _, indices = _first(operands, count, dim, largest)
    return indices


def _first(
    operands: Sequence[Tensor], count: int, dim: int, largest: bool
) -> tuple[Tensor, Tensor]:
    (x,) = operands
    layout = Layout.packed((*x.shape[:dim], count, *x.shape[dim + 1 :]), x.layout.order)
    values = result_over("top_k", layout, x.dtype, x)
    indices = result_over("top_k", layout, int64, x)
    if count:
        first_elements("top_k", x, values, indices, dim, largest)
    return values, indices


def _check(what: str, x: Tensor, axis: int, **switches: bool) -> tuple[Tensor, int]:
    x = to_tensor(what, "x", x)
    for name, switch in switches.items():
        to_bool(what, name, switch)
    return x, to_axis(what, "axis", axis, x.layout.rank)
