"""Reference results of convolutions, bit for bit, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dml_vk.testing.products import sum_of

Array = NDArray[Any]
BLOCK = 64 * 64  # terms


def conv(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Sequence[int],
    padding: Sequence[tuple[int, int]],
    dilation: Sequence[int],
    groups: int = 1,
) -> Array:
    """The result of `dml_vk.nn.conv` without an activation, with one entry for each spatial dim.

    >>> import numpy as np
    >>> from dml_vk.testing.convolutions import conv
    >>> x, weight = np.float32([[[1, 2, 3]]]), np.float32([[[1, 10]]])
    >>> conv(x, weight, stride=[1], padding=[(1, 0)], dilation=[1]).tolist()
    [[[10.0, 21.0, 32.0]]]
    """
    result = np.result_type(*[each for each in (x, weight, bias) if each is not None])
    sums = sums_of(terms(x, weight, stride, padding, dilation, groups))
    if bias is not None:
        with np.errstate(all="ignore"):
            sums = sums + bias.astype(np.float32).reshape(-1, *[1] * len(stride))
    with np.errstate(over="ignore"):
        rounded: Array = sums.astype(result)
    return rounded


def terms(
    x: Array,
    weight: Array,
    stride: Sequence[int],
    padding: Sequence[tuple[int, int]],
    dilation: Sequence[int],
    groups: int,
) -> Array:
    """All products, those of one sum along a last dim; -0, which changes no sum, in the padding."""
    rank = len(stride)
    samples, kernel = x.shape[0], weight.shape[2:]
    inputs, outputs = weight.shape[1], weight.shape[0] // groups
    places = []  # of each spatial dim: for each element of the window, the positions in x
    for dim in range(rank):
        begin, end = padding[dim]
        room = begin + x.shape[2 + dim] + end - (kernel[dim] - 1) * dilation[dim] - 1
        first = np.arange(room // stride[dim] + 1) * stride[dim] - begin
        places.append([first + at * dilation[dim] for at in range(kernel[dim])])
    x = x.astype(np.float32).reshape(samples, groups, 1, inputs, *x.shape[2:])
    parts = weight.astype(np.float32).reshape(groups, outputs, inputs, *kernel)
    made = []
    for element in product(*map(range, kernel)):
        window, there = x, np.ones((), bool)
        for dim, at in enumerate(element):
            place, size = places[dim][at], x.shape[4 + dim]
            is_inside = (place >= 0) & (place < size)
            there = there[..., None] & is_inside
            inside = np.where(is_inside, place, 0)
            if not size:  # Nothing is inside.
                shape = (*window.shape[: 4 + dim], 1, *window.shape[5 + dim :])
                window = np.zeros(shape, np.float32)
            window = np.take(window, inside, axis=4 + dim)
        own: Any = (..., *element)
        factors = parts[own].reshape(1, groups, outputs, inputs, *[1] * rank)
        with np.errstate(all="ignore"):
            products = np.where(there, window * factors, np.float32(-0.0))
        made.append(np.moveaxis(products, 3, -1))
    found = np.concatenate(made, axis=-1)
    return found.reshape(samples, groups * outputs, *found.shape[3:])


def sums_of(products: Array) -> Array:
    """Sum along the last dim: in blocks of 4096 as matrix products, then block after block.

    A sum of zeros is +0.
    """
    with np.errstate(all="ignore"):
        sums = np.full(products.shape[:-1], -0.0, np.float32)
        for start in range(0, products.shape[-1], BLOCK):
            sums = sums + sum_of(products[..., start : start + BLOCK])
    return np.where(sums == 0, np.float32(0), sums)


def error_bound(products: Array) -> Array:
    """How far a sum, before it is rounded to another dtype, may be from the exact one.

    Each product is rounded once, and then at most once for each sum that it becomes a term of: in
    a run, a block, and the sums of blocks.
    """
    count = products.shape[-1]
    blocks = -(-count // BLOCK)
    roundings = 1 + min(count, 64) + min(-(-count // 64), 64) + blocks
    unit = roundings * 2.0**-24
    size = np.abs(products.astype(np.float64)).sum(axis=-1)
    bound: Array = size * unit / (1 - unit) + count * 2.0**-149
    return bound
