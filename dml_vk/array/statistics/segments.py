"""Reductions of segments of a row, each in an order of its own, whatever the rest of the row."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import partial

from dml_vk.array.creation.arrays import full
from dml_vk.array.creation.grids import arange
from dml_vk.array.indexing.take import elements_at
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.cumulative import cumulative_sum
from dml_vk.array.math.elementwise import (
    add,
    bitwise_right_shift,
    less,
    minimum,
    multiply,
    subtract,
    where,
)
from dml_vk.array.sorting.searching import searchsorted
from dml_vk.array.statistics.reductions import max, sum
from dml_vk.dtypes import int64
from dml_vk.tensor.core import Tensor

Reduction = Callable[[Tensor], Tensor]
_WIDEST = 6  # bits of the number of elements that are added at once


def segment_sums(values: Tensor, bounds: Tensor, longest: int | None = None) -> Tensor:
    """Return the sums of the values between consecutive bounds, 0 for an empty segment.

    Bounds are int64 and ascend. Each pass adds aligned blocks of 2**k elements of a segment and
    packs the sums, which are the nodes of the tree by which `sum` adds. So an infinity does not
    spread to other segments, and the bits are those of `sum` of the segment alone. This waits for
    the length of the longest segment, unless it has at most as many elements as are given.

    >>> import dml_vk
    >>> from dml_vk.array.statistics.segments import segment_sums
    >>> segment_sums(dml_vk.asarray([1, 2, 4, 8, 16]), dml_vk.asarray([0, 2, 2, 5])).tolist()
    [3, 0, 28]
    """
    reduce = partial(sum, axis=1, dtype=values.dtype)
    return segments_reduced(values, bounds, reduce, 0, longest)


def segments_reduced(
    values: Tensor,
    bounds: Tensor,
    reduce: Reduction,
    identity: complex,
    longest: int | None = None,
) -> Tensor:
    """Return the reductions of the values between consecutive bounds, as `segment_sums` does.

    `reduce` is given matrices, of which it reduces the rows; `identity` is the result of nothing.
    """
    count = bounds.size - 1
    if not count or not values.size:
        return full((count,), identity, values.dtype, device=values.device)
    if longest is None:
        longest = int(max(subtract(bounds[1:], bounds[:-1])).item())
    while longest > 1:
        # Blocks about as long as the average segment: longer ones would be mostly padding.
        average = values.size // count
        bits = builtins.min(_WIDEST, (longest - 1).bit_length(), 1 + average.bit_length())
        values, bounds = _reduce_blocks(values, bounds, bits, reduce, identity)
        longest = -(-longest >> bits)
    starts = bounds[:-1]
    results = elements_at(values, minimum(starts, values.size - 1))
    return where(less(starts, bounds[1:]), results, identity)


def _reduce_blocks(
    values: Tensor, bounds: Tensor, bits: int, reduce: Reduction, identity: complex
) -> tuple[Tensor, Tensor]:
    """Reduce blocks of 2**bits elements; return that and the bounds of segments among them."""
    width, count, device = 1 << bits, bounds.size - 1, values.device
    starts, ends = bounds[:-1], bounds[1:]
    blocks = bitwise_right_shift(add(subtract(ends, starts), width - 1), bits)
    packed = cumulative_sum(blocks, include_initial=True)
    # An upper bound of the number of blocks; surplus ones start after the last segment.
    row = arange((values.size >> bits) + count, dtype=int64, device=device)
    segment = minimum(searchsorted(packed[1:], row, side="right"), count - 1)
    first = add(
        elements_at(subtract(starts, multiply(packed[:-1], width)), segment), multiply(row, width)
    )
    index = add(first[:, None], arange(width, dtype=int64, device=device))
    inside = less(index, elements_at(ends, segment)[:, None])
    minimum(index, values.size - 1, out=index)
    gathered = elements_at(values, reshape(index, -1))
    del index
    return reduce(where(inside, reshape(gathered, inside.shape), identity)), packed
