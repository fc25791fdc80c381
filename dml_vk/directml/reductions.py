"""Reductions: the reduced dims stay, with size 1."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS, NUMBERS
from dml_vk.directml.fields import AxisDirection, DataTypes, OverTensors
from dml_vk.directml.gathering import INDEX_TYPES
from dml_vk.directml.slicing import RANKS
from dml_vk.kernels.reductions import REDUCTIONS, Reduction

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["ArgMax", "ArgMin", "Reduce", "ReduceFunction"]

SUMMED = (*FLOATS, DataType.INT64, DataType.INT32, DataType.UINT64, DataType.UINT32)


class ReduceFunction(enum.Enum):
    """What a reduction computes, with DirectML's numbers."""

    ARGMAX = 0
    ARGMIN = 1
    AVERAGE = 2
    L1 = 3
    L2 = 4
    LOG_SUM = 5
    LOG_SUM_EXP = 6
    MAX = 7
    MIN = 8
    MULTIPLY = 9
    SUM = 10
    SUM_SQUARE = 11


F = ReduceFunction
# Those that are reductions of ours.
_ROWS = {ReduceFunction[row.directml]: row for row in REDUCTIONS.values() if row.directml}
_TYPES: dict[ReduceFunction, DataTypes] = {
    **{function: SUMMED if row.accumulates else NUMBERS for function, row in _ROWS.items()},
    **dict.fromkeys((F.AVERAGE, F.L2, F.LOG_SUM, F.LOG_SUM_EXP), FLOATS),
    **dict.fromkeys((F.L1, F.SUM_SQUARE), SUMMED),
}
_INDEX = {function: row.name for function, row in _ROWS.items() if row.finds}


class Reduced(OverTensors):
    """The common fields and checks of reductions."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    axes: Ints

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        axes = self._hold_axes("axes", rank)
        sizes = self.input.sizes
        self._check_sizes("output", [1 if k in axes else size for k, size in enumerate(sizes)])

    def _find(self, name: str, x: Tensor, target: Tensor, *, last: bool = False) -> None:
        """Write the index of the first extreme element, or of the last, among the reduced dims."""
        from dml_vk.array.math.elementwise import astype, subtract
        from dml_vk.array.statistics.reductions import reduce_into
        from dml_vk.dtypes import int64
        from dml_vk.tensor.core import tensor_over

        if last:
            x = x.over(x.layout.flip(self.axes))
        indexes = tensor_over(self._what, target.layout.like(), int64, x.device, x.allocation)
        reduce_into(self._what, name, x, tuple(sorted(self.axes)), indexes, True)
        if last:
            indexes = subtract(math.prod([x.shape[axis] for axis in self.axes]) - 1, indexes)
        astype(indexes, target.dtype, out=target)


@dataclass(frozen=True, repr=False)
class Reduce(Reduced):
    """A function of the elements along some dims.

    The average, L1, L2, the sum of squares and the logarithms are made of a sum, which has the
    order of `dml_vk.sum`; so has the product. ARGMAX and ARGMIN give the first index.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Reduce, ReduceFunction
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((3, 4), (1, 4)))
    >>> Reduce(ReduceFunction.MAX, x, y, axes=(0,))
    Reduce(function=MAX, input=INT8 (3, 4), output=INT8 (1, 4), axes=(0,))
    >>> Reduce(ReduceFunction.SUM, x, y, axes=(0,))
    Traceback (most recent call last):
        ...
    dml_vk.errors.DTypeError: Reduce: input must have a data type among FLOAT32, FLOAT16, INT64, \
INT32, UINT64, UINT32; got data_type='INT8'
    """

    function: ReduceFunction
    input: BufferTensorDesc
    output: BufferTensorDesc
    axes: Ints

    _tensors = ("input", "output")

    def _check_types(self) -> None:
        self._check_enum("function", ReduceFunction)
        super()._check_types()

    def _allowed(self, name: str) -> DataTypes | str:
        """The data types depend on the function."""
        if name == "output":
            return INDEX_TYPES if self.function in _INDEX else "input"
        return _TYPES[self.function]

    def _compute(self, x: Tensor, target: Tensor) -> None:
        if self.function in _INDEX:
            self._find(_INDEX[self.function], x, target)
        elif self.function in _ROWS:
            _reduce(_ROWS[self.function], x, self.axes, target)
        else:
            _FUNCTIONS[self.function](self._what, x, self.axes, target)


def _average(what: str, x: Tensor, axes: Ints, target: Tensor) -> None:
    from dml_vk.array.statistics.moments import mean

    mean(x, axis=axes, keepdims=True, out=target)


def _sum_of_magnitudes(what: str, x: Tensor, axes: Ints, target: Tensor) -> None:
    from dml_vk.array.math.elementwise import abs

    # Unsigned integers are their own magnitudes.
    _reduce(REDUCTIONS["sum"], x if x.dtype.kind == "u" else abs(x), axes, target)


def _euclidean(what: str, x: Tensor, axes: Ints, target: Tensor) -> None:
    from dml_vk.linalg import vector_norm

    vector_norm(x, axis=axes, keepdims=True, out=target)


def _log_of_sum(what: str, x: Tensor, axes: Ints, target: Tensor) -> None:
    from dml_vk.dtypes import float32
    from dml_vk.kernels.operators import OPERATORS
    from dml_vk.ops.elementwise import compute

    compute(what, OPERATORS["log"], [_wide_sum(x, axes)], target, float32)


def _log_of_exponentials(what: str, x: Tensor, axes: Ints, target: Tensor) -> None:
    from dml_vk.nn import logsumexp

    logsumexp(x, axis=axes, keepdims=True, out=target)


def _reduce(row: Reduction, x: Tensor, axes: Ints, target: Tensor) -> None:
    from dml_vk.array.statistics.reductions import FUNCTIONS

    summed = {"dtype": x.dtype} if row.accumulates else {}
    FUNCTIONS[row.name](x, axis=axes, keepdims=True, out=target, **summed)


def _sum_of_squares(what: str, x: Tensor, axes: Ints, target: Tensor) -> None:
    from dml_vk.array.math.elementwise import astype, square

    if x.dtype.kind != "f":
        _reduce(REDUCTIONS["sum"], square(x), axes, target)
        return
    # Squares of float16 may overflow it, though the sum is rounded to it.
    from dml_vk.dtypes import float32

    wide = square(astype(x, float32, copy=False))
    astype(_wide_sum(wide, axes), target.dtype, out=target)


def _wide_sum(x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the sums of floats, as float32."""
    from dml_vk.array.statistics.reductions import sum
    from dml_vk.dtypes import float32

    return sum(x, axis=axes, dtype=float32, keepdims=True)


_FUNCTIONS: dict[ReduceFunction, Callable[[str, Tensor, Ints, Tensor], None]] = {
    F.AVERAGE: _average,
    F.L1: _sum_of_magnitudes,
    F.L2: _euclidean,
    F.LOG_SUM: _log_of_sum,
    F.LOG_SUM_EXP: _log_of_exponentials,
    F.SUM_SQUARE: _sum_of_squares,
}


@dataclass(frozen=True, repr=False)
class ArgMax(Reduced, types=NUMBERS, output=INDEX_TYPES):
    """The index of the largest element, or of a NaN, among the reduced dims in row-major order.

    Of several it is the first one, or with DECREASING the last one.

    >>> from dml_vk.directml import ArgMax, AxisDirection, BufferTensorDesc, DataType
    >>> x = BufferTensorDesc(DataType.FLOAT32, (2, 3, 4))
    >>> y = BufferTensorDesc(DataType.UINT32, (2, 1, 1))
    >>> ArgMax(x, y, (1, 2), AxisDirection.INCREASING).axes
    (1, 2)
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    axes: Ints
    axis_direction: AxisDirection

    _tensors = ("input", "output")

    def _check(self) -> None:
        super()._check()
        self._check_enum("axis_direction", AxisDirection)

    def _compute(self, x: Tensor, target: Tensor) -> None:
        last = self.axis_direction is AxisDirection.DECREASING
        self._find(self._what.lower(), x, target, last=last)


@dataclass(frozen=True, repr=False)
class ArgMin(ArgMax):
    """The same for the smallest element.

    >>> from dml_vk.directml import ArgMin, AxisDirection, BufferTensorDesc, DataType
    >>> x, y = (BufferTensorDesc(DataType.INT32, (size,)) for size in (9, 1))
    >>> ArgMin(x, y, (), AxisDirection.INCREASING)
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: ArgMin: axes must be at least one dim, and none of them twice; \
got axes=()
    """
