"""The stages of Fourier transforms, and how many of them a launch does."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

from dml_vk.arguments import Ints

MOST_STAGES = 6  # of a workgroup
MOST_POINTS = {4: 64, 8: 16}  # that one invocation keeps, by bytes of a real number
TEAM_POINTS = {4: 1024, 8: 512}  # that a workgroup keeps of several stages
GROUP = 8  # lanes, and the radix of the last stage that they do together
GROUP_STAGES = 4  # that they do before it
_LEAST_GROUP = {4: 128, 8: 64}  # the fewest points that they keep
_GROUP_POINTS = {4: 1024, 8: 1024}  # the most, if no stage follows
# If one follows: the most points that they keep, and its radices in order of preference.
_GROUP_BEFORE = {4: (512, 1024), 8: (256,)}
_AFTER = {4: (8, 16, 7, 5, 13, 11, 4, 3, 2), 8: (8, 7, 5, 4, 3, 2)}
# The exponents of the largest radix that is a power of two. Invocations keep few float64 points.
_EXPONENT, _GROUP_EXPONENT = {4: 4, 8: 2}, {4: 4, 8: 3}


class Pass(NamedTuple):
    """The stages of one launch: their radices, and the product of the radices before."""

    radices: Ints
    before: int
    by_group: bool = False  # eight lanes keep the points

    @property
    def points(self) -> int:
        return math.prod(self.radices)


def radices_of(n: int, itemsize: int) -> Ints | None:
    """Return the radices of the stages of a length, or None if it has a large prime factor.

    If lane groups can do the first stages, the last of these has the radix 8.
    """
    factors = _factors(n, itemsize, _EXPONENT[itemsize])
    if factors is None or n % GROUP or n < _LEAST_GROUP[itemsize]:
        return factors
    after = _after(n, itemsize)
    own = _factors(n // GROUP // after, itemsize, _GROUP_EXPONENT[itemsize]) if after else None
    if own is None:
        return factors
    return (*own, GROUP, *([after] if after > 1 else []))


def _after(n: int, itemsize: int) -> int:
    """Return the radix of the stage after those of a lane group; 1: there is none; 0: no group."""
    if n <= _GROUP_POINTS[itemsize]:
        return 1
    for most in _GROUP_BEFORE[itemsize]:
        for radix in _AFTER[itemsize]:
            if n % (GROUP * radix) == 0 and _LEAST_GROUP[itemsize] <= n // radix <= most:
                return radix
    return 0


def _factors(n: int, itemsize: int, most: int) -> Ints | None:
    """Return the fewest radices, descending: odd primes, and powers of two up to 2**most."""
    factors, exponent = [], 0
    while n % 2 == 0:
        n //= 2
        exponent += 1
    for prime in (3, 5, 7, 11, 13) if itemsize == 4 else (3, 5, 7):
        while n % prime == 0:
            n //= prime
            factors.append(prime)
    if n > 1:
        return None
    factors += [2**most] * (exponent // most)
    if exponent % most:
        factors.append(2 ** (exponent % most))
    return tuple(sorted(factors, reverse=True)) or (1,)


@functools.lru_cache(maxsize=1024)
def passes_of(radices: Ints, itemsize: int, team: int, group: bool) -> tuple[Pass, ...]:
    """Split stages into the fewest launches, and of those splits into the shortest longest one.

    `team` is how many points a workgroup transforms at most, if it does all stages; 0: none does.
    """
    if math.prod(radices) <= team and len(radices) <= MOST_STAGES:
        return (Pass(radices, 1),)
    first = _group_stages(radices, itemsize) if group else 0
    most = (TEAM_POINTS if team else MOST_POINTS)[itemsize]
    length = MOST_STAGES if team else 2
    # For the stages up to each end: (launches, points of the longest, their ends).
    best: dict[int, tuple[int, int, Ints]] = {first: (1, 0, (first,)) if first else (0, 0, ())}
    for end in range(first + 1, len(radices) + 1):
        splits = []
        for start in range(max(first, end - length), end):
            points = math.prod(radices[start:end])
            if points <= most or end - start == 1:
                launches, longest, ends = best[start]
                splits.append((launches + 1, max(longest, points), (*ends, end)))
        best[end] = min(splits)
    ends = best[len(radices)][2]
    passes = []
    for start, end in zip((0, *ends), ends):
        passes.append(Pass(radices[start:end], math.prod(radices[:start]), end == first))
    return tuple(passes)


def _group_stages(radices: Ints, itemsize: int) -> int:
    """Return how many first stages a lane group does: the last one has its number of lanes."""
    for count in range(min(GROUP_STAGES + 1, len(radices)), 1, -1):
        points = math.prod(radices[:count])
        is_last = radices[count - 1] == GROUP
        if is_last and _LEAST_GROUP[itemsize] <= points <= _GROUP_POINTS[itemsize]:
            return count
    return 0
