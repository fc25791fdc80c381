"""Sums of the rows that have the same index: the way back from a gather.

**The order of a sum**: the rows of an index in their own order, added as a tree: first each row and
the one before it, then each of these sums and the one two rows before it, then four, and so on. So
it depends on nothing but the rows of that index, and on no value that the host would have to read.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.calls import composed
from dml_vk.array.creation.arrays import zeros
from dml_vk.array.creation.grids import arange
from dml_vk.array.indexing.take import elements_at, take_known
from dml_vk.array.manipulation.shapes import concat
from dml_vk.array.math.elementwise import add, astype, equal, maximum, subtract, where
from dml_vk.array.sorting.searching import searchsorted
from dml_vk.array.sorting.sorts import argsort
from dml_vk.dtypes import uint8, uint16, uint32
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.tensor.core import Tensor


def sums_at(index: Tensor, rows: Tensor, count: int) -> Tensor:
    """Return for each of `count` indexes the sum of the rows at which it is: 0 for none.

    The index is 1-D, and known to be inside.

    >>> import dml_vk
    >>> from dml_vk.gradients.rules.sorted_sums import sums_at
    >>> sums_at(dml_vk.asarray([2, 0, 2]), dml_vk.asarray([[1.0], [2.0], [4.0]]), 4).tolist()
    [[2.0], [0.0], [5.0], [0.0]]
    """
    return composed(_sums_at, (rows, index), None, count)


def narrowed(index: Tensor, count: int) -> Tensor:
    """Return an index below a count in the least dtype that holds it, which is sorted sooner."""
    dtypes = [dtype for dtype in (uint8, uint16, uint32) if count >> 8 * dtype.itemsize == 0]
    return astype(index, dtypes[0] if dtypes else index.dtype, copy=False)


def _sums_at(operands: Sequence[Tensor], out: None, count: int) -> Tensor:
    rows, index = operands
    number = index.shape[0]
    if not number or not rows.size:
        return zeros((count, *rows.shape[1:]), rows.dtype, device=rows.device)
    index = narrowed(index, count)
    order = argsort(index, stable=True)
    indexes, sums = elements_at(index, order), take_known("take", rows, order, 0)
    ones = (1,) * (rows.ndim - 1)
    step = 1
    while step < number:
        # Whether the row so many before is of the same index.
        joins = equal(indexes[step:], indexes[:-step]).reshape((number - step, *ones))
        sums = concat([sums[:step], add(sums[step:], where(joins, sums[:-step], 0.0))], axis=0)
        step *= 2
    every = arange(count, dtype=index.dtype, device=index.device)
    ends = searchsorted(indexes, every, side="right")
    is_there = equal(elements_at(indexes, maximum(subtract(ends, 1), 0)), every)
    last = take_known("take", sums, maximum(subtract(ends, 1), 0), 0)
    return where(is_there.reshape((count, *ones)), last, 0.0)


@rule(_sums_at)
def summed(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return [take_known("take", cotangent, noted.operands[1], 0), None]
