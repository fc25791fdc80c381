"""Windows: where a kernel of taps lies over one spatial dim, with its stride and padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dml_vk.errors import LayoutError
from dml_vk.nn.arguments import to_each
from dml_vk.strides.order import Ints, is_one, several, to_ints, to_tuple

Pair = tuple[int, int]


class Run(NamedTuple):
    """Neighbouring taps that are inside the input for the same windows."""

    tap: int
    taps: int
    first: int  # window
    windows: int


class Dim(NamedTuple):
    """One spatial dim of the input, and the windows over it."""

    size: int
    taps: int
    stride: int
    dilation: int
    before: int
    after: int

    @property
    def windows(self) -> int:
        reach = self.dilation * (self.taps - 1)
        return (self.size + self.before + self.after - reach - 1) // self.stride + 1

    def start(self, window: int, tap: int) -> int:
        """Return the index in the input that a tap of a window reads."""
        return window * self.stride + tap * self.dilation - self.before

    def runs(self) -> Iterator[Run]:
        """Yield all taps, joined where they are inside the input for the same windows."""
        found: list[Run] = []
        for tap in range(self.taps):
            first = max(0, -(self.start(0, tap) // self.stride))
            end = min(self.windows, (self.size - 1 - self.start(0, tap)) // self.stride + 1)
            run = Run(tap, 1, min(first, self.windows), max(0, end - first))
            if found and found[-1][2:] == run[2:]:
                last = found.pop()
                run = last._replace(taps=last.taps + 1)
            found.append(run)
        yield from found


def dims_of(
    what: str, sizes: Ints, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> list[Dim]:
    """Return the windows over each spatial dim, from the arguments of a function."""
    count = len(sizes)
    taps = to_each(what, "kernel_size", kernel_size, count, 1)
    steps = to_each(what, "stride", stride, count, 1)
    gaps = to_each(what, "dilation", dilation, count, 1)
    pairs = _pairs(what, padding, count)
    if pairs is None:
        reach = [gap * (tap - 1) for gap, tap in zip(gaps, taps)]
        # As many windows as strides begin; the odd element of padding is at the end.
        lacks = [
            max(0, (-(-size // step) - 1) * step + far + 1 - size)
            for size, step, far in zip(sizes, steps, reach)
        ]
        pairs = [(each // 2, each - each // 2) for each in lacks]
    found = [
        Dim(size, tap, step, gap, *pair)
        for size, tap, step, gap, pair in zip(sizes, taps, steps, gaps, pairs)
    ]
    for dim in found:
        if dim.windows < 1:
            rule = "kernel_size must fit into the padded size"
            raise LayoutError(what, rule, kernel_size=kernel_size, sizes=sizes, padding=padding)
    return found


def _pairs(what: str, padding: Any, count: int) -> list[Pair] | None:
    """Return (begin, end) for each dim, or None for "same"."""
    if isinstance(padding, str) and padding in ("same", "valid"):
        return [(0, 0)] * count if padding == "valid" else None
    rule = f"padding must be 'same', 'valid', an integer, or for each of {count} dims one or a pair"
    try:
        rows = [
            to_ints(what, "padding", several(one)) for one in to_tuple(what, "", several(padding))
        ]
    except LayoutError:
        raise LayoutError(what, rule, padding=padding) from None
    rows *= count if is_one(padding) else 1
    found = [row * 2 if len(row) == 1 else row for row in rows]
    if len(found) != count or any(len(row) != 2 or min(row) < 0 for row in found):
        raise LayoutError(what, rule, padding=padding)
    return [(first, last) for first, last in found]
