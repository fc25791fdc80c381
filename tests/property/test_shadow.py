"""A Layout beside the NumPy array it describes, through random sequences of view operations."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from dml_vk.testing.strategies import layouts
from tests import tier
from tests.layouts import addresses, assert_addresses, assert_well_formed

# Each takes a layout, the array of its addresses and a way to draw, and gives both after the step.


def some_dim(layout, draw):
    return draw(st.integers(-layout.rank, layout.rank - 1))


def at(array, dim, what):
    index = [slice(None)] * array.ndim
    index[dim] = what
    return array[tuple(index)]


def permute(layout, array, draw):
    dims = draw(st.permutations(range(layout.rank)))
    return layout.permute(dims), array.transpose(dims)


def transpose(layout, array, draw):
    a, b = some_dim(layout, draw), some_dim(layout, draw)
    return layout.transpose(a, b), np.swapaxes(array, a, b)


def movedim(layout, array, draw):
    a, b = some_dim(layout, draw), some_dim(layout, draw)
    return layout.movedim(a, b), np.moveaxis(array, a, b)


def unsqueeze(layout, array, draw):
    dim = draw(st.integers(-layout.rank - 1, layout.rank))
    return layout.unsqueeze(dim), np.expand_dims(array, dim)


def squeeze(layout, array, draw):
    return layout.squeeze(), array.squeeze()


def select(layout, array, draw):
    dim = some_dim(layout, draw)
    index = draw(st.integers(-layout.sizes[dim], layout.sizes[dim] - 1))
    return layout.select(dim, index), at(array, dim, index)


def slice_(layout, array, draw):
    dim, bound = some_dim(layout, draw), st.none() | st.integers(-7, 7)
    step = draw(st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3]))
    cut = slice(draw(bound), draw(bound), step)
    return layout.slice(dim, cut.start, cut.stop, cut.step), at(array, dim, cut)


def narrow(layout, array, draw):
    dim = some_dim(layout, draw)
    start = draw(st.integers(0, layout.sizes[dim]))
    length = draw(st.integers(0, layout.sizes[dim] - start))
    return layout.narrow(dim, start, length), at(array, dim, slice(start, start + length))


def split(layout, array, draw):
    dim, size = some_dim(layout, draw), draw(st.integers(1, 4))
    pieces = layout.split(size, dim)
    piece = draw(st.integers(0, len(pieces) - 1))
    return pieces[piece], at(array, dim, slice(piece * size, (piece + 1) * size))


def expand(layout, array, draw):
    sizes = [draw(st.integers(0, 3)) if n == 1 else n for n in layout.sizes]
    sizes = [*draw(st.lists(st.integers(1, 2), max_size=2)), *sizes]
    return layout.expand(sizes), np.broadcast_to(array, sizes)


def unfold(layout, array, draw):
    dim = some_dim(layout, draw) % layout.rank
    size = draw(st.integers(0, layout.sizes[dim]))
    step = draw(st.integers(1, 3))
    windows = sliding_window_view(array, size, dim)
    return layout.unfold(dim, size, step), at(windows, dim, slice(None, None, step))


def diagonal(layout, array, draw):
    a, b = draw(st.permutations(range(layout.rank)))[:2]
    offset = draw(st.integers(-5, 5))
    return layout.diagonal(offset, a, b), array.diagonal(offset, a, b)


def flip(layout, array, draw):
    dims = draw(st.lists(st.integers(0, max(0, layout.rank - 1)), unique=True))[: layout.rank]
    return layout.flip(dims), np.flip(array, tuple(dims))


def view(layout, array, draw):
    """Split a dim in two or merge two, as far as that needs no copy."""
    sizes = list(layout.sizes)
    dim = draw(st.integers(0, max(0, layout.rank - 1)))
    if layout.rank and layout.sizes[dim] % 2 == 0 and draw(st.booleans()):
        sizes[dim : dim + 1] = [2, layout.sizes[dim] // 2]
    else:
        sizes[dim : dim + 2] = [int(np.prod(sizes[dim : dim + 2], dtype=int))]
    result = layout.view(sizes)
    return (layout, array) if result is None else (result, array.reshape(sizes))


ANY_RANK = [permute, unsqueeze, squeeze, expand, flip, view]
RANK_1 = [transpose, movedim, slice_, narrow, split, unfold]


@tier.examples(300)
@given(layouts(max_rank=4), st.data())
def test_sequences_of_views(layout, data):
    array = addresses(layout)
    for _ in range(6):
        steps = ANY_RANK + (RANK_1 if layout.rank else [])
        steps = steps + ([select] if layout.rank and layout.numel else [])
        steps = steps + ([diagonal] if layout.rank > 1 else [])
        if layout.rank > 6:
            steps = [squeeze, select] if layout.numel else [squeeze]
        step = data.draw(st.sampled_from(steps))
        event(step.__name__)
        layout, array = step(layout, array, data.draw)
        assert_well_formed(layout)
        assert_addresses(layout, array)
