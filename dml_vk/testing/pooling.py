"""Reference results of pooling, bit for bit, in NumPy.

No code is shared with the kernels. `dml_vk.ops.pool` specifies the order of sums. Here windows are
lists of positions, one list for each spatial dim and each window along it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from dml_vk.testing.arrays import Array

Rows = list[list[int]]


def positions(
    size: int, windows: int, kernel: int, stride: int = 1, begin: int = 0, dilation: int = 1
) -> Rows:
    """Return the positions of each window along a dim, of which some may lie in the padding.

    >>> from dml_vk.testing.pooling import positions
    >>> positions(4, 2, 3, stride=2, begin=1)
    [[-1, 0, 1], [1, 2, 3]]
    """
    return [
        [at * stride - begin + tap * dilation for tap in range(kernel)] for at in range(windows)
    ]


def adaptive_positions(size: int, windows: int) -> Rows:
    """Return the positions of windows that divide a dim as evenly as possible.

    >>> from dml_vk.testing.pooling import adaptive_positions
    >>> adaptive_positions(5, 2)
    [[0, 1, 2], [2, 3, 4]]
    """
    return [
        list(range(at * size // windows, -(-(at + 1) * size // windows))) for at in range(windows)
    ]


def max_of(array: object, rows: Sequence[Rows]) -> tuple[Array, Array]:
    """Return the maximum of each window and its flat index over the spatial dims.

    The first of equal elements counts, or the last NaN. Windows without elements have the lowest
    value, or -inf, and index -1.

    >>> from dml_vk.testing.pooling import max_of
    >>> found, index = max_of([[[5, 7, 6, 1]]], [[[0, 1], [2, 3]]])
    >>> found.tolist(), index.tolist()
    ([[[7, 6]]], [[[1, 2]]])
    """
    x = _spatial_first(array)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    shape = (*map(len, rows), *x.shape[-2:])
    best, index = np.full(shape, lowest, x.dtype), np.full(shape, -1, np.int64)
    for at, inside in _windows(x, rows):
        for index_in_x in inside:
            values, before = x[index_in_x], best[at]
            flat = np.ravel_multi_index(index_in_x, x.shape[:-2])
            with np.errstate(invalid="ignore"):
                better = (values > before) | (values != values) | (index[at] < 0)
            best[at] = np.where(better, values, before)
            index[at] = np.where(better, flat, index[at])
    return _spatial_last(best), _spatial_last(index)


def mean_of(array: object, rows: Sequence[Rows], ends: Sequence[int] | None = None) -> Array:
    """Return the mean of each window: its sum divided by the number of its elements.

    With `ends` those before them count too, also where they lie in the padding.

    >>> from dml_vk.testing.pooling import mean_of
    >>> mean_of([[[1.0, 3.0, 8.0]]], [[[-1, 0], [1, 2]]]).tolist()
    [[[1.0, 5.5]]]
    """
    x = np.asarray(array)
    sums = _sums(x, rows)
    counts = np.ones(sums.shape[2:], sums.dtype)
    for at, inside in _windows(_spatial_first(x), rows):
        counts[at] = max(1, len(inside))
        if ends is not None:
            taps = [
                sum(position < end for position in row[i]) for i, row, end in zip(at, rows, ends)
            ]
            counts[at] = max(1, math.prod(taps))
    return np.asarray(sums / counts, x.dtype)


def power_mean_of(array: object, rows: Sequence[Rows], p: float) -> Array:
    """Return `sum(window ** p) ** (1 / p)`; bit for bit only for p = 1 and p = 2.

    >>> from dml_vk.testing.pooling import power_mean_of
    >>> [power_mean_of([[[3.0, 4.0]]], [[[0, 1]]], p).tolist() for p in (1, 2)]
    [[[[7.0]]], [[[5.0]]]]
    """
    x = np.asarray(array)
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    with np.errstate(all="ignore"):
        if p == 1:
            return np.asarray(_sums(wide, rows), x.dtype)
        if p == 2:
            return np.asarray(np.sqrt(_sums(wide * wide, rows)), x.dtype)
        powers = wide.astype(np.float64) ** np.float64(wide.dtype.type(p))
        root = np.float64(wide.dtype.type(1 / p))
        return np.asarray(_sums(powers, rows) ** root, x.dtype)


def _sums(x: Array, rows: Sequence[Rows]) -> Array:
    """Add the elements of each window in row-major order, from +0 on."""
    wide = _spatial_first(x).astype(np.promote_types(x.dtype, np.float32))
    sums = np.zeros((*map(len, rows), *x.shape[:2]), wide.dtype)
    with np.errstate(all="ignore"):
        for at, inside in _windows(wide, rows):
            for index in inside:
                sums[at] += wide[index]
    return _spatial_last(sums)


def _spatial_first(x: object) -> Array:
    return np.moveaxis(np.asarray(x), (0, 1), (-2, -1))


def _spatial_last(x: Array) -> Array:
    return np.moveaxis(x, (-2, -1), (0, 1))


def _windows(
    x: Array, rows: Sequence[Rows]
) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Yield each window's place among windows, and the places of its elements, in order."""
    for at in itertools.product(*[range(len(row)) for row in rows]):
        own = [
            [position for position in row[i] if 0 <= position < size]
            for i, row, size in zip(at, rows, x.shape)
        ]
        yield at, list(itertools.product(*own))
