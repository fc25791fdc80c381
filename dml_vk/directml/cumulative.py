"""Cumulative sums and products along an axis, with the order of `dml_vk.cumulative_sum`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.fields import AxisDirection, OverTensors
from dml_vk.directml.reductions import SUMMED
from dml_vk.directml.slicing import RANKS

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["CumulativeProduct", "CumulativeSummation"]


class Cumulative(OverTensors):
    """What both have in common."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    axis: int
    axis_direction: AxisDirection

    _exclusive: str  # the field that says whether elements are left out of their own results

    def _check(self) -> None:
        self._hold_axis("axis", self._check_ranks(RANKS, "1 to 8"))
        self._check_enum("axis_direction", AxisDirection)
        self._hold_flag(self._exclusive)
        self._check_sizes("output", self.input.sizes)

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.ops.fill import fill_constant
        from dml_vk.ops.scan import EXCLUSIVE, INCLUSIVE, PRODUCT, SUM, scan_elements

        form = EXCLUSIVE if getattr(self, self._exclusive) else INCLUSIVE
        operator = SUM if self._exclusive == "has_exclusive_sum" else PRODUCT
        if self.axis_direction is AxisDirection.DECREASING:
            x, target = [tensor.over(tensor.layout.flip(self.axis)) for tensor in (x, target)]
        scan_elements(self._what, operator, x, target, self.axis, form)
        if form == EXCLUSIVE and operator == SUM and target.dtype.kind == "f":
            # Here a sum of nothing is +0; scans have -0, which changes no element.
            first = target.over(target.layout.narrow(self.axis, 0, 1))
            fill_constant(self._what, first, target.dtype, 0)


@dataclass(frozen=True, repr=False)
class CumulativeSummation(Cumulative, types=SUMMED):
    """The sums of each element and all before it along an axis, or with DECREASING after it.

    >>> from dml_vk.directml import AxisDirection, BufferTensorDesc, CumulativeSummation, DataType
    >>> x = BufferTensorDesc(DataType.INT32, (2, 3))
    >>> CumulativeSummation(x, x, 1, AxisDirection.INCREASING, False)
    CumulativeSummation(input=INT32 (2, 3), output=INT32 (2, 3), axis=1, \
axis_direction=INCREASING, has_exclusive_sum=False)
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    axis: int
    axis_direction: AxisDirection
    has_exclusive_sum: bool

    _tensors = ("input", "output")
    _exclusive = "has_exclusive_sum"


@dataclass(frozen=True, repr=False)
class CumulativeProduct(Cumulative, types=SUMMED):
    """The products, in the same way.

    >>> from dml_vk.directml import AxisDirection, BufferTensorDesc, CumulativeProduct, DataType
    >>> x = BufferTensorDesc(DataType.INT32, (2, 3))
    >>> CumulativeProduct(x, x, 2, AxisDirection.INCREASING, False)
    Traceback (most recent call last):
        ...
    dml_vk.errors.RangeError: CumulativeProduct: axis must be from 0 to 1; got axis=2
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    axis: int
    axis_direction: AxisDirection
    has_exclusive_product: bool

    _tensors = ("input", "output")
    _exclusive = "has_exclusive_product"
