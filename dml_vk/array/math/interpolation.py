"""Linear interpolation between points, and the bins that numbers lie in."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_bool
from dml_vk.array.creation.arrays import empty_like, full
from dml_vk.array.data_types import imag, real
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.indexing.take import elements_at
from dml_vk.array.manipulation.shapes import concat, reshape
from dml_vk.array.math.elementwise import (
    add,
    astype,
    divide,
    equal,
    greater,
    isnan,
    less,
    logical_and,
    multiply,
    remainder,
    subtract,
    where,
)
from dml_vk.array.sorting.searching import check_one_dim, searchsorted
from dml_vk.array.sorting.sorts import argsort
from dml_vk.array.statistics.reductions import computed_in
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.promotion import common_dtype, float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    of_kinds,
    result_over,
    to_complex,
    to_number,
    to_tensor,
    to_tensors,
)


def interp(
    x: Operand,
    xp: Tensor,
    fp: Tensor,
    /,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Interpolate linearly between the points (xp, fp), which are 1-D and ascend along xp.

    Before the first point the result is `left`, by default the first fp, and `right` or the last fp
    after the last one. With a `period`, points are taken modulo it, in any order. The result has
    the format of x and the dtype of floats to which all promote; float16 is computed in float32,
    and integers in float64. If fp is complex, its parts are interpolated.

    >>> import dml_vk
    >>> xp, fp = dml_vk.asarray([1.0, 2.0, 4.0]), dml_vk.asarray([10.0, 20.0, 0.0])
    >>> dml_vk.interp(dml_vk.asarray([0.0, 1.5, 3.0]), xp, fp).tolist()
    [10.0, 15.0, 10.0]
    """
    what = "interp"
    x, xp, fp = upload_operands(what, x, xp, fp)
    points = [to_tensor(what, "xp", xp), to_tensor(what, "fp", fp)]
    tensors = to_tensors(what, [x, *points])
    for operand in tensors:
        check_dtype(what, operand.dtype, of_kinds("iufc" if operand is fp else "iuf"))
    check_one_dim(what, "xp", xp)
    if xp.shape != fp.shape or not xp.size:
        rule = "xp and fp must have the same shape, and not be empty"
        raise LayoutError(what, rule, xp=xp.shape, fp=fp.shape)
    dtype = float_dtype(common_dtype(what, [operand.dtype for operand in tensors]))
    kinds = [operand.dtype for operand in tensors]
    wide = computed_in(dtype.part, *kinds)
    to_end = to_complex if dtype.kind == "c" else to_number
    ends = [
        None if operand is None else to_end(what, name, operand)
        for name, operand in (("left", left), ("right", right))
    ]
    with ErrorsAs(what):
        if not isinstance(x, Tensor):
            x = full((), to_number(what, "x", x), wide, device=xp.device)
        at, xp = [astype(operand, wide, copy=False) for operand in (x, xp)]
        fp = astype(fp, computed_in(dtype, *kinds), copy=False)
        if period is not None:
            ends = [None, None]
            at, xp, fp = _wrap_to_period(what, at, xp, fp, to_number(what, "period", period))
        target = result_over(what, x.layout.like(), dtype, xp, out)
        if dtype.kind == "c":
            values = empty_like(at, dtype=fp.dtype)
            for part, name in ((real, "real"), (imag, "imag")):
                bounds = [None if operand is None else getattr(operand, name) for operand in ends]
                _interpolate_with_ends(at, xp, part(fp), bounds, part(values))
        else:
            values = _interpolate_with_ends(at, xp, fp, ends)
        return where(isnan(at), astype(at, dtype), astype(values, dtype), out=target)


def digitize(
    x: Operand, bins: Tensor, /, right: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return the int64 index of the bin that each element lies in: 0 below all, then from 1 on.

    Bins are 1-D and ascend or descend, which this waits for. A bin includes its lower edge, or with
    `right` its upper one.

    >>> import dml_vk
    >>> bins = dml_vk.asarray([0.0, 1.0, 2.5])
    >>> dml_vk.digitize(dml_vk.asarray([-1.0, 0.0, 1.5, 9.0]), bins).tolist()
    [0, 1, 2, 3]
    """
    what = "digitize"
    x, bins = upload_operands(what, x, bins)
    edges, side = to_tensor(what, "bins", bins), to_bool(what, "right", right)
    check_one_dim(what, "bins", edges)
    with ErrorsAs(what):
        to_tensors(what, [x, edges])
        if not edges.size or not bool(greater(edges[0], edges[-1])):
            return searchsorted(edges, x, side="left" if side else "right", out=out)
        # From above, the same edges come first.
        upwards = edges.over(edges.layout.flip(0))
        index = searchsorted(upwards, x, side="left" if side else "right")
        return subtract(edges.size, index, out=out)


def _wrap_to_period(
    what: str, x: Tensor, xp: Tensor, fp: Tensor, period: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Bring all points into one period, in ascending order, with one more at either end."""
    if not period:
        raise RangeError(what, "period must not be 0", period=period)
    period = abs(float(period))
    x, xp = remainder(x, period), remainder(xp, period)
    order = argsort(xp)
    xp, fp = elements_at(xp, order), elements_at(fp, order)
    xp = concat([subtract(xp[-1:], period), xp, add(xp[:1], period)])
    return x, xp, concat([fp[-1:], fp, fp[:1]])


def _interpolate_with_ends(
    x: Tensor, xp: Tensor, fp: Tensor, ends: Sequence[complex | None], out: Tensor | None = None
) -> Tensor:
    """Interpolate between the points, and put numbers, or the outermost of fp, beyond them."""
    below, above = [points if end is None else end for points, end in zip((fp[0], fp[-1]), ends)]
    values = where(less(x, xp[0]), below, _interpolate(x, xp, fp))
    return where(greater(x, xp[-1]), above, values, out=out)


def _interpolate(x: Tensor, xp: Tensor, fp: Tensor) -> Tensor:
    """Return points on the line through both neighbours, by NumPy's formula and its exceptions."""
    last = xp.size - 1
    before = subtract(searchsorted(xp, x, side="right"), 1)
    before = reshape(where(less(before, 0), 0, before), -1)

    def at(points: Tensor, index: Tensor) -> Tensor:
        return reshape(elements_at(points, index), x.shape)

    after = where(less(before, last), add(before, 1), last)
    x0, x1, y0, y1 = at(xp, before), at(xp, after), at(fp, before), at(fp, after)
    slope = divide(subtract(y1, y0), subtract(x1, x0))
    values = add(multiply(slope, subtract(x, x0)), y0)
    # From the other side, if that is not a number; and what both sides agree on.
    values = where(isnan(values), add(multiply(slope, subtract(x, x1)), y1), values)
    values = where(logical_and(isnan(values), equal(y0, y1)), y0, values)
    exact = equal(x, x0)
    return where(exact, y0, values)
