"""Gathers: elements of a tensor at the indexes in another one.

Indexes of signed types may be negative: they count from the end. An index out of range selects the
nearest element: the first or the last one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import ALL
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.slicing import RANKS
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

__all__ = ["Gather", "GatherElements", "GatherND", "GatherND1"]

INDEX_TYPES = (DataType.INT64, DataType.INT32, DataType.UINT64, DataType.UINT32)


@dataclass(frozen=True, repr=False)
class Gather(OverTensors, types=ALL, indices=INDEX_TYPES):
    """Parts of the input along an axis: `output[..., i, ...] = input[..., indices[i], ...]`.

    The last `index_dimensions` dims of the indices replace the axis; dims before them have size 1.
    The output may have more or fewer leading dims of size 1.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Gather
    >>> x, y = (BufferTensorDesc(DataType.FLOAT32, (rows, 2)) for rows in (3, 4))
    >>> rows = BufferTensorDesc(DataType.UINT32, (1, 4))
    >>> Gather(x, rows, y, axis=0, index_dimensions=1)
    Gather(input=FLOAT32 (3, 2), indices=UINT32 (1, 4), output=FLOAT32 (4, 2), axis=0, \
index_dimensions=1)
    """

    input: BufferTensorDesc
    indices: BufferTensorDesc
    output: BufferTensorDesc
    axis: int
    index_dimensions: int

    _tensors = ("input", "indices", "output")

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        axis = self._hold_axis("axis", rank)
        count = self._hold_int("index_dimensions", 0, rank)
        sizes, indexes = self.input.sizes, counted_dims(self, "indices", "index_dimensions", count)
        check_aligned(self, "output", (*sizes[:axis], *indexes, *sizes[axis + 1 :]))

    def _compute(self, x: Tensor, indices: Tensor, target: Tensor) -> None:
        from dml_vk.kernels.plan.gather import Step
        from dml_vk.ops.copy import copy_if_overlapping
        from dml_vk.ops.gather import gather

        axis, count = self.axis, self.index_dimensions
        index = clamped(indices, x.shape[axis])
        source = copy_if_overlapping(self._what, x, target)
        sizes, strides = x.shape, source.layout.strides
        spread = with_unit_dims(index.layout, index.ndim - count, axis, x.ndim - axis - 1)
        indexes = index.shape[index.ndim - count :]
        to = aligned(target.layout, (*sizes[:axis], *indexes, *sizes[axis + 1 :]))
        places = (*strides[:axis], *[0] * count, *strides[axis + 1 :])
        if not places:  # One element: kernels need a dim.
            spread, to, places = Layout((1,)), Layout((1,)), (0,)
        step = Step(strides[axis], sizes[axis])
        gather(source, places, index.over(spread), target.over(to), step)


@dataclass(frozen=True, repr=False)
class GatherElements(OverTensors, types=ALL, indices=INDEX_TYPES):
    """An element for each index: `output[i, j] = input[indices[i, j], j]` along axis 0.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, GatherElements
    >>> x, y = (BufferTensorDesc(DataType.INT8, (rows, 3)) for rows in (3, 2))
    >>> GatherElements(x, BufferTensorDesc(DataType.INT32, (2, 3)), y, axis=0).axis
    0
    """

    input: BufferTensorDesc
    indices: BufferTensorDesc
    output: BufferTensorDesc
    axis: int

    _tensors = ("input", "indices", "output")

    def _check(self) -> None:
        check_along(self, "indices")
        self._check_sizes("output", self.indices.sizes)

    def _compute(self, x: Tensor, indices: Tensor, target: Tensor) -> None:
        from dml_vk.ops.gather import gather_elements

        index = clamped(indices, x.shape[self.axis])
        gather_elements(self._what, x, index, target, self.axis)


@dataclass(frozen=True, repr=False)
class GatherND(OverTensors, types=ALL, indices=INDEX_TYPES):
    """Parts of the input at coordinates: `output[i, ...] = input[*indices[i], ...]`.

    The last dim of the indices has the coordinates. Only the last dims of input and indices are
    used, as many as the counts; those before them have size 1.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, GatherND
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((3, 4, 5), (1, 2, 5)))
    >>> pairs = BufferTensorDesc(DataType.INT32, (1, 2, 2))
    >>> GatherND(x, pairs, y, input_dimension_count=3, indices_dimension_count=2).indices
    BufferTensorDesc(data_type=<DataType.INT32: 6>, sizes=(1, 2, 2), strides=None, \
flags=<TensorFlags.NONE: 0>, total_tensor_size_in_bytes=16, guaranteed_base_offset_alignment=0)
    """

    input: BufferTensorDesc
    indices: BufferTensorDesc
    output: BufferTensorDesc
    input_dimension_count: int
    indices_dimension_count: int

    _tensors = ("input", "indices", "output")

    @property
    def _batch(self) -> int:
        """The number of batch dims."""
        return 0

    def _check(self) -> None:
        check_coordinates(self)
        self._check_batch()
        sizes = self.input.sizes[-self.input_dimension_count :]
        indexes = self.indices.sizes[-self.indices_dimension_count :]
        batch = self._batch
        check_tuples(self, sizes, batch)
        if sizes[:batch] != indexes[:batch]:
            rule = f"the batch dims of indices must be those of input, {sizes[:batch]}"
            raise LayoutError(self._what, rule, sizes=indexes[:batch])
        check_aligned(self, "output", (*indexes[:-1], *sizes[batch + indexes[-1] :]))

    def _check_batch(self) -> None:
        """Check the number of batch dims."""

    def _compute(self, x: Tensor, indices: Tensor, target: Tensor) -> None:
        from dml_vk.kernels.plan.gather import Step
        from dml_vk.ops.copy import copy_if_overlapping
        from dml_vk.ops.gather import gather
        from dml_vk.ops.view import with_layout

        what, batch = self._what, self._batch
        source = copy_if_overlapping(what, x, target)
        sizes = x.shape[-self.input_dimension_count :]
        strides = source.layout.strides[-self.input_dimension_count :]
        index = coordinate_tuples(indices, self.indices_dimension_count)
        shape, count = index.shape[:-1], index.shape[-1]
        steps = strides[batch : batch + count]
        unit = math.gcd(*steps) or 1
        coordinates = coordinates_of(index, sizes[batch:])
        words = linear_indexes(what, coordinates, sizes[batch:], [[step // unit for step in steps]])
        rest = sizes[batch + count :]
        spread = with_unit_dims(words.layout.select(0, 0), 0, 0, len(rest))
        places = (*strides[:batch], *[0] * (len(shape) - batch), *strides[batch + count :])
        to = aligned(target.layout, (*shape, *rest))
        gather(source, places, with_layout(words, spread), target.over(to), Step(unit))


@dataclass(frozen=True, repr=False)
class GatherND1(GatherND):
    """The same with batches: the first used dims have indices of their own.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, GatherND1
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((3, 2, 2), (1, 3, 2)))
    >>> pairs = BufferTensorDesc(DataType.INT32, (3, 2, 2))
    >>> GatherND1(x, pairs, y, 3, 3, batch_dimension_count=1).batch_dimension_count
    1
    """

    batch_dimension_count: int

    @property
    def _batch(self) -> int:
        return self.batch_dimension_count

    def _check_batch(self) -> None:
        most = min(self.input_dimension_count, self.indices_dimension_count) - 1
        self._hold_int("batch_dimension_count", 0, most)


def clamped(index: Tensor, size: int) -> Tensor:
    """Return the indexes in new memory, clamped to the range of a dim."""
    from dml_vk.array.math.clipping import clip
    from dml_vk.directml.elementwise import limits

    low, high = limits(index.dtype)
    return clip(index, max(low, -size), min(high, size - 1))


def coordinates_of(index: Tensor, sizes: Ints) -> list[Tensor]:
    """Return the coordinates of each dim, clamped to its range."""
    layout = index.layout
    return [clamped(index.over(layout.select(-1, k)), sizes[k]) for k in range(layout.sizes[-1])]


def linear_indexes(
    what: str, coordinates: Sequence[Tensor], sizes: Ints, rows: Sequence[Sequence[int]]
) -> View:
    """Return a row of linear indexes for each row of strides: sums of coordinate * stride."""
    from dml_vk.dtypes import uint32
    from dml_vk.kernels.plan.gather import Step
    from dml_vk.ops.fill import fill_constant
    from dml_vk.ops.gather import add_places
    from dml_vk.ops.view import temporary, with_layout

    near, shape = coordinates[0], coordinates[0].shape
    words = temporary(what, Layout((len(rows), *shape)), uint32, near)
    zero = temporary(what, Layout((1,) * len(shape)), uint32, near)
    fill_constant(what, zero, uint32, 0)
    for number, strides in enumerate(rows):
        so_far, row = zero, with_layout(words, words.layout.select(0, number))
        for k, (coordinate, stride) in enumerate(zip(coordinates, strides)):
            last = k == len(coordinates) - 1
            to = row if last else temporary(what, Layout(shape), uint32, near)
            add_places(so_far, coordinate, to, Step(stride, sizes[k]))
            so_far = to
    return words


def with_unit_dims(layout: Layout, first: int, before: int = 0, after: int = 0) -> Layout:
    """Return the dims from `first` on, between dims of size 1."""
    sizes = (*[1] * before, *layout.sizes[first:], *[1] * after)
    strides = (*[1] * before, *layout.strides[first:], *[1] * after)
    return Layout(sizes, strides, layout.offset)


def aligned(layout: Layout, sizes: Ints) -> Layout:
    """Return a layout with other leading dims of size 1, so that it has these sizes."""
    strides = (1,) * len(sizes) + layout.strides
    return Layout(sizes, strides[layout.rank :], layout.offset)


def coordinate_tuples(indices: Tensor, count: int) -> Tensor:
    """Return the last dims of the indices, at least two: tuples, and their coordinates."""
    return indices.over(with_unit_dims(indices.layout, indices.ndim - count, int(count == 1)))


def check_aligned(operator: OverTensors, name: str, sizes: Ints) -> None:
    """Check the sizes of a result, whose leading dims of size 1 may be more or fewer."""
    own = operator._desc(name).sizes
    extra = len(sizes) - len(own)
    if any(size > 1 for size in sizes[: max(0, extra)]):
        rule = f"{name} must have dims for the sizes {sizes}"
        raise LayoutError(operator._what, rule, sizes=own)
    operator._check_sizes(name, (1,) * -extra + sizes[max(0, extra) :])


def check_along(operator: OverTensors, name: str) -> None:
    """Check that a tensor has the sizes of the input except along the axis."""
    rank = operator._check_ranks(RANKS, "1 to 8")
    axis = operator._hold_axis("axis", rank)
    sizes, own = operator._desc("input").sizes, operator._desc(name).sizes
    operator._check_sizes(name, (*sizes[:axis], own[axis], *sizes[axis + 1 :]))


def counted_dims(operator: OverTensors, name: str, counter: str, count: int) -> Ints:
    """Return the sizes of the last dims, after checking that those before them have size 1."""
    sizes = operator._desc(name).sizes
    at = len(sizes) - count
    if any(size > 1 for size in sizes[:at]):
        rule = f"the dims of {name} before the last {counter}, {count}, must have size 1"
        raise LayoutError(operator._what, rule, sizes=sizes)
    return sizes[at:]


def check_coordinates(operator: OverTensors) -> None:
    """Check the dimension counts of input and indices."""
    rank = operator._check_ranks(RANKS, "1 to 8")
    for name in ("input", "indices"):
        counter = f"{name}_dimension_count"
        counted_dims(operator, name, counter, operator._hold_int(counter, 1, rank))


def check_tuples(operator: OverTensors, sizes: Ints, batch: int = 0) -> None:
    """Check that there are at most as many coordinates as dims of the input."""
    own, most = operator._desc("indices").sizes, len(sizes) - batch
    if own[-1] > most:
        rule = f"indices must have at most {most} coordinates in the last dim, as input has dims"
        raise LayoutError(operator._what, rule, sizes=own)
