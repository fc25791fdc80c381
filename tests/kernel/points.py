"""Where functions of float32 are tried: anywhere, where they are used, and where they are hard."""

from __future__ import annotations

import functools

import mpmath
import numpy as np

MANY = 1 << 16
# Borders of overflow and underflow of e^x, 2^x, sinh, erf and the like, and where methods change.
BORDERS = [0.3466, 0.625, 0.8814, 3.9375, 8.66, 9.01, 10.05, 13.1, 14.0, 15.0, 16.6, 17.33, 18.0]
BORDERS += [86.64, 87.3365, 88.0297, 88.7228, 89.416, 103.279, 103.9721, 104.7, 126.0, 127.0, 128.0]
BORDERS += [129.0, 149.0, 150.0, 4096.0, 8192.0, 65504.0, 2.0**31, 1e10, 1e22, 3.4028235e38]


def neighbours(values, count: int = 8) -> np.ndarray:
    """Floats and as many beyond on either side, of both signs."""
    middle = np.asarray(values, np.float32).view(np.int32)[:, None]
    near = (middle + np.arange(-count, count + 1)).ravel().clip(0, 0x7F800000)
    found = near.astype(np.uint32).view(np.float32)
    return np.concatenate([found, -found])


@functools.cache
def near_quarters() -> np.ndarray:
    """For each exponent the floats that come nearest to multiples of pi/2.

    Where q / p is a convergent of the continued fraction of 2^e / (pi/2), q * 2^e is such a one.
    """
    found = []
    with mpmath.workdps(120):
        for exponent in range(-24, 105):
            rest = mpmath.ldexp(2 / mpmath.pi, exponent)
            before, q = 0, 1  # denominators
            for _ in range(60):
                rest -= mpmath.floor(rest)
                term = int(mpmath.floor(1 / rest))
                before, q, rest = q, term * q + before, 1 / rest
                if q >= 1 << 24:
                    break
                found += [q * times * 2.0**exponent for times in (1, 2, 3)]
    exact = [one for one in set(found) if one < 2.0**128 and float(np.float32(one)) == one]
    return np.array(sorted(exact), np.float32)


@functools.cache
def hard_points() -> np.ndarray:
    """Of any function of one argument."""
    powers = np.exp2(np.arange(-149, 128, dtype=np.float64))
    tens = 10.0 ** np.arange(-38, 39)
    quarters = np.arange(1, 5000) * (np.pi / 4)
    usual = np.arange(0, 160, 0.25)
    found = [neighbours(each) for each in (powers, tens, usual, BORDERS)]
    found += [neighbours(quarters, 1), neighbours(near_quarters(), 1)]
    return np.unique(np.concatenate(found).view(np.uint32)).view(np.float32)


def any_bits(count: int, seed: int) -> np.ndarray:
    """Every float is as likely, also a NaN."""
    random = np.random.default_rng(seed)
    return random.integers(0, 1 << 32, count, np.uint32).view(np.float32)


def spread(low: float, high: float, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, count).astype(np.float32)


def near_one(count: int, seed: int) -> np.ndarray:
    """1 + 2^-k and 1 - 2^-k, and all between."""
    random = np.random.default_rng(seed)
    away = np.exp2(random.uniform(-24, -1, count)) * random.choice([-1, 1], count)
    return (1 + away).astype(np.float32)


@functools.cache
def points() -> np.ndarray:
    """Of any function of one argument."""
    found = [any_bits(2 * MANY, 0), near_one(MANY // 2, 1), hard_points()]
    for seed, end in enumerate([1.0, 2.0, 20.0, 110.0, 150.0, 1e5]):
        found.append(spread(-end, end, MANY, seed))
    return np.concatenate(found)


def pairs(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Of a function of two arguments: of any, and where this one is hard."""
    families = [(any_bits(2 * MANY, 10), any_bits(2 * MANY, 11)), _usual(), _alike(), _hard()]
    families += [*{"pow": _powers, "logaddexp": _sums}.get(name, tuple)()]
    single = [np.asarray(family, np.float32) for family in families]
    a, b = np.concatenate(single, axis=1)
    return a, b


def _usual():
    random = np.random.default_rng(12)
    return random.normal(size=(2, MANY)) * np.exp2(random.integers(-30, 31, (2, MANY)))


def _alike():
    """The same but for a few last places and the sign."""
    random = np.random.default_rng(13)
    a = any_bits(MANY // 2, 14)
    b = (a.view(np.uint32) + random.integers(-3, 4, a.size).astype(np.uint32)).view(np.float32)
    return a, np.where(random.random(a.size) < 0.5, b, -b)


def _hard():
    chosen = np.random.default_rng(15).choice(hard_points(), (2, 256))
    return np.repeat(chosen[0], 256), np.tile(chosen[1], 256)


def _powers():
    """Of bases near 1 and any, to the borders of what is finite, normal and not 0; whole ones."""
    random = np.random.default_rng(16)
    borders = [128, -126, -149, -150, 1, -1, 127.99]
    for base in (near_one(MANY, 17), np.abs(any_bits(MANY, 18))):
        base = base[(base != 1) & np.isfinite(base) & (base > 0)].astype(np.float64)
        logarithm = np.log2(base)
        yield base, random.uniform(-151, 129, base.size) / logarithm
        jitter = 1 + random.normal(0, 1e-6, base.size)
        with np.errstate(over="ignore"):
            yield base, (random.choice(borders, base.size) / logarithm * jitter).clip(-3e38, 3e38)
        yield -base, random.integers(-40, 41, base.size)
    yield random.integers(-3000, 3000, MANY), random.integers(-40, 41, MANY)
    subnormal = random.integers(0, 1 << 23, MANY, np.uint32).view(np.float32)
    yield subnormal, random.choice([0.5, 0.25, -0.5, -1, -0.75, 1, 2 / 3], MANY)


def _sums():
    """Logarithms of sums near 1, where operands cancel, and of those that are far apart."""
    random = np.random.default_rng(20)
    a = -np.exp(random.uniform(-90, 1, MANY)).astype(np.float32)
    yield a, np.log(-np.expm1(a.astype(np.float64)))
    yield random.uniform(-3, 1, (2, MANY))
    a = random.normal(size=MANY) * np.exp2(random.integers(-60, 8, MANY))
    yield a, a + random.uniform(-170, 170, MANY)
