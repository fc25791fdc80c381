"""Roots of unity, rounded to the nearest float64, with the same bits on every machine.

Sines and cosines of C libraries differ. Here they are computed in double-double arithmetic from
additions, products and quotients of float64, which IEEE 754 defines exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
_SPLIT = 2.0**27 + 1
_CHUNK = 2**14  # numbers that stay in a cache
_PAIRS = 7  # terms of a series that are added as pairs; the others are small
_TERMS = 14


class _DoubleDouble(NamedTuple):
    """The sum of a float64 and a much smaller one."""

    high: Floats
    low: Floats


def roots(n: int) -> Floats:
    """Return cos and -sin of 2 pi k / n for each k below n, as an array of the sizes (n, 2)."""
    pairs = np.empty((n, 2))
    k = np.arange(n // 2 + 1)
    octant, part = np.divmod(8 * k, n)
    part = np.where(octant % 2, n - part, part)  # of 8 n, within half a quarter turn
    if n % 8:
        cosines, sines = _cosines_sines(part, n)
    else:
        # Only multiples of 8 occur.
        eighth = _cosines_sines(8 * np.arange(n // 8 + 1), n)
        cosines, sines = eighth[0][part // 8], eighth[1][part // 8]
    is_steep = (octant + 1) // 2 % 2 == 1
    x, y = np.where(is_steep, sines, cosines), np.where(is_steep, cosines, sines)
    pairs[k, 0] = np.where((octant + 2) // 4 % 2, -x, x)
    pairs[k, 1] = -y
    mirrored = k[1 : (n + 1) // 2]
    pairs[n - mirrored] = pairs[mirrored] * (1, -1)
    return pairs + 0.0  # without negative zeros


def _cosines_sines(part: Any, n: int) -> tuple[Floats, Floats]:
    """Return the cosine and the sine of part / (8 n) turns, at most an eighth of one."""
    cosines, sines = np.empty(len(part)), np.empty(len(part))
    for start in range(0, len(part), _CHUNK):
        at = slice(start, start + _CHUNK)
        x = _multiply(_divide(part[at].astype(np.float64), 8.0 * n), _constant(_TURN))
        square = _multiply(x, x)
        cosine, sine = _series(square, 0), _series(square, 1)
        cosines[at] = cosine.high
        sines[at] = _multiply(sine, x).high
    return cosines, sines


# 2 pi to 200 bits.
_TURN = Fraction(10096689509235987743946820282484873672429286842977325943070736, 2**200)


def _series(square: _DoubleDouble, first: int) -> _DoubleDouble:
    """Sum the series of the cosine, or of the sine of x divided by x, for the square of x."""
    terms = [Fraction((-1) ** k, math.factorial(2 * k + first)) for k in range(_TERMS)]
    tail = np.full_like(square.high, float(terms[-1]))
    for term in reversed(terms[_PAIRS:-1]):
        tail = tail * square.high + float(term)
    total = _DoubleDouble(tail, np.zeros_like(tail))
    for term in reversed(terms[:_PAIRS]):
        total = _add(_multiply(total, square), _constant(term))
    return total


def _constant(number: Fraction) -> _DoubleDouble:
    high = float(number)
    return _DoubleDouble(np.float64(high), np.float64(float(number - Fraction(high))))


def _split(a: Floats) -> tuple[Floats, Floats]:
    """Split each number into two of half as many bits."""
    wide = a * _SPLIT
    high = wide - (wide - a)
    return high, a - high


def _exact_product(a: Floats, b: Floats) -> _DoubleDouble:
    """Return the exact product of two floats (Dekker)."""
    product = a * b
    (a1, a2), (b1, b2) = _split(a), _split(b)
    return _DoubleDouble(product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)


def _exact_sum(a: Floats, b: Floats) -> _DoubleDouble:
    """Return the exact sum of two floats (Knuth)."""
    total = a + b
    rest = total - a
    return _DoubleDouble(total, (a - (total - rest)) + (b - rest))


def _add(a: _DoubleDouble, b: _DoubleDouble) -> _DoubleDouble:
    total = _exact_sum(a.high, b.high)
    return _exact_sum(total.high, total.low + (a.low + b.low))


def _multiply(a: _DoubleDouble, b: _DoubleDouble) -> _DoubleDouble:
    product = _exact_product(a.high, b.high)
    return _exact_sum(product.high, product.low + (a.high * b.low + a.low * b.high))


def _divide(a: Floats, b: float) -> _DoubleDouble:
    quotient = a / b
    back = _exact_product(quotient, np.float64(b))
    return _exact_sum(quotient, ((a - back.high) - back.low) / b)
