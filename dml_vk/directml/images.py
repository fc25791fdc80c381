"""Operators of images: DepthToSpace, SpaceToDepth and ValueScale2D."""

from __future__ import annotations

import enum
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import ALL, FLOATS
from dml_vk.directml.fields import OverTensors
from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = [
    "DepthSpaceOrder",
    "DepthToSpace",
    "DepthToSpace1",
    "SpaceToDepth",
    "SpaceToDepth1",
    "ValueScale2D",
]


class DepthSpaceOrder(enum.Enum):
    """How the channels count the pixels of a block, with DirectML's numbers.

    The names have the innermost part first: the depth, or else the column of the pixel.
    """

    DEPTH_COLUMN_ROW = 0
    COLUMN_ROW_DEPTH = 1


_NAMES = {DepthSpaceOrder.DEPTH_COLUMN_ROW: "DCR", DepthSpaceOrder.COLUMN_ROW_DEPTH: "CRD"}


class Blocked(OverTensors):
    """An operator between channels and blocks of pixels."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    block_size: int
    # Not every class has it as a field.
    order: DepthSpaceOrder = DepthSpaceOrder.DEPTH_COLUMN_ROW

    _tensors = ("input", "output")

    def _check(self) -> None:
        self._check_ranks((4,), "4")
        self._check_sizes("output", self._sizes(self._hold_int("block_size", 1)))
        self._check_enum("order", DepthSpaceOrder)

    @abstractmethod
    def _sizes(self, block: int) -> Ints:
        """Check the input; return the sizes of the output."""


@dataclass(frozen=True, repr=False)
class DepthToSpace(Blocked, types=ALL):
    """Channels as blocks of pixels: (N, C * block**2, H, W) to (N, C, H * block, W * block).

    >>> from dml_vk.directml import BufferTensorDesc, DataType, DepthToSpace
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((1, 8, 2, 3), (1, 2, 4, 6)))
    >>> DepthToSpace(x, y, block_size=2)
    DepthToSpace(input=INT8 (1, 8, 2, 3), output=INT8 (1, 2, 4, 6), block_size=2)
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    block_size: int

    def _sizes(self, block: int) -> Ints:
        images, channels, height, width = sizes = self.input.sizes
        if channels % block**2:
            rule = "the channels of input must be a multiple of block_size * block_size"
            raise LayoutError(self._what, rule, sizes=sizes, block_size=block)
        return images, channels // block**2, height * block, width * block

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.nn import pixel_shuffle

        pixel_shuffle(x, self.block_size, order=_NAMES[self.order], out=target)


@dataclass(frozen=True, repr=False)
class DepthToSpace1(DepthToSpace):
    """The same with a choice of orders.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, DepthSpaceOrder, DepthToSpace1
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((1, 4, 1, 1), (1, 1, 2, 2)))
    >>> DepthToSpace1(x, y, 2, DepthSpaceOrder.COLUMN_ROW_DEPTH).order.name
    'COLUMN_ROW_DEPTH'
    """

    order: DepthSpaceOrder = field()  # required


@dataclass(frozen=True, repr=False)
class SpaceToDepth(Blocked, types=ALL):
    """Blocks of pixels as channels: it undoes DepthToSpace.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, SpaceToDepth
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((1, 1, 2, 3), (1, 4, 1, 1)))
    >>> SpaceToDepth(x, y, block_size=2)
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: SpaceToDepth: the height and width of input must be multiples of \
block_size; got sizes=(1, 1, 2, 3), block_size=2
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    block_size: int

    def _sizes(self, block: int) -> Ints:
        images, channels, height, width = sizes = self.input.sizes
        if height % block or width % block:
            rule = "the height and width of input must be multiples of block_size"
            raise LayoutError(self._what, rule, sizes=sizes, block_size=block)
        return images, channels * block**2, height // block, width // block

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.nn import pixel_unshuffle

        pixel_unshuffle(x, self.block_size, order=_NAMES[self.order], out=target)


@dataclass(frozen=True, repr=False)
class SpaceToDepth1(SpaceToDepth):
    """The same with a choice of orders.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, SpaceToDepth1
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((1, 1, 2, 2), (1, 4, 1, 1)))
    >>> SpaceToDepth1(x, y, 2, order="CRD")
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: SpaceToDepth1: order must be of DepthSpaceOrder; got order='CRD'
    """

    order: DepthSpaceOrder = field()  # required


@dataclass(frozen=True, repr=False)
class ValueScale2D(OverTensors, types=FLOATS):
    """x * scale + bias with a bias for each of 1 or 3 channels, each step rounded to float32.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, ValueScale2D
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 3, 4, 4))
    >>> ValueScale2D(x, x, 2, bias=(1, 2, 3)).bias
    (1.0, 2.0, 3.0)
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    scale: float
    bias: tuple[float, ...]

    _tensors = ("input", "output")

    def _check(self) -> None:
        self._check_ranks((4,), "4")
        sizes = self.input.sizes
        if sizes[1] not in (1, 3):
            raise LayoutError(self._what, "input must have 1 or 3 channels", sizes=sizes)
        self._check_sizes("output", sizes)
        self._hold("scale", DataType.FLOAT32)
        self._hold_floats("bias", sizes[1], dims="channels")

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.dtypes import float32
        from dml_vk.kernels.elementwise import SCALED
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.ops.copy import copy_if_overlapping
        from dml_vk.ops.elementwise import compute
        from dml_vk.ops.numbers import float_words
        from dml_vk.ops.view import View, with_layout

        source: View = copy_if_overlapping(self._what, x, target, in_place=True)
        for channel, bias in enumerate(self.bias):
            part, to = [with_layout(y, y.layout.narrow(1, channel, 1)) for y in (source, target)]
            words = (0, 0, *float_words(self.scale, bias))
            compute(self._what, OPERATORS["positive"], [part], to, float32, words, SCALED)
