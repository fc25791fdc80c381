"""Windows that slide over the spatial dims of a tensor, as pooling and convolutions have them."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.errors import LayoutError


class Windowed(OverTensors):
    """An operator over windows of its input. () is 1 for strides and dilations, else 0."""

    strides: Sequence[int]
    start_padding: Sequence[int]
    end_padding: Sequence[int]
    dilations: Sequence[int] = ()  # which not every class has as a field

    def _hold_windows(self, count: int) -> None:
        """Check the numbers for each of so many spatial dims."""
        for name, least in (("strides", 1), ("dilations", 1)):
            self._hold_ints(name, count, least, MOST_INT, default=1)
        for name in ("start_padding", "end_padding"):
            self._hold_ints(name, count, 0, MOST_INT, default=0)

    def _counts(self, sizes: Ints, window: Ints) -> Ints:
        """How many windows there are along each spatial dim, which must be at least one."""
        spans = [(width - 1) * apart + 1 for width, apart in zip(window, self.dilations)]
        padded = [sum(one) for one in zip(sizes, self.start_padding, self.end_padding)]
        if any(span > size or size > MOST_INT for span, size in zip(spans, padded)):
            rule = "windows must fit into the padded input, which has less than 2**31 elements"
            named = {"dilations": self.dilations, "window": window}
            padding = {"start_padding": self.start_padding, "end_padding": self.end_padding}
            raise LayoutError(self._what, rule, sizes=sizes, **named, **padding)
        return tuple(
            [(size - span) // step + 1 for size, span, step in zip(padded, spans, self.strides)]
        )

    @property
    def _padding(self) -> tuple[Ints, ...]:
        """A pair for each spatial dim, as functions of tensors take it."""
        return tuple(zip(self.start_padding, self.end_padding))
