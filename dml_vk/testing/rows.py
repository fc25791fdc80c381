"""Reference results of softmax and norms, bit for bit, in NumPy.

No code is shared with the kernels. `dml_vk.ops.rows` specifies the order of operations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.testing.arrays import Array
from dml_vk.testing.exponential import exponential

Axis = int | tuple[int, ...]
_CHUNK = 16


class Moments(NamedTuple):
    """Of each row: the number of elements, the mean, and the sum of squared deviations from it."""

    elements: Array
    mean: Array
    squares: Array


def softmax(array: object, axis: Axis = -1) -> Array:
    """Divide exp(x - m) by its sum over the axes, where m is the largest element.

    >>> import numpy as np
    >>> from dml_vk.testing.rows import softmax
    >>> softmax(np.float32([0, 0, -np.inf, 0, 0])).tolist()
    [0.25, 0.25, 0.0, 0.25, 0.25]
    """
    values = np.asarray(array)
    with np.errstate(all="ignore"):
        largest, total = _exp_sums(_chunks(values, axis, -np.inf)[0])
        largest, scale = [
            _with_axis(statistic, values, axis) for statistic in (largest, np.float32(1) / total)
        ]
        return np.asarray(exponential(values.astype(np.float32) - largest) * scale, values.dtype)


def moments(array: object, axis: Axis, *, centred: bool = True) -> Moments:
    """Return the moments of the rows over these axes, which are kept with size 1.

    If not `centred`, means are 0, and the sums are those of squares.

    >>> import numpy as np
    >>> from dml_vk.testing.rows import moments
    >>> moments(np.float32([[1.0, 3.0], [5.0, -5.0]]), 1).squares.tolist()
    [[2.0], [50.0]]
    """
    values = np.asarray(array)
    with np.errstate(all="ignore"):
        rows, there = _chunks(values, axis, 0)
        counts = there.sum(-1).astype(np.float32)
        first = rows[..., :1]
        away = np.where(there, rows - first, np.float32(0))
        each = np.where(counts == _CHUNK, np.float32(1 / _CHUNK), _inverse(counts))
        mean = first[..., 0] + _tree_sum(away) * each
        mean = mean if centred else np.zeros_like(mean)
        away = rows - mean[..., None]
        squares = _tree_sum(np.where(there, away * away, np.float32(0)))
        nodes = Moments(np.broadcast_to(counts, mean.shape), mean, squares)
        return Moments(*[_with_axis(statistic, values, axis) for statistic in _joined(nodes)])


def of_groups(channels: Moments, groups: int) -> Moments:
    """Join the moments of channels (N, C, 1...) to those of groups, repeated for each channel."""
    sizes = channels.mean.shape
    each = sizes[1] // groups
    with np.errstate(all="ignore"):
        parts = [np.reshape(values, (sizes[0], groups, each)) for values in channels]
        joined = _joined(Moments(*parts))
    return Moments(*[np.repeat(values, each, axis=1).reshape(sizes) for values in joined])


def normalised(
    array: object, statistics: Moments, eps: float, weight: object = None, bias: object = None
) -> Any:
    """Subtract the mean and divide by the root of the variance plus eps; apply weight and bias.

    >>> import numpy as np
    >>> from dml_vk.testing.rows import moments, normalised
    >>> x = np.float32([1.0, 3.0])
    >>> normalised(x, moments(x, 0), 0.0, weight=np.float32(2.0)).tolist()
    [-2.0, 2.0]
    """
    values = np.asarray(array)
    with np.errstate(all="ignore"):
        variance = np.asarray(
            statistics.squares / statistics.elements + np.float32(eps), np.float64
        )
        scale = np.asarray(1 / np.sqrt(variance), np.float32)
        result = (values.astype(np.float32) - statistics.mean) * scale
        if weight is not None:
            result = result * np.asarray(weight, np.float32)
        if bias is not None:
            result = result + np.asarray(bias, np.float32)
        return np.asarray(result, values.dtype)


def _axes(array: Array, axis: Axis) -> list[int]:
    return sorted(int(number) % array.ndim for number in np.atleast_1d(axis))


def _chunks(array: Array, axis: Axis, missing: float) -> tuple[Array, Array]:
    """Return rows in chunks of 16 elements, as the last two dims, and which of those exist."""
    axes = _axes(array, axis)
    outer = [dim for dim in range(array.ndim) if dim not in axes]
    sizes = [array.shape[dim] for dim in outer]
    rows = array.transpose([*outer, *axes]).reshape(*sizes, -1).astype(np.float32)
    count = rows.shape[-1]
    more = -count % _CHUNK
    padded = np.pad(rows, [(0, 0)] * len(sizes) + [(0, more)], constant_values=missing)
    there = np.arange(count + more) < count
    return padded.reshape(*sizes, -1, _CHUNK), there.reshape(-1, _CHUNK)


def _with_axis(values: Array, array: Array, axis: Axis) -> Array:
    axes = _axes(array, axis)
    return values.reshape([1 if dim in axes else n for dim, n in enumerate(array.shape)])


def _tree_sum(terms: Array) -> Array:
    while terms.shape[-1] > 1:
        terms = terms[..., ::2] + terms[..., 1::2]
    total: Array = terms[..., 0]
    return total


def _inverse(count: Array) -> Array:
    """Return 1 / count as the kernels do: by Newton's method."""
    guess: Array = np.uint32(0x7EF311C7) - count.astype(np.float32).view(np.uint32)
    guess = guess.view(np.float32)
    for _ in range(3):
        guess = guess + guess * (np.float32(1) - count * guess)
    return guess


def _joined(nodes: Moments) -> Moments:
    """Join nodes along the last dim, as a tree."""
    while nodes.mean.shape[-1] > 1:
        widths = [(0, 0)] * (nodes.mean.ndim - 1) + [(0, nodes.mean.shape[-1] % 2)]
        count, mean, squares = [np.pad(values, widths) for values in nodes]
        left = Moments(*[values[..., ::2] for values in (count, mean, squares)])
        right = Moments(*[values[..., 1::2] for values in (count, mean, squares)])
        total = left.elements + right.elements
        share = right.elements * _inverse(total)
        share = np.where(left.elements == right.elements, np.float32(0.5), share)
        apart = right.mean - left.mean
        between = apart * apart * (left.elements * share)
        alone = right.elements == 0
        nodes = Moments(
            total,
            np.where(alone, left.mean, left.mean + apart * share),
            np.where(alone, left.squares, (left.squares + right.squares) + between),
        )
    return Moments(*[values[..., 0] for values in nodes])


def _exp_sums(rows: Array) -> tuple[Array, Array]:
    largest = rows.max(-1)
    total = _tree_sum(exponential(rows - _pivot(largest)[..., None]))
    while largest.shape[-1] > 1:
        widths = [(0, 0)] * (largest.ndim - 1) + [(0, largest.shape[-1] % 2)]
        largest = np.pad(largest, widths, constant_values=-np.inf)
        total = np.pad(total, widths)
        most = np.maximum(largest[..., ::2], largest[..., 1::2])
        from_left = most != largest[..., 1::2]
        less = np.where(from_left, largest[..., 1::2], largest[..., ::2])
        unscaled = np.where(from_left, total[..., ::2], total[..., 1::2])
        scaled = np.where(from_left, total[..., 1::2], total[..., ::2])
        total = unscaled + scaled * exponential(less - _pivot(most))
        largest = most
    return largest[..., 0], total[..., 0]


def _pivot(largest: Array) -> Array:
    return np.where(largest == -np.inf, np.float32(0), largest)
