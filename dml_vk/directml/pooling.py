"""DirectML's pooling. Padding is never read, and smaller than the window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS, NUMBERS, UP_TO_32_BITS
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.directml.windows import Windowed
from dml_vk.errors import LayoutError, RangeError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = [
    "AveragePooling",
    "AveragePooling1",
    "LpPooling",
    "LpPooling1",
    "MaxPooling",
    "MaxPooling1",
    "MaxPooling2",
    "MaxUnpooling",
]

INDEX_TYPES = (DataType.UINT64, DataType.UINT32)
MOST_TAPS = 2**24  # elements of a window: counts up to it are exact in float32


class Pooling(Windowed):
    """An operator over windows of {N, C, H, W} or {N, C, D, H, W}."""

    input: BufferTensorDesc
    window_size: Sequence[int]

    def _check(self) -> None:
        rank = self._check_ranks((4, 5), "4 or 5")
        self._check_windows(rank, "input", *self._given[1:])

    def _check_windows(self, rank: int, whole: str, *outputs: str) -> None:
        """Check the windows of a tensor, of which others have one element each."""
        window = self._hold_ints("window_size", rank - 2, 1, MOST_INT)
        if math.prod(window) > MOST_TAPS:
            rule = f"window_size must be at most {MOST_TAPS} elements"
            raise RangeError(self._what, rule, window_size=window)
        self._hold_windows(rank - 2)
        sizes = self._desc(whole).sizes
        spans = [each.span for each in self._windows(sizes[2:], window)]
        for name in ("start_padding", "end_padding"):
            padding = getattr(self, name)
            if any(width >= span for width, span in zip(padding, spans)):
                rule = f"{name} must be smaller than the windows"
                raise LayoutError(self._what, rule, **{name: padding}, window_size=window)
        wanted = (*sizes[:2], *self._counts(sizes[2:], window))
        for name in outputs:
            self._check_sizes(name, wanted)

    @property
    def _arguments(self) -> dict[str, Any]:
        """The windows, as functions of tensors take them."""
        return {
            "kernel_size": self.window_size,
            "stride": self.strides,
            "padding": self._padding,
            "dilation": self.dilations,
        }


@dataclass(frozen=True, repr=False)
class OneOutput(Pooling):
    """Pooling without indices, with the fields of the first versions."""

    input: BufferTensorDesc
    output: BufferTensorDesc
    _: KW_ONLY
    strides: Sequence[int] = ()
    window_size: Sequence[int]
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()

    _tensors = ("input", "output")


class Means(OneOutput, types=FLOATS):
    """The mean of each window."""

    include_padding: bool

    def _check(self) -> None:
        super()._check()
        self._hold_flag("include_padding")

    def _compute(self, x: Tensor, out: Tensor) -> None:
        from dml_vk.nn import avg_pool

        avg_pool(x, **self._arguments, count_include_pad=self.include_padding, out=out)


@dataclass(frozen=True, repr=False)
class AveragePooling(Means):
    """The mean of each window: its sum divided by how many elements it has.

    Those in the padding are zeros, and count if `include_padding` is true.
    """

    _: KW_ONLY
    include_padding: bool


@dataclass(frozen=True, repr=False)
class AveragePooling1(Means):
    """The same, of windows whose elements are apart.

    >>> from dml_vk.directml import AveragePooling1, BufferTensorDesc, DataType
    >>> x = BufferTensorDesc(DataType.FLOAT32, (1, 1, 5, 5))
    >>> y = BufferTensorDesc(DataType.FLOAT32, (1, 1, 3, 3))
    >>> AveragePooling1(x, y, window_size=(2, 2), dilations=(2, 2), include_padding=False).strides
    (1, 1)
    """

    _: KW_ONLY
    dilations: Sequence[int] = ()
    include_padding: bool


class Norms(OneOutput, types=FLOATS):
    """The norm of each window."""

    p: int

    def _check(self) -> None:
        super()._check()
        self._hold_int("p", 1)

    def _compute(self, x: Tensor, out: Tensor) -> None:
        from dml_vk.array.math.elementwise import abs as magnitudes
        from dml_vk.nn import lp_pool

        # The function takes no magnitudes itself, which are the same for an even power.
        lp_pool(magnitudes(x) if self.p % 2 else x, self.p, **self._arguments, out=out)


@dataclass(frozen=True, repr=False)
class LpPooling(Norms):
    """The norm of each window: the p-th root of the sum of abs(x) to the power of p."""

    _: KW_ONLY
    p: int = 2


@dataclass(frozen=True, repr=False)
class LpPooling1(Norms):
    """The same, of windows whose elements are apart."""

    _: KW_ONLY
    dilations: Sequence[int] = ()
    p: int = 2


@dataclass(frozen=True, repr=False)
class MaxPooling(OneOutput, types=UP_TO_32_BITS):
    """The maximum of each window; padding is not an element."""

    def _compute(self, x: Tensor, out: Tensor) -> None:
        from dml_vk.nn import max_pool

        max_pool(x, **self._arguments, out=out)


@dataclass(frozen=True, repr=False)
class MaxPooling1(Pooling, types=UP_TO_32_BITS, output_indices=INDEX_TYPES):
    """The maximum of each window, and where it is in the input.

    Indices count through all dims of the input in logical row-major order, whatever its strides.
    Of equal elements the first is taken, and the last of NaNs.
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    output_indices: BufferTensorDesc | None = None
    _: KW_ONLY
    strides: Sequence[int] = ()
    window_size: Sequence[int]
    start_padding: Sequence[int] = ()
    end_padding: Sequence[int] = ()

    _tensors = ("input", "output", "output_indices")
    _optional = ("output_indices",)

    def _compute(self, x: Tensor, out: Tensor, indices: Tensor | None) -> None:
        from dml_vk.nn import max_pool

        if indices is None:
            max_pool(x, **self._arguments, out=out)
            return
        from dml_vk.dtypes import int64
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.layout import Layout
        from dml_vk.ops.copy import copy_elements
        from dml_vk.ops.elementwise import cast_elements, compute
        from dml_vk.ops.sequence import fill_sequence
        from dml_vk.ops.view import temporary

        what, rank = self._what, self.input.dimension_count
        values, within = max_pool(x, **self._arguments, return_indices=True)
        copy_elements(what, values, out)
        # Where each channel begins.
        first = temporary(what, Layout((*x.shape[:2], *[1] * (rank - 2))), int64, x)
        fill_sequence(what, first, int64, 0, math.prod(x.shape[2:]))
        compute(what, OPERATORS["add"], [within, first], within, int64)
        cast_elements(what, within, indices)


@dataclass(frozen=True, repr=False)
class MaxPooling2(MaxPooling1):
    """The same, of windows whose elements are apart."""

    _: KW_ONLY
    dilations: Sequence[int] = ()


@dataclass(frozen=True, repr=False)
class MaxUnpooling(OverTensors, types=NUMBERS, indices=INDEX_TYPES):
    """Write each element to its index in the output, among zeros.

    Indices count through all dims of the output in logical row-major order. Others are left out,
    and of elements with one index the last is written.
    """

    input: BufferTensorDesc
    indices: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("input", "indices", "output")

    def _check(self) -> None:
        self._check_ranks((4,), "4")
        self._check_sizes("indices", self.input.sizes)

    def _compute(self, x: Tensor, indices: Tensor, out: Tensor) -> None:
        from dml_vk.array.indexing.positions import part_of, to_write
        from dml_vk.dtypes import DTYPES, int64
        from dml_vk.kernels.operators import OPERATORS
        from dml_vk.layout import Layout
        from dml_vk.ops.copy import copy_elements
        from dml_vk.ops.elementwise import cast_elements, compute
        from dml_vk.ops.fill import fill_constant
        from dml_vk.ops.numbers import scalar_words
        from dml_vk.ops.scatter import scatter
        from dml_vk.ops.view import temporary, temporary_like, with_layout

        what, count = self._what, out.size
        limited = temporary_like(what, indices, indices.dtype)
        limit = scalar_words(what, "size", indices.dtype, count)
        compute(what, OPERATORS["minimum"], [indices, None], limited, indices.dtype, limit)
        places = temporary_like(what, indices, int64)
        cast_elements(what, limited, places)
        # Bits are moved, so the type does not matter. The last element is for those left out.
        result = temporary(what, Layout((count + 1,)), DTYPES[f"uint{8 * x.dtype.itemsize}"], x)
        fill_constant(what, result, result.dtype, 0)
        part = part_of(what, result.layout, (0,), places, None)
        words = to_write(what, [part], x.shape, result)
        every, still = tuple(range(x.ndim)), (0,) * x.ndim
        scatter(what, x, words.places, every, result, still, words.stride, words.cells)
        copy_elements(what, with_layout(result, Layout(out.shape)), out)
