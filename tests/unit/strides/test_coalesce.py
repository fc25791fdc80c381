"""coalesce: fewer dims, the same offsets in the same order, and nothing left to merge."""

from __future__ import annotations

import pytest

from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, channels_last, coalesce
from tests.layouts import AWKWARD, assert_well_formed


def assert_coalesced(*layouts):
    merged = coalesce(*layouts)
    assert len(merged) == len(layouts)
    for before, after in zip(layouts, merged):
        assert_well_formed(after)
        assert after.sizes == merged[0].sizes
        assert after.offsets() == before.offsets()
        assert after.offset == before.offset
    sizes = merged[0].sizes
    assert 1 not in sizes
    assert all(
        any(one.strides[d - 1] != one.strides[d] * sizes[d] for one in merged)
        for d in range(1, len(sizes))
    ), "nothing is left to merge"
    assert coalesce(*merged) == merged
    return merged


@pytest.mark.parametrize("layout", AWKWARD, ids=str)
def test_coalesce_alone_and_together_with_row_major(layout):
    (alone,) = assert_coalesced(layout)
    assert alone.rank <= layout.rank
    assert_coalesced(layout, Layout(layout.sizes))
    assert_coalesced(layout, layout, Layout.packed(layout.sizes, layout.order[::-1], 9))


@pytest.mark.parametrize(
    ("layouts", "sizes", "strides"),
    [
        ([Layout((2, 3, 4))], (24,), [(1,)]),
        ([Layout((2, 3, 4), (24, 8, 2))], (24,), [(2,)]),
        ([Layout((2, 3, 4), (15, 5, 1))], (6, 4), [(5, 1)]),
        ([Layout((2, 3), (0, 0))], (6,), [(0,)]),
        ([Layout((2, 3), (-3, -1), 5)], (6,), [(-1,)]),
        ([Layout((1, 1, 1))], (), [()]),
        ([Layout((2, 0, 3))], (0,), [(1,)]),
        (
            [Layout((2, 3, 4, 5)), Layout.packed((2, 3, 4, 5), channels_last)],
            (2, 3, 20),
            [(60, 20, 1), (60, 1, 3)],
        ),
        ([Layout((2, 3, 4)), Layout((4,)).expand(2, 3, 4)], (6, 4), [(4, 1), (0, 1)]),
    ],
)
def test_by_hand(layouts, sizes, strides):
    merged = assert_coalesced(*layouts)
    assert merged[0].sizes == sizes
    assert [one.strides for one in merged] == strides


def test_equal_addresses_give_equal_layouts():
    marked = Layout((2, 3, 4, 5), order=(3, 2, 1, 0), strides=(60, 20, 5, 1))
    assert coalesce(marked) == coalesce(Layout((2, 3, 4, 5))) == (Layout((120,)),)


def test_bad_arguments():
    with pytest.raises(
        LayoutError, match=r"coalesce: the layouts must have equal sizes; got sizes"
    ):
        coalesce(Layout((2, 3)), Layout((3, 2)))
    with pytest.raises(LayoutError, match="coalesce: at least one operand is needed"):
        coalesce()
