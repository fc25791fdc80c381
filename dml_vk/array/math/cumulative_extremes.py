"""The greatest and the smallest of all elements so far, and the logarithm of a sum of exponentials.

Extremes do not depend on the order in which they are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_axis
from dml_vk.array.calls import composed
from dml_vk.array.creation.arrays import empty_like
from dml_vk.array.creation.grids import arange
from dml_vk.array.math.elementwise import (
    astype,
    bitwise_xor,
    equal,
    logaddexp,
    logical_or,
    not_equal,
    where,
)
from dml_vk.dtypes import float16, float32, int64, uint64
from dml_vk.errors import ErrorsAs
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.doubling import add_logarithms
from dml_vk.ops.noted import tape
from dml_vk.ops.scan import MAXIMUM, MINIMUM, scan_elements
from dml_vk.ops.view import with_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, check_out, of_kinds, result_over, to_tensor

_TOP = 1 << 63


@hinted
def cummax(x: Tensor, /, axis: int = 0) -> tuple[Tensor, Tensor]:
    """Return the greatest of all elements so far along an axis, and their int64 indexes.

    Of equal elements it is the last one's index. NaN is greater than all numbers, and the last NaN
    so far is meant.

    >>> import dml_vk
    >>> values, indexes = dml_vk.cummax(dml_vk.asarray([2, 1, 2, 5, 3]))
    >>> values.tolist(), indexes.tolist()
    ([2, 2, 2, 5, 5], [0, 0, 2, 3, 3])
    """
    return _with_indexes("cummax", MAXIMUM, x, axis)


@hinted
def cummin(x: Tensor, /, axis: int = 0) -> tuple[Tensor, Tensor]:
    """Return the smallest of all elements so far along an axis, and their int64 indexes.

    Of equal elements it is the last one's index. NaN is smaller than all numbers, and the last NaN
    so far is meant.

    >>> import dml_vk
    >>> values, indexes = dml_vk.cummin(dml_vk.asarray([2, 3, 2, 1, 3]))
    >>> values.tolist(), indexes.tolist()
    ([2, 2, 2, 1, 1], [0, 0, 2, 3, 3])
    """
    return _with_indexes("cummin", MINIMUM, x, axis)


@hinted
def logcumsumexp(x: Tensor, /, axis: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithms of the cumulative sums of exp(x) along an axis, without overflow.

    Element k is `logaddexp` of the elements up to it, in pairs whose distance doubles from round to
    round. Integers give float32.

    >>> import dml_vk
    >>> dml_vk.logcumsumexp(dml_vk.asarray([1000.0, 1000.0, -1000.0])).tolist()
    [1000.0, 1000.6931762695312, 1000.6931762695312]
    """
    what = "logcumsumexp"
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("biuf"))
    dim = to_axis(what, "axis", axis, x.ndim)
    kind = x.dtype if x.dtype.kind == "f" else float32
    if out is not None:
        check_out(what, out, x.shape, kind, x)
    with ErrorsAs(what):
        result = astype(x, kind, copy=False)
        distance, length = 1, x.shape[dim]
        if length > 1 and _goes_by_teams(result):
            result, length = Tensor(add_logarithms(what, result, dim)), 1
        while distance < length:
            rest = length - distance
            longer = empty_like(result)
            copy_elements(what, result.narrow(dim, 0, distance), longer.narrow(dim, 0, distance))
            near, far = result.narrow(dim, distance, rest), result.narrow(dim, 0, rest)
            logaddexp(near, far, out=longer.narrow(dim, distance, rest))
            result, distance = longer, 2 * distance
        # Only one element, or a place for the result, takes another copy.
        return result if out is None and result is not x else astype(result, kind, out=out)


def _goes_by_teams(x: Tensor) -> bool:
    """Whether workgroups do several rounds: of all elements in order, and not for a tape."""
    packed = x.size > 0 and x.layout.strides == Layout(x.shape).strides
    return packed and x.device.profile.coalesces and x.dtype is not float16 and tape() is None


def cumulative_extreme(
    what: str, operator: int, x: Tensor, axis: int, out: Tensor | None = None
) -> Tensor:
    """Return the extremes so far, in the dtype of x."""
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("biuf"))
    dim = to_axis(what, "axis", axis, x.ndim)
    return composed(_extremes, (x,), out, what, operator, dim)


def _extremes(
    operands: Sequence[Tensor], out: Tensor | None, what: str, operator: int, dim: int
) -> Tensor:
    (x,) = operands
    result = result_over(what, x.layout.like(), x.dtype, x, out)
    if x.dtype.kind == "f" or x.dtype is int64:
        scan_elements(what, operator, x, result, dim)
    elif x.dtype is uint64:
        # Without the top bit's sign, the order is that of int64.
        signed = Tensor(with_dtype(bitwise_xor(x, _TOP), int64))
        scan_elements(what, operator, signed, signed, dim)
        bitwise_xor(Tensor(with_dtype(signed, uint64)), _TOP, out=result)
    else:
        wide = astype(x, int64)
        scan_elements(what, operator, wide, wide, dim)
        astype(wide, x.dtype, out=result)
    return result


def _with_indexes(what: str, operator: int, x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    values = cumulative_extreme(what, operator, x, axis)
    x, dim = to_tensor(what, "x", x), to_axis(what, "axis", axis, values.ndim)
    return values, indexes_of(what, x, values, dim)


def indexes_of(what: str, x: Tensor, values: Tensor, dim: int) -> Tensor:
    """Return where along a dim the extremes so far were attained last."""
    attained = equal(x, values)
    if x.dtype.kind == "f":
        attained = logical_or(attained, not_equal(x, x))
    places = arange(x.shape[dim], device=x.device)
    along = places.view([-1 if k == dim else 1 for k in range(x.ndim)])
    return cumulative_extreme(what, MAXIMUM, where(attained, along, 0), dim)
