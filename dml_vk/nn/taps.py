"""Windows: where a kernel of taps lies over one spatial dim, with its stride and padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dml_vk.arguments import Ints
from dml_vk.nn.windows import Windows, each_dim, to_padding, windows_of


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
    rank = len(sizes)
    windows = windows_of(
        what,
        sizes,
        each_dim(what, "kernel_size", kernel_size, rank),
        each_dim(what, "stride", stride, rank),
        to_padding(what, padding, rank),
        each_dim(what, "dilation", dilation, rank),
    )
    return dims_over(windows)


def dims_over(windows: Windows) -> list[Dim]:
    """Return the windows over each spatial dim."""
    return [
        Dim(*one)
        for one in zip(
            *(windows.sizes, windows.kernel, windows.stride, windows.dilation),
            *(windows.begin, windows.end),
        )
    ]
