"""Gathers against NumPy: any layouts, any integers as indexes, bit for bit and nothing beside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.kernels.plan.gather import Step, plan_check, plan_gather
from dml_vk.layout import Layout, channels_last
from dml_vk.limits import MINIMUM
from dml_vk.ops.gather import checking, gather_elements
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import (
    ITEMSIZES,
    aligned,
    check_writes,
    elements,
    memory_for,
)

packed = Layout.packed
INDEXES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def indexes_over(layout, dtype, length):
    """(memory full of indexes of a dim of so many, the layout over it)."""
    memory, layout = memory_for(layout, np.dtype(dtype).itemsize)
    low = -length if np.dtype(dtype).kind == "i" else 0
    return chance().integers(low, length, memory.size).astype(dtype), layout


def check_gather(source, index, target, dim, itemsize, dtype) -> None:
    """`gather_elements` writes what NumPy's take_along_axis gives."""
    memory, source = memory_for(source, itemsize)
    numbers, index = indexes_over(index, dtype, source.sizes[dim])
    x, i = dml_vk.asarray(memory).over(source), dml_vk.asarray(numbers).over(index)
    sizes = target.sizes
    whole = (*sizes[:dim], source.sizes[dim], *sizes[dim + 1 :])
    expected = np.take_along_axis(
        np.broadcast_to(elements(memory, source), whole),
        np.broadcast_to(elements(numbers, index), sizes).astype(np.int64),
        dim,
    )

    def call(y):
        gather_elements("gather", x, i, y, dim)

    check_writes(call, target, itemsize, expected)


# One for every way that a gather goes: (source, index, target, dim).
WAYS = {
    "one dim": (packed((97,)), packed((211,)), packed((211,)), 0),
    "rows": (aligned(7, 48), packed((13, 1)), aligned(13, 48), 0),
    "rows of a quad": (aligned(7, 4), packed((13, 1)), aligned(13, 4), 0),
    "rows of a piece": (aligned(7, 36), packed((13, 1)), aligned(13, 36), 0),
    "rows of primes": (packed((7, 37)), packed((13, 1)), packed((13, 37)), 0),
    "one row": (packed((5, 16)), packed((1, 1)), packed((1, 16)), 0),
    "columns": (packed((48, 7)), packed((1, 13)), packed((48, 13)), 1),
    "padded rows": (
        aligned(7, 52).narrow(1, 0, 48),
        packed((13, 1)),
        aligned(13, 64).narrow(1, 16, 48),
        0,
    ),
    "an index for each": (packed((11, 40)), packed((11, 24)), packed((11, 24)), 1),
    "into gaps": (packed((11, 40)), packed((11, 24)), packed((11, 72)).slice(1, 0, None, 3), 1),
    "into columns": (packed((11, 40)), packed((11, 24)), packed((11, 24), "WH"), 1),
    "indexes between words": (
        packed((11, 40)),
        packed((11, 29)).narrow(1, 3, 24),
        packed((11, 24)),
        1,
    ),
    "images": (
        packed((2, 16, 5, 7), channels_last),
        packed((1, 1, 9, 1)),
        packed((2, 16, 9, 7), channels_last),
        2,
    ),
    "reversed": (packed((11, 40)).flip((0, 1)), packed((11, 24)).flip(1), packed((11, 24)), 1),
    "repeated": (packed((1, 40)), packed((11, 1)).expand(11, 24), packed((11, 24)), 1),
    "nothing": (packed((0, 40)), packed((0, 24)), packed((0, 24)), 1),
    "rank 8": (
        packed((2,) * 8, (3, 1, 0, 2, 7, 4, 6, 5)),
        packed((2,) * 8, (7, 6, 5, 4, 3, 2, 1, 0)),
        packed((2,) * 8),
        4,
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_variant(way):
    itemsizes = ITEMSIZES if way.startswith("rows") or way == "into gaps" else (1, 4)
    for itemsize in itemsizes:
        check_gather(*WAYS[way], itemsize, "int32")


@tier.parametrize(
    "dtype case",
    INDEXES,
    [("one dim", 4), ("indexes between words", 4), ("an index for each", 8), ("one dim", 1)],
)
def test_every_type_of_index(dtype, case):
    way, itemsize = case
    check_gather(*WAYS[way], itemsize, dtype)


@tier.examples(25)
@given(st.data())
def test_any_layouts(data):
    sizes = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))
    dim = data.draw(st.integers(0, len(sizes) - 1))

    def some(length):
        """These sizes, perhaps once where they are repeated."""
        own = [data.draw(st.sampled_from([n, n, 1])) for n in sizes]
        own[dim] = length
        return data.draw(layouts(sizes=tuple(own)))

    source, index = some(data.draw(st.integers(1, 6))), some(sizes[dim])
    target = data.draw(targets(sizes=tuple(sizes)))
    itemsize, dtype = data.draw(st.sampled_from(ITEMSIZES)), data.draw(st.sampled_from(INDEXES))
    check_gather(source, index, target, dim, itemsize, dtype)


def test_a_target_that_shares_memory_is_written_afterwards():
    array = chance().integers(0, 100, (9, 9))
    order = np.argsort(chance().random(9)).reshape(9, 1)
    x = dml_vk.asarray(array)
    gather_elements("gather", x, dml_vk.asarray(order), x, 0)
    assert np.array_equal(x.numpy(), np.take_along_axis(array, order, 0))
    index = dml_vk.asarray(order[:, 0])
    gather_elements("gather", index, index, index, 0)
    assert np.array_equal(index.numpy(), order[:, 0][order[:, 0]])


def outside(indexes):
    """The places of the tensors with indexes outside of 7 elements."""
    found = []
    checking([(one, 7) for one in indexes], lambda place, _: found.append(place))()
    return found


@pytest.mark.parametrize("dtype", INDEXES)
def test_indexes_out_of_range_are_found_at_both_ends(dtype):
    limits, wrong = np.iinfo(dtype), [7, 8, 100]
    wrong += [-8, -9, -100] if limits.min else []
    for value in (*wrong, limits.max, limits.min or 7):
        numbers = chance().integers(0, 7, (3, 50)).astype(dtype)
        right = dml_vk.asarray(numbers)
        for place in ((0, 0), (2, 31), (2, 49)):
            wrongs = numbers.copy()
            wrongs[place] = value
            x = dml_vk.asarray(wrongs)
            asked = [x, right, x.over(x.layout.flip(0)), x.over(x.layout.narrow(1, 5, 26))]
            assert outside(asked) == [0, 2], (value, place)


def test_indexes_of_64_bits_are_compared_whole():
    for value in (2**32, 2**32 + 3, -(2**32), -(2**32) + 3, 2**31, 3 - 2**31, -(2**63)):
        x = dml_vk.asarray(np.array([value, 0]))
        assert outside([x]) == [0], value
        assert outside([x.over(x.layout.flip(0).narrow(0, 0, 1))]) == []


def test_a_check_of_indexes_reads_repeated_ones_once_and_skips_empty_ones():
    x = dml_vk.asarray(np.array([[3], [9]]))
    assert outside([x.over(x.layout.expand(2, 1000))]) == [0]
    plan = plan_check((2, 1000), (1, 0), 0, 8, 7, 7, MINIMUM)
    assert plan.units == 1
    assert plan_check((0, 3), (3, 1), 0, 8, 7, 7, MINIMUM).units == 0


def test_contiguous_rows_move_in_the_widest_possible_elements():
    def module(itemsize, length, offset=0, stride=None):
        index, source, target = (
            ((1, 0), 0, 8),
            ((0, 1), offset, itemsize),
            ((length, 1), 0, itemsize),
        )
        step = Step(length if stride is None else stride, 10)
        return plan_gather((6, length), (index, source, target), 7, step, MINIMUM).module

    assert module(4, 64) == "gather_words_128"
    assert module(1, 64) == "gather_words_128"
    assert module(1, 12) == "gather_words_32"
    assert module(4, 64, offset=2) == "gather_words_64"
    assert module(2, 64, offset=1) == "gather_packed_16"
    assert module(4, 64, stride=66) == "gather_words_64"
    assert module(8, 7) == "gather_words_64"
