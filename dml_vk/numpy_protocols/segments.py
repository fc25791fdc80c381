"""`np.add.reduceat` and similar: reductions of slices along an axis."""

from __future__ import annotations

from functools import partial

import numpy as np

from dml_vk.arguments import to_axis
from dml_vk.array.indexing.keys import outside_of
from dml_vk.array.indexing.take import elements_at
from dml_vk.array.statistics.segments import segments_reduced
from dml_vk.dtypes import DTypeLike
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError
from dml_vk.numpy_protocols.calls import Adapter, no_such, ours
from dml_vk.numpy_protocols.repeated import REPEATED
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike
from dml_vk.tensor.operands import sum_dtype, to_tensor

_LOGICAL: dict[np.ufunc, np.ufunc] = {np.logical_and: np.minimum, np.logical_or: np.maximum}


def reduceat(
    what: str,
    function: np.ufunc,
    a: Tensor,
    indices: ArrayLike,
    axis: int = 0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Reduce from each index to the next, and from the last to the end.

    An index that is not below the next one stands for its element alone. Indexes are read on the
    host; each slice is reduced as by `sum` and similar.
    """
    operator = _LOGICAL.get(function, function)
    if operator not in REPEATED or operator is np.subtract:
        raise no_such(what)
    reduction, identity = REPEATED[operator].reduction, REPEATED[operator].identity
    a = to_tensor(what, "a", a)
    dim = to_axis(what, "axis", axis, a.ndim)
    size = a.shape[dim]
    starts = _starts(what, indices, dim, size)
    with ErrorsAs(what):
        if function in _LOGICAL:
            a = ours.astype(a, "bool", copy=False)
        elif reduction in ("sum", "prod"):
            a = ours.astype(a, sum_dtype(what, a.dtype, dtype), copy=False)
        elif dtype is not None:
            a = ours.astype(a, dtype, copy=False)
        kind = a.dtype
        if kind.kind == "c" and reduction in ("max", "min"):
            raise DTypeError(what, "dtype must be real", dtype=kind)
        # Of bools, the extremes are those of numbers.
        rows = ours.moveaxis(ours.astype(a, "uint8") if kind.kind == "b" else a, dim, -1)
        shape = (*rows.shape[:-1], starts.size)
        values, bounds = _pieces(rows, starts)
        named = {} if reduction in ("max", "min") else {"dtype": rows.dtype}
        reduce: Adapter = partial(getattr(ours, reduction), axis=1, **named)
        reduced_rows = segments_reduced(values, bounds, reduce, identity(rows.dtype))
        reduced_rows = ours.moveaxis(ours.reshape(reduced_rows, shape), -1, dim)
        result: Tensor = ours.astype(reduced_rows, kind, copy=False, out=out)
        return result


def _starts(what: str, indices: ArrayLike, dim: int, size: int) -> Array:
    array = indices.numpy() if isinstance(indices, Tensor) else np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise LayoutError(what, "indices must be one dim of integers", indices=indices)
    wrong = array[(array < 0) | (array >= size)]
    if wrong.size:
        raise outside_of(what, dim, size, int(wrong[0]))
    return array.astype(np.int64)


def _pieces(rows: Tensor, starts: Array) -> tuple[Tensor, Tensor]:
    """Return the elements of all slices of all rows one after the other, and their bounds."""
    size, device = rows.shape[-1], rows.device
    after = np.append(starts[1:], size)[: starts.size]
    lengths = np.where(starts < after, after - starts, 1)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    if (starts < after).all() and ends.size:
        chosen = rows.narrow(rows.ndim - 1, int(starts[0]), total)
    else:
        upper, first = ours.asarray(ends, device=device), starts - (ends - lengths)
        position = ours.arange(total, device=device)
        segment = ours.searchsorted(upper, position, side="right")
        shifts = ours.asarray(first, device=device)
        index = ours.add(position, elements_at(shifts, segment)) if total else position
        chosen = ours.take(rows, index, axis=rows.ndim - 1)
    count = chosen.size // total if total else 0
    begins = ours.asarray(ends - lengths, device=device)
    each = ours.add(ours.reshape(ours.arange(count, device=device) * total, (-1, 1)), begins)
    end = ours.asarray([count * total], device=device)
    return ours.reshape(chosen, -1), ours.concat([ours.reshape(each, -1), end])
