"""Convolutions in float64: one tap of all windows after the other, by a few launches each.

Taps are in row-major order, and sums begin with +0.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.math.elementwise import add
from dml_vk.dtypes import float64
from dml_vk.layout import Layout
from dml_vk.nn import activations
from dml_vk.nn.affine import over_channels
from dml_vk.nn.float64.taps import elements_at, taps_over, windows_at
from dml_vk.ops.activation import Activation
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.matmul import add_products
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.windows import Window


def convolve(
    what: str,
    x: View,
    weight: View,
    target: View,
    windows: Sequence[Window],
    *,
    transposed: bool = False,
) -> None:
    """Add to 0, tap by tap, the sums of products with channels, which are those of `matmul`.

    x is (N, groups, inputs, ...), the weight (groups, outputs, inputs, window...), and the target
    (N, groups, outputs, ...). It shares no memory with the others. A transposed convolution reads
    windows, and adds to the elements under them.
    """
    fill_constant(what, target, float64, 0)
    if not (x.layout.numel and weight.layout.numel and target.layout.numel):
        return
    for taps in taps_over(windows):
        if transposed:
            read, sums = windows_at(x, taps), elements_at(target, windows, taps)
        else:
            read, sums = elements_at(x, windows, taps), windows_at(target, taps)
        to = Tensor(sums)
        factors = weight.layout
        for run in taps:
            factors = factors.select(3, run.tap)
        sizes = (*to.shape, factors.sizes[2])
        (image, group, channel, *steps), across = read.layout.strides, factors.strides
        rows = Layout(sizes, (image, group, 0, *steps, channel), read.layout.offset)
        columns = Layout(sizes, (0, *across[:2], *[0 for _ in steps], across[2]), factors.offset)
        terms = temporary(what, Layout.packed(to.shape, to.layout.order), float64, to)
        add_products(what, with_layout(read, rows), with_layout(weight, columns), terms)
        add(to, Tensor(terms), out=to)


def finish(what: str, bias: View | None, target: View, activation: Activation | None) -> None:
    """Add the bias of channels, and apply the activation."""
    if bias is not None:
        terms = Tensor(over_channels(bias, target.layout.rank))
        add(Tensor(target), terms, out=Tensor(target))
    activations.finish(what, target, target, activation)
