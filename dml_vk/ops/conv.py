"""Convolutions: sums of products over windows of the input, without copies of the windows.

**The order of a sum**: terms are in row-major order of the window's elements and, within each of
them, of the input channels of the group. They are added one after the other in runs of 64, counted
from the first term, the sums of runs likewise in blocks of 64, and the sums of blocks one after the
other. Terms in the padding are left out: they are neither read nor added, but counted. The sum of
zeros, and of nothing, is +0. Then the bias is added. The result depends on nothing else: not on
layouts, tiles, the batch or the device. Each product and each sum is rounded; none is fused, unless
`settings.exact` is False. float16 is computed in float32 and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.dtypes import float32
from dml_vk.exactness import settings
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.conv import MOST_TERMS, Channels, Epilogue, plan_conv
from dml_vk.kernels.plan.depthwise import plan_depthwise, suits
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.windows import from_inside, image
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, access, operand, used_strides, with_layout
from dml_vk.windows import Window


def convolve(
    what: str,
    x: View,
    weight: View,
    bias: View | None,
    target: View,
    windows: Sequence[Window],
    groups: int,
    activation: tuple[int, Ints] = (0, ()),
) -> None:
    """Write the convolution to the target, which shares no memory with the others.

    Sizes must fit each other and the windows. An activation, by its opcode and its parameters'
    words, and a target of float16 are for what `is_one_launch`.
    """
    if not target.layout.numel:
        return
    if not (x.layout.numel and weight.layout.numel):
        fill_constant(what, target, float32, 0)
        if bias is not None:
            layout = bias.layout
            rank = target.layout.rank - 2
            sizes, strides = (*layout.sizes, *(1,) * rank), (*layout.strides, *(0,) * rank)
            over = with_layout(bias, Layout(sizes, strides, layout.offset))
            compute(what, OPERATORS["add"], (target, over), target, float32)
        return
    profile = target.device.profile
    outputs, inputs, *taps = weight.layout.sizes
    channels = Channels(x.layout.sizes[0], groups, inputs, outputs // groups)
    dims = from_inside(windows, Window())
    of_bias = None if bias is None else (*used_strides(bias.layout), bias.dtype)
    operands, dtypes = _images(x, weight, target), (x.dtype, weight.dtype, target.dtype)
    reads = [access(view, False) for view in (x, weight, x if bias is None else bias)]
    epilogue, fma = Epilogue(*activation), not settings.exact
    if suits(channels, dims):
        plan = plan_depthwise(channels, dims, operands, dtypes, of_bias, profile, epilogue, fma=fma)
        target.device.launch(plan, (*reads, access(target, True)))
        return
    for first in range(0, inputs * math.prod(taps), MOST_TERMS):
        plan = plan_conv(
            channels, dims, operands, dtypes, of_bias, profile, first, epilogue, fma=fma
        )
        target.device.launch(plan, (*reads, access(target, True)))


def is_one_launch(weight: Layout, x: Layout) -> bool:
    """Whether a single launch of one kernel adds all terms, of which there are some."""
    depth = math.prod(weight.sizes[1:])
    return x.numel > 0 and weight.numel > 0 and depth <= MOST_TERMS and settings.exact


def _images(x: View, weight: View, target: View) -> tuple[Operand, Operand, Operand]:
    a, b, dst = [image(operand(view, used_strides(view.layout))) for view in (x, weight, target)]
    return a, b, dst
