"""DirectML's resampling, along any dims."""

from __future__ import annotations

import enum
import math
from collections.abc import Container, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import MOST_INT, AxisDirection, OverTensors, Size2D
from dml_vk.directml.operators import held
from dml_vk.directml.rounding import widened
from dml_vk.errors import RangeError
from dml_vk.layout import Layout
from dml_vk.strides.order import row_major

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["InterpolationMode", "Resample", "Resample1", "Resample2", "Resample3", "Upsample2D"]

TYPES = (*FLOATS, DataType.INT8, DataType.UINT8)
MOST_DIMS = 3  # that are resampled at once


class InterpolationMode(enum.Enum):
    """How an element is made of those nearby, with DirectML's numbers."""

    NEAREST_NEIGHBOR = 0
    LINEAR = 1


class ResampledDim(NamedTuple):
    """A resampled dim: x of the input becomes (x + offset) * scale + output_offset."""

    dim: int
    size: int
    scale: float | None  # None if it is the ratio of the sizes
    offset: float
    output_offset: float


class Resampling(OverTensors):
    """An operator that resamples some dims of its input."""

    interpolation_mode: InterpolationMode

    _ends: ClassVar[tuple[str, str]] = ("input", "output")  # tensors from and to which it resamples

    def _check(self) -> None:
        self._check_resampling(range(1, 5), "1 to 4")

    def _check_resampling(self, ranks: Container[int], dims: str) -> None:
        rank = self._check_ranks(ranks, dims)
        self._check_enum("interpolation_mode", InterpolationMode)
        for dim, scale in enumerate(self._hold_floats("scales", rank)):
            if scale <= 0:
                rule = "scales must be greater than 0"
                raise RangeError(self._what, rule, **{f"scales[{dim}]": scale})
        for name, default in (("input_pixel_offsets", 0.5), ("output_pixel_offsets", -0.5)):
            if hasattr(self, name):
                self._hold_floats(name, rank, default)
        if hasattr(self, "rounding_direction"):
            self._check_enum("rounding_direction", AxisDirection)

    @property
    def _linear(self) -> bool:
        return self.interpolation_mode is InterpolationMode.LINEAR

    @property
    def _rounding(self) -> str:
        """How NEAREST_NEIGHBOR rounds places between two elements."""
        direction = getattr(self, "rounding_direction", None)
        if direction is None:
            return "round_prefer_ceil"
        return "ceil" if direction is AxisDirection.INCREASING else "floor"

    def _resampled_dims(self) -> list[ResampledDim]:
        """Return the dims whose elements do not stay where they are."""
        scales: Sequence[float] = getattr(self, "scales", ())
        rank = len(scales)
        offsets: Sequence[float] = getattr(self, "input_pixel_offsets", (0.5,) * rank)
        outputs: Sequence[float] = getattr(self, "output_pixel_offsets", (-0.5,) * rank)
        resampled = []
        sizes = [self._desc(name).sizes for name in self._ends]
        columns = zip(*sizes, scales, offsets, outputs)
        for dim, (size, to, scale, offset, output) in enumerate(columns):
            if size == to and scale == 1 and offset == -output:
                continue
            # Most ratios are no FLOATs, and a rounded ratio would move elements across a boundary.
            ratio = scale == held(self._what, "scales", DataType.FLOAT32, to / size)
            resampled.append(ResampledDim(dim, to, None if ratio else scale, offset, output))
        return resampled

    def _compute(self, x: Tensor, out: Tensor) -> None:
        self._resample(x, out, self._resampled_dims())

    def _resample(self, x: Tensor, out: Tensor, dims: Sequence[ResampledDim]) -> None:
        from dml_vk.dtypes import float32
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.ops.copy import copy_elements
        from dml_vk.ops.elementwise import cast_elements, compute, converted
        from dml_vk.tensor.core import Tensor

        what = self._what
        groups = _groups(dims)
        if not groups and x.dtype is out.dtype:
            copy_elements(what, x, out)
            return
        if x.dtype.kind != "f" or (self._linear and len(groups) > 1):
            # 8-bit integers are exact in float32; sums over several groups are rounded once.
            x = Tensor(converted(what, x, float32))
        for group in groups:
            target = out if group is groups[-1] and x.dtype is out.dtype else None
            x = self._resampled(x, group, target)
        if x.dtype is not out.dtype:
            if self._linear and out.dtype.kind != "f":
                compute(what, OPERATORS["round"], [x], x, float32)
            cast_elements(what, x, out)

    def _resampled(
        self, x: Tensor, resampled: Sequence[ResampledDim], out: Tensor | None
    ) -> Tensor:
        """Resample up to three dims at once, into `out` or a new tensor."""
        from dml_vk.nn import resample
        from dml_vk.ops.copy import copied, copy_elements
        from dml_vk.ops.view import with_layout
        from dml_vk.tensor.core import Tensor

        dims = [item.dim for item in resampled]
        others = [dim for dim in range(x.ndim) if dim not in dims]
        order = (*others, *dims)
        sizes = (*[x.shape[dim] for dim in others], *[item.size for item in resampled])
        source = _with_one_batch_dim(x.layout.permute(*order), len(dims))
        if source is None:
            own = x.layout.permute(*order)
            rows = Layout(own.sizes, own.strides, own.offset, row_major(x.ndim))
            x = Tensor(copied(self._what, with_layout(x, rows)))
            source = _with_one_batch_dim(x.layout, len(dims))
            assert source is not None  # since it is packed in this order
        target = None if out is None else _with_one_batch_dim(out.layout.permute(*order), len(dims))
        result = resample(
            x.over(source),
            size=sizes[len(others) :],
            scale=None if resampled[0].scale is None else [item.scale or 1.0 for item in resampled],
            mode="linear" if self._linear else "nearest",
            coordinates=(
                [item.offset for item in resampled],
                [item.output_offset for item in resampled],
            ),
            rounding=None if self._linear else self._rounding,
            out=None if out is None or target is None else out.over(target),
        )
        if out is not None and target is not None:
            return out
        split = result.layout.view(sizes)
        assert split is not None  # since dims of a packed result are split
        permuted = result.over(split.permute(*[order.index(dim) for dim in range(len(order))]))
        if out is None:
            return permuted
        copy_elements(self._what, permuted, out)
        return out


@dataclass(frozen=True, repr=False)
class Upsample2D(Resampling, types=FLOATS):
    """Magnify the last two dims by whole factors: a width and a height.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Upsample2D
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 3, 4, 5))
    >>> y = BufferTensorDesc(DataType.FLOAT32, (1, 3, 12, 10))
    >>> Upsample2D(x, y, scale_size=(2, 3)).scale_size
    Size2D(width=2, height=3)
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    scale_size: Size2D | tuple[int, int]
    interpolation_mode: InterpolationMode = InterpolationMode.NEAREST_NEIGHBOR

    _tensors = ("input", "output")

    def _check(self) -> None:
        self._check_ranks((4, 5), "4 or 5")
        size = Size2D(*self._hold_ints("scale_size", 2, 1, MOST_INT, dims="dims"))
        self._set("scale_size", size)
        self._check_enum("interpolation_mode", InterpolationMode)
        *batch, height, width = self.input.sizes
        self._check_sizes("output", (*batch, height * size.height, width * size.width))

    def _resampled_dims(self) -> list[ResampledDim]:
        rank = self.input.dimension_count
        return [
            ResampledDim(dim, self.output.sizes[dim], None, 0.5, -0.5)
            for dim in (rank - 2, rank - 1)
            if self.output.sizes[dim] != self.input.sizes[dim]
        ]


@dataclass(frozen=True, repr=False)
class Resample(Resampling, types=TYPES):
    """Scale any dims about their edges; halfway between two elements, the upper one is nearest.

    The input is cut off, or its edge repeated, where the output is smaller or larger.
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    interpolation_mode: InterpolationMode = InterpolationMode.NEAREST_NEIGHBOR
    scales: Sequence[float]

    _tensors = ("input", "output")


@dataclass(frozen=True, repr=False)
class Resample1(Resample):
    """The same with offsets: x of the input becomes (x + input offset) * scale + output offset.

    The defaults are those of `Resample`, 0.5 and -0.5.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Resample1
    >>> x = BufferTensorDesc(DataType.FLOAT32, (4,))
    >>> y = BufferTensorDesc(DataType.FLOAT32, (6,))
    >>> Resample1(x, y, scales=[1.5], input_pixel_offsets=[0]).output_pixel_offsets
    (-0.5,)
    """

    _: KW_ONLY
    input_pixel_offsets: Sequence[float] = ()
    output_pixel_offsets: Sequence[float] = ()


@dataclass(frozen=True, repr=False)
class Resample2(Resampling, types=TYPES):
    """The same, where the nearest element is the next one in a direction."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    interpolation_mode: InterpolationMode = InterpolationMode.NEAREST_NEIGHBOR
    rounding_direction: AxisDirection = AxisDirection.DECREASING
    scales: Sequence[float]
    input_pixel_offsets: Sequence[float] = ()
    output_pixel_offsets: Sequence[float] = ()

    _tensors = ("input", "output")


@dataclass(frozen=True, repr=False)
class Resample3(Resampling, types=TYPES):
    """The same, where LINEAR interpolation of dims that shrink by more than 2 may be antialiased.

    The weights of the two nearest elements are then stretched over 2 / scale of them, of which
    those beyond an edge are the element at the edge, and divided by their sum.
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    interpolation_mode: InterpolationMode = InterpolationMode.NEAREST_NEIGHBOR
    rounding_direction: AxisDirection = AxisDirection.DECREASING
    scales: Sequence[float]
    input_pixel_offsets: Sequence[float] = ()
    output_pixel_offsets: Sequence[float] = ()
    antialiased: bool = False

    _tensors = ("input", "output")

    def _check(self) -> None:
        super()._check()
        self._hold_flag("antialiased")

    def _compute(self, x: Tensor, out: Tensor) -> None:
        import numpy as np

        from dml_vk.nn.taps import Tap, linear, taps_around, weighted

        others = []
        for item in self._resampled_dims():
            count = x.shape[item.dim]
            scale = item.size / count if item.scale is None else item.scale
            if not (self.antialiased and self._linear and scale < 0.5):
                others.append(item)
                continue
            at = (np.arange(item.size) - item.output_offset) / scale - item.offset
            indexes, factors = taps_around(at, 1, scale, linear)
            indexes = np.clip(indexes, 0, count - 1).astype(np.int64)
            taps = [Tap(*pair) for pair in zip(indexes, factors / factors.sum(axis=0))]
            x = weighted(widened(x)[0], item.dim, taps)
        self._resample(x, out, others)


def _with_one_batch_dim(layout: Layout, last: int) -> Layout | None:
    """Merge the dims before the `last` ones to a batch, unless they are two; None if impossible."""
    first = layout.rank - last
    if first == 2:
        return layout
    return layout.view((1, math.prod(layout.sizes[:first]), *layout.sizes[first:]))


def _groups(resampled: Sequence[ResampledDim]) -> list[list[ResampledDim]]:
    """Divide resampled into what one call takes, the last dims first."""
    groups: list[list[ResampledDim]] = []
    for item in reversed(resampled):
        exact = item.scale is None
        if groups and len(groups[-1]) < MOST_DIMS and (groups[-1][0].scale is None) == exact:
            groups[-1].insert(0, item)
        else:
            groups.append([item])
    return groups
