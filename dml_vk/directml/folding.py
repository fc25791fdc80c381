"""Unfold and Fold: im2col, and col2im with sums of overlapping windows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import ALL
from dml_vk.directml.fields import MOST_INT
from dml_vk.directml.gathering import aligned, check_aligned
from dml_vk.directml.windows import Windowed
from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor
    from dml_vk.windows import Window

__all__ = ["Fold", "Unfold"]


@dataclass(frozen=True, repr=False)
class Folding(Windowed):
    """What both have in common: an image (N, C, ...) and columns (N, C * taps, windows)."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    window_sizes: Ints
    strides: Ints = ()
    dilations: Ints = ()
    start_padding: Ints = ()
    end_padding: Ints = ()

    _tensors = ("input", "output")
    _image: ClassVar[str]  # the names of both tensors
    _columns: ClassVar[str]

    def _check(self) -> None:
        rank = self._check_ranks(range(3, 9), "3 to 8", self._image)
        self._check_ranks(range(3, 9), "3 to 8", self._columns)
        self._hold_ints("window_sizes", rank - 2, 1, MOST_INT)
        self._hold_windows(rank - 2)
        sizes = self._desc(self._image).sizes
        windows = self._over_image()
        for dim, window in enumerate(windows):
            if window.count < 1:
                rule = f"a window must fit into the padded {self._image}, of sizes {sizes}"
                raise LayoutError(self._what, rule, **{f"window_sizes[{dim}]": window.taps})
        count = math.prod([window.count for window in windows])
        check_aligned(
            self, self._columns, (sizes[0], sizes[1] * math.prod(self.window_sizes), count)
        )

    def _over_image(self) -> tuple[Window, ...]:
        return self._windows(self._desc(self._image).sizes[2:], self.window_sizes)

    def _three(self, columns: Tensor) -> Tensor:
        """Return columns with their last three dims alone."""
        return columns.over(aligned(columns.layout, columns.shape[-3:]))


class Unfold(Folding, types=ALL):
    """The windows over 1 to 6 spatial dims as columns, with zeros for the padding.

    Columns are (N, C * taps, windows), both in row-major order.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Unfold
    >>> x, y = (BufferTensorDesc(DataType.FLOAT32, sizes) for sizes in ((1, 1, 5, 5), (1, 9, 15)))
    >>> Unfold(x, y, (3, 3), start_padding=(1, 0), end_padding=(1, 0)).strides
    (1, 1)
    """

    _image, _columns = "input", "output"

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.array.calls import call
        from dml_vk.nn.folding import columns_of

        call(columns_of, (x,), self._three(target), self._over_image())


class Fold(Folding, types=ALL):
    """The columns added where Unfold reads them.

    The terms of an element are added to 0 one after the other, in row-major order of the taps.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Fold
    >>> x, y = (BufferTensorDesc(DataType.FLOAT32, sizes) for sizes in ((1, 9, 3), (1, 1, 4, 4)))
    >>> Fold(x, y, (3, 3))
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: Fold: input must have the sizes (1, 9, 4); got sizes=(1, 9, 3)
    """

    _image, _columns = "output", "input"

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.array.calls import call
        from dml_vk.nn.folding import image_of

        call(image_of, (self._three(x),), target, self._over_image())
