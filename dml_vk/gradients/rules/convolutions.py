"""Gradients of convolutions, which are convolutions too, in any rank, format and number of groups.

That of the data is the transposed convolution, and for a transposed one the convolution. That of
the weights is a convolution in which images are channels: windows as large as the cotangent, a
stride apart, slide over the image by steps of the dilation. So its sums are in the order of
`dml_vk.ops.conv`, over positions in row-major order and, within each, over the images.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.array.calls import call, composed
from dml_vk.array.creation.arrays import zeros, zeros_like
from dml_vk.array.manipulation.shapes import flip, permute_dims, reshape
from dml_vk.array.math.signal import slide_floats
from dml_vk.array.products.einsum import einsum
from dml_vk.array.statistics.reductions import sum
from dml_vk.dtypes import float64
from dml_vk.gradients.rules.activations import before
from dml_vk.gradients.rules.fitting import exchanged, like, wide
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.nn.conv import _conv, conv, windows_for
from dml_vk.nn.conv_transpose import _conv_transpose, conv_transpose
from dml_vk.nn.float64.taps import MOST_TAPS
from dml_vk.nn.folding import columns_of
from dml_vk.nn.windows import Pair, Windows, paddings
from dml_vk.tensor.core import Tensor
from dml_vk.windows import Window


@rule(_conv)
def convolution(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    stride, padding, dilation, groups, activation = noted.params
    x, weight, *biases = noted.operands

    def again() -> Tensor:
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return conv(*noted.operands, **options)

    cotangent = before(activation, noted, cotangent, again)
    windows = windows_for("conv", x.shape, weight.shape, stride, padding, dilation, groups)
    data = None if x.size else zeros_like(x)
    if noted.wants(0) and x.size:  # Of images, which have no gradient, it can take long.
        data = conv_transpose(
            *(cotangent, weight),
            stride=stride,
            padding=paddings(windows),
            output_padding=[window.padded_size - window.reach(window.count) for window in windows],
            dilation=dilation,
            groups=groups,
        )
    factors = _of_weight(x, cotangent, windows, groups)
    return [
        None if data is None else like(data, x),
        like(factors, weight),
        *_of_biases(cotangent, biases),
    ]


@rule(_conv_transpose)
def transposed_convolution(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    stride, padding, output_padding, dilation, groups, activation = noted.params
    x, weight, *biases = noted.operands
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}

    def again() -> Tensor:
        return conv_transpose(*noted.operands, output_padding=output_padding, **options)

    cotangent = before(activation, noted, cotangent, again)
    data = conv(cotangent, weight, **options)
    # The padding at the end of the result may have windows that are of no element of x.
    within = (..., *map(slice, x.shape[2:]))
    data = data[within]
    dims = zip(cotangent.shape[2:], x.shape[2:], weight.shape[2:], stride, dilation, padding)
    windows = tuple([Window(*dim, *pair) for *dim, pair in dims])
    factors = _of_weight(cotangent, x, windows, groups)
    return [like(data, x), like(factors, weight), *_of_biases(cotangent, biases)]


@rule(slide_floats)
def slid(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Of a sequence along another one: the cotangent slides too, along it or under it."""
    what, before, *_ = noted.params
    a, v = [wide(operand) for operand in noted.operands]
    g = wide(cotangent)
    ahead = v.size - 1 - before
    data = composed(slide_floats, (g, flip(v)), None, what, ahead, a.size, g.dtype)
    factors = composed(slide_floats, (a, g), None, what, before, v.size, g.dtype)
    return [like(data, noted.operands[0]), like(factors, noted.operands[1])]


def _of_weight(image: Tensor, cotangent: Tensor, windows: Windows, groups: int) -> Tensor:
    """Return (outputs, inputs / groups, window...): products of the cotangent with windows."""
    if not (image.size and cotangent.size):
        extent = [window.taps for window in windows]
        shape = (cotangent.shape[1], image.shape[1] // groups, *extent)
        return zeros(shape, cotangent.dtype, device=cotangent.device)
    if float64 in (image.dtype, cotangent.dtype) and math.prod(cotangent.shape[2:]) > MOST_TAPS:
        return _by_columns(image, cotangent, windows, groups)
    image, padding = _as_far_as_read(image, windows)
    images, channels, *sizes = image.shape
    each, taps = channels // groups, [window.taps for window in windows]
    if groups == 1:
        turned = exchanged(image)
    else:
        split = reshape(image, (images, groups, each, *sizes))
        turned = permute_dims(split, (2, 1, 0, *range(3, split.ndim)))
        turned = reshape(turned, (each, groups * images, *sizes))
    products = conv(
        *(turned, exchanged(cotangent)),
        stride=[window.dilation for window in windows],
        padding=padding,
        dilation=[window.stride for window in windows],
        groups=groups,
    )
    within = (..., *map(slice, taps))
    return exchanged(products[within])


def _as_far_as_read(image: Tensor, windows: Windows) -> tuple[Tensor, list[Pair]]:
    """Return the part of an image, and of its padding, that ends where the last window does.

    What follows, as with a stride, would be read for taps that there are not.
    """
    ends: list[int] = []
    padding: list[Pair] = []
    for window in windows:
        rest = window.padded_size - window.reach(window.count)
        after = max(window.after - rest, 0)
        ends.append(max(window.size - (rest - window.after + after), 1))
        padding.append((window.before, after))
    within = (..., *map(slice, ends))
    return image[within], padding


def _by_columns(image: Tensor, cotangent: Tensor, windows: Windows, groups: int) -> Tensor:
    """Do as `_of_weight` by a product of matrices, for windows that are too large for float64."""
    images, channels = image.shape[:2]
    each, taps = channels // groups, [window.taps for window in windows]
    outputs = cotangent.shape[1]
    columns = call(columns_of, (image,), None, windows)
    columns = reshape(columns, (images, groups, each * math.prod(taps), -1))
    rows = reshape(cotangent, (images, groups, outputs // groups, -1))
    products = einsum("ngop,ngcp->goc", rows, columns)
    return reshape(products, (outputs, each, *taps))


def _of_biases(cotangent: Tensor, biases: Sequence[Tensor]) -> list[Tensor]:
    axes = (0, *range(2, cotangent.ndim))
    return [like(sum(cotangent, axis=axes), bias) for bias in biases]
