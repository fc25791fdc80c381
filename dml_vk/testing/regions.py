"""Reference results of regions of images, in NumPy, without any code of the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array

_ONE = np.float32(1)


def roi_pooling(image: Array, regions: Array, scale: float, height: int, width: int) -> Array:
    """Maxima of boxes; `regions` are rows of an image's index, x1, y1, x2 and y2.

    >>> import numpy as np
    >>> from dml_vk.testing.regions import roi_pooling
    >>> image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> roi_pooling(image, np.float32([[0, 0, 0, 3, 3]]), 1, 2, 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    images, channels, *sizes = image.shape
    pooled = np.zeros((len(regions), channels, height, width), image.dtype)
    for number, (batch, *corners) in enumerate(regions.astype(np.float32)):
        x1, y1, x2, y2 = [int(np.rint(corner * np.float32(scale))) for corner in corners]
        source = image[min(max(int(batch), 0), images - 1)]
        for row in range(height):
            down = _box(y1, y2, row, height, sizes[0])
            for column in range(width):
                across = _box(x1, x2, column, width, sizes[1])
                box = source[:, slice(*down), slice(*across)]
                if box.size:
                    pooled[number, :, row, column] = box.max((1, 2))
    return pooled


def _box(first: int, last: int, index: int, count: int, size: int) -> tuple[int, int]:
    length = last - first + 1
    start = index * length // count + first
    end = -(-(index + 1) * length // count) + first
    return min(max(start, 0), size), min(max(end, 0), size)


def roi_align(
    image: Array,
    regions: Array,
    batch: Array,
    height: int,
    width: int,
    *,
    scales: tuple[float, float],
    offsets: tuple[float, float],
    outside: float,
    samples: tuple[int, int],
    largest: bool,
    nearest: bool,
    corners: bool,
) -> Array:
    """Averages or maxima of samples; `scales` are of x and y, `offsets` of input and output.

    >>> import numpy as np
    >>> from dml_vk.testing.regions import roi_align
    >>> image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> named = dict(scales=(1, 1), offsets=(0.5, -0.5), outside=0, samples=(1, 1))
    >>> switches = dict(largest=False, nearest=False, corners=False)
    >>> roi_align(image, np.float32([[0, 0, 4, 4]]), [0], 2, 2, **named, **switches).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    """
    images, channels, *sizes = image.shape
    source = image.astype(np.float32)
    pooled = np.zeros((len(regions), channels, height, width), image.dtype)
    for number, corner in enumerate(regions.astype(np.float32)):
        x1, x2 = corner[[0, 2]] * np.float32(scales[0])
        y1, y2 = corner[[1, 3]] * np.float32(scales[1])
        plane = source[min(int(batch[number]), images - 1)]
        options: dict[str, Any] = {
            "offsets": offsets,
            "samples": samples,
            "nearest": nearest,
            "corners": corners,
        }
        down = _places(y1, y2, height, sizes[0], **options)
        across = _places(x1, x2, width, sizes[1], **options)
        for row in range(height):
            for column in range(width):
                both = [(y, x) for y in down[row] for x in across[column]]
                values = [_sample(plane, y, x, np.float32(outside)) for y, x in both]
                if largest:
                    result = np.max(values, 0)
                else:
                    result = np.zeros(channels, np.float32)
                    for value in values:
                        result = result + value
                    result = result / np.float32(len(values))
                pooled[number, :, row, column] = result
    return pooled


def _places(
    first: Any,
    last: Any,
    count: int,
    size: int,
    *,
    offsets: tuple[float, float],
    samples: tuple[int, int],
    nearest: bool,
    corners: bool,
) -> list[list[tuple[int, int, Any] | None]]:
    """For each element its samples: the elements on either side and the share of the second."""
    length = last - first
    number = min(max(math.ceil(abs(length) / np.float32(count)), samples[0]), samples[1])
    steps = number * count
    step = length / np.float32(max(steps - 1, 1) if corners else steps)
    taken: list[tuple[int, int, Any] | None] = []
    for k in range(steps):
        x = (np.float32(k) - np.float32(offsets[1])) * step + first - np.float32(offsets[0])
        if not -1 <= x <= size:
            taken.append(None)
            continue
        x = min(max(x, np.float32(0)), np.float32(size - 1))
        low = min(int(x + np.float32(0.5)) if nearest else int(x), size - 1)
        share = np.float32(0) if nearest else x - np.float32(low)
        taken.append((low, min(low + 1, size - 1), share))
    return [taken[k * number : (k + 1) * number] for k in range(count)]


def _sample(plane: Array, down: Any, across: Any, outside: Any) -> Array:
    if down is None or across is None:
        return np.full(len(plane), outside)
    (top, bottom, below), (left, right, beside) = down, across
    upper = _mixed(plane[:, top, left], plane[:, top, right], beside)
    return _mixed(upper, _mixed(plane[:, bottom, left], plane[:, bottom, right], beside), below)


def _mixed(a: Array, b: Array, share: object) -> Array:
    return a if share == 0 else (_ONE - share) * a + share * b
