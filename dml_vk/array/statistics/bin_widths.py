"""NumPy's rules for the number of bins of a histogram, such as that of Freedman and Diaconis.

Statistics of the elements are computed in float64 on the device and waited for.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable

import numpy as np

from dml_vk.array.math.elementwise import astype, divide, pow, subtract
from dml_vk.array.statistics.moments import mean, std
from dml_vk.array.statistics.quantiles import quantile
from dml_vk.array.statistics.reductions import max, min
from dml_vk.dtypes import float64
from dml_vk.tensor.core import Tensor

Counts = Callable[[int], Tensor]  # the counts of a histogram with this many bins


def _sqrt(x: Tensor, _: Counts) -> float:
    return _extent(x) / math.sqrt(x.size)


def _sturges(x: Tensor, _: Counts) -> float:
    return _extent(x) / (math.log2(x.size) + 1)


def _rice(x: Tensor, _: Counts) -> float:
    return _extent(x) / (2 * math.pow(x.size, 1 / 3))


def _scott(x: Tensor, _: Counts) -> float:
    return math.pow(24 * math.sqrt(math.pi) / x.size, 1 / 3) * float(std(x))


def _doane(x: Tensor, _: Counts) -> float:
    count, spread = x.size, float(std(x))
    if count <= 2 or not spread:
        return 0.0
    skew = float(mean(pow(divide(subtract(x, mean(x)), spread), 3)))
    expected = math.sqrt(6 * (count - 2) / ((count + 1) * (count + 3)))
    return _extent(x) / (1 + math.log2(count) + math.log2(1 + abs(skew) / expected))


def _freedman_diaconis(x: Tensor, _: Counts) -> float:
    low, high = quantile(x, [0.25, 0.75]).tolist()
    return float(2 * (high - low) / math.pow(x.size, 1 / 3))


def _stone(x: Tensor, counts: Counts) -> float:
    """The width with the least loss, as estimated by leaving one element out."""
    size, extent = x.size, _extent(x)
    if size <= 1 or not extent:
        return 0.0

    def loss(bins: int) -> float:
        shares = np.asarray(counts(bins).numpy(), np.float64) / size
        return float((2 - (size + 1) * (shares * shares).sum()) * bins / extent)

    most = 100 if size < 10_000 else math.isqrt(size)
    return extent / builtins.min(range(1, most + 1), key=loss)


def _auto(x: Tensor, counts: Counts) -> float:
    """The narrower of two, of which the first has at most twice the bins of the square root."""
    wide = builtins.max(_freedman_diaconis(x, counts), _sqrt(x, counts) / 2)
    return builtins.min(wide, _sturges(x, counts))


RULES: dict[str, Callable[[Tensor, Counts], float]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}


def bins_by_rule(rule: str, x: Tensor, low: float, high: float, counts: Counts) -> int:
    """Return the number of bins from `low` to `high` of elements between these."""
    if not x.size:
        return 1
    width = RULES[rule](astype(x, float64, copy=False), counts)
    if x.dtype.kind in "iu" and 0 < width < 1:
        width = 1.0
    return math.ceil((high - low) / width) if width else 1


def _extent(x: Tensor) -> float:
    return float(max(x)) - float(min(x))
