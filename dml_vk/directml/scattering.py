"""Scatters: a copy of a tensor with other elements at the indexes in another one.

Indexes of signed types may be negative: they count from the end. Updates whose index is out of
range are left out. Of several updates of one element, the last one in row-major order is stored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import ALL
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.gathering import (
    INDEX_TYPES,
    aligned,
    check_aligned,
    check_along,
    check_coordinates,
    check_tuples,
    clamped,
    coordinate_tuples,
    coordinates_of,
    linear_indexes,
)
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout
from dml_vk.strides.order import packed_strides, row_major

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

__all__ = ["Scatter", "ScatterND"]

MOST_UPDATES = 2**31 - 1


class Scattered(OverTensors):
    """What both scatters have in common."""

    input: BufferTensorDesc
    updates: BufferTensorDesc

    def _check(self) -> None:
        self._check_updates()
        if self.updates.element_count > MOST_UPDATES:
            rule = f"updates must have at most {MOST_UPDATES} elements"
            raise LayoutError(self._what, rule, sizes=self.updates.sizes)
        self._check_sizes("output", self.input.sizes)

    def _check_updates(self) -> None:
        """Check the sizes of indices and updates."""

    def _compute(self, x: Tensor, indices: Tensor, updates: Tensor, target: Tensor) -> None:
        from dml_vk.ops.copy import copy_elements, copy_if_overlapping
        from dml_vk.tensor.core import Tensor

        # Both are read after the output has been written.
        index, source = [
            Tensor(copy_if_overlapping(self._what, tensor, target)) for tensor in (indices, updates)
        ]
        copy_elements(self._what, x, target)
        self._write(source, index, target)

    def _write(self, source: Tensor, index: Tensor, target: Tensor) -> None:
        """Write the updates."""


@dataclass(frozen=True, repr=False)
class Scatter(Scattered, types=ALL, indices=INDEX_TYPES):
    """An element for each index: `output[indices[i, j], j] = updates[i, j]` along axis 0.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Scatter
    >>> x, updates = (BufferTensorDesc(DataType.INT8, (rows, 3)) for rows in (3, 2))
    >>> Scatter(x, BufferTensorDesc(DataType.INT32, (2, 3)), updates, x, axis=0).axis
    0
    """

    input: BufferTensorDesc
    indices: BufferTensorDesc
    updates: BufferTensorDesc
    output: BufferTensorDesc
    axis: int

    _tensors = ("input", "indices", "updates", "output")

    def _check_updates(self) -> None:
        check_along(self, "indices")
        self._check_sizes("updates", self.indices.sizes)

    def _write(self, source: Tensor, index: Tensor, target: Tensor) -> None:
        from dml_vk.dtypes import uint32
        from dml_vk.kernels.plan.gather import Step
        from dml_vk.ops.fill import fill_constant
        from dml_vk.ops.gather import add_places
        from dml_vk.ops.scatter import scatter
        from dml_vk.ops.sequence import fill_sequence
        from dml_vk.ops.view import temporary, with_layout

        what, axis, sizes = self._what, self.axis, source.shape
        length = target.shape[axis]
        # Row 0 has the indexes, and row 1 the cells, which are counted through all rows.
        places = temporary(what, Layout((2, *sizes)), uint32, target)
        rows = temporary(what, Layout((*sizes[:axis], 1, *sizes[axis + 1 :])), uint32, target)
        nearest, step = clamped(index, length), Step(1, length)
        fill_constant(what, rows, uint32, 0)
        add_places(rows, nearest, with_layout(places, places.layout.select(0, 0)), step)
        fill_sequence(what, rows, uint32, 0, length)
        add_places(rows, nearest, with_layout(places, places.layout.select(0, 1)), step)
        mark_dropped(places, [(index, nearest)], target.size)
        strides = target.strides
        scatter(
            *(what, source, with_layout(places, Layout((2, source.size)))),
            *(row_major(source.ndim), target),
            (*strides[:axis], 0, *strides[axis + 1 :]),
            *(strides[axis], target.size + 1),
            drops=True,
        )


@dataclass(frozen=True, repr=False)
class ScatterND(Scattered, types=ALL, indices=INDEX_TYPES):
    """Parts at coordinates: `output[*indices[i], ...] = updates[i, ...]`.

    The last dim of the indices has the coordinates. Only the last dims of input and indices are
    used, as many as the counts; those before them have size 1.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, ScatterND
    >>> x, updates = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((8, 1), (4, 1)))
    >>> places = BufferTensorDesc(DataType.INT32, (4, 2))
    >>> ScatterND(x, places, updates, x, input_dimension_count=2, indices_dimension_count=2)
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: ScatterND: updates must have the sizes (1, 4); got sizes=(4, 1)
    """

    input: BufferTensorDesc
    indices: BufferTensorDesc
    updates: BufferTensorDesc
    output: BufferTensorDesc
    input_dimension_count: int
    indices_dimension_count: int

    _tensors = ("input", "indices", "updates", "output")

    def _check_updates(self) -> None:
        check_coordinates(self)
        sizes = self.input.sizes[-self.input_dimension_count :]
        indexes = self.indices.sizes[-self.indices_dimension_count :]
        check_tuples(self, sizes)
        check_aligned(self, "updates", (*indexes[:-1], *sizes[indexes[-1] :]))

    def _write(self, source: Tensor, index: Tensor, target: Tensor) -> None:
        from dml_vk.ops.scatter import scatter
        from dml_vk.ops.view import with_layout

        what, rank = self._what, self.input_dimension_count
        index = coordinate_tuples(index, self.indices_dimension_count)
        *shape, count = index.shape
        sizes, strides = target.shape[-rank:], target.strides[-rank:]
        unit = math.gcd(*strides[:count]) or 1
        steps = tuple([stride // unit for stride in strides[:count]])
        # Cells are in row-major order; if the output is too, its offsets are the cells.
        cells = packed_strides(sizes[:count], row_major(count))
        rows = [steps] if steps == cells else [steps, cells]
        nearest, number = coordinates_of(index, sizes), math.prod(sizes[:count])
        words = linear_indexes(what, nearest, sizes, rows)
        indexes = [index.over(index.layout.select(-1, k)) for k in range(count)]
        mark_dropped(words, list(zip(indexes, nearest)), number)
        places = with_layout(words, Layout((len(rows), math.prod(shape))))
        full = aligned(source.layout, (*shape, *sizes[count:]))
        scatter(
            *(what, source.over(full), places, row_major(len(shape)), target),
            (*[0] * len(shape), *strides[count:]),
            *(unit, number + 1),
            drops=True,
        )


def mark_dropped(places: View, pairs: Sequence[tuple[Tensor, Tensor]], cell: int) -> None:
    """Replace the cells of updates that are out of range, where an index was clamped.

    Pairs are the original and the clamped index of each dim.
    """
    from dml_vk.array.math.elementwise import equal, logical_and, where
    from dml_vk.ops.view import with_layout
    from dml_vk.tensor.core import Tensor

    inside = equal(*pairs[0])
    for index, nearest in pairs[1:]:
        inside = logical_and(inside, equal(index, nearest))
    cells = Tensor(with_layout(places, places.layout.select(0, -1)))
    where(inside, cells, cell, out=cells)
