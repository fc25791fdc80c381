"""Windows and resampling in NumPy, bit for bit, one tap after the other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array

Pair = tuple[int, int]


def unfold(
    x: Array, kernel: Pair, dilation: Pair = (1, 1), padding: Pair = (0, 0), stride: Pair = (1, 1)
) -> Array:
    """Return the windows of (N, C, H, W) as columns, like `dml_vk.nn.unfold`.

    >>> import numpy as np
    >>> from dml_vk.testing.moves import unfold
    >>> unfold(np.arange(4).reshape(1, 1, 2, 2), (1, 2)).tolist()
    [[[0, 2], [1, 3]]]
    """
    padded = np.pad(x, ((0, 0), (0, 0), *[(by, by) for by in padding]))
    taps = [padded[window] for window in _places(padded.shape, kernel, dilation, stride)]
    return np.stack(taps, 2).reshape(x.shape[0], x.shape[1] * len(taps), -1)


def fold(
    x: Array,
    size: Pair,
    kernel: Pair,
    dilation: Pair = (1, 1),
    padding: Pair = (0, 0),
    stride: Pair = (1, 1),
) -> Array:
    """Return the columns added to (N, C, H, W), like `dml_vk.nn.fold`.

    >>> import numpy as np
    >>> from dml_vk.testing.moves import fold
    >>> fold(np.ones((1, 2, 2)), (1, 3), (1, 2)).tolist()
    [[[[1.0, 2.0, 1.0]]]]
    """
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    images, count = x.shape[0], kernel[0] * kernel[1]
    sizes = [extent + 2 * by for extent, by in zip(size, padding)]
    padded = np.zeros((images, x.shape[1] // count, *sizes), wide.dtype)
    columns = wide.reshape(images, -1, count, x.shape[2])
    for tap, window in enumerate(_places(padded.shape, kernel, dilation, stride)):
        padded[window] += columns[:, :, tap].reshape(padded[window].shape)
    inside = [slice(by, by + extent) for extent, by in zip(size, padding)]
    return padded[:, :, inside[0], inside[1]].astype(x.dtype)


def _places(
    shape: tuple[int, ...], kernel: Pair, dilation: Pair, stride: Pair
) -> Iterator[tuple[slice, ...]]:
    """Yield what each tap reads of the padded image."""
    ends = [extent - gap * (tap - 1) for extent, tap, gap in zip(shape[2:], kernel, dilation)]
    for taps in product(*map(range, kernel)):
        starts = [tap * gap for tap, gap in zip(taps, dilation)]
        spatial = [slice(at, at + end, by) for at, end, by in zip(starts, ends, stride)]
        yield (slice(None), slice(None), *spatial)


def resample(
    x: Array, size: tuple[int, ...], mode: str, align_corners: bool = False, cubic: float = -0.75
) -> Array:
    """Return (N, C, ...) in another size, like `dml_vk.nn.resample`.

    >>> import numpy as np
    >>> from dml_vk.testing.moves import resample
    >>> resample(np.array([[[1.0, 3.0]]], np.float32), (3,), "linear", True).tolist()
    [[[1.0, 2.0, 3.0]]]
    """
    result = x if mode.startswith("nearest") else x.astype(np.float32)
    for dim in reversed(range(2, x.ndim)):
        lines = [
            _line(result, dim, size[dim - 2], index, mode, align_corners, cubic)
            for index in range(size[dim - 2])
        ]
        result = np.stack(lines, dim)
    return result.astype(x.dtype)


def _line(
    x: Array, dim: int, size: int, index: int, mode: str, align_corners: bool, cubic: float
) -> Array:
    """Return the elements at one index of the result's dim."""
    last = x.shape[dim] - 1
    if mode.startswith("nearest"):
        double = 2 * index + (mode == "nearest_exact")
        return np.asarray(x.take(double * (last + 1) // (2 * size), dim))
    at = Fraction((2 * index + 1) * (last + 1), 2 * size) - Fraction(1, 2)
    if align_corners:
        at = Fraction(index * last, max(1, size - 1))
    if mode == "linear":
        at = min(max(at, Fraction(0)), Fraction(last))
    total: Any = None
    for tap in range(floor(at) - (mode == "cubic"), floor(at) + 2 + (mode == "cubic")):
        distance = abs(at - tap)
        factor = 1 - distance if mode == "linear" else _cubic(distance, Fraction(cubic))
        term = x.take(min(max(tap, 0), last), dim) * np.float32(float(factor))
        total = term if total is None else total + term
    return np.asarray(total)


def _cubic(t: Fraction, a: Fraction) -> Fraction:
    near = (a + 2) * t**3 - (a + 3) * t**2 + 1
    return near if t <= 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a
