"""Padding: elements before and after a tensor along its dims."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc, DataType, dtype_of
from dml_vk.directml.elementwise import ALL, whole
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.slicing import RANKS
from dml_vk.errors import DTypeError
from dml_vk.layout import Layout

if TYPE_CHECKING:
    import numpy as np

    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

    Indexes: TypeAlias = np.ndarray[Any, np.dtype[np.integer[Any]]]

__all__ = ["Padding", "Padding1", "PaddingMode"]


class PaddingMode(enum.Enum):
    """What is in the padding, with DirectML's numbers.

    A value; the nearest element; elements mirrored at the edge, without or with the edge itself;
    the elements of the opposite end. Wide padding continues periodically.
    """

    CONSTANT = 0
    EDGE = 1
    REFLECTION = 2
    SYMMETRIC = 3
    WRAP = 4


class Padded(OverTensors):
    """The common fields and checks of both versions."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    padding_mode: PaddingMode
    padding_value: float
    start_padding: Ints
    end_padding: Ints

    _tensors = ("input", "output")

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        self._check_enum("padding_mode", PaddingMode)
        self._check_value()
        start = self._hold_ints("start_padding", rank, dims="dims")
        end = self._hold_ints("end_padding", rank, dims="dims")
        sizes = [a + b + c for a, b, c in zip(start, self.input.sizes, end)]
        self._check_sizes("output", sizes)

    def _check_value(self) -> None:
        """Check the value of constant padding."""

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.ops.copy import copy_if_overlapping

        source = copy_if_overlapping(self._what, x, target)
        if self.padding_mode is PaddingMode.CONSTANT:
            self._surround(source, target)
        else:
            self._continue(source, target)

    def _surround(self, source: View, target: Tensor) -> None:
        from dml_vk.array.manipulation.padding import slabs
        from dml_vk.ops.copy import copy_elements
        from dml_vk.ops.fill import fill_constant

        value = self.padding_value
        if target.dtype.kind != "f":
            value = whole(value, target.dtype)
        sizes, inside = source.layout.sizes, target.layout
        pairs = list(zip(self.start_padding, self.end_padding))
        for slab in slabs(inside, sizes, pairs):
            fill_constant(self._what, target.over(slab), target.dtype, value)
        for dim, start in enumerate(self.start_padding):
            inside = inside.narrow(dim, start, sizes[dim])
        copy_elements(self._what, source, target.over(inside))

    def _continue(self, source: View, target: Tensor) -> None:
        """Pad by elements of the input, one dim after the other."""
        import numpy as np

        from dml_vk.ops.copy import copy_elements
        from dml_vk.ops.gather import gather_elements, words_on_device
        from dml_vk.ops.view import temporary

        before, sizes = source.layout.sizes, target.shape
        dims = [dim for dim, size in enumerate(sizes) if size != before[dim]]
        # Dims that grow least come first.
        dims.sort(key=lambda dim: sizes[dim] / before[dim])
        if not dims:
            copy_elements(self._what, source, target)
        for dim in dims:
            own = source.layout.sizes
            grown = (*own[:dim], sizes[dim], *own[dim + 1 :])
            to: View = target
            if dim != dims[-1]:
                packed = Layout.packed(grown, target.layout.order)
                to = temporary(self._what, packed, target.dtype, target)
            positions = np.arange(sizes[dim]) - self.start_padding[dim]
            words = source_indexes(self.padding_mode, positions, own[dim]).astype(np.uint32)
            along = words.reshape([-1 if k == dim else 1 for k in range(len(own))])
            index = words_on_device(self._what, along, target)
            gather_elements(self._what, source, index, to, dim)
            source = to


def source_indexes(mode: PaddingMode, positions: Indexes, size: int) -> Indexes:
    """Map positions, also those in the padding, to indexes of a dim of this size."""
    import numpy as np

    if mode is PaddingMode.EDGE:
        return np.clip(positions, 0, size - 1)
    if mode is PaddingMode.WRAP:
        return positions % size
    # Back and forth; in REFLECTION neither end counts twice.
    twice = mode is PaddingMode.SYMMETRIC
    period = 2 * size if twice else max(1, 2 * (size - 1))
    positions = positions % period
    return np.where(positions < size, positions, period - positions - twice)


@dataclass(frozen=True, repr=False)
class Padding(Padded, types=ALL):
    """Elements added before and after the input; a value is a FLOAT, truncated for integers.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Padding, PaddingMode
    >>> x, y = (BufferTensorDesc(DataType.INT8, (size,)) for size in (3, 6))
    >>> Padding(x, y, PaddingMode.EDGE, 0, start_padding=(1,), end_padding=(1,))
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: Padding: output must have the sizes (5,); got sizes=(6,)
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    padding_mode: PaddingMode
    padding_value: float
    start_padding: Ints
    end_padding: Ints

    def _check_value(self) -> None:
        self._hold("padding_value", DataType.FLOAT32)
        if dtype_of(self._data_type).kind != "f" and math.isnan(self.padding_value):
            rule = "padding_value must not be NaN where input has integers"
            raise DTypeError(self._what, rule, padding_value=self.padding_value)


@dataclass(frozen=True, repr=False)
class Padding1(Padded, types=ALL):
    """The same with a value of the tensors' own type.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Padding1, PaddingMode
    >>> x, y = (BufferTensorDesc(DataType.INT8, (size,)) for size in (3, 5))
    >>> Padding1(x, y, PaddingMode.CONSTANT, DataType.INT8, 200, (1,), (1,))
    Traceback (most recent call last):
        ...
    dml_vk.errors.DTypeError: Padding1: padding_value must be a number that INT8 can hold; \
got padding_value=200
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    padding_mode: PaddingMode
    padding_value_data_type: DataType
    padding_value: float
    start_padding: Ints
    end_padding: Ints

    def _check_value(self) -> None:
        self._check_scalar_type("padding_value_data_type", "output")
        self._hold("padding_value", self.padding_value_data_type)
