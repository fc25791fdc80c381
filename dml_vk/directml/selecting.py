"""Operators that select elements by values: TopK, OneHot, NonzeroCoordinates and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import ALL, NUMBERS, UP_TO_32_BITS
from dml_vk.directml.fields import AxisDirection, OverTensors
from dml_vk.directml.gathering import INDEX_TYPES, check_along
from dml_vk.directml.slicing import RANKS
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["NonzeroCoordinates", "OneHot", "ReverseSubsequences", "TopK", "TopK1"]

WORDS = (DataType.UINT64, DataType.UINT32)


@dataclass(frozen=True, repr=False)
class TopK(OverTensors, types=NUMBERS, output_index=WORDS):
    """The k largest elements along an axis in descending order, and their indexes.

    Of equal elements the one with the lower index comes first; NaN is the largest.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, TopK
    >>> x, y = (BufferTensorDesc(DataType.FLOAT32, (3, size)) for size in (9, 2))
    >>> TopK(x, y, BufferTensorDesc(DataType.UINT32, (3, 2)), axis=1, k=10)
    Traceback (most recent call last):
        ...
    dml_vk.errors.RangeError: TopK: k must be from 1 to 9; got k=10
    """

    input: BufferTensorDesc
    output_value: BufferTensorDesc
    output_index: BufferTensorDesc
    axis: int
    k: int

    _tensors = ("input", "output_value", "output_index")

    @property
    def _largest(self) -> bool:
        return True

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        axis, sizes = self._hold_axis("axis", rank), self.input.sizes
        wanted = (*sizes[:axis], self._hold_int("k", 1, sizes[axis]), *sizes[axis + 1 :])
        self._check_sizes("output_value", wanted)
        self._check_sizes("output_index", wanted)

    def _compute(self, x: Tensor, values: Tensor, indexes: Tensor) -> None:
        from dml_vk.ops.sort import first_elements

        first_elements(self._what, x, values, indexes, self.axis, self._largest)


@dataclass(frozen=True, repr=False)
class TopK1(TopK):
    """The same, or with INCREASING the k smallest elements in ascending order.

    >>> from dml_vk.directml import AxisDirection, BufferTensorDesc, DataType, TopK1
    >>> x, y = (BufferTensorDesc(DataType.UINT32, (size,)) for size in (9, 2))
    >>> TopK1(x, y, y, 0, 2, AxisDirection.INCREASING).axis_direction.name
    'INCREASING'
    """

    axis_direction: AxisDirection

    @property
    def _largest(self) -> bool:
        return self.axis_direction is AxisDirection.DECREASING

    def _check(self) -> None:
        super()._check()
        self._check_enum("axis_direction", AxisDirection)


@dataclass(frozen=True, repr=False)
class OneHot(OverTensors, types=ALL, indices=INDEX_TYPES):
    """The second value where the position along an axis is the index, else the first value.

    `values` may have any sizes with at least two elements. Indexes of signed types count from the
    end if they are negative; if one is out of range, all elements are the first value.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, OneHot
    >>> indices = BufferTensorDesc(DataType.INT32, (3, 1))
    >>> values, y = (BufferTensorDesc(DataType.FLOAT32, sizes) for sizes in ((1, 2), (3, 4)))
    >>> OneHot(indices, values, y, axis=1).axis
    1
    """

    indices: BufferTensorDesc
    values: BufferTensorDesc
    output: BufferTensorDesc
    axis: int

    _tensors = ("indices", "values", "output")

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        axis, sizes = self._hold_axis("axis", rank), self.output.sizes
        self._check_sizes("indices", (*sizes[:axis], 1, *sizes[axis + 1 :]))
        if self.values.element_count < 2:
            rule = "values must have at least two elements"
            raise LayoutError(self._what, rule, sizes=self.values.sizes)

    def _compute(self, indices: Tensor, values: Tensor, target: Tensor) -> None:
        from dml_vk.array.math.elementwise import equal, logical_or, where

        count, layout = target.shape[self.axis], values.layout
        hot = equal(indices, arange_along(indices, 0, count, self.axis))
        if indices.dtype.kind == "i":
            hot = logical_or(hot, equal(indices, arange_along(indices, -count, 0, self.axis)))
        second = max([dim for dim, size in enumerate(values.shape) if size > 1])
        on, off = layout.offset + layout.strides[second], layout.offset
        first, other = [values.over(Layout((), (), offset)) for offset in (on, off)]
        where(hot, first, other, out=target)


@dataclass(frozen=True, repr=False)
class ReverseSubsequences(OverTensors, types=ALL, sequence_lengths=WORDS):
    """The first elements along an axis in reverse, as many as each sequence has; the others stay.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, ReverseSubsequences
    >>> x = BufferTensorDesc(DataType.FLOAT16, (3, 4))
    >>> ReverseSubsequences(x, BufferTensorDesc(DataType.UINT32, (3, 1)), x, axis=1).axis
    1
    """

    input: BufferTensorDesc
    sequence_lengths: BufferTensorDesc
    output: BufferTensorDesc
    axis: int

    _tensors = ("input", "sequence_lengths", "output")

    def _check(self) -> None:
        check_along(self, "output")
        sizes, axis = self.input.sizes, self.axis
        self._check_sizes("output", sizes)
        self._check_sizes("sequence_lengths", (*sizes[:axis], 1, *sizes[axis + 1 :]))

    def _compute(self, x: Tensor, lengths: Tensor, target: Tensor) -> None:
        from dml_vk.array.math.elementwise import astype, greater_equal, minimum, subtract, where
        from dml_vk.dtypes import int32
        from dml_vk.ops.gather import gather_elements

        axis, own = self.axis, lengths.layout
        # Compute broadcast lengths once.
        sizes = [size if stride else 1 for size, stride in zip(own.sizes, own.strides)]
        once = lengths.over(Layout(sizes, own.strides, own.offset))
        last = subtract(astype(minimum(once, x.shape[axis]), int32), 1)
        places = arange_along(last, 0, x.shape[axis], axis)
        mirrored = subtract(last, places)
        index = where(greater_equal(mirrored, 0), mirrored, places)
        gather_elements(self._what, x, index, target, axis)


@dataclass(frozen=True, repr=False)
class NonzeroCoordinates(
    OverTensors,
    types=UP_TO_32_BITS,
    output_count=(DataType.UINT32,),
    output_coordinates=(DataType.UINT32,),
):
    """How many elements are not 0, and their coordinates: row i has those of the i-th of them.

    There are as many rows as elements; those that are not needed are not written. The columns are
    the last dims, at least all after those of size 1 in front. -0.0 counts as 0, and NaN does not.
    The call waits for the count.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, NonzeroCoordinates
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 2, 4))
    >>> count, rows = (BufferTensorDesc(DataType.UINT32, sizes) for sizes in ((1,), (8, 2)))
    >>> NonzeroCoordinates(x, count, rows).output_coordinates.sizes
    (8, 2)
    """

    input: BufferTensorDesc
    output_count: BufferTensorDesc
    output_coordinates: BufferTensorDesc

    _tensors = ("input", "output_count", "output_coordinates")

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8", "input")
        self._check_sizes("output_count", (1,) * self.output_count.dimension_count)
        needed = next((rank - dim for dim, size in enumerate(self.input.sizes) if size > 1), 0)
        *others, rows, columns = (0, *self.output_coordinates.sizes)
        if rows != self.input.element_count or not needed <= columns <= rank:
            rule = (
                f"output_coordinates must have {self.input.element_count} rows, one for each "
                f"element of input, and {max(1, needed)} to {rank} columns"
            )
            raise LayoutError(self._what, rule, sizes=self.output_coordinates.sizes)
        if any(size > 1 for size in others):
            rule = "output_coordinates must have dims of size 1 before rows and columns"
            raise LayoutError(self._what, rule, sizes=self.output_coordinates.sizes)

    def _compute(self, x: Tensor, count: Tensor, coordinates: Tensor) -> None:
        from dml_vk.dtypes import int64, uint32
        from dml_vk.ops.elementwise import cast_elements
        from dml_vk.ops.fill import fill_constant
        from dml_vk.ops.nonzero import nonzero_positions
        from dml_vk.ops.search import write_coordinates
        from dml_vk.ops.view import temporary, with_layout

        what, layout = self._what, coordinates.layout
        positions = nonzero_positions(what, x)
        number = positions.layout.numel
        fill_constant(what, count, uint32, number)
        rows = layout.narrow(-2, 0, number)
        while rows.rank > 2:
            rows = rows.select(0, 0)
        columns = layout.sizes[-1]
        coordinate = temporary(what, Layout((number,)), int64, positions)
        for column in range(columns if number else 0):
            write_coordinates(positions, coordinate, x.shape, x.ndim - columns + column)
            cast_elements(what, coordinate, with_layout(coordinates, rows.select(-1, column)))


def arange_along(near: Tensor, start: int, stop: int, axis: int) -> Tensor:
    """Return the integers from start to stop in the dtype of a tensor, along one of its dims."""
    from dml_vk.array.creation.grids import arange

    numbers = arange(start, stop, dtype=near.dtype, device=near.device)
    shape = [stop - start if dim == axis else 1 for dim in range(near.ndim)]
    return numbers.reshape(shape)
