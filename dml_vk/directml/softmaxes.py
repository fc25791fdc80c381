"""DirectML's softmax, its logarithm, and hardmax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc
from dml_vk.directml.elementwise import FLOATS
from dml_vk.directml.fields import OverTensors
from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = [
    "ActivationHardmax",
    "ActivationHardmax1",
    "ActivationLogSoftmax",
    "ActivationLogSoftmax1",
    "ActivationSoftmax",
    "ActivationSoftmax1",
]


@dataclass(frozen=True, repr=False)
class OverRows(OverTensors, types=FLOATS):
    """An operator over the last dim of a matrix, to which ones may be prepended."""

    input: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("input", "output")
    _function: ClassVar[str]

    def _check(self) -> None:
        self._check_sizes("output", self.input.sizes)
        if any(size != 1 for size in self.input.sizes[:-2]):
            rule = "input must have size 1 in all dims but the last two"
            raise LayoutError(self._what, rule, sizes=self.input.sizes)

    @property
    def _axes(self) -> Ints:
        return (self.input.dimension_count - 1,)

    def _compute(self, x: Tensor, out: Tensor) -> None:
        from dml_vk import nn

        getattr(nn, self._function)(x, axis=self._axes, out=out)


@dataclass(frozen=True, repr=False)
class OverAxes(OverRows):
    """An operator over any axes."""

    _: KW_ONLY
    axes: Sequence[int]

    def _check(self) -> None:
        self._check_sizes("output", self.input.sizes)
        self._hold_axes("axes", self.input.dimension_count)

    @property
    def _axes(self) -> Ints:
        return tuple(self.axes)


class ActivationSoftmax(OverRows):
    """exp(x) divided by its sum over the last dim; large elements do not overflow."""

    _function = "softmax"


class ActivationSoftmax1(OverAxes):
    """exp(x) divided by its sum over axes; large elements do not overflow.

    >>> from dml_vk.directml import ActivationSoftmax1, BufferTensorDesc, DataType
    >>> x = BufferTensorDesc(DataType.FLOAT32, (2, 3, 4))
    >>> ActivationSoftmax1(x, x, axes=(1, 2))
    ActivationSoftmax1(input=FLOAT32 (2, 3, 4), output=FLOAT32 (2, 3, 4), axes=(1, 2))
    """

    _function = "softmax"


class ActivationLogSoftmax(OverRows):
    """The logarithm of softmax over the last dim."""

    _function = "log_softmax"


class ActivationLogSoftmax1(OverAxes):
    """The logarithm of softmax over axes."""

    _function = "log_softmax"


class ActivationHardmax(OverRows):
    """1 for the first of the largest elements of the last dim, and 0 for the others."""

    _function = "hardmax"


class ActivationHardmax1(OverAxes):
    """1 for the first of the largest elements over axes, and 0 for the others."""

    _function = "hardmax"
