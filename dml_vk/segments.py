"""Sums of stretches of a row, each in the order of `sum`, whatever else is in the row."""

from __future__ import annotations

import builtins

from dml_vk.cumulative import cumulative_sum
from dml_vk.dtypes import int64
from dml_vk.functions import (
    add,
    bitwise_right_shift,
    less,
    minimum,
    multiply,
    subtract,
    where,
)
from dml_vk.grids import arange
from dml_vk.indexing import elements_at
from dml_vk.layout import Layout
from dml_vk.manipulation import reshape
from dml_vk.searching import searchsorted
from dml_vk.statistics import max, sum
from dml_vk.tensor import Tensor

_WIDEST = 6  # bits of the number of elements that are added at once


def segment_sums(values: Tensor, bounds: Tensor) -> Tensor:
    """The sums of values from each bound up to the next one, of nothing 0: one fewer than bounds.

    Bounds are int64 and ascend. Each turn adds up aligned blocks of 2**k elements of a stretch and
    packs the sums, which are the nodes of the tree that `sum` adds by; so an infinity stays where
    it is, and the bits are those of `sum` of the stretch alone. This waits to learn how long the
    longest is.

    >>> import dml_vk
    >>> from dml_vk.segments import segment_sums
    >>> segment_sums(dml_vk.asarray([1, 2, 4, 8, 16]), dml_vk.asarray([0, 2, 2, 5])).tolist()
    [3, 0, 28]
    """
    count = bounds.size - 1
    if not count or not values.size:
        return sum(values.over(Layout((count, 0))), axis=1, dtype=values.dtype)
    longest = max(subtract(bounds[1:], bounds[:-1])).item()
    while longest > 1:
        # Blocks as long as stretches are on average: more would be filled with nothing.
        average = values.size // count
        bits = builtins.min(_WIDEST, (longest - 1).bit_length(), 1 + average.bit_length())
        values, bounds = _packed(values, bounds, bits)
        longest = -(-longest >> bits)
    starts = bounds[:-1]
    found = elements_at(values, minimum(starts, values.size - 1))
    return where(less(starts, bounds[1:]), found, 0)


def _packed(values: Tensor, bounds: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """The sums of blocks of 2**bits elements, and the bounds that they have."""
    width, count, device = 1 << bits, bounds.size - 1, values.device
    starts, ends = bounds[:-1], bounds[1:]
    blocks = bitwise_right_shift(add(subtract(ends, starts), width - 1), bits)
    packed = cumulative_sum(blocks, include_initial=True)
    # There are as many blocks at most; those that are none begin behind the last stretch.
    row = arange((values.size >> bits) + count, dtype=int64, device=device)
    stretch = minimum(searchsorted(packed[1:], row, side="right"), count - 1)
    first = add(
        elements_at(subtract(starts, multiply(packed[:-1], width)), stretch), multiply(row, width)
    )
    index = add(first[:, None], arange(width, dtype=int64, device=device))
    inside = less(index, elements_at(ends, stretch)[:, None])
    minimum(index, values.size - 1, out=index)
    found = elements_at(values, reshape(index, -1))
    del index
    found = where(inside, reshape(found, inside.shape), 0)
    return sum(found, axis=1, dtype=values.dtype), packed
