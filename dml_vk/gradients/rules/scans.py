"""Scans: cumulative sums and products."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.creation.grids import arange
from dml_vk.array.indexing.take import along_axis
from dml_vk.array.manipulation.shapes import flip
from dml_vk.array.math import cumulative, cumulative_extremes
from dml_vk.array.math.elementwise import astype, conj, greater, greater_equal, multiply, where
from dml_vk.array.statistics.reductions import sum as sum_over
from dml_vk.gradients.rules.indexing import added_at, numbered
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import to_dtype
from dml_vk.tensor.core import Tensor


@rule(cumulative._scanned)
def _scanned(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,), (what, axis, _, include_initial) = noted.operands, noted.params
    if include_initial:
        cotangent = cotangent.narrow(axis, 1, x.shape[axis])
    if what == "cumulative_sum":
        later = cumulative.cumulative_sum(flip(cotangent, axis=axis), axis=axis)
        return (to_dtype(flip(later, axis=axis), x.dtype),)
    values = astype(x, cotangent.dtype, copy=False)
    return (to_dtype(_of_products(values, cotangent, axis), x.dtype),)


def _of_products(x: Tensor, cotangent: Tensor, axis: int) -> Tensor:
    """The gradient of element i is the sum over k >= i of the products of all up to k but it.

    It is a table of length * length elements, so that elements may be zero.
    """
    rows, g = x.movedim(axis, -1), cotangent.movedim(axis, -1)
    length = rows.shape[-1]
    if not length:
        return cotangent
    before = cumulative.cumulative_prod(rows, axis=-1, include_initial=True)[..., :length]
    at = arange(length, device=x.device)
    # In row i: the products of what follows i, up to each k.
    after = where(greater(at, at[:, None]), rows[..., None, :], 1)
    table = multiply(before[..., :, None], cumulative.cumulative_prod(after, axis=-1))
    table = where(greater_equal(at, at[:, None]), conj(table), 0)
    return sum_over(multiply(table, g[..., None, :]), axis=-1).movedim(-1, axis)


@rule(cumulative_extremes._extremes)
def _extremes(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,), (what, _, dim) = noted.operands, noted.params
    index = cumulative_extremes.indexes_of(what, x, noted.result, dim)
    places = along_axis(numbered(x), index, dim)
    return (added_at(cotangent.reshape(-1), places.reshape(-1), x.size).reshape(x.shape),)
