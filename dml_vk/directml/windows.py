"""The fields that operators over windows have, and the windows that they give."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.errors import LayoutError
from dml_vk.windows import Window


class Windowed(OverTensors):
    """An operator over windows of a tensor. () is 1 for strides and dilations, else 0."""

    strides: Sequence[int]
    start_padding: Sequence[int]
    end_padding: Sequence[int]
    dilations: Sequence[int] = ()  # which not every class has as a field

    def _hold_windows(self, count: int) -> None:
        """Check the numbers for each of so many spatial dims."""
        for name in ("strides", "dilations"):
            self._hold_ints(name, count, 1, MOST_INT, default=1)
        for name in ("start_padding", "end_padding"):
            self._hold_ints(name, count, 0, MOST_INT, default=0)

    def _windows(self, sizes: Ints, taps: Sequence[int]) -> tuple[Window, ...]:
        """The windows along each spatial dim; their count is below 1 where none fits."""
        dims = zip(sizes, taps, self.strides, self.dilations)
        return tuple([Window.fitted(*dim, pair) for dim, pair in zip(dims, self._padding)])

    def _counts(self, sizes: Ints, taps: Ints) -> Ints:
        """How many windows there are along each spatial dim, which must be at least one."""
        windows = self._windows(sizes, taps)
        if any(window.count < 1 or window.padded_size > MOST_INT for window in windows):
            rule = "windows must fit into the padded input, which has less than 2**31 elements"
            named = {"dilations": self.dilations, "window": taps}
            padding = {"start_padding": self.start_padding, "end_padding": self.end_padding}
            raise LayoutError(self._what, rule, sizes=sizes, **named, **padding)
        return tuple([window.count for window in windows])

    @property
    def _padding(self) -> tuple[tuple[int, int], ...]:
        """A pair for each spatial dim, as functions of tensors take it."""
        return tuple(zip(self.start_padding, self.end_padding))
