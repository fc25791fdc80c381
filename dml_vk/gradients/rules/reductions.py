"""Reductions: sums, products, extremes, and moments."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, prod
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.array.creation.grids import arange
from dml_vk.array.manipulation.shapes import broadcast_to, flip
from dml_vk.array.math.cumulative import cumulative_prod
from dml_vk.array.math.elementwise import astype, conj, divide, equal, multiply, where
from dml_vk.array.statistics import moments, reductions
from dml_vk.array.statistics.reductions import reduced_axes
from dml_vk.gradients.rules.registry import Noted, no_gradient_of, rule
from dml_vk.gradients.rules.shapes import fitted, to_dtype
from dml_vk.tensor.core import Tensor


def _axes(what: str, x: Tensor, axis: Any) -> Ints:
    return reduced_axes(what, x, axis)


def _again(y: Tensor, axes: Ints, keepdims: bool) -> Tensor:
    """Give a result of a reduction the dims back that were reduced, of size 1."""
    if not keepdims:
        for axis in sorted(axes):
            y = y.unsqueeze(axis)
    return y


@rule(reductions._accumulate)
def _accumulate(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,), (what, _, axis, keepdims) = noted.operands, noted.params
    axes = _axes(what, x, axis)
    spread = _again(cotangent, axes, keepdims)
    if what == "sum":
        return (to_dtype(broadcast_to(spread, x.shape), x.dtype),)
    others = _products_of_others(astype(x, cotangent.dtype, copy=False), axes)
    return (to_dtype(multiply(spread, conj(others)), x.dtype),)


def _products_of_others(x: Tensor, axes: Ints) -> Tensor:
    """For each element the product of the others, which may be zero."""
    rest = [dim for dim in range(x.ndim) if dim not in axes]
    turned = x.permute(*rest, *axes)
    length = prod([x.shape[dim] for dim in axes])
    rows = turned.reshape(*[x.shape[dim] for dim in rest], length)
    before = cumulative_prod(rows, axis=-1, include_initial=True)
    after = flip(cumulative_prod(flip(rows, axis=-1), axis=-1, include_initial=True), axis=-1)
    both = multiply(before[..., :length], after[..., 1:])
    order = (*rest, *axes)
    return both.reshape(turned.shape).permute(*[order.index(dim) for dim in range(x.ndim)])


@rule(reductions._reduce_to)
def _reduce_to(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """The first of the largest along one axis; over several, all of them share."""
    (x,), (what, _, axis, keepdims) = noted.operands, noted.params
    if x.dtype.kind == "c":
        raise no_gradient_of(what, "complex numbers have no order that varies smoothly")
    axes = _axes(what, x, axis)
    spread = _again(cotangent, axes, keepdims)
    if axis is not None and len(axes) == 1:
        (dim,) = axes
        find = reductions.FUNCTIONS[f"arg{what}"]
        index = find(x, axis=dim, keepdims=True)
        row = arange(x.shape[dim], dtype=index.dtype, device=x.device)
        row = row.reshape(*[x.shape[dim] if at == dim else 1 for at in range(x.ndim)])
        return (where(equal(row, index), broadcast_to(spread, x.shape), 0),)
    tied = equal(x, _again(noted.result, axes, keepdims))
    count = reductions.FUNCTIONS["sum"](tied, axis=axes, keepdims=True)
    share = divide(spread, astype(count, spread.dtype))
    share = broadcast_to(share, x.shape)
    # Of NaN no element is the result, and all have NaN.
    return (where(tied, share, where(equal(count, 0), nan, 0)),)


@rule(moments._average)
def _average(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,), (axis, keepdims) = noted.operands, noted.params
    axes = _axes("mean", x, axis)
    share = divide(_again(cotangent, axes, keepdims), float(moments.count_of(x, axes)))
    return (broadcast_to(share, x.shape),)


@rule(moments._spread_of)
def _spread_of(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,), (what, correction, axis, keepdims) = noted.operands, noted.params
    axes = _axes(what, x, axis)
    by = moments.count_of(x, axes) - correction
    by = by if by > 0 else 0.0
    share = divide(_again(cotangent, axes, keepdims), by)
    if what == "std":
        result = _again(noted.result, axes, keepdims)
        is_none = equal(result, 0)  # also where this is differentiated
        share = where(is_none, 0, divide(share, where(is_none, 1, result)))
    else:
        share = multiply(share, 2)
    around = x - moments.mean(x, axis=axes, keepdims=True)
    return (fitted(multiply(around, share), x),)
