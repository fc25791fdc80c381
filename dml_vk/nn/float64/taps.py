"""The taps of windows one by one, and what each reads and writes, as views.

Padding is in none of these views, so it is neither read nor added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from dml_vk.errors import RangeError
from dml_vk.ops.view import View, with_layout
from dml_vk.windows import Run, Window

MOST_TAPS = 2**12


def check_taps(what: str, kernel: Sequence[int], **shown: object) -> None:
    """Check that the taps of windows are not too many for launches of their own."""
    if prod(kernel) > MOST_TAPS:
        raise RangeError(what, "windows of float64 must have at most 2**12 elements", **shown)


def taps_over(windows: Sequence[Window]) -> Iterator[tuple[Run, ...]]:
    """Yield the taps of all dims in row-major order, without those that see only padding."""
    return product(*[[run for run in window.taps_inside() if run.count] for window in windows])


def elements_at(view: View, windows: Sequence[Window], taps: Sequence[Run]) -> View:
    """Return what taps see along the last dims, which are those under the windows."""
    layout = view.layout
    for dim, (window, run) in enumerate(zip(windows, taps), layout.rank - len(taps)):
        first, last = [window.start(n, run.tap) for n in (run.first, run.first + run.count - 1)]
        layout = layout.slice(dim, first, last + 1, window.stride)
    return with_layout(view, layout)


def windows_at(view: View, taps: Sequence[Run]) -> View:
    """Return the windows that taps belong to, along the last dims, which are those of windows."""
    layout = view.layout
    for dim, run in enumerate(taps, layout.rank - len(taps)):
        layout = layout.narrow(dim, run.first, run.count)
    return with_layout(view, layout)
