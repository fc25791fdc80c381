"""Windows that slide along a dim, as convolutions, pools and folding have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Run(NamedTuple):
    """Neighbouring taps that are inside the input for the same windows, perhaps for none."""

    tap: int
    taps: int
    first: int  # window
    count: int  # type: ignore[assignment]  # windows; hides a method of tuples


class Window(NamedTuple):
    """The windows along one dim of an input. A tap is an element of a window.

    A tuple rather than a dataclass, since plans are cached by windows: tuples are hashed in C.
    """

    size: int = 1  # elements of the input
    count: int = 1  # type: ignore[assignment]  # windows; hides a method of tuples
    taps: int = 1  # of each window
    stride: int = 1  # from one window to the next
    dilation: int = 1  # from one tap to the next
    before: int = 0  # padding; negative if windows begin within the input
    after: int = 0

    @classmethod
    def fitted(
        cls,
        size: int,
        taps: int,
        stride: int,
        dilation: int,
        padding: tuple[int, int] = (0, 0),
        *,
        ceil_mode: bool = False,
    ) -> Window:
        """As many windows as fit into the padded input; the count is below 1 if none does.

        With `ceil_mode` a last one that extends beyond the padding counts too, if it starts before
        the padding at the end.
        """
        before, after = padding
        room = before + size + after - span(taps, dilation)
        count = room // stride + 1
        if ceil_mode:
            count = -(-room // stride) + 1
            count -= (count - 1) * stride >= before + size
        return cls(size, count, taps, stride, dilation, before, after)

    @classmethod
    def same(
        cls, size: int, taps: int, stride: int, dilation: int, *, lower: bool = False
    ) -> Window:
        """`ceil(size / stride)` windows, with the least padding that this takes.

        Of an odd number, one more is at the end, or with `lower` at the beginning.
        """
        count = -(-size // stride)
        total = max(0, (count - 1) * stride + span(taps, dilation) - size)
        return cls(size, count, taps, stride, dilation, *halves(total, lower=lower))

    @property
    def span(self) -> int:
        """Elements from the first to the last of a window."""
        return span(self.taps, self.dilation)

    @property
    def padded_size(self) -> int:
        return self.before + self.size + self.after

    @property
    def reads_padding(self) -> bool:
        """Whether any tap of any window is outside of the input."""
        return self.before > 0 or self.start(self.count - 1, self.taps - 1) >= self.size

    def start(self, window: int, tap: int) -> int:
        """The index in the input that a tap of a window reads."""
        return window * self.stride + tap * self.dilation - self.before

    def reach(self, count: int) -> int:
        """Elements from the first to the last of so many neighbouring windows."""
        return (count - 1) * self.stride + self.span

    def taps_inside(self) -> Iterator[Run]:
        """Each tap, with the windows for which it is inside the input."""
        for tap in range(self.taps):
            first = max(0, -(self.start(0, tap) // self.stride))
            end = min(self.count, (self.size - 1 - self.start(0, tap)) // self.stride + 1)
            yield Run(tap, 1, min(first, self.count), max(0, end - first))

    def runs(self) -> list[Run]:
        """All taps, joined where they are inside the input for the same windows."""
        runs: list[Run] = []
        for run in self.taps_inside():
            if runs and runs[-1][2:] == run[2:]:
                runs[-1] = runs[-1]._replace(taps=runs[-1].taps + 1)
            else:
                runs.append(run)
        return runs


def span(taps: int, dilation: int) -> int:
    """Elements from the first to the last of a window."""
    return (taps - 1) * dilation + 1


def halves(total: int, *, lower: bool = False) -> tuple[int, int]:
    """Padding before and after; of an odd total, one more after, or with `lower` before."""
    less = total // 2
    return (total - less, less) if lower else (less, total - less)
