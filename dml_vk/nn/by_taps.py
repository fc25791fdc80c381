"""Convolutions and pooling in float64: one tap of all windows after the other.

A tap is an element of the windows. What it reads of the input, and where that is added, are views:
so padding is neither read nor added, and each tap takes a few launches. Taps are in row-major
order, and sums begin with +0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from dml_vk.array.elementwise import add
from dml_vk.dtypes import float64
from dml_vk.errors import RangeError
from dml_vk.kernels.plan.pool import Pooling
from dml_vk.layout import Layout
from dml_vk.nn import activations
from dml_vk.nn.affine import over_channels
from dml_vk.nn.windows import Windows
from dml_vk.ops.activation import Activation
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.matmul import add_products
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.tensor.core import Tensor

MOST_TAPS = 2**12


class Side(NamedTuple):
    """Elements along a dim: the first one, how many, and from one to the next."""

    first: int
    size: int
    step: int


class Tap(NamedTuple):
    """A tap of windows over a dim: the elements that it sees, and those of the windows' dim."""

    tap: int
    elements: Side
    windows: Side

    @property
    def turned(self) -> Tap:
        """The tap of a transposed convolution, which reads windows and adds to elements."""
        return Tap(self.tap, self.windows, self.elements)


def check_taps(what: str, kernel: Sequence[int], **shown: object) -> None:
    """Check that the taps of windows are not too many for launches of their own."""
    if prod(kernel) > MOST_TAPS:
        raise RangeError(what, "windows of float64 must have at most 2**12 elements", **shown)


def taps_of(
    size: int, windows: int, taps: int, stride: int, dilation: int, begin: int
) -> Iterator[Tap]:
    """Yield the taps that see some of the elements, of which there are `size`."""
    for tap in range(taps):
        start = tap * dilation - begin
        first = max(0, -(start // stride))
        count = min(windows, (size - 1 - start) // stride + 1) - first
        if count > 0:
            elements = Side(start + first * stride, count, stride)
            yield Tap(tap, elements, Side(first, count, 1))


def over(windows: Windows | Pooling) -> Iterator[tuple[Tap, ...]]:
    """Yield the taps of all dims, in row-major order."""
    dims = zip(
        *(windows.sizes, windows.out, windows.kernel),
        *(windows.stride, windows.dilation, windows.begin),
    )
    return product(*[list(taps_of(*dim)) for dim in dims])


def seen(view: View, sides: Sequence[Side]) -> View:
    """Return these elements of the last dims."""
    layout = view.layout
    for dim, side in enumerate(sides, layout.rank - len(sides)):
        end = side.first + (side.size - 1) * side.step + 1
        layout = layout.slice(dim, side.first, end, side.step)
    return with_layout(view, layout)


def convolve(
    what: str, x: View, weight: View, target: View, taps: Iterable[tuple[Tap, ...]]
) -> None:
    """Add to 0, tap by tap, the sums of products with channels, which are those of `matmul`.

    x is (N, groups, inputs, ...), the weight (groups, outputs, inputs, window...), and the target
    (N, groups, outputs, ...). It shares no memory with the others.
    """
    fill_constant(what, target, float64, 0)
    if not (x.layout.numel and weight.layout.numel and target.layout.numel):
        return
    for at in taps:
        read = seen(x, [one.elements for one in at])
        to = Tensor(seen(target, [one.windows for one in at]))
        own = weight.layout
        for one in at:
            own = own.select(3, one.tap)
        sizes = (*to.shape, own.sizes[2])
        (image, group, channel, *steps), across = read.layout.strides, own.strides
        rows = Layout(sizes, (image, group, 0, *steps, channel), read.layout.offset)
        columns = Layout(sizes, (0, *across[:2], *[0 for _ in steps], across[2]), own.offset)
        terms = temporary(what, Layout.packed(to.shape, to.layout.order), float64, to)
        add_products(what, with_layout(read, rows), with_layout(weight, columns), terms)
        add(to, Tensor(terms), out=to)


def finish(what: str, bias: View | None, target: View, activation: Activation | None) -> None:
    """Add the bias of channels, and apply the activation."""
    if bias is not None:
        own = Tensor(over_channels(bias, target.layout.rank))
        add(Tensor(target), own, out=Tensor(target))
    activations.finish(what, target, target, activation)
