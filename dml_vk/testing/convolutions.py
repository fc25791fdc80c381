"""Reference results of convolutions, bit for bit, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array
from dml_vk.testing.products import sum_of

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
    parts_of_sums = []
    for element in product(*map(range, kernel)):
        window, there = _gathered(x, [places[dim][at] for dim, at in enumerate(element)])
        own: Any = (..., *element)
        factors = parts[own].reshape(1, groups, outputs, inputs, *[1] * rank)
        with np.errstate(all="ignore"):
            products = np.where(there, window * factors, np.float32(-0.0))
        parts_of_sums.append(np.moveaxis(products, 3, -1))
    all_terms = np.concatenate(parts_of_sums, axis=-1)
    return all_terms.reshape(samples, groups * outputs, *all_terms.shape[3:])


def _gathered(x: Array, places: Sequence[Array]) -> tuple[Array, Array]:
    """(the elements at these positions of each spatial dim, from dim 4 on; which of them exist)."""
    there: Array = np.ones((), bool)
    for dim, position in enumerate(places, 4):
        is_inside = (position >= 0) & (position < x.shape[dim])
        there = there[..., None] & is_inside
        if not x.shape[dim]:  # Nothing is inside.
            x = np.zeros((*x.shape[:dim], 1, *x.shape[dim + 1 :]), np.float32)
        x = np.take(x, np.where(is_inside, position, 0), axis=dim)
    return x, there


def conv_transpose(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Sequence[int],
    padding: Sequence[tuple[int, int]],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int = 1,
) -> Array:
    """The result of `dml_vk.nn.conv_transpose` without an activation.

    The terms of a sum are those of the window's elements that fall on elements of the input, or on
    their continuation outside of it; the last one first.

    >>> import numpy as np
    >>> from dml_vk.testing.convolutions import conv_transpose
    >>> x, weight = np.float32([[[1, 2]]]), np.float32([[[1, 10, 100]]])
    >>> options = {"stride": [2], "padding": [(0, 0)], "dilation": [1]}
    >>> conv_transpose(x, weight, output_padding=[1], **options).tolist()
    [[[1.0, 10.0, 102.0, 20.0, 200.0, 0.0]]]
    """
    rank, samples, kernel = len(stride), x.shape[0], weight.shape[2:]
    inputs, outputs = weight.shape[0] // groups, weight.shape[1]
    result = np.result_type(*[each for each in (x, weight, bias) if each is not None])
    sizes = [
        (x.shape[2 + k] - 1) * stride[k] + (kernel[k] - 1) * dilation[k] + 1
        + output_padding[k] - sum(padding[k])
        for k in range(rank)
    ]  # fmt: skip
    wide = x.astype(np.float32).reshape(samples, groups, 1, inputs, *x.shape[2:])
    parts = weight.astype(np.float32).reshape(groups, inputs, outputs, *kernel).swapaxes(1, 2)
    sums = np.zeros((samples, groups * outputs, *sizes), np.float32)
    for index in np.ndindex(*sizes):
        at = [o + begin for o, (begin, _) in zip(index, padding)]
        parts_of_sum = []
        for element in reversed(list(product(*map(range, kernel)))):
            from_first = [o - e * apart for o, e, apart in zip(at, element, dilation)]
            if any(o % step for o, step in zip(from_first, stride)):
                continue
            places = [np.array([o // step]) for o, step in zip(from_first, stride)]
            window, there = _gathered(wide, places)
            own: Any = (..., *element)
            factors = parts[own].reshape(1, groups, outputs, inputs, *[1] * rank)
            with np.errstate(all="ignore"):
                terms = np.where(there, window * factors, np.float32(-0.0))
            parts_of_sum.append(terms.reshape(samples, groups * outputs, inputs))
        if parts_of_sum:
            element_of_sums: Any = (..., *index)
            sums[element_of_sums] = sums_of(np.concatenate(parts_of_sum, axis=-1))
    if bias is not None:
        with np.errstate(all="ignore"):
            sums = sums + bias.astype(np.float32).reshape(-1, *[1] * rank)
    with np.errstate(over="ignore"):
        rounded: Array = sums.astype(result)
    return rounded


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
