"""DirectML's gradient of samples of regions: of the image, and of the regions' corners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.reductions import ReduceFunction
from dml_vk.directml.regions import SamplesRegions
from dml_vk.directml.resampling import InterpolationMode
from dml_vk.directml.rounding import widened, write_rounded
from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["RoiAlignGrad"]


@dataclass(frozen=True, repr=False)
class RoiAlignGrad(SamplesRegions, types=FLOATS, batch_indices=(DataType.UINT32,)):
    """The gradients of RoiAlign1 for its input, its regions, or both.

    What lies outside of the image counts as 0, and has no gradient. AVERAGE adds what the regions
    of an image send by matrix products. MAX sends the gradient to the first largest sample of an
    element, and adds what one element of the image is sent as gradients of gathers do. Corners
    have the derivative of what samples read between two elements; it is 0 where a sample is on an
    element, and with NEAREST_NEIGHBOR.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, InterpolationMode, ReduceFunction
    >>> from dml_vk.directml import RoiAlignGrad
    >>> x, roi, y = (
    ...     BufferTensorDesc(DataType.FLOAT32, sizes)
    ...     for sizes in ((2, 3, 32, 32), (9, 4), (9, 3, 7, 7))
    ... )
    >>> batch = BufferTensorDesc(DataType.UINT32, (9,))
    >>> function, mode = ReduceFunction.AVERAGE, InterpolationMode.LINEAR
    >>> RoiAlignGrad(None, y, roi, batch, x, roi, function, mode, 1, 1, 0.5, -0.5, 1, 2, False)
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: RoiAlignGrad: input must be given for the gradient of roi, \
and for MAX; got input=None
    """

    input: BufferTensorDesc | None
    input_gradient: BufferTensorDesc
    roi: BufferTensorDesc
    batch_indices: BufferTensorDesc
    output_gradient: BufferTensorDesc | None
    output_roi_gradient: BufferTensorDesc | None
    reduction_function: ReduceFunction
    interpolation_mode: InterpolationMode
    spatial_scale_x: float
    spatial_scale_y: float
    input_pixel_offset: float
    output_pixel_offset: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int
    align_regions_to_corners: bool

    _tensors = (
        *("input", "input_gradient", "roi", "batch_indices"),
        *("output_gradient", "output_roi_gradient"),
    )
    _optional = ("input", "output_gradient", "output_roi_gradient")

    def _check(self) -> None:
        if self.output_gradient is None and self.output_roi_gradient is None:
            rule = "output_gradient or output_roi_gradient must be given"
            raise LayoutError(self._what, rule, output_gradient=None, output_roi_gradient=None)
        image = "output_gradient" if self.input is None else "input"
        self._check_regions(image, "input_gradient")
        if self.input is None and (self._takes_maxima or self.output_roi_gradient is not None):
            rule = "input must be given for the gradient of roi, and for MAX"
            raise LayoutError(self._what, rule, input=None)
        if self.output_gradient is not None:
            self._check_sizes("output_gradient", self._desc(image).sizes)
        if self.output_roi_gradient is not None:
            self._check_sizes("output_roi_gradient", self.roi.sizes)

    def _compute(
        self,
        x: Tensor | None,
        gradient: Tensor,
        roi: Tensor,
        batch: Tensor,
        out: Tensor | None,
        out_roi: Tensor | None,
    ) -> None:
        from dml_vk.directml import region_samples
        from dml_vk.dtypes import float32
        from dml_vk.ops.elementwise import converted

        sizes = self._desc("output_gradient" if self.input is None else "input").sizes
        corners = self.align_regions_to_corners
        rows = converted(self._what, roi.reshape(roi.shape[-2:]), float32)
        samples = self._samples_of(rows, *gradient.shape[2:], corners=corners)
        across, down = [
            region_samples.Samples(
                columns,
                elements,
                size,
                input_offset=self.input_pixel_offset,
                output_offset=self.output_pixel_offset,
                most=self._most_samples,
                is_nearest=self._takes_nearest,
                is_aligned=corners,
            )
            for columns, elements, size in zip(samples, gradient.shape[:1:-1], sizes[:1:-1])
        ]
        way = region_samples.Maxima if self._takes_maxima else region_samples.Averages
        (gradient,) = widened(gradient)
        image = None if x is None else widened(x)[0]
        sent = way(image, gradient, region_samples.images_of(batch, sizes[0]), sizes, down, across)
        results = []
        if out_roi is not None:
            scales = self.spatial_scale_x, self.spatial_scale_y
            results.append((sent.to_corners(*scales).reshape(out_roi.shape), out_roi))
        if out is not None:
            results.append((sent.to_image(), out))
        write_rounded(self._what, *results)
