"""Regions of interest: parts of images, pooled or sampled to a common size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import OverTensors, Size2D
from dml_vk.directml.reductions import ReduceFunction
from dml_vk.directml.resampling import InterpolationMode
from dml_vk.directml.selecting import WORDS
from dml_vk.errors import LayoutError, RangeError

if TYPE_CHECKING:
    from dml_vk.dtypes import DType
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

__all__ = ["RoiAlign", "RoiAlign1", "RoiPooling"]


@dataclass(frozen=True, repr=False)
class RoiPooling(OverTensors, types=FLOATS):
    """The maxima of boxes that divide each region, as (regions, channels, height, width).

    A row of `roi`, of sizes (1, 1, regions, 5), has the index of an image and the first and last
    column and row, x1, y1, x2 and y2. These are multiplied by the scale and rounded to nearest,
    ties to even. A box that lies outside of the image is 0.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, RoiPooling, Size2D
    >>> x, roi, y = (
    ...     BufferTensorDesc(DataType.FLOAT32, sizes)
    ...     for sizes in ((2, 3, 32, 32), (1, 1, 9, 5), (9, 3, 7, 7))
    ... )
    >>> RoiPooling(x, roi, y, spatial_scale=0.5, pooled_size=Size2D(width=7, height=7)).pooled_size
    Size2D(width=7, height=7)
    """

    input: BufferTensorDesc
    roi: BufferTensorDesc
    output: BufferTensorDesc
    spatial_scale: float
    pooled_size: Size2D

    _tensors = ("input", "roi", "output")

    def _check(self) -> None:
        self._check_ranks((4,), "4")
        self._check_sizes("roi", (1, 1, self.roi.sizes[2], 5))
        self._hold("spatial_scale", DataType.FLOAT32)
        self._hold_ints("pooled_size", 2, 1, dims="of width and height")
        size = self._set("pooled_size", Size2D(*self.pooled_size))
        regions, channels = self.roi.sizes[2], self.input.sizes[1]
        self._check_sizes("output", (regions, channels, size.height, size.width))

    def _compute(self, x: Tensor, roi: Tensor, target: Tensor) -> None:
        from dml_vk.array.math.elementwise import astype, multiply, round
        from dml_vk.dtypes import float32, int32, int64
        from dml_vk.ops.elementwise import cast_elements, converted
        from dml_vk.ops.roi import box_maxima

        rows = converted(self._what, roi.reshape(roi.shape[2], 5), float32)
        columns = _columns(rows)
        # Within these bounds no product below overflows, and no image is larger.
        corners = [
            _clipped(astype(round(multiply(column, self.spatial_scale)), int64), -MOST, MOST)
            for column in columns[1:]
        ]
        images, _, height, width = x.shape
        image = _clipped(astype(columns[0], int32), 0, images - 1)
        down = _boxes(corners[1], corners[3], self.pooled_size.height, height)
        across = _boxes(corners[0], corners[2], self.pooled_size.width, width)
        table = _table(self._what, [image, *down, *across], int32, x)
        source = converted(self._what, x, float32)
        cast_elements(self._what, box_maxima(self._what, source, table, target.shape), target)


class SamplesRegions(OverTensors):
    """What operators that sample regions share with their gradient."""

    roi: BufferTensorDesc
    batch_indices: BufferTensorDesc
    reduction_function: ReduceFunction
    interpolation_mode: InterpolationMode
    spatial_scale_x: float
    spatial_scale_y: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int

    def _check_regions(self, image: str, pooled: str) -> None:
        """Check the fields, where the image and the elements of regions have these names."""
        self._check_ranks((4,), "4", image, pooled)
        self._check_ranks((2, 3, 4), "2 to 4", "roi")
        self._check_ranks((1, 2, 3, 4), "1 to 4", "batch_indices")
        regions, channels, *_ = sizes = self._desc(pooled).sizes
        rank = self.roi.dimension_count
        self._check_sizes("roi", (*(1,) * (rank - 2), regions, 4))
        count = self.batch_indices.dimension_count
        self._check_sizes("batch_indices", (*(1,) * (count - 1), regions))
        wanted = self._desc(image).sizes[1]
        if channels != wanted:
            rule = f"{pooled} must have the channels of {image}, {wanted}"
            raise LayoutError(self._what, rule, sizes=sizes)
        self._check_enum("reduction_function", ReduceFunction)
        if self.reduction_function not in (ReduceFunction.AVERAGE, ReduceFunction.MAX):
            rule = "reduction_function must be AVERAGE or MAX"
            raise RangeError(self._what, rule, reduction_function=self.reduction_function)
        self._check_enum("interpolation_mode", InterpolationMode)
        for name in NUMBERS:
            if hasattr(self, name):
                self._hold(name, DataType.FLOAT32)
        least = self._hold_int("minimum_samples_per_output", 1)
        most = self._hold_int("maximum_samples_per_output", 1)
        if most < least:
            rule = (
                f"maximum_samples_per_output must be at least minimum_samples_per_output, {least}"
            )
            raise RangeError(self._what, rule, maximum_samples_per_output=most)
        if hasattr(self, "align_regions_to_corners"):
            self._hold_flag("align_regions_to_corners")

    @property
    def _takes_maxima(self) -> bool:
        return self.reduction_function is ReduceFunction.MAX

    @property
    def _takes_nearest(self) -> bool:
        return self.interpolation_mode is InterpolationMode.NEAREST_NEIGHBOR

    @property
    def _most_samples(self) -> int:
        """The most samples that an element has along a dim."""
        from dml_vk.kernels.plan.roi import MOST_SAMPLES

        return min(self.maximum_samples_per_output, MOST_SAMPLES)

    def _samples_of(
        self, rows: View, height: int, width: int, *, corners: bool
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Return the start, the step and the samples of each row of corners, along both dims."""
        most = self._most_samples
        limits = min(self.minimum_samples_per_output, most), most
        left, top, right, bottom = _columns(rows)
        across = _samples(left, right, self.spatial_scale_x, width, limits, corners=corners)
        down = _samples(top, bottom, self.spatial_scale_y, height, limits, corners=corners)
        return across, down


@dataclass(frozen=True, repr=False)
class Sampling(SamplesRegions):
    """The common fields of both versions."""

    input: BufferTensorDesc
    roi: BufferTensorDesc
    batch_indices: BufferTensorDesc
    output: BufferTensorDesc
    reduction_function: ReduceFunction
    interpolation_mode: InterpolationMode
    spatial_scale_x: float
    spatial_scale_y: float

    _tensors = ("input", "roi", "batch_indices", "output")

    def _check(self) -> None:
        self._check_regions("input", "output")


@dataclass(frozen=True, repr=False)
class RoiAlign(Sampling, types=FLOATS, batch_indices=WORDS):
    """The averages or maxima of samples in each region, as (regions, channels, height, width).

    A row of `roi` has the corners of a region, x1, y1, x2 and y2, which are multiplied by the
    scales. Along each dim, an element has as many samples as the size of the region divided by that
    of the output, rounded up, but from the minimum to the maximum, and at most 100. They are spread
    evenly. An index of an image out of range selects the last image.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, InterpolationMode, ReduceFunction
    >>> from dml_vk.directml import RoiAlign
    >>> x, roi, y = (
    ...     BufferTensorDesc(DataType.FLOAT32, sizes)
    ...     for sizes in ((2, 3, 32, 32), (9, 4), (9, 3, 7, 7))
    ... )
    >>> batch = BufferTensorDesc(DataType.UINT32, (9,))
    >>> function, mode = ReduceFunction.AVERAGE, InterpolationMode.LINEAR
    >>> RoiAlign(x, roi, batch, y, function, mode, 0.5, 0.5, 0, 3, 2)
    Traceback (most recent call last):
        ...
    dml_vk.errors.RangeError: RoiAlign: maximum_samples_per_output must be at least \
minimum_samples_per_output, 3; got maximum_samples_per_output=2
    """

    out_of_bounds_input_value: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int

    def _compute(self, x: Tensor, roi: Tensor, batch: Tensor, target: Tensor) -> None:
        align(self, (x, roi, batch, target), 0.5, -0.5, corners=False)


@dataclass(frozen=True, repr=False)
class RoiAlign1(Sampling, types=FLOATS, batch_indices=WORDS):
    """The same with a choice of pixel offsets.

    Sample s lies at (s - output_pixel_offset) * step + x1 - input_pixel_offset. The step is the
    size of the region divided by the number of its samples, or by one less with
    `align_regions_to_corners`.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, InterpolationMode, ReduceFunction
    >>> from dml_vk.directml import RoiAlign1
    >>> x, roi, y = (
    ...     BufferTensorDesc(DataType.FLOAT32, sizes)
    ...     for sizes in ((2, 3, 32, 32), (9, 4), (9, 3, 7, 7))
    ... )
    >>> batch = BufferTensorDesc(DataType.UINT32, (9,))
    >>> function, mode = ReduceFunction.SUM, InterpolationMode.LINEAR
    >>> RoiAlign1(x, roi, batch, y, function, mode, 1, 1, 0, 0, 0, 1, 1, True)
    Traceback (most recent call last):
        ...
    dml_vk.errors.RangeError: RoiAlign1: reduction_function must be AVERAGE or MAX; \
got reduction_function=<ReduceFunction.SUM: 10>
    """

    input_pixel_offset: float
    output_pixel_offset: float
    out_of_bounds_input_value: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int
    align_regions_to_corners: bool

    def _compute(self, x: Tensor, roi: Tensor, batch: Tensor, target: Tensor) -> None:
        offsets = self.input_pixel_offset, self.output_pixel_offset
        align(self, (x, roi, batch, target), *offsets, corners=self.align_regions_to_corners)


MOST = 2**30
NUMBERS = (
    *("spatial_scale_x", "spatial_scale_y", "input_pixel_offset", "output_pixel_offset"),
    "out_of_bounds_input_value",
)


def align(
    operator: RoiAlign | RoiAlign1,
    tensors: tuple[Tensor, ...],
    input_offset: float,
    output_offset: float,
    *,
    corners: bool,
) -> None:
    """Compute the average or the maximum of the samples of each element."""
    from dml_vk.array.math.elementwise import astype, multiply
    from dml_vk.dtypes import float32, int32
    from dml_vk.kernels.operators import OPERATORS
    from dml_vk.ops.elementwise import cast_elements, compute, converted
    from dml_vk.ops.roi import sample_sums

    what, (x, roi, batch, target) = operator._what, tensors
    regions, _, height, width = target.shape
    rows = converted(what, roi.reshape(regions, 4), float32)
    across, down = operator._samples_of(rows, height, width, corners=corners)
    image = astype(_clipped(batch.reshape(regions, 1), 0, x.shape[0] - 1), int32)
    table = _table(what, [image, *across, *down], int32, x)
    result = sample_sums(
        *(what, converted(what, x, float32), table, target.shape, (output_offset, input_offset)),
        *(operator.out_of_bounds_input_value, operator._most_samples),
        largest=operator._takes_maxima,
        nearest=operator._takes_nearest,
    )
    if operator._takes_maxima:
        cast_elements(what, result, target)
        return
    count = astype(multiply(across[2], down[2]), float32).reshape(regions, 1, 1, 1)
    compute(what, OPERATORS["divide"], [result, count], target, float32)


def _columns(rows: View) -> list[Tensor]:
    from dml_vk.ops.view import with_layout
    from dml_vk.tensor.core import Tensor

    layout = rows.layout
    return [Tensor(with_layout(rows, layout.narrow(1, k, 1))) for k in range(layout.sizes[1])]


def _clipped(x: Tensor, low: int, high: int) -> Tensor:
    from dml_vk.array.math.clipping import clip

    return clip(x, low, high)


def _boxes(first: Tensor, last: Tensor, count: int, size: int) -> list[Tensor]:
    """Return the starts and the ends of the boxes of a region, clipped to the image."""
    from dml_vk.array.creation.grids import arange
    from dml_vk.array.math.elementwise import add, astype, floor_divide, multiply, subtract
    from dml_vk.dtypes import int32

    length = add(subtract(last, first), 1)
    bounds = []
    for shift, more in ((0, 0), (1, count - 1)):
        number = arange(shift, count + shift, dtype=first.dtype, device=first.device)
        at = add(floor_divide(add(multiply(number, length), more), count), first)
        bounds.append(astype(_clipped(at, 0, size), int32))
    return bounds


def _samples(
    first: Tensor, last: Tensor, scale: float, count: int, limits: Sequence[int], *, corners: bool
) -> list[Tensor]:
    """Return the start, the step, and the samples of each element of a region."""
    from dml_vk.array.math.elementwise import abs, astype, ceil, divide, maximum, multiply, subtract
    from dml_vk.dtypes import float32, int32

    start, end = multiply(first, scale), multiply(last, scale)
    size = subtract(end, start)
    number = _clipped(astype(ceil(divide(abs(size), float(count))), int32), *limits)
    steps = multiply(number, count)
    if corners:
        steps = maximum(subtract(steps, 1), 1)
    return [start, divide(size, astype(steps, float32)), number]


def _table(what: str, columns: Sequence[Tensor], dtype: DType, near: Tensor) -> View:
    """Return columns of 32-bit elements side by side, in rows of words."""
    from dml_vk.layout import Layout
    from dml_vk.ops.copy import copy_elements
    from dml_vk.ops.view import temporary, with_dtype, with_layout

    rows = columns[0].shape[0]
    widths: Ints = tuple([column.shape[1] for column in columns])
    table = temporary(what, Layout((rows, sum(widths))), dtype, near)
    at = 0
    for column, width in zip(columns, widths):
        part = with_layout(table, table.layout.narrow(1, at, width))
        copy_elements(what, with_dtype(column, dtype), part)
        at += width
    return table
