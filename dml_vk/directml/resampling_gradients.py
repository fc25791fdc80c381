"""DirectML's gradients of resampling: what each element of the input sent, added in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import AxisDirection
from dml_vk.directml.resampling import (
    InterpolationMode,
    ResampledDim,
    Resampling,
)
from dml_vk.directml.rounding import widened, write_rounded

if TYPE_CHECKING:
    from dml_vk.nn.coordinates import Tap
    from dml_vk.tensor.core import Tensor

__all__ = ["ResampleGrad", "ResampleGrad1"]


class ResamplingGradient(Resampling):
    """The gradient of an operator that resamples some dims."""

    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc

    _ends = ("output_gradient", "input_gradient")

    def _compute(self, gradient: Tensor, out: Tensor) -> None:
        from dml_vk.gradients.rules.images import sent_back

        (gradient,) = widened(gradient)
        for item in self._resampled_dims():
            size = out.shape[item.dim]
            gradient = sent_back(gradient, item.dim, self._taps(item, size), size)
        write_rounded(self._what, (gradient, out))

    def _taps(self, item: ResampledDim, size: int) -> tuple[Tap, ...]:
        """What the elements of a resampled dim read."""
        from dml_vk.nn.coordinates import CUBIC, CoordinateMap, nearest, taps

        step = Fraction(size, item.size) if item.scale is None else 1 / Fraction(item.scale)
        offsets = Fraction(item.offset), Fraction(item.output_offset)
        coordinates = CoordinateMap(size, item.size, step, *offsets)
        if self._linear:
            return taps(coordinates, "linear", CUBIC)
        return nearest(coordinates, self._rounding)


@dataclass(frozen=True, repr=False)
class ResampleGrad(ResamplingGradient, types=FLOATS):
    """The gradient of Resample1.

    What an element of the input sent along a dim is added in ascending order of where it came to,
    along one dim after the other from the first on, in float32, and rounded once.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, ResampleGrad
    >>> small = BufferTensorDesc(DataType.FLOAT32, (1, 1, 2, 2))
    >>> large = BufferTensorDesc(DataType.FLOAT32, (1, 1, 4, 6))
    >>> ResampleGrad(large, small, scales=(1, 1, 2, 3)).input_pixel_offsets
    (0.5, 0.5, 0.5, 0.5)
    """

    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc
    _: KW_ONLY
    interpolation_mode: InterpolationMode = InterpolationMode.NEAREST_NEIGHBOR
    scales: Sequence[float]
    input_pixel_offsets: Sequence[float] = ()
    output_pixel_offsets: Sequence[float] = ()

    _tensors = ("input_gradient", "output_gradient")

    def _check(self) -> None:
        self._check_resampling((4,), "4")


@dataclass(frozen=True, repr=False)
class ResampleGrad1(ResamplingGradient, types=FLOATS):
    """The gradient of Resample2, in the same order."""

    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc
    _: KW_ONLY
    interpolation_mode: InterpolationMode = InterpolationMode.NEAREST_NEIGHBOR
    rounding_direction: AxisDirection = AxisDirection.DECREASING
    scales: Sequence[float]
    input_pixel_offsets: Sequence[float] = ()
    output_pixel_offsets: Sequence[float] = ()

    _tensors = ("input_gradient", "output_gradient")
