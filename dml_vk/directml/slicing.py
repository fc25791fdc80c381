"""Slices and their gradient; joining, splitting and tiling of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.descriptors import MAX_DIMENSION_COUNT, BufferTensorDesc
from dml_vk.directml.elementwise import ALL, NUMBERS
from dml_vk.directml.fields import MOST_INT, OverTensors
from dml_vk.errors import LayoutError, RangeError
from dml_vk.layout import Layout

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["Join", "Slice", "Slice1", "SliceGrad", "Split", "Tile"]

RANKS = range(1, MAX_DIMENSION_COUNT + 1)


@dataclass(frozen=True, repr=False)
class Slice(OverTensors, types=ALL):
    """Elements of the input from `offsets` on, `strides` apart. A stride of 0 repeats one of them.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Slice
    >>> x, y = (BufferTensorDesc(DataType.FLOAT32, sizes) for sizes in ((4, 4), (2, 2)))
    >>> Slice(x, y, offsets=(1, 0), sizes=(2, 2), strides=(2, 4))
    Traceback (most recent call last):
        ...
    dml_vk.errors.RangeError: Slice: offsets, sizes and strides must select elements of input, \
of sizes (4, 4); got offsets[1]=0, sizes[1]=2, strides[1]=4
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    offsets: Ints
    sizes: Ints
    strides: Ints

    _tensors = ("input", "output")

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        self._hold_ints("offsets", rank, dims="dims")
        self._hold_ints("sizes", rank, 1, dims="dims")
        self._hold_ints("strides", rank, dims="dims")
        sizes = self.input.sizes
        for dim, size in enumerate(sizes):
            at, count, step = self.offsets[dim], self.sizes[dim], self.strides[dim]
            if at + (count - 1) * step >= size:
                rule = f"offsets, sizes and strides must select elements of input, of sizes {sizes}"
                names = f"offsets[{dim}]", f"sizes[{dim}]", f"strides[{dim}]"
                raise RangeError(self._what, rule, **dict(zip(names, (at, count, step))))
        self._check_sizes("output", self.sizes)

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.ops.copy import copy_elements

        part = x.over(strided(x.layout, self.offsets, self.strides, self.sizes))
        copy_elements(self._what, part, target)


@dataclass(frozen=True, repr=False)
class Slice1(OverTensors, types=ALL):
    """Elements of a window of the input: from its start on, or back from its end.

    A negative stride goes back. The output may have fewer elements than the window.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Slice1
    >>> x, y = (BufferTensorDesc(DataType.INT8, (size,)) for size in (9, 4))
    >>> Slice1(x, y, (0,), (9,), (-2,))
    Slice1(input=INT8 (9,), output=INT8 (4,), input_window_offsets=(0,), \
input_window_sizes=(9,), input_window_strides=(-2,))
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    input_window_offsets: Ints
    input_window_sizes: Ints
    input_window_strides: Ints

    _tensors = ("input", "output")

    def _check(self) -> None:
        check_window(self, "input", "output")

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.ops.copy import copy_elements

        part = x.over(window_of(self, x.layout, target.shape))
        copy_elements(self._what, part, target)


@dataclass(frozen=True, repr=False)
class SliceGrad(OverTensors, types=ALL):
    """The gradient of Slice1: its elements where Slice1 reads them, and 0 elsewhere.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, SliceGrad
    >>> x, y = (BufferTensorDesc(DataType.INT8, (size,)) for size in (5, 9))
    >>> SliceGrad(x, y, (0,), (9,), (0,))
    Traceback (most recent call last):
        ...
    dml_vk.errors.RangeError: SliceGrad: input_window_strides must not be 0; \
got input_window_strides[0]=0
    """

    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc
    input_window_offsets: Ints
    input_window_sizes: Ints
    input_window_strides: Ints

    _tensors = ("input_gradient", "output_gradient")

    def _check(self) -> None:
        check_window(self, "output_gradient", "input_gradient")

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.ops.copy import copy_elements, copy_if_overlapping
        from dml_vk.ops.fill import fill_constant

        source = copy_if_overlapping(self._what, x, target)
        fill_constant(self._what, target, target.dtype, 0)
        part = target.over(window_of(self, target.layout, x.shape))
        copy_elements(self._what, source, part)


@dataclass(frozen=True, repr=False)
class Tile(OverTensors, types=NUMBERS):
    """The input repeated along its dims.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Tile
    >>> x, y = (BufferTensorDesc(DataType.INT8, sizes) for sizes in ((2, 3), (6, 3)))
    >>> Tile(x, y, repeats=(3, 1))
    Tile(input=INT8 (2, 3), output=INT8 (6, 3), repeats=(3, 1))
    """

    input: BufferTensorDesc
    output: BufferTensorDesc
    repeats: Ints

    _tensors = ("input", "output")

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        repeats = self._hold_ints("repeats", rank, 1, dims="dims")
        self._check_sizes("output", [a * b for a, b in zip(self.input.sizes, repeats)])

    def _compute(self, x: Tensor, target: Tensor) -> None:
        from dml_vk.ops.copy import copy_elements

        sizes = [size for pair in zip(self.repeats, x.shape) for size in pair]
        strides = [step for stride in x.strides for step in (0, stride)]
        split = target.layout.view(sizes)
        assert split is not None  # A dim can be split into any dims.
        copy_elements(self._what, x.over(Layout(sizes, strides, x.offset)), target.over(split))


@dataclass(frozen=True, repr=False)
class Join(OverTensors, types=ALL):
    """The inputs one after the other along an axis.

    It is called with one buffer for each input, and then one for the output.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Join
    >>> x, y = (BufferTensorDesc(DataType.INT8, (size, 2)) for size in (1, 4))
    >>> Join((x, x, x), y, axis=0)
    Traceback (most recent call last):
        ...
    dml_vk.errors.LayoutError: Join: output must have the sizes (3, 2); got sizes=(4, 2)
    """

    inputs: Sequence[BufferTensorDesc]
    output: BufferTensorDesc
    axis: int

    _tensors = ("inputs", "output")
    _several = "inputs"

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        axis = self._hold_axis("axis", rank)
        check_parts(self, "output", axis)

    def _compute(self, *tensors: Tensor) -> None:
        from dml_vk.ops.copy import copy_elements, copy_if_overlapping

        *inputs, target = tensors
        # Each is read after parts of the output have been written.
        sources = [copy_if_overlapping(self._what, x, target) for x in inputs]
        for source, part in zip(sources, parts_of(target, self.axis, inputs)):
            copy_elements(self._what, source, part)


@dataclass(frozen=True, repr=False)
class Split(OverTensors, types=ALL):
    """Parts of the input along an axis, each to an output.

    It is called with the buffer of the input, and then one for each output.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Split
    >>> x, y, z = (BufferTensorDesc(DataType.INT8, (2, size)) for size in (5, 3, 2))
    >>> Split(x, (y, z), axis=1)
    Split(input=INT8 (2, 5), outputs=[INT8 (2, 3), INT8 (2, 2)], axis=1)
    """

    input: BufferTensorDesc
    outputs: Sequence[BufferTensorDesc]
    axis: int

    _tensors = ("input", "outputs")
    _several = "outputs"

    def _check(self) -> None:
        rank = self._check_ranks(RANKS, "1 to 8")
        axis = self._hold_axis("axis", rank)
        check_parts(self, "input", axis)

    def _compute(self, x: Tensor, *outputs: Tensor) -> None:
        from dml_vk.ops.copy import copy_elements

        for target, part in zip(outputs, parts_of(x, self.axis, outputs)):
            copy_elements(self._what, part, target)


def check_parts(operator: OverTensors, whole: str, axis: int) -> None:
    """Check that parts along an axis add up to the whole."""
    names = [name for name in operator._given if name != whole]
    first, *others = [operator._desc(name).sizes for name in names]
    for name, sizes in zip(names[1:], others):
        operator._check_sizes(name, (*first[:axis], sizes[axis], *first[axis + 1 :]))
    total = first[axis] + sum([sizes[axis] for sizes in others])
    operator._check_sizes(whole, (*first[:axis], total, *first[axis + 1 :]))


def parts_of(whole: Tensor, axis: int, parts: Sequence[Tensor]) -> list[Tensor]:
    """Return consecutive views of a tensor along an axis, with the sizes of the parts."""
    views, at = [], 0
    for part in parts:
        length = part.shape[axis]
        views.append(whole.over(whole.layout.narrow(axis, at, length)))
        at += length
    return views


def check_window(operator: Slice1 | SliceGrad, whole: str, part: str) -> None:
    """Check the window of the whole, and that the part has at most as many elements."""
    rank = operator._check_ranks(RANKS, "1 to 8")
    offsets = operator._hold_ints("input_window_offsets", rank, dims="dims")
    counts = operator._hold_ints("input_window_sizes", rank, 1, dims="dims")
    name = "input_window_strides"
    strides = operator._hold_ints(name, rank, -MOST_INT - 1, MOST_INT, dims="dims")
    for dim, size in enumerate(operator._desc(whole).sizes):
        if not strides[dim]:
            raise RangeError(operator._what, f"{name} must not be 0", **{f"{name}[{dim}]": 0})
        if offsets[dim] + counts[dim] > size:
            rule = f"the window must lie within {whole}, whose size is {size}"
            got = {
                f"input_window_offsets[{dim}]": offsets[dim],
                f"input_window_sizes[{dim}]": counts[dim],
            }
            raise RangeError(operator._what, rule, **got)
        most, own = 1 + (counts[dim] - 1) // abs(strides[dim]), operator._desc(part).sizes
        if own[dim] > most:
            rule = f"{part} must have at most {most} elements of the window along dim {dim}"
            raise LayoutError(operator._what, rule, sizes=own)


def window_of(operator: Slice1 | SliceGrad, layout: Layout, sizes: Ints) -> Layout:
    """Return the layout of the elements that a window selects."""
    counts, strides = operator.input_window_sizes, operator.input_window_strides
    starts = [
        at + (count - 1 if stride < 0 else 0)
        for at, count, stride in zip(operator.input_window_offsets, counts, strides)
    ]
    return strided(layout, starts, strides, sizes)


def strided(layout: Layout, starts: Sequence[int], steps: Ints, sizes: Ints) -> Layout:
    """Return a layout of elements from `starts` on, `steps` apart."""
    offset = sum([at * stride for at, stride in zip(starts, layout.strides)])
    strides = [step * stride for step, stride in zip(steps, layout.strides)]
    # Strides of dims of size 1 do not count, and may be too large.
    strides = [0 if size == 1 else stride for size, stride in zip(sizes, strides)]
    return Layout(sizes, strides, layout.offset + offset)
