"""Copies and fills that need no kernel: which they are, and which bytes they take."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.plan.fill import plan_fill
from dml_vk.kernels.plan.transfer import COPY, FILL
from dml_vk.layout import Layout
from dml_vk.limits import MINIMUM
from dml_vk.testing.strategies import layouts
from tests import tier

ITEMSIZES = st.sampled_from([1, 2, 4, 8])


def plan_of(source, target, itemsize):
    strides = source.strides, target.strides
    return plan_copy(target.sizes, *strides, itemsize, source.offset, target.offset, MINIMUM)


def addresses(layout, itemsize):
    """Those of its bytes, in logical order, from the base."""
    return [
        (offset - layout.offset) * itemsize + byte
        for offset in layout.offsets()
        for byte in range(itemsize)
    ]


@tier.examples(200)
@given(st.data(), ITEMSIZES)
def test_a_copy_takes_the_bytes_of_its_elements_in_order(data, itemsize):
    source = data.draw(layouts())
    target = data.draw(layouts(sizes=source.sizes))
    assume(target.numel and not target.overlaps)
    plan = plan_of(source, target, itemsize)
    read, written = addresses(source, itemsize), addresses(target, itemsize)
    pairs = dict(zip(written, read))
    low = min(written)
    is_flat = all(pairs.get(low + n) == pairs[low] + n for n in range(len(written)))
    assert (plan.module == COPY) == is_flat
    if is_flat:
        assert plan.launches == ((pairs[low], low),)
        assert plan.units == len(written)


@tier.examples(200)
@given(layouts(), ITEMSIZES)
def test_a_fill_takes_whole_words_without_gaps(layout, itemsize):
    assume(layout.numel and not layout.overlaps)
    plan = plan_fill(layout.sizes, layout.strides, itemsize, layout.offset, MINIMUM)
    written = addresses(layout, itemsize)
    low, nbytes = min(written), len(written)
    is_flat = max(written) - low + 1 == nbytes and itemsize < 8
    start = layout.offset * itemsize + low
    assert (plan.module == FILL) == (is_flat and start % 4 == nbytes % 4 == 0)
    if plan.module == FILL:
        assert (plan.launches, plan.units) == (((low,),), nbytes)


@pytest.mark.parametrize("module", [COPY, FILL])
def test_transfers_of_no_elements_have_no_units(module):
    empty = Layout((3, 0))
    plan = plan_of(empty, empty, 4) if module == COPY else plan_fill((3, 0), (0, 1), 4, 0, MINIMUM)
    assert (plan.module, plan.units) == (module, 0)
