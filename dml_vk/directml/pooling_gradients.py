"""DirectML's gradients of pooling: sums in a stated order over the windows that meet."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.pooling import Pooling

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["AveragePoolingGrad", "MaxPoolingGrad"]


@dataclass(frozen=True, repr=False)
class AveragePoolingGrad(Pooling, types=FLOATS):
    """The gradient of AveragePooling: each element of a window has an equal part of the gradient.

    Parts are added to 0 in row-major order of the elements of a window along the last two dims,
    then along the depth, in float32, and rounded once.
    """

    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc
    _: KW_ONLY
    strides: Sequence[int] = ()
    window_size: Sequence[int]
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()
    include_padding: bool

    _tensors = ("input_gradient", "output_gradient")

    def _check(self) -> None:
        rank = self._check_ranks((4, 5), "4 or 5")
        self._check_windows(rank, "output_gradient", "input_gradient")
        self._hold_flag("include_padding")

    def _compute(self, gradient: Tensor, out: Tensor) -> None:
        import numpy as np

        from dml_vk.array.creation.arrays import asarray
        from dml_vk.array.math.elementwise import astype
        from dml_vk.dtypes import float32
        from dml_vk.ops.elementwise import cast_elements

        sizes, counts = out.shape[2:], gradient.shape[2:]
        dims = list(zip(sizes, counts, self.window_size, self.strides, self._padding))
        elements = [np.array(self._elements(*dim), np.float32) for dim in dims]
        divisor = asarray(functools.reduce(np.multiply.outer, elements), device=gradient.device)
        parts = astype(gradient, float32, copy=False) / divisor
        parts = _spread(parts.reshape((-1, *counts[-2:])), *dims[-2:])
        if len(sizes) == 3:
            area = math.prod(sizes[1:])
            parts = _spread(
                parts.reshape((-1, counts[0], area)), dims[0], (area, area, 1, 1, (0, 0))
            )
        cast_elements(self._what, parts.reshape(out.shape), out)

    def _elements(self, size: int, count: int, taps: int, step: int, pads: Ints) -> list[int]:
        """How many elements count in each window along a dim."""
        if self.include_padding:
            return [taps] * count
        starts = [number * step - pads[0] for number in range(count)]
        return [min(size, start + taps) - max(0, start) for start in starts]


@dataclass(frozen=True, repr=False)
class MaxPoolingGrad(Pooling, types=FLOATS):
    """The gradient of MaxPooling2: each element of the gradient, where the window has its maximum.

    Those of windows that meet are added to 0 in row-major order of the elements of a window.
    """

    input: BufferTensorDesc
    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc
    _: KW_ONLY
    strides: Sequence[int] = ()
    window_size: Sequence[int]
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()
    dilations: Sequence[int] = ()

    _tensors = ("input", "input_gradient", "output_gradient")

    def _check(self) -> None:
        self._check_windows(self._check_ranks((4,), "4"), "input", "input_gradient")
        self._check_sizes("output_gradient", self.input.sizes)

    def _compute(self, x: Tensor, gradient: Tensor, out: Tensor) -> None:
        from dml_vk.array.creation.grids import arange
        from dml_vk.array.math.elementwise import where
        from dml_vk.nn import fold, max_pool

        _, indices = max_pool(x, **self._arguments, return_indices=True)
        sizes, counts = x.shape[2:], gradient.shape[2:]
        rows, columns = [
            arange(taps, device=x.device)[:, None] * apart
            + arange(count, device=x.device) * step
            - start
            for taps, count, step, apart, start in zip(
                self.window_size, counts, self.strides, self.dilations, self.start_padding
            )
        ]
        # The index of each tap of each window; `fold` drops those in the padding.
        positions = rows[:, None, :, None] * sizes[1] + columns[None, :, None, :]
        is_maximum = indices[:, :, None, None] == positions
        terms = where(is_maximum, gradient[:, :, None, None], 0)
        taps, windows = math.prod(self.window_size), math.prod(counts)
        fold(
            terms.reshape((x.shape[0], x.shape[1] * taps, windows)),
            sizes,
            self.window_size,
            dilation=self.dilations,
            padding=self._padding,
            stride=self.strides,
            out=out,
        )


def _spread(x: Tensor, *dims: tuple[int, int, int, int, Any]) -> Tensor:
    """Add each element of (N, windows, windows) to all elements of its window, in (N, H, W).

    Each dim has its size, the count of windows, their taps, the step and the padding.
    """
    from dml_vk.array.manipulation.shapes import broadcast_to
    from dml_vk.nn import fold

    sizes, counts, taps, steps, padding = zip(*dims)
    columns = x.reshape((x.shape[0], 1, math.prod(counts)))
    columns = broadcast_to(columns, (x.shape[0], math.prod(taps), columns.shape[2]))
    return fold(columns, sizes, taps, stride=steps, padding=padding).reshape((-1, *sizes))
