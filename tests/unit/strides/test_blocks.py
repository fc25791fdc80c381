"""Blocked layouts: names, the view of a plain layout, and the way back."""

from __future__ import annotations

import itertools

import pytest

from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, channels_last
from tests.layouts import assert_well_formed


def test_packed_gives_the_layout_of_the_blocked_view():
    layout = Layout.packed((2, 32, 3, 5), "nChw16c", 7)
    assert layout == Layout((2, 2, 3, 5, 16), offset=7)
    assert layout.strides == (480, 240, 80, 16, 1)
    assert layout.is_packed


@pytest.mark.parametrize(
    ("sizes", "name", "blocked", "strides"),
    [
        ((2, 8, 3, 5), "nChw4c", (2, 2, 3, 5, 4), (120, 60, 20, 4, 1)),
        ((2, 8, 3, 5), "nhwC4c", (2, 2, 3, 5, 4), (120, 4, 40, 8, 1)),
        ((4, 8, 3), "NCw4c2n", (2, 2, 3, 4, 2), (48, 24, 8, 2, 1)),
        ((4, 8, 3), "NCw2n4c", (2, 2, 3, 2, 4), (48, 24, 8, 4, 1)),
        ((2, 16, 3), "nCw2c4c", (2, 2, 3, 2, 4), (48, 24, 8, 4, 1)),
        ((2, 8, 2, 3, 5), "nCdhw8c", (2, 1, 2, 3, 5, 8), (240, 240, 120, 40, 8, 1)),
        ((4, 6), "hW2w", (4, 3, 2), (6, 2, 1)),
        ((4, 6), "HW2h3w", (2, 2, 2, 3), (12, 6, 3, 1)),
    ],
)
def test_names(sizes, name, blocked, strides):
    layout = Layout.packed(sizes, name)
    assert (layout.sizes, layout.strides) == (blocked, strides)
    assert_well_formed(layout)


@pytest.mark.parametrize(
    "plain",
    [
        Layout((2, 8, 3, 5), offset=3),
        Layout.packed((2, 8, 3, 5), channels_last),
        Layout((2, 8, 3, 5), (200, -20, 6, 1), 140),
        Layout((1, 8, 1, 1), order=channels_last),
        Layout((2, 4, 3, 5)),
        Layout((0, 8, 3, 5)),
    ],
    ids=str,
)
def test_block_names_the_same_addresses_and_unblock_is_its_inverse(plain):
    blocked = plain.block("nChw4c")
    assert_well_formed(blocked)
    assert blocked.sizes == (plain.sizes[0], plain.sizes[1] // 4, *plain.sizes[2:], 4)
    for n, c, h, w in itertools.product(*map(range, plain.sizes)):
        assert blocked.offset_of(n, c // 4, h, w, c % 4) == plain.offset_of(n, c, h, w)
    assert blocked.unblock("nChw4c") == (plain, False)


def test_several_blocks_nest_as_written():
    plain = Layout((2, 24, 3), offset=1)
    blocked = plain.block("nCw3c4c")
    for n, c, w in itertools.product(*map(range, plain.sizes)):
        assert blocked.offset_of(n, c // 12, w, c // 4 % 3, c % 4) == plain.offset_of(n, c, w)
    assert blocked.order == (0, 1, 3, 4, 2)
    assert blocked.unblock("nCw3c4c") == (plain, False)


@pytest.mark.parametrize(
    ("sizes", "name", "plain", "copies"),
    [
        ((2, 8, 3, 5), "nChw4c", Layout((2, 8, 3, 5)), True),
        ((2, 8, 3, 5), "nhwC4c", Layout.packed((2, 8, 3, 5), channels_last), False),
        ((2, 8, 3, 5), "hwnC4c", Layout.packed((2, 8, 3, 5), (2, 3, 0, 1)), False),
        ((2, 8, 3, 5), "Cnhw4c", Layout.packed((2, 8, 3, 5), (1, 0, 2, 3)), True),
        ((2, 8, 1, 1), "nChw4c", Layout((2, 8, 1, 1)), False),
        ((2, 4, 3, 5), "nChw4c", Layout.packed((2, 4, 3, 5), channels_last), False),
        ((4, 6), "HW2h3w", Layout((4, 6)), True),
        ((0, 8, 3, 5), "nChw4c", Layout((0, 8, 3, 5)), False),
    ],
)
def test_unblock_tells_whether_data_must_move(sizes, name, plain, copies):
    blocked = Layout.packed(sizes, name, 7)
    layout, moves = blocked.unblock(name)
    assert moves == copies
    assert (layout.sizes, layout.order) == (plain.sizes, plain.order)
    if moves:
        assert layout == plain
    else:
        assert layout.block(name).offsets() == blocked.offsets()


def test_a_block_of_one_changes_nothing():
    plain = Layout.packed((2, 3, 4, 5), channels_last)
    blocked = plain.block("nChw1c")
    assert blocked.sizes == (2, 3, 4, 5, 1)
    assert blocked.unblock("nChw1c") == (plain, False)


def test_what_does_not_divide_is_told_how_much_padding_would_make_it_fit():
    expected = (
        r"the size of dim 1 must be a multiple of 16: pad it by 2 to 32; "
        r"got sizes\[1\]=30"
    )
    with pytest.raises(LayoutError, match=f"packed: {expected}"):
        Layout.packed((2, 30, 4, 4), "nChw16c")
    with pytest.raises(LayoutError, match=f"block: {expected}"):
        Layout((2, 30, 4, 4)).block("nChw16c")
    assert Layout.packed((2, 32, 4, 4), "nChw16c").sizes == (2, 2, 4, 4, 16)


@pytest.mark.parametrize(
    "name",
    [
        "nchw16c",
        "nCh" + "1" * 5000 + "c",
        7,
        "NChw16c",
        "nChw16C",
        "nChw0c",
        "nChw16",
        "16c",
        "nCChw16c",
        "nXhw16c",
        "n-Chw16c",
        "nhw16c",
        "nchw",
    ],
)
def test_bad_names(name):
    with pytest.raises(
        LayoutError, match=r"block: a blocked order must (name each dim of NCDHW once|be a string)"
    ):
        Layout((2, 32, 4, 4)).block(name)


def test_sizes_must_fit_the_name():
    with pytest.raises(LayoutError, match=r"packed: sizes must have 4 dims; got sizes=\(2, 32\)"):
        Layout.packed((2, 32), "nChw16c")
    with pytest.raises(LayoutError, match="unblock: sizes must end in the blocks of 'nChw16c'"):
        Layout((2, 32, 4, 4)).unblock("nChw16c")
    with pytest.raises(LayoutError, match="unblock: sizes must end in the blocks of 'nChw16c'"):
        Layout((2, 2, 4, 4, 8)).unblock("nChw16c")
