"""`np.add.at` and similar: updates in place, in which repeated indexes accumulate."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dml_vk.array.host_operands import upload_operands
from dml_vk.array.statistics.segments import segments_reduced
from dml_vk.dtypes import DType, float16, int64, uint64
from dml_vk.errors import DTypeError, ErrorsAs
from dml_vk.numpy_protocols.calls import no_such, ours
from dml_vk.ops.noted import tape
from dml_vk.ops.scan import MAXIMUM, MINIMUM, PRODUCT, SUM
from dml_vk.ops.segments import reduce_rows
from dml_vk.promotion import check_casts, check_weak
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand, plain, to_tensor


class Repeated(NamedTuple):
    """An operator, the reduction of several operands of one element, and its identity."""

    operator: str
    reduction: str
    identity: Callable[[DType], complex]
    scan: int  # the reduction as an operator of scans


def _nothing(dtype: DType) -> complex:
    """What changes no sum, not even one of -0.0 alone."""
    return {"f": -0.0, "c": complex(-0.0, -0.0)}.get(dtype.kind, 0)


def _least(dtype: DType) -> float:
    return -np.inf if dtype.kind == "f" else int(np.iinfo(dtype.numpy_name).min)


def _most(dtype: DType) -> float:
    return np.inf if dtype.kind == "f" else int(np.iinfo(dtype.numpy_name).max)


REPEATED: dict[np.ufunc, Repeated] = {
    np.add: Repeated("add", "sum", _nothing, SUM),
    np.subtract: Repeated("add", "sum", _nothing, SUM),  # of negative operands
    np.multiply: Repeated("multiply", "prod", lambda dtype: 1, PRODUCT),
    np.maximum: Repeated("maximum", "max", _least, MAXIMUM),
    np.minimum: Repeated("minimum", "min", _most, MINIMUM),
}


def at(what: str, function: np.ufunc, a: Tensor, key: object, *more: Operand) -> None:
    """Apply an operator to the elements of a key, in place.

    The operands of one element are first reduced, as by `sum` and similar in row-major order: NumPy
    applies one after the other, which rounds floats otherwise. Where no kernel does both, and where
    gradients are noted, it waits for the number of elements.
    """
    if function not in REPEATED:
        raise no_such(what)
    reduction = REPEATED[function].reduction
    (values,) = more  # NumPy has counted them
    target = to_tensor(what, "a", a)
    if target.dtype.kind == "b" or (target.dtype.kind == "c" and reduction in ("max", "min")):
        raise DTypeError(what, "dtype must be numeric", dtype=target.dtype)
    near, operand = upload_operands(what, target, values)
    with ErrorsAs(what):
        if isinstance(operand, Tensor):
            check_casts(what, [operand.dtype], target.dtype, "same_kind")
            operand = ours.astype(operand, target.dtype, copy=False)
        else:
            check_weak(what, plain(operand), target.dtype)
            operand = ours.full((), plain(operand), target.dtype, device=near.device)
        places = ours.reshape(ours.arange(target.size, device=target.device), target.shape)[key]
        operand = ours.negative(operand) if function is np.subtract else operand
        operand = ours.reshape(ours.broadcast_to(operand, places.shape), -1)
        places = ours.reshape(places, -1)
        if not places.size:
            return
        if tape() is None and _is_reduced(target.dtype, reduction):
            _reduce(what, REPEATED[function], target, places, operand)
        else:
            _reduce_one_by_one(REPEATED[function], target, places, operand)


def _is_reduced(dtype: DType, reduction: str) -> bool:
    """Whether kernels reduce rows of a dtype in the order of reductions."""
    if reduction in ("max", "min"):
        return dtype is not uint64
    return dtype is not float16 and (dtype.kind != "c" or reduction == "sum")


def _reduce(what: str, row: Repeated, target: Tensor, places: Tensor, operand: Tensor) -> None:
    """Sort the places, and reduce operands onto the elements of the target."""
    is_extreme = row.reduction in ("max", "min") and target.dtype.kind in "iu"
    wide = ours.astype(target, int64 if is_extreme else target.dtype, copy=False)
    flat = ours.reshape(wide, -1)
    reduce_rows(what, row.scan, places, operand, flat, onto=True)
    if flat.allocation is not target.allocation:
        ours.astype(ours.reshape(flat, target.shape), target.dtype, out=target)


def _reduce_one_by_one(row: Repeated, target: Tensor, places: Tensor, operand: Tensor) -> None:
    operator, reduction, identity, _ = row
    order = ours.argsort(places)
    places, ordered = ours.take(places, order), ours.take(operand, order)
    begins = ours.not_equal(places[1:], places[:-1])
    ends = ours.asarray([places.size], device=target.device)
    bounds = ours.concat([ends * 0, ours.flatnonzero(begins) + 1, ends])
    targets = ours.take(places, bounds[:-1])

    def reduce(rows: Tensor) -> Tensor:
        named = {} if reduction in ("max", "min") else {"dtype": rows.dtype}
        result: Tensor = getattr(ours, reduction)(rows, axis=1, **named)
        return result

    joined = segments_reduced(ordered, bounds, reduce, identity(target.dtype))
    before = ours.take(ours.reshape(target, -1), targets)
    ours.put(target, targets, getattr(ours, operator)(before, joined))
