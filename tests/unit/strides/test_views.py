"""Views: each reaches the addresses that NumPy's view does, and keeps the order that it should."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from dml_vk.errors import LayoutError, LayoutIndexError
from dml_vk.layout import Layout, channels_last, contiguous_format
from tests import tier
from tests.each import each
from tests.layouts import AWKWARD, addresses, assert_addresses, assert_well_formed

NHWC = Layout.packed((2, 3, 4, 5), channels_last)

DIMS = [(one, dim) for one in AWKWARD for dim in range(-one.rank, one.rank)]
BOUNDS = [
    (None, None, None),
    (1, None, None),
    (None, -1, 2),
    (-99, 99, 3),
    (2, 1, 1),
    (99, 98, 1),
    (None, None, -1),
    (-1, 0, -2),
    (0, 99, -1),
    (99, -99, -3),
]
every_layout = each("layout", AWKWARD)
every_matrix = each("layout", [one for one in AWKWARD if one.rank > 1])
every_dim = each("layout dim", DIMS)


def cut(rank, dim, what):
    index = [slice(None)] * rank
    index[dim] = what
    return tuple(index)


# Addresses, for every index


@every_layout
def test_permute(layout):
    rng = np.random.default_rng(layout.rank)
    dims = [int(dim) for dim in rng.permutation(layout.rank)]
    view = layout.permute(dims)
    assert_well_formed(view)
    assert_addresses(view, addresses(layout).transpose(dims))
    assert layout.permute(*dims) == view
    assert layout.permute([dim - layout.rank for dim in dims]) == view
    back = [dims.index(dim) for dim in range(layout.rank)]
    assert view.permute(back) == layout


@every_layout
def test_transpose_of_all_dims(layout):
    dims = list(range(layout.rank))[::-1]
    assert layout.transpose() == layout.transpose(None) == layout.permute(dims)
    dims.append(dims.pop(0) if dims else 0)
    dims = dims[: layout.rank]
    assert layout.transpose(dims) == layout.transpose(tuple(dims)) == layout.permute(dims)
    if layout.rank != 2:
        assert layout.transpose(*dims) == layout.permute(dims)


@every_dim
def test_transpose_and_movedim(layout, dim):
    for other in range(layout.rank):
        swapped = list(range(layout.rank))
        swapped[dim], swapped[other] = swapped[other], swapped[dim]
        assert_addresses(layout.transpose(dim, other), np.swapaxes(addresses(layout), dim, other))
        assert layout.transpose(dim, other) == layout.permute(swapped)
        assert_addresses(layout.movedim(dim, other), np.moveaxis(addresses(layout), dim, other))
        assert layout.movedim(dim, other).movedim(other, dim) == layout
        assert layout.movedim((dim,), (other,)) == layout.movedim(dim, other)


@every_matrix
def test_movedim_takes_several_dims(layout):
    view = layout.movedim((0, -1), (-1, 0))
    assert_addresses(view, np.moveaxis(addresses(layout), (0, -1), (-1, 0)))
    assert layout.movedim([0, -1], [-1, 0]) == view


@every_layout
def test_squeeze(layout):
    assert_addresses(layout.squeeze(), addresses(layout).squeeze())
    ones = tuple(dim for dim in range(layout.rank) if layout.sizes[dim] == 1)
    assert layout.squeeze(ones) == layout.squeeze()


@every_dim
def test_squeeze_of_a_dim_is_a_no_op_where_its_size_is_not_1(layout, dim):
    if layout.sizes[dim] == 1:
        assert_addresses(layout.squeeze(dim), addresses(layout).squeeze(dim))
    else:
        assert layout.squeeze(dim) == layout


@every_layout
def test_unsqueeze(layout):
    for dim in range(-layout.rank - 1, layout.rank + 1):
        view = layout.unsqueeze(dim)
        assert_well_formed(view)
        assert_addresses(view, np.expand_dims(addresses(layout), dim))
        assert view.squeeze(dim) == layout


@every_dim
def test_select(layout, dim):
    size = layout.sizes[dim]
    for index in range(-size, size):
        view = layout.select(dim, index)
        assert_well_formed(view)
        assert_addresses(view, addresses(layout)[cut(layout.rank, dim, index)])
    for index in (size, -size - 1):
        with pytest.raises(LayoutIndexError, match="select: "):
            layout.select(dim, index)


@each("layout dim bounds", [(*one, bounds) for one, bounds in tier.crossed(DIMS, BOUNDS)])
def test_slice(layout, dim, bounds):
    view = layout.slice(dim, *bounds)
    assert_well_formed(view)
    assert_addresses(view, addresses(layout)[cut(layout.rank, dim, slice(*bounds))])
    assert view.order == layout.order


@every_dim
def test_narrow(layout, dim):
    size = layout.sizes[dim]
    for start in range(size + 1):
        for length in range(size - start + 1):
            view = layout.narrow(dim, start, length)
            expected = addresses(layout)[cut(layout.rank, dim, slice(start, start + length))]
            assert_addresses(view, expected)
            assert view.order == layout.order
            if start < size:
                assert layout.narrow(dim, start - size, length) == view
        with pytest.raises(LayoutIndexError, match="narrow: start and length must stay within"):
            layout.narrow(dim, start, size - start + 1)
    with pytest.raises(IndexError):
        layout.narrow(dim, -size - 1, 0)
    with pytest.raises(IndexError):
        layout.narrow(dim, 0, -1)


@every_dim
def test_split_and_chunk(layout, dim):
    size, array = layout.sizes[dim], addresses(layout)
    for most in range(1, size + 2):
        pieces = layout.split(most, dim)
        expected = np.split(array, range(most, size, most), dim)
        assert len(pieces) == len(expected) == max(1, -(-size // most))
        for piece, part in zip(pieces, expected):
            assert_addresses(piece, part)
            assert piece.order == layout.order
        assert layout.split([piece.sizes[dim] for piece in pieces], dim) == pieces
    for chunks in range(1, size + 2):
        pieces = layout.chunk(chunks, dim)
        assert len(pieces) <= chunks
        assert len({piece.sizes[dim] for piece in pieces[:-1]}) <= 1
        assert pieces[0].sizes[dim] == -(-size // chunks)
        assert sum(piece.sizes[dim] for piece in pieces) == size
        joined = [at for piece in pieces for at in piece.movedim(dim, 0).offsets()]
        assert joined == layout.movedim(dim, 0).offsets()


def test_sizes_beyond_64_bits():
    wide = Layout((2**70, 3), (0, 1))
    assert wide.slice(0, 1, None, 2**40).sizes == (2**30, 3)
    assert wide.narrow(0, 5, 2**69).sizes == (2**69, 3)
    assert [piece.sizes[0] for piece in wide.chunk(2)] == [2**69] * 2
    assert wide.split((1, 2**70 - 1))[1].sizes == (2**70 - 1, 3)
    assert len(Layout((3,)).chunk(10**30)) == 3


def test_more_pieces_than_anybody_can_hold():
    wide = Layout((2**40,), (0,))
    with pytest.raises(LayoutError, match="split: cannot make more than 1048576 pieces; got piece"):
        wide.split(3)
    with pytest.raises(LayoutError, match="offsets: cannot list more than 67108864 elements"):
        wide.offsets()


def test_pieces_of_an_empty_dim():
    empty = Layout((0, 3))
    assert empty.chunk(4) == (empty,) * 4
    assert empty.split(2) == empty.split(1) == empty.split(0) == (empty,)
    assert empty.split([]) == ()
    assert Layout((5,)).split((2, 0, 3)) == (
        Layout((2,)),
        Layout((0,), (1,), 2),
        Layout((3,), (1,), 2),
    )


@every_layout
def test_expand(layout):
    sizes = (2, 1, *[3 if size == 1 else size for size in layout.sizes])
    view = layout.expand(sizes)
    assert_well_formed(view)
    assert_addresses(view, np.broadcast_to(addresses(layout), sizes))
    assert layout.expand(*sizes) == view
    assert view.order == (0, 1, *[dim + 2 for dim in layout.order])
    assert layout.expand(-1 for _ in layout.sizes) == layout


def test_expand_stretches_nothing_but_size_1():
    for dim in range(4):
        for lead in ((), (7,)):
            sizes = [*lead, 2, 3, 4, 5]
            sizes[len(lead) + dim] = 9
            with pytest.raises(LayoutError, match=r"expand: cannot broadcast from"):
                NHWC.expand(sizes)


def test_expand_from_and_to_nothing():
    assert Layout(()).expand(2, 3) == Layout((2, 3), (0, 0))
    assert Layout((1, 3)).expand(0, 3).sizes == (0, 3)
    assert Layout((3,)).expand(0, 3).sizes == (0, 3)


@every_dim
def test_unfold(layout, dim):
    at = dim % layout.rank
    for size in range(1, layout.sizes[dim] + 1):
        windows = sliding_window_view(addresses(layout), size, dim)
        for step in (1, 2, 5):
            view = layout.unfold(dim, size, step)
            assert_well_formed(view)
            assert_addresses(view, windows[cut(layout.rank + 1, at, slice(0, None, step))])
    assert layout.unfold(dim, 0, 1).sizes[at] == layout.sizes[dim] + 1


@every_matrix
def test_diagonal(layout):
    for a in range(layout.rank):
        for b in range(-layout.rank, layout.rank):
            if b % layout.rank != a:
                for offset in range(-6, 7):
                    view = layout.diagonal(offset, a, b)
                    assert_well_formed(view)
                    assert_addresses(view, addresses(layout).diagonal(offset, a, b))
                    assert view.sizes[-1] or view.offset == layout.offset
    assert layout.diagonal() == layout.diagonal(0, 0, 1)


@every_layout
def test_flip(layout):
    for dims in [range(layout.rank), range(layout.rank)[:1], range(layout.rank)[-1:]]:
        view = layout.flip(dims)
        assert_well_formed(view)
        assert_addresses(view, np.flip(addresses(layout), tuple(dims)))
        assert view.order == layout.order
        assert layout.flip(*dims) == view
        if layout.numel:
            assert view.flip(dims) == layout


@every_layout
def test_view_reaches_the_same_elements_in_the_same_order(layout):
    numel = layout.numel
    halves = [(numel // 2, 2), (2, -1)] if numel and numel % 2 == 0 else []
    viewed = 0
    for sizes in [(numel,), (1, numel, 1), (-1,), layout.sizes, *halves]:
        view = layout.view(sizes)
        if view is None:
            assert not layout.is_contiguous()
        else:
            assert_well_formed(view)
            assert view.offsets() == layout.offsets()
            viewed += 1
    assert viewed
    assert layout.view(*layout.sizes) == layout


@every_matrix
def test_flatten(layout):
    for start in range(layout.rank):
        for end in range(start, layout.rank):
            merged = (*layout.sizes[:start], -1, *layout.sizes[end + 1 :])
            view = layout.flatten(start, end - layout.rank)
            if layout.numel:
                assert view == layout.view(merged)
            else:
                assert view.numel == 0
                assert view.rank == layout.rank - (end - start)


def test_flatten_where_only_a_copy_could_do_it_is_none():
    assert NHWC.flatten() is None
    assert NHWC.flatten(1) is None
    assert NHWC.flatten(2) == Layout((2, 3, 20), (60, 1, 3))
    assert Layout((2, 3, 4)).flatten() == Layout((24,))
    assert Layout((), offset=2).flatten() == Layout((1,), offset=2)


@pytest.mark.parametrize(
    ("layout", "sizes", "strides"),
    [
        (Layout((2, 3)), (3, 2), (2, 1)),
        (Layout((2, 3), (6, 2)), (6,), (2,)),
        (Layout((2, 3), (5, 1)), (6,), None),
        (Layout((2, 3), (5, 1)), (2, 3, 1), (5, 1, 1)),
        (Layout((2, 3), (-3, -1), 5), (6,), (-1,)),
        (Layout((4,), (0,)), (2, 2), (0, 0)),
        (Layout((0, 3), (9, 1)), (3, 0), (1, 1)),
        (Layout((0, 3), (9, 1)), (0, 3), (9, 1)),
        (Layout(()), (1, 1), (1, 1)),
        (Layout((6, 1, 4), (4, 7, 1)), (2, 12), (12, 1)),
        (NHWC, (2, 3, 20), (60, 1, 3)),
        (NHWC, (2, 3, 2, 2, 5), (60, 1, 30, 15, 3)),
    ],
)
def test_view_strides(layout, sizes, strides):
    view = layout.view(sizes)
    assert (view and view.strides) == strides


# Order


@pytest.mark.parametrize("rank", [3, 4, 5])
def test_first_of_batch_and_back_keeps_channels_last(rank):
    marked = Layout.packed((2, 3, 4, 5, 6)[:rank], channels_last)
    again = marked.select(0, 1).unsqueeze(0)
    assert again.memory_format is channels_last
    assert again.is_contiguous(channels_last)
    assert again.follows(channels_last)


def test_unsqueeze_lies_just_outside_the_dim_that_was_there():
    assert Layout((2, 3)).unsqueeze(0).order == (0, 1, 2)
    assert Layout((2, 3)).unsqueeze(1).order == (0, 1, 2)
    assert Layout((2, 3)).unsqueeze(2).order == (0, 1, 2)
    assert NHWC.unsqueeze(0).order == (0, 1, 3, 4, 2)
    assert NHWC.unsqueeze(1).order == (0, 3, 4, 1, 2)
    assert NHWC.unsqueeze(2).order == (0, 2, 3, 4, 1)
    assert NHWC.unsqueeze(-1).order == (0, 2, 3, 1, 4)
    assert Layout.packed((2, 3, 4), (2, 0, 1)).unsqueeze(0).order == (3, 0, 1, 2)


def test_permute_carries_the_order_along():
    hwc = Layout((2, 4, 5, 3)).permute(0, 3, 1, 2)
    assert hwc == NHWC
    assert hwc.memory_format is channels_last
    assert Layout((2, 3, 1, 1), order=channels_last).permute(0, 2, 3, 1).order == (0, 1, 2, 3)


def test_select_and_squeeze_delete_from_the_order():
    assert NHWC.select(0, 1).order == (1, 2, 0)
    assert NHWC.select(1, 2).order == (0, 1, 2)
    assert Layout.packed((1, 3, 4, 5), channels_last).squeeze(0).order == (1, 2, 0)


def test_chunks_of_channels_are_meant_as_channels_last_still():
    halves = Layout.packed((2, 4, 3, 3), channels_last).chunk(2, 1)
    assert [half.memory_format for half in halves] == [channels_last] * 2
    ones = Layout.packed((2, 3, 1, 1), channels_last).split(1, 1)
    assert [one.memory_format for one in ones] == [channels_last] * 3


@pytest.mark.parametrize("sizes", [(1, 3, 4, 5), (2, 3, 1, 1), (2, 1, 1, 1), (1, 1, 1, 1)])
def test_a_view_to_the_same_sizes_keeps_the_format(sizes):
    marked = Layout.packed(sizes, channels_last)
    assert marked.view(sizes) == marked
    assert marked.view(-1, *sizes[1:]) == marked


def test_views_that_mix_dims_read_the_order_anew():
    assert NHWC.unfold(2, 2, 1).order == (0, 2, 4, 3, 1)
    assert NHWC.diagonal(0, 2, 3).order == (0, 2, 1)
    assert Layout.packed((2, 4, 3, 3), "NHWC").view(2, 2, 2, 3, 3).order == (0, 3, 4, 1, 2)
    assert Layout((2, 3, 1, 1), order=channels_last).flatten(1).memory_format is contiguous_format
