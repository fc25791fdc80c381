"""Gradients of functions that move or mix the elements of images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dml_vk.array.calls import call
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.indexing.take import take_known
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.elementwise import add, multiply, pow, square, subtract, where
from dml_vk.gradients.rules.fitting import like, wide
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.nn.coordinates import Tap
from dml_vk.nn.dropout import _dropped
from dml_vk.nn.folding import columns_of, image_of
from dml_vk.nn.pooling import avg_pool
from dml_vk.nn.resampling import _resampled
from dml_vk.nn.responses import _normalised
from dml_vk.nn.shuffling import _shuffled
from dml_vk.runtime.device import Device
from dml_vk.runtime.device_cache import device_cache
from dml_vk.tensor.core import Tensor


@rule(columns_of)
def unfolded(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return [call(image_of, (cotangent,), None, *noted.params)]


@rule(image_of)
def folded(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return [call(columns_of, (cotangent,), None, *noted.params)]


@rule(_shuffled)
def shuffled(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    what, _, step, first = noted.params
    back = "pixel_unshuffle" if what == "pixel_shuffle" else "pixel_shuffle"
    (x,) = noted.operands
    return [call(_shuffled, (cotangent,), None, back, x.shape, step, first)]


@rule(_dropped)
def dropped(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Drop what the numbers drawn for x drop."""
    _, *numbers = noted.operands
    return [call(_dropped, (cotangent, *numbers), None), None, None, None]


@rule(_normalised)
def by_responses(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Of x * s ** -beta, where s is k and the squares near x."""
    (x,) = noted.operands
    return [like(response_gradient(wide(x), wide(cotangent), *noted.params), x)]


def response_gradient(
    x: Tensor, g: Tensor, size: int, alpha: float, beta: float, k: float, across: bool
) -> Tensor:
    """Return the gradient of `local_response_norm` for x, in a dtype wide enough for sums."""
    sums = add(multiply(_means(square(x), size, across, False), alpha), k)
    others = multiply(multiply(g, x), pow(sums, -beta - 1))
    shares = multiply(_means(others, size, across, True), 2 * alpha * beta)
    return subtract(multiply(g, pow(sums, -beta)), multiply(x, shares))


def _means(x: Tensor, size: int, across: bool, turned: bool) -> Tensor:
    """Return sums over windows, divided by `size`: from `size // 2` before, or after, if turned."""
    if not x.size:
        return x
    ends = size // 2, (size - 1) // 2
    pair = ends[::-1] if turned else ends
    if across:
        images, channels = x.shape[:2]
        rows = reshape(x, (images, 1, channels, -1))
        means = avg_pool(rows, (size, 1), stride=1, padding=(pair, (0, 0)))
        return reshape(means, x.shape)
    rank = x.ndim - 2
    means = avg_pool(x, (size,) * rank, stride=1, padding=(pair,) * rank)
    return multiply(means, float(size ** (rank - 1)))


@rule(_resampled)
def resampled(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Add along one dim after the other, the first one first, what elements sent."""
    (dims,) = noted.params
    (x,) = noted.operands
    g = wide(cotangent)
    for axis, (taps, size) in enumerate(zip(dims, x.shape[2:]), 2):
        g = sent_back(g, axis, taps, size)
    return [like(g, x)]


def sent_back(g: Tensor, axis: int, taps: tuple[Tap, ...], size: int) -> Tensor:
    """Return the gradient of a dim of this size that was resampled along an axis.

    The terms of an element are in ascending order of the elements that they come from.
    """
    total = None
    for table, factors, is_there in _terms(g.device, taps, size, g.ndim - axis - 1):
        term = take_known("resample", g, table, axis)
        term = where(is_there, multiply(term, factors), 0.0)
        total = term if total is None else add(total, term)
    assert total is not None
    return total


@device_cache(256)
def _terms(
    device: Device, taps: tuple[Tap, ...], size: int, after: int
) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Return for the first, the second... term of each element where it comes from, and its factor.

    The last of each says whether there is one. There are so many dims `after` that of the elements.
    """
    sent: list[list[tuple[int, float]]] = [[] for _ in range(size)]
    for to in range(len(taps[0].indexes)):
        for tap in taps:
            sent[tap.indexes[to]].append((to, tap.factors[to] if tap.factors else 1.0))
    shape = (size, *(1,) * after)
    entries = []
    for k in range(max(map(len, sent))):
        own = [terms[k] if k < len(terms) else (0, 0.0) for terms in sent]
        columns = (
            np.array([to for to, _ in own], np.int64),
            np.array([factor for _, factor in own], np.float32).reshape(shape),
            np.array([k < len(terms) for terms in sent]).reshape(shape),
        )
        table, factors, is_there = [asarray(column, device=device) for column in columns]
        entries.append((table, factors, is_there))
    return entries
