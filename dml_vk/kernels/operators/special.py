"""Helpers for tables of special values: results for zeros, infinities, NaN and exact arguments.

The tables follow the array API standard 2025.12, beyond it annex F of the C standard, for rsqrt
IEEE 754, and for activations DirectML's formulas. Where the standard leaves a choice, as in
floor_divide with an infinity, they follow NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, nan
from typing import TypeVar

Unary = tuple[float, float]
Binary = tuple[float, float, float]
Case = TypeVar("Case", Unary, Binary)


def joined(*groups: Iterable[Case]) -> list[Case]:
    return [case for group in groups for case in group]


def odd(*cases: Unary) -> list[Unary]:
    """Extend the cases of an odd function to arguments of either sign."""
    return [*cases, *[(-x, -y) for x, y in cases]]


def even(*cases: Unary) -> list[Unary]:
    """Extend the cases of an even function to arguments of either sign."""
    return [*cases, *[(-x, y) for x, y in cases]]


def either_way(*cases: Binary) -> list[Binary]:
    """Extend the cases of a commutative function to both orders."""
    return [*cases, *[(b, a, y) for a, b, y in cases]]


NAN = (nan, nan)
STAY = odd((0.0, 0.0), (inf, inf))
WHOLE = [*STAY, *odd((1.0, 1.0), (2.0, 2.0), (1024.0, 1024.0)), NAN]
NO_INFINITIES = even((inf, nan))
NANS = either_way(
    (nan, 1.0, nan), (nan, 0.0, nan), (nan, inf, nan), (nan, -inf, nan), (nan, nan, nan)
)


def signs(*cases: Binary) -> list[Binary]:
    """Extend the cases of a product or quotient to all signs of the operands, and add NaN."""
    every = [(s * a, t * b, s * t * y) for a, b, y in cases for s in (1, -1) for t in (1, -1)]
    return [*every, *NANS]
