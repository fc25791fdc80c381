"""Laws of layouts, for any layout that hypothesis comes up with."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from dml_vk.layout import (
    Layout,
    broadcast_sizes,
    channels_last,
    coalesce,
    contiguous_format,
    elementwise,
)
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.layouts import addresses, assert_well_formed


@tier.examples(200)
@given(layouts())
def test_a_layout_is_what_as_strided_makes_of_it(layout):
    assert_well_formed(layout)
    assert layout.offsets() == addresses(layout).ravel().tolist()


@tier.examples(200)
@given(layouts())
def test_repr_is_the_layout(layout):
    assert eval(repr(layout)) == layout


@tier.examples(200)
@given(layouts())
def test_packed_and_overlapping_by_counting(layout):
    offsets = layout.offsets()
    assert layout.overlaps == (len(set(offsets)) < len(offsets))
    assert layout.is_packed == (len(set(offsets)) == len(offsets) == layout.span)


@tier.examples(200)
@given(layouts())
def test_contiguous_in_its_order_means_packed_in_it(layout):
    for memory_format in (contiguous_format, channels_last):
        if layout.is_contiguous(memory_format) and layout.numel:
            assert layout.is_packed
            packed = Layout.packed(layout.sizes, memory_format, layout.offset)
            assert layout.offsets() == packed.offsets()


@tier.examples(200)
@given(layouts())
def test_like_is_packed_and_keeps_the_order(layout):
    new = layout.like()
    assert new.is_packed
    assert new.order == layout.order
    assert new.like() == new


@tier.examples(200)
@given(layouts(max_rank=5), st.data())
def test_coalesce(one, data):
    together = [one, *data.draw(st.lists(layouts(sizes=one.sizes), max_size=2))]
    merged = coalesce(*together)
    assert [after.offsets() for after in merged] == [before.offsets() for before in together]
    assert all(after.rank <= one.rank or not one.numel for after in merged)
    assert coalesce(*merged) == merged


@tier.examples(200)
@given(st.lists(layouts(max_rank=4, max_size=3), min_size=1, max_size=3))
def test_elementwise_does_not_depend_on_the_order_of_operands(operands):
    try:
        sizes = np.broadcast_shapes(*[one.sizes for one in operands])
    except ValueError:
        assume(False)
    assert broadcast_sizes(*[one.sizes for one in operands]) == sizes
    results = {elementwise(*turned) for turned in itertools.permutations(operands)}
    assert len(results) == 1
    (result,) = results
    assert result.sizes == sizes
    assert result.is_packed
    assert_well_formed(result)
    assert elementwise(result, *operands) == result


@tier.examples(200)
@given(layouts(max_rank=4, min_size=1), st.data())
def test_view_is_found_exactly_where_no_copy_is_needed(layout, data):
    """NumPy's own attempt at a no-copy reshape is the oracle."""
    numel = layout.numel
    divisors = [n for n in range(1, numel + 1) if numel % n == 0]
    first = data.draw(st.sampled_from(divisors))
    second = data.draw(st.sampled_from([n for n in divisors if (numel // first) % n == 0]))
    sizes = (first, second, numel // first // second)
    array = addresses(layout)
    reshaped = array.reshape(sizes)
    view = layout.view(sizes)
    assert (view is not None) == np.may_share_memory(array, reshaped)
    if view is not None:
        assert view.offsets() == layout.offsets()
