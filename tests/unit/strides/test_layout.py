"""The value itself: what it accepts, what is canonical about it, and what it can be asked."""

from __future__ import annotations

import copy
import itertools
import math
import pickle

import numpy as np
import pytest

from dml_vk.errors import LayoutError
from dml_vk.layout import (
    Layout,
    channels_last,
    contiguous_format,
    preserve_format,
)
from tests.each import each
from tests.layouts import AWKWARD, addresses, assert_well_formed

every_layout = each("layout", AWKWARD)


@every_layout
def test_offset_of_is_the_dot_product(layout):
    every = list(itertools.product(*map(range, layout.sizes)))
    dots = [layout.offset + sum(i * s for i, s in zip(index, layout.strides)) for index in every]
    assert [layout.offset_of(index) for index in every] == dots
    assert [layout.offset_of(*index) for index in every] == dots
    assert layout.offsets() == dots == addresses(layout).ravel().tolist()


@every_layout
def test_counts(layout):
    offsets = layout.offsets()
    assert layout.rank == len(layout.sizes)
    assert layout.numel == len(offsets) == math.prod(layout.sizes)
    assert layout.span == (max(offsets) - min(offsets) + 1 if offsets else 0)
    assert layout.overlaps == (len(set(offsets)) < len(offsets))
    assert layout.is_packed == layout.is_dense == (len(set(offsets)) == len(offsets) == layout.span)


@every_layout
def test_every_layout_is_well_formed(layout):
    assert_well_formed(layout)


@every_layout
def test_a_layout_survives_repr_pickle_and_copy(layout):
    for again in (eval(repr(layout)), pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout)):
        assert again == layout
        assert hash(again) == hash(layout)


def test_negative_coordinates_count_from_the_end():
    assert Layout((2, 3)).offset_of(-1, -3) == 3


def test_a_layout_never_changes():
    layout = Layout((2, 3))
    with pytest.raises(
        AttributeError,
        match=r"a Layout cannot be changed: its methods return new ones.*; got what=\(1,\)",
    ):
        layout.what = (1,)
    with pytest.raises(
        AttributeError, match="a Layout cannot be changed: its methods return new ones"
    ):
        layout.sizes = (3, 2)
    with pytest.raises(
        AttributeError, match="a Layout cannot be changed: its methods return new ones"
    ):
        del layout.sizes
    assert layout == Layout((2, 3))


def test_calling_init_again_changes_nothing():
    layout = Layout((2, 3))
    layout.__init__((4, 5))
    assert layout == Layout((2, 3))


def test_equality_looks_at_sizes_strides_offset_and_order():
    base = Layout((2, 2), (2, 1))
    others = [
        Layout((2, 3), (2, 1)),
        Layout((2, 2), (3, 1)),
        Layout((2, 2), (2, 1), 1),
        Layout((2, 2), (2, 1), order=(1, 0)),
    ]
    assert len({base, *others}) == 5
    assert base != ((2, 2), (2, 1), 0, (0, 1))


def test_numpy_integers_become_python_integers():
    layout = Layout(np.array([2, 3]), np.array([4, 1], np.uint8), np.int64(5), np.array([0, 1]))
    assert layout == Layout((2, 3), (4, 1), 5)
    layout = Layout((True, *layout.sizes), (9, *layout.strides), layout.offset)
    assert {type(n) for n in (*layout.sizes, *layout.strides, layout.offset)} == {int}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((2, -3),), r"Layout: sizes must not be negative; got sizes=\(2, -3\)"),
        ((5,), "Layout: sizes must be a sequence of integers; got sizes=5"),
        (((2.0, 3),), r"Layout: sizes must be a sequence of integers; got sizes=\(2.0, 3\)"),
        (("",), "Layout: sizes must be a sequence of integers; got sizes=''"),
        ((b"ab",), "Layout: sizes must be a sequence of integers; got sizes=b'ab'"),
        (({2, 3},), "Layout: sizes must be a sequence of integers; got sizes={2, 3}"),
        ((range(10**30),), r"sizes must be a sequence of integers; got sizes=range\(0, 10{30}\)"),
        ((itertools.count(),), r"Layout: sizes must be a sequence of integers; got sizes=count\("),
        ((range(2**30),), "Layout: sizes must be a sequence of integers; got sizes=range"),
        (("ab",), "Layout: sizes must be a sequence of integers; got sizes='ab'"),
        (
            ((2, 3), (1,)),
            r"Layout: sizes and strides must have the same length; got sizes=\(2, 3\), st",
        ),
        (((2,), (None,)), r"Layout: strides must be a sequence of integers; got strides=\(None,\)"),
        (((2,), (1,), -1), "Layout: offset must not be negative; got offset=-1"),
        (((2,), (1,), "x"), "Layout: offset must be an integer; got offset='x'"),
        (
            ((3,), (-1,), 1),
            r"addresses cannot be negative: .* offset must be at least 2; got offset=1, sizes=",
        ),
        (
            ((2, 3), None, 0, (0, 0)),
            r"order must contain each dim from 0 to 1 once; got order=\(0, 0",
        ),
        (((2, 3), None, 0, (0,)), "order must contain each dim from 0 to 1 once"),
        (((2, 3), None, 0, "NHWC"), "order must name all 2 dims"),
        (((2, 3), None, 0, "HH"), "order must use letters of NCDHW, each once; got order='HH'"),
        (((2, 3), None, 0, "HX"), "order must use letters of NCDHW, each once; got order='HX'"),
        (((2, 3), None, 0, channels_last), r"rank must be 3 \(NWC\), 4 .*; got rank=2"),
        (((2, 3), None, 0, preserve_format), "memory_format must be contiguous_format or"),
        (((2, 3), None, 0, 7), "order must be a sequence of integers; got order=7"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(LayoutError, match=message):
        Layout(*arguments)


def test_packed_names_itself():
    for arguments in [((2, 3), "HX"), ((2, -3),), ((2, 3), "HW", -1), ((2, 3), (0, 0)), (5,)]:
        with pytest.raises(LayoutError, match=r"^packed: "):
            Layout.packed(*arguments)


def test_an_empty_layout_may_have_any_strides():
    assert Layout((0, 3), (1, -100)).offsets() == []


# The canonical stride of size-1 dims


def test_given_strides_of_size_1_dims_do_not_count():
    given = [(0, 3, 1), (2, 3, 1), (12, 3, 1), (99, 3, 1)]
    assert {Layout((1, 4, 3), strides, order=(0, 1, 2)) for strides in given} == {
        Layout((1, 4, 3), (12, 3, 1))
    }
    assert Layout((1, 4, 3), (0, 3, 1)) == Layout((1, 4, 3), (99, 3, 1))
    # Left to be read, they are the only hint at where such a dim was meant to lie.
    assert Layout((1, 4, 3), (2, 3, 1)).order == (1, 0, 2)


@pytest.mark.parametrize(
    ("layout", "strides"),
    [
        (Layout((1,), (9,)), (1,)),
        (Layout((1, 1, 1), (7, 8, 9)), (1, 1, 1)),
        (Layout((2, 1), (5, 3)), (5, 1)),
        (Layout((1, 4), (3, -2), 6), (8, -2)),
        (Layout((1, 4), (3, 0)), (1, 0)),
        (Layout((1, 0), (3, 5)), (1, 5)),
        (Layout((1, 3), (1, 2), order=(1, 0)), (1, 2)),
        (Layout((2, 1, 4, 5), order=channels_last), (20, 1, 5, 1)),
        (Layout((1, 3, 4, 5), order=channels_last), (60, 1, 15, 3)),
    ],
)
def test_canonical_stride_is_what_the_next_inner_dim_spans(layout, strides):
    assert layout.strides == strides


# Questions about formats


@pytest.mark.parametrize("rank", range(9))
def test_channels_last_has_a_meaning_at_ranks_3_to_5(rank):
    sizes = (2, 3, 4, 5, 2, 3, 2, 2)[:rank]
    plain = Layout(sizes)
    assert plain.memory_format is contiguous_format
    assert plain.is_contiguous()
    assert plain.follows(contiguous_format)
    assert not plain.is_contiguous(channels_last)
    assert not plain.follows(channels_last)
    if rank in (3, 4, 5):
        marked = Layout.packed(sizes, channels_last)
        assert marked.memory_format is channels_last
        assert marked.is_contiguous(channels_last)
        assert marked.follows(channels_last)
        assert not marked.is_contiguous()
        assert not marked.follows(contiguous_format)
        assert marked.order == (0, *range(2, rank), 1)
    else:
        for ask in (plain.to, plain.like, lambda f: Layout.packed(sizes, f)):
            with pytest.raises(LayoutError, match=f"rank must be .* got rank={rank}"):
                ask(channels_last)


def test_an_unnamed_order_has_no_format():
    assert Layout.packed((2, 3), "WH").memory_format is None
    assert Layout.packed((2, 3, 4, 5), "CHWN").memory_format is None


@pytest.mark.parametrize("ask", ["is_contiguous", "follows"])
def test_preserve_format_is_refused_where_a_format_is_asked_about(ask):
    with pytest.raises(LayoutError, match=f"{ask}: memory_format must be contiguous_format or"):
        getattr(Layout((2, 3)), ask)(preserve_format)


@pytest.mark.parametrize("name", ["CHWN", (1, 2, 3, 0), [1, 2, 3, 0]])
def test_any_order_can_be_asked_about(name):
    chwn, nchw = Layout.packed((2, 3, 4, 5), "CHWN"), Layout((2, 3, 4, 5), offset=7)
    assert chwn.is_contiguous(name)
    assert chwn.follows(name)
    assert not nchw.is_contiguous(name)
    assert not nchw.follows(name)
    assert chwn.slice(1, 0, None, 2).follows(name)
    assert not chwn.slice(1, 0, None, 2).is_contiguous(name)
    assert nchw.to(name) == (chwn, True)
    assert nchw.like(name) == chwn
    assert chwn.to(name) == (chwn, False)
    for ask in (chwn.is_contiguous, chwn.follows, chwn.like, chwn.to):
        with pytest.raises(LayoutError, match="order must name all 4 dims"):
            ask("NCW")


def test_the_name_of_a_format_is_the_format():
    nhwc = Layout.packed((2, 3, 4, 5), channels_last)
    for name in ("NHWC", "channels_last", (0, 2, 3, 1)):
        assert nhwc.is_contiguous(name)
        assert nhwc.narrow(1, 0, 2).follows(name)
    assert not Layout((2, 1, 1, 1)).follows("NHWC")


def test_follows_allows_gaps_and_is_contiguous_does_not():
    half = Layout.packed((2, 6, 4, 5), channels_last).chunk(2, 1)[1]
    assert half.follows(channels_last)
    assert not half.is_contiguous(channels_last)
    assert (
        not half.expand(2, 3, 4, 5)
        .select(2, 0)
        .unsqueeze(2)
        .expand(2, 3, 4, 5)
        .follows(channels_last)
    )


def test_what_fits_both_formats_follows_the_one_it_was_meant_for():
    for sizes in [(2, 1, 4, 5), (2, 3, 1, 1), (2, 1, 1, 1), (1, 1, 1, 1), (2, 1, 1), (2, 3, 1)]:
        marked, plain = Layout.packed(sizes, channels_last), Layout(sizes)
        assert marked.is_contiguous()
        assert plain.is_contiguous(channels_last)
        assert marked.follows(channels_last)
        assert not plain.follows(channels_last)


def test_empty_layouts_are_contiguous_but_follow_nothing():
    layout = Layout((2, 0, 4, 5), (7, 7, 7, 7))
    assert layout.is_contiguous()
    assert not layout.is_contiguous(channels_last)
    assert not layout.follows(contiguous_format)
    assert not layout.follows(channels_last)


# like and to


@every_layout
def test_like_keeps_dense_strides_and_packs_the_rest(layout):
    new = layout.like()
    assert new.is_packed
    assert new.offset == 0
    assert (new.sizes, new.order) == (layout.sizes, layout.order)
    if layout.is_packed:
        assert new.strides == tuple(map(abs, layout.strides))
    else:
        assert new == Layout(layout.sizes, order=layout.order)


def test_like_takes_a_format():
    padded = Layout((2, 3, 4, 5), (100, 30, 6, 1), 3)
    assert padded.like(channels_last) == Layout.packed((2, 3, 4, 5), channels_last)
    assert padded.like(contiguous_format) == Layout((2, 3, 4, 5))


@every_layout
def test_to_preserve_changes_nothing(layout):
    assert layout.to(preserve_format) == (layout, False)


@each(
    "layout memory_format",
    [(layout, contiguous_format) for layout in AWKWARD]
    + [(layout, channels_last) for layout in AWKWARD if layout.rank in (3, 4, 5)],
)
def test_to_moves_data_exactly_where_memory_does_not_satisfy_the_format(layout, memory_format):
    result, copies = layout.to(memory_format)
    assert result.memory_format is memory_format
    assert result.is_contiguous(memory_format)
    assert copies == (layout.numel > 0 and not layout.is_contiguous(memory_format))
    if not copies:
        assert result.offsets() == layout.offsets()
    assert result.to(memory_format) == (result, False)


def test_nothing_has_to_move_in_an_empty_layout():
    empty = Layout((2, 0, 4, 5))
    assert not empty.is_contiguous(channels_last)
    assert empty.to(channels_last) == (Layout.packed((2, 0, 4, 5), channels_last), False)


def test_retagging_never_copies():
    for sizes in [(2, 1, 4, 5), (2, 3, 1, 1), (2, 1, 1, 1)]:
        plain = Layout(sizes, offset=7)
        marked, copies = plain.to(channels_last)
        assert not copies
        assert marked.memory_format is channels_last
        assert marked.offset == 7
        assert marked.to(contiguous_format) == (plain, False)
