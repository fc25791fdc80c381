"""Gradients of pools, which add what windows send back in row-major order of their taps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.creation.grids import arange
from dml_vk.array.indexing.take import along_axis, take_known
from dml_vk.array.manipulation.shapes import broadcast_to, expand_dims, reshape
from dml_vk.array.math.elementwise import add, astype, divide, equal, multiply, pow, where
from dml_vk.array.statistics.reductions import argmax
from dml_vk.gradients.rules.fitting import like, wide
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.nn.folding import image_of
from dml_vk.nn.pooling import _adaptive, _global_maximum, _pool
from dml_vk.nn.unpooling import unpooled
from dml_vk.nn.windows import Windows, windows_of
from dml_vk.runtime.device import Device
from dml_vk.runtime.device_cache import device_cache
from dml_vk.tensor.core import Tensor
from dml_vk.windows import Window


@rule(_pool)
def pooled(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    what, operation, kernel, stride, padding, dilation, ceil_mode = noted.params[:7]
    (x,) = noted.operands
    windows = windows_of(what, x.shape[2:], kernel, stride, padding, dilation, ceil_mode=ceil_mode)
    if operation == "max":
        index = call(_pool, (x,), None, what, "index", *noted.params[2:7])
        return [like(_to_maxima(wide(cotangent), index, windows), x)]
    if operation == "avg":
        return [like(_shared(cotangent, windows, noted.params[7]), x)]
    return [like(_of_powers(x, noted.result, cotangent, windows, noted.params[8]), x)]


@rule(_adaptive)
def adaptive(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    what, operation, counts = noted.params
    (x,) = noted.operands
    g, spatial = wide(cotangent), x.shape[2:]
    if 0 in counts:
        return [None]
    index = call(_adaptive, (x,), None, what, "index", counts) if operation == "max" else None
    if all(size % count == 0 for size, count in zip(spatial, counts)):
        windows = tuple([Window(size, n, size // n, size // n) for size, n in zip(spatial, counts)])
        if index is None:
            return [like(_shared(g, windows, False), x)]
        return [like(_to_maxima(g, index, windows), x)]
    if index is None:
        g = divide(g, _sizes(x.device, spatial, counts))
    return [like(_gathered(g, index, spatial, counts), x)]


@rule(_global_maximum)
def global_maximum(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """The first of the largest gets all, as in the other pools."""
    (x,) = noted.operands
    rows = reshape(x, (*x.shape[:2], math.prod(x.shape[2:])))
    index = argmax(rows, axis=2, keepdims=True)
    is_first = equal(arange(rows.shape[2], dtype=index.dtype, device=x.device), index)
    g = reshape(cotangent, index.shape)
    return [reshape(where(is_first, g, 0.0), x.shape)]


@rule(unpooled)
def from_maxima(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Gather what is where each element was written, also if another one was written there."""
    x, index = noted.operands
    rows, places = [reshape(each, (*x.shape[:2], -1)) for each in (cotangent, index)]
    return [reshape(along_axis(rows, places, 2), x.shape), None]


def _shared(cotangent: Tensor, windows: Windows, counted: bool) -> Tensor:
    """Send to each tap of a window its share of a mean."""
    divisors = _divisors(cotangent.device, windows, counted)
    return _spread(divide(wide(cotangent), divisors), windows)


def _of_powers(x: Tensor, y: Tensor, g: Tensor, windows: Windows, power: float) -> Tensor:
    """Of sums of powers: x ** (p - 1) * y ** (1 - p), and 0 where the sum is."""
    near, y = wide(x), wide(y)
    if power == 1:
        return _spread(wide(g), windows)
    is_none = equal(y, 0.0)
    scaled = multiply(wide(g), pow(where(is_none, 1.0, y), 1 - power))
    return multiply(pow(near, power - 1), _spread(where(is_none, 0.0, scaled), windows))


def _spread(g: Tensor, windows: Windows) -> Tensor:
    """Add the number of each window to all elements under it."""
    images, channels = g.shape[:2]
    taps = math.prod([window.taps for window in windows])
    of_taps = expand_dims(reshape(g, (images, channels, math.prod(g.shape[2:]))), axis=2)
    columns = broadcast_to(of_taps, (images, channels, taps, of_taps.shape[3]))
    columns = reshape(columns, (images, channels * taps, of_taps.shape[3]))
    return call(image_of, (columns,), None, windows)


def _to_maxima(g: Tensor, index: Tensor, windows: Windows) -> Tensor:
    """Add the number of each window to the element at its index."""
    images, channels = g.shape[:2]
    positions = _positions(g.device, windows)
    flat = images, channels, 1, positions.shape[1]
    at_index = equal(reshape(astype(index, positions.dtype, copy=False), flat), positions)
    columns = where(at_index, reshape(g, flat), 0.0)
    columns = reshape(columns, (images, channels * positions.shape[0], positions.shape[1]))
    return call(image_of, (columns,), None, windows)


def _gathered(g: Tensor, index: Tensor | None, sizes: Ints, counts: Ints) -> Tensor:
    """Add to each element the windows over it, of any sizes, in row-major order.

    With an index, only those windows count whose maximum is the element.
    """
    total = None
    for tables, is_under, own in _over(g.device, sizes, counts):
        term, at = g, index
        for axis, table in enumerate(tables, 2):
            term = take_known("adaptive", term, table, axis)
            at = None if at is None else take_known("adaptive", at, table, axis)
        term = where(is_under, term, 0.0)
        if at is not None:
            term = where(equal(at, own), term, 0.0)
        total = term if total is None else add(total, term)
    assert total is not None
    return total


@device_cache(256)
def _positions(device: Device, windows: Windows) -> Tensor:
    """Return where in the image each tap of each window is, (taps, windows), or -1."""
    total = np.zeros((1, 1), np.int64)
    for window in windows:
        taps, numbers = np.arange(window.taps)[:, None], np.arange(window.count)
        at = window.start(0, 0) + numbers * window.stride + taps * window.dilation
        inside = (at >= 0) & (at < window.size)
        rows, columns = len(total) * window.taps, total.shape[1] * window.count
        before = total[:, None, :, None]
        joined = np.where((before >= 0) & inside[:, None], before * window.size + at[:, None], -1)
        total = joined.reshape(rows, columns)
    is_small = math.prod([window.size for window in windows]) < 2**31
    return asarray(total.astype(np.int32) if is_small else total, device=device)


@device_cache(256)
def _divisors(device: Device, windows: Windows, counted: bool) -> Tensor:
    """Return how many elements each window has, with `counted` those in the padding too."""
    total = np.ones((), np.float32)
    for window in windows:
        at = np.arange(window.count)[:, None] * window.stride - window.before
        at = at + np.arange(window.taps) * window.dilation
        least, end = (-window.before, window.size + window.after) if counted else (0, window.size)
        number = ((at >= least) & (at < end)).sum(1)
        total = total[..., None] * np.maximum(number, 1).astype(np.float32)
    return asarray(total, device=device)


def _bounds(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(count)
    return numbers * size // count, -(-(numbers + 1) * size // count)


@device_cache(256)
def _sizes(device: Device, sizes: Ints, counts: Ints) -> Tensor:
    """Return how many elements each window of an adaptive pool has."""
    total = np.ones((), np.float32)
    for size, count in zip(sizes, counts):
        starts, ends = _bounds(size, count)
        total = total[..., None] * (ends - starts).astype(np.float32)
    return asarray(total, device=device)


@device_cache(64)
def _over(device: Device, sizes: Ints, counts: Ints) -> list[tuple[list[Tensor], Tensor, Tensor]]:
    """Return tables of the windows over each element: along each dim the first, the second...

    With each goes whether there are such windows, and the position of each element.
    """
    dims = []
    for size, count in zip(sizes, counts):
        starts, ends = _bounds(size, count)
        at = np.arange(size)
        under = [np.flatnonzero((starts <= k) & (k < ends)) for k in at]
        most = max(map(len, under))
        numbers = np.array([[*own, *[-1] * (most - len(own))] for own in under])
        dims.append(numbers.T)
    own = asarray(np.arange(math.prod(sizes)).reshape(sizes), device=device)
    entries = []
    for chosen in np.ndindex(*[len(numbers) for numbers in dims]):
        rows = [numbers[k] for numbers, k in zip(dims, chosen)]
        is_under = np.ones((), bool)
        for row in rows:
            is_under = is_under[..., None] & (row >= 0)
        tables = [asarray(np.maximum(row, 0), device=device) for row in rows]
        entries.append((tables, asarray(is_under, device=device), own))
    return entries
