"""Boxes of dims, so that temporaries of a part of the work are bounded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from dml_vk.arguments import Ints
from dml_vk.ops.view import View, with_layout

MOST = 2**22  # elements of a temporary

Box = tuple[tuple[int, int], ...]  # the start and the size of each dim


def boxes(sizes: Ints, each: int, most: int = MOST) -> Iterator[Box]:
    """Yield boxes that cover these sizes, with at most `most` elements or one index each.

    An index stands for `each` elements. The last dims stay whole longest.
    """
    steps: list[int] = []
    for size in reversed(sizes):
        steps.append(min(size, max(1, most // each)) or 1)
        each *= steps[-1]
    dims = [
        [(start, min(step, size - start)) for start in range(0, size, step)]
        for size, step in zip(sizes, reversed(steps))
    ]
    yield from itertools.product(*dims)


def part(view: View, box: Box) -> View:
    """Return the part of an operand in a box of its first dims; it may broadcast along them."""
    layout = view.layout
    for dim, (start, count) in enumerate(box):
        if layout.sizes[dim] != 1:
            layout = layout.narrow(dim, start, count)
    return with_layout(view, layout)


def sizes_of(box: Box) -> Ints:
    return tuple([count for _, count in box])
