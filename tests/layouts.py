"""Layouts worth asking, and the same layouts as NumPy arrays of addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dml_vk.layout import Layout, channels_last

AWKWARD = [
    Layout(()),
    Layout((), offset=3),
    Layout((1,)),
    Layout((7,)),
    Layout((0,)),
    Layout((5,), (-1,), 4),
    Layout((5,), (3,), 2),
    Layout((2, 3)),
    Layout.packed((2, 3), "WH"),
    Layout((2, 3), (5, 1)),
    Layout((2, 3), (0, 1)),
    Layout((2, 3), (-3, -1), 5),
    Layout((4, 3), (1, 1)),
    Layout((4, 6), (2, 3)),
    Layout((0, 5), (5, -1), 4),
    Layout((2, 1, 3)),
    Layout((2, 3, 4), (0, 0, 0)),
    Layout.packed((2, 3, 5), channels_last),
    Layout((2, 3, 5), (30, 10, 2), 1),
    Layout.packed((2, 3, 4, 5), channels_last),
    Layout.packed((2, 3, 4, 5), channels_last).narrow(1, 1, 2),
    Layout.packed((1, 3, 4, 5), channels_last),
    Layout.packed((2, 1, 4, 5), channels_last),
    Layout.packed((2, 3, 1, 1), channels_last),
    Layout.packed((2, 1, 1, 1), channels_last),
    Layout((1, 1, 1, 1), order=channels_last),
    Layout.packed((2, 0, 4, 5), channels_last),
    Layout.packed((2, 3, 2, 3, 2), channels_last),
    Layout.packed((2, 3, 4, 5), (3, 1, 0, 2)),
    Layout((2, 1, 3, 1, 2, 1, 2, 2)),
    Layout((2, 1, 2, 2, 1, 3, 1, 2, 2, 1)),
]


def addresses(layout: Layout) -> Any:
    """A view in which each element is its own address, made by NumPy."""
    memory = np.arange(max(layout.offsets(), default=0) + 1)
    strides = [stride * memory.itemsize for stride in layout.strides]
    start = memory[min(layout.offset, len(memory) - 1) :]
    return as_strided(start, layout.sizes, strides)


def assert_addresses(layout: Layout | None, expected: Any) -> None:
    """The layout has these sizes and reaches these addresses, index by index."""
    assert layout is not None
    assert layout.sizes == expected.shape
    assert layout.offsets() == expected.ravel().tolist()


def assert_well_formed(layout: Layout) -> None:
    """What holds for every Layout, however it came about."""
    assert sorted(layout.order) == list(range(layout.rank))
    assert len(layout.strides) == layout.rank
    assert min(layout.offsets(), default=0) >= 0
    step = 1
    for dim in reversed(layout.order):
        size = layout.sizes[dim]
        assert size != 1 or layout.strides[dim] == step, "a size-1 dim has its canonical stride"
        step = max(1, abs(layout.strides[dim]) * size)
    assert Layout(layout.sizes, layout.strides, layout.offset, layout.order) == layout
