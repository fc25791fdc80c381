"""Sorting, named as in the array API standard. Elements that are equal always keep their order.

NaN is greater than all numbers, so it comes last, and first where `descending`; -0.0 equals 0.0.
"""

from __future__ import annotations

from typing import Any

from dml_vk.dtypes import int64
from dml_vk.operands import result_over, to_tensor, typed
from dml_vk.ops.sort import argsort_elements, sort_elements
from dml_vk.strides.order import to_bool, to_index
from dml_vk.tensor import Tensor


def sort(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """The elements along an axis in order, in x's memory format.

    It is stable in any case. Bits stay as they are, those of NaNs and of -0.0 too.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[3, 1, 2], [6, 5, 4]])
    >>> dml_vk.sort(x).tolist(), dml_vk.sort(x, axis=0, descending=True).tolist()
    ([[1, 2, 3], [4, 5, 6]], [[6, 5, 4], [3, 1, 2]])
    """
    x, dim = _check("sort", x, axis, descending=descending, stable=stable)
    target = result_over("sort", x.layout.like(), x.dtype, x, out)
    sort_elements("sort", typed(x), target.strided, dim, descending)
    return target


def argsort(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """The indexes along an axis, int64, that put x in order: x at the first is the least.

    >>> import dml_vk
    >>> dml_vk.argsort(dml_vk.asarray([2.5, -1.0, 2.5, 0.0])).tolist()
    [1, 3, 0, 2]
    >>> dml_vk.argsort(dml_vk.asarray([2.5, -1.0, 2.5, 0.0]), descending=True).tolist()
    [0, 2, 3, 1]
    """
    x, dim = _check("argsort", x, axis, descending=descending, stable=stable)
    target = result_over("argsort", x.layout.like(), int64, x, out)
    argsort_elements("argsort", typed(x), typed(target), dim, descending)
    return target


def _check(what: str, x: Any, axis: Any, **switches: Any) -> tuple[Tensor, int]:
    given = to_tensor(what, "x", x)
    for name, switch in switches.items():
        to_bool(what, name, switch)
    return given, to_index(what, "axis", axis, given.layout.rank)
