"""References of relatives of the gamma and Bessel functions in NumPy's long double."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array

_STEPS = 16  # by which recurrences lead to where the asymptotic series converge
_STIRLING = ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156))
_FAR = 25.0  # where the asymptotic series of Bessel functions are exact enough
_DIGAMMA = ((1, 12), (-1, 120), (1, 252), (-1, 240), (1, 132), (-691, 32760), (1, 12))


def gammaln(x: Array) -> Array:
    """The logarithm of the magnitude of the gamma function."""
    a, large, rest = _parts(x)
    factor = np.where(a < _STEPS, np.prod([a + k for k in range(_STEPS)], axis=0), 1)
    result = (large - 0.5) * np.log(large) - large + 0.5 * np.log(2 * _pi())
    result = result + _series(_STIRLING, large) / large - np.log(factor)
    below = np.log(_pi() / (a * np.abs(np.sin(_pi() * rest)))) - result
    result = np.where((x == 1) | (x == 2), 0, np.where(x < 0, below, result))
    return np.where(np.isinf(x) | (x == 0) | ((x < 0) & (rest == 0)), np.inf, result)


def digamma(x: Array) -> Array:
    """The derivative of gammaln."""
    a, large, rest = _parts(x)
    sums = np.sum([1 / (a + k) for k in range(_STEPS)], axis=0)
    result = np.log(large) - 0.5 / large - _series(_DIGAMMA, large) / large**2
    result = result - np.where(a < _STEPS, sums, 0)
    below = result + 1 / a + _pi() / np.tan(_pi() * rest)
    result = np.where(x < 0, np.where((rest == 0) | np.isinf(x), np.nan, below), result)
    return np.where(x == 0, -np.copysign(np.inf, x), np.where(x == np.inf, np.inf, result))


def xlogy(x: Array, y: Array) -> Array:
    """The product of x and log(y), but 0 where x is 0 and y is a number."""
    return np.where((x == 0) & ~np.isnan(y), np.abs(x) * 0, x * np.log(y))


def i0e(x: Array) -> Array:
    """The modified Bessel function of order 0, times exp(-|x|)."""
    return _bessel(x, 0)


def i1e(x: Array) -> Array:
    """The modified Bessel function of order 1, times exp(-|x|)."""
    return np.copysign(_bessel(x, 1), x)


def _bessel(x: Array, order: int) -> Array:
    """Powers of x / 2, whose terms are all positive, or of 1 / x."""
    a = np.abs(x.astype(np.longdouble))
    near, far = np.minimum(a, _FAR), np.maximum(a, _FAR)
    powers = term = (near / 2) ** order
    for k in range(1, 80):
        term = term * (near / 2) ** 2 / (k * (k + order))
        powers = powers + term
    series = term = np.ones_like(far)
    for k in range(1, 40):
        term = term * ((2 * k - 1) ** 2 - 4 * order) / (8 * k * far)
        series = series + term
    return np.where(a < _FAR, powers * np.exp(-near), series / np.sqrt(2 * _pi() * far))


def _pi() -> Any:
    return 4 * np.arctan(np.longdouble(1))


def _parts(x: Array) -> tuple[Array, Array, Array]:
    """The magnitude, the same where series converge, and the difference to the nearest integer."""
    a = np.abs(x.astype(np.longdouble))
    return a, np.where(a < _STEPS, a + _STEPS, a), a - np.rint(a)


def _series(terms: tuple[tuple[int, int], ...], x: Array) -> Array:
    """The sum of these fractions over powers of x squared."""
    total = np.zeros_like(x)
    for above, below in reversed(terms):
        total = total / x**2 + np.longdouble(above) / below
    return total
