"""Matrices with a value on diagonals. Dims before the last two are batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc, DataType, dtype_of
from dml_vk.directml.elementwise import ALL, whole
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.errors import DTypeError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["DiagonalMatrix", "DiagonalMatrix1"]


@dataclass(frozen=True, repr=False)
class DiagonalMatrix(OverTensors, types=ALL):
    """The value where the column is the row plus `offset`, and 0 elsewhere.

    The value is a FLOAT, which is truncated for integers.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, DiagonalMatrix
    >>> DiagonalMatrix(BufferTensorDesc(DataType.INT8, (2, 3, 3)), offset=-1, value=2)
    DiagonalMatrix(output=INT8 (2, 3, 3), offset=-1, value=2.0)
    """

    output: BufferTensorDesc
    offset: int
    value: float

    _tensors = ("output",)

    def _check(self) -> None:
        self._check_ranks((2, 3, 4), "2 to 4")
        self._hold_int("offset", -MOST_INT - 1, MOST_INT)
        self._hold("value", DataType.FLOAT32)
        if dtype_of(self._data_type).kind != "f" and math.isnan(self.value):
            rule = "value must not be NaN where output has integers"
            raise DTypeError(self._what, rule, value=self.value)

    def _compute(self, target: Tensor) -> None:
        value = self.value
        if target.dtype.kind != "f":
            value = whole(value, target.dtype)
        fill_band(target, None, value, self.offset, self.offset + 1)


@dataclass(frozen=True, repr=False)
class DiagonalMatrix1(OverTensors, types=ALL, input="output"):
    """The value where column minus row is from the begin to before the end, else the input or 0.

    If the begin is greater than the end, the value is everywhere except from the end to before the
    begin.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, DiagonalMatrix1
    >>> y = BufferTensorDesc(DataType.INT8, (4, 4))
    >>> DiagonalMatrix1(None, y, DataType.INT8, 7, diagonal_fill_begin=0, diagonal_fill_end=3)
    DiagonalMatrix1(input=None, output=INT8 (4, 4), value_data_type=INT8, value=7, \
diagonal_fill_begin=0, diagonal_fill_end=3)
    """

    input: BufferTensorDesc | None
    output: BufferTensorDesc
    value_data_type: DataType
    value: float
    diagonal_fill_begin: int
    diagonal_fill_end: int

    _tensors = ("input", "output")
    _optional = ("input",)

    def _check(self) -> None:
        self._check_ranks((2, 3, 4), "2 to 4", "output")
        if self.input is not None:
            self._check_sizes("input", self.output.sizes)
        self._check_scalar_type("value_data_type", "output")
        self._hold("value", self.value_data_type)
        self._hold_int("diagonal_fill_begin", -MOST_INT - 1, MOST_INT)
        self._hold_int("diagonal_fill_end", -MOST_INT - 1, MOST_INT)

    def _compute(self, x: Tensor | None, target: Tensor) -> None:
        fill_band(target, x, self.value, self.diagonal_fill_begin, self.diagonal_fill_end)


def fill_band(target: Tensor, x: Tensor | None, value: float, begin: int, end: int) -> None:
    """Write the value in a band, or outside of it if begin > end; elsewhere x or 0."""
    from dml_vk.array.creation.arrays import full
    from dml_vk.array.creation.grids import arange
    from dml_vk.array.math.elementwise import less, subtract, where
    from dml_vk.dtypes import uint32

    rows, columns = target.shape[-2:]
    low, high = [max(-rows, min(bound, columns)) for bound in sorted((begin, end))]
    # Unsigned differences below the band wrap to large numbers.
    down = arange(rows, dtype=uint32, device=target.device).reshape(rows, 1)
    right = arange(columns, dtype=uint32, device=target.device)
    inside = less(subtract(subtract(right, down), low % 2**32), high - low)
    filled = full((), value, target.dtype, device=target.device)
    if x is None:
        zero = full((), 0, target.dtype, device=target.device)
        x = zero.over(zero.layout.expand(target.shape))
    where(inside, *((x, filled) if begin > end else (filled, x)), out=target)
