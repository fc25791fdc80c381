"""Hypothesis strategies for layouts. Only this module needs hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from dml_vk.arguments import Ints
from dml_vk.layout import Layout


@st.composite
def layouts(
    draw: st.DrawFn,
    max_rank: int = 6,
    min_size: int = 0,
    max_size: int = 5,
    sizes: Ints | None = None,
) -> Layout:
    """Layouts in any order, randomly padded, broadcast, reversed and offset.

    >>> from dml_vk.testing.strategies import layouts
    >>> from hypothesis import given
    >>> @given(layouts(max_rank=3))
    ... def check(layout):
    ...     assert len(layout.offsets()) == layout.numel
    >>> check()
    """
    if sizes is None:
        size = st.integers(min_size, max_size) | st.just(1)
        sizes = draw(st.tuples(*[size] * draw(st.integers(0, max_rank))))
    rank = len(sizes)
    order = draw(st.permutations(range(rank)))
    strides, step = [0] * rank, 1
    for dim in reversed(order):
        change = draw(st.sampled_from(["", "", "", "", "pad", "broadcast", "reverse", "any"]))
        strides[dim] = step
        step *= max(1, sizes[dim]) + (draw(st.integers(0, 3)) if change == "pad" else 0)
        if change == "broadcast":
            strides[dim] = 0
        elif change == "reverse":
            strides[dim] = -strides[dim]
        elif change == "any":
            strides[dim] = draw(st.integers(-9, 9))
    low = sum(min(0, stride) * max(0, n - 1) for stride, n in zip(strides, sizes))
    offset = draw(st.integers(0, 3)) - low
    return Layout(sizes, strides, offset, draw(st.none() | st.permutations(range(rank))))


def targets(
    max_rank: int = 6, min_size: int = 0, max_size: int = 5, sizes: Ints | None = None
) -> st.SearchStrategy[Layout]:
    """Layouts that can be written to: no two elements share an address.

    >>> from dml_vk.testing.strategies import targets
    >>> from hypothesis import given
    >>> @given(targets(max_rank=3))
    ... def check(layout):
    ...     assert len(set(layout.offsets())) == layout.numel
    >>> check()
    """
    return layouts(max_rank, min_size, max_size, sizes).filter(lambda layout: not layout.overlaps)
