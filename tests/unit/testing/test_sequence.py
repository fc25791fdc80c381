"""The reference of sequences: exact, rounded once, and IEEE 754 where nothing is exact."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from dml_vk.errors import DTypeError
from dml_vk.testing import sequence

INF, NAN = math.inf, math.nan
FLOATS = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64}


def is_nearest(exact, value):
    """No neighbour is nearer, and of two equally near ones the even one is taken."""
    if np.isinf(value):
        limits = np.finfo(value.dtype)
        half_step = Fraction(2) ** (limits.maxexp - limits.nmant - 2)
        return abs(exact) >= Fraction(float(limits.max)) + half_step and (exact > 0) == (value > 0)
    error = abs(Fraction(float(value)) - exact)
    odd = int(value.view(FLOATS[value.dtype.name])) & 1
    for way in (-np.inf, np.inf):
        other = np.nextafter(value, value.dtype.type(way))
        if np.isfinite(other):
            others = abs(Fraction(float(other)) - exact)
            if others < error or (others == error and odd):
                return False
    return True


def test_the_test_of_nearness_can_fail():
    third = Fraction(1, 3)
    assert is_nearest(third, np.float32(1 / 3))
    assert not is_nearest(third, np.nextafter(np.float32(1 / 3), np.float32(1)))
    assert is_nearest(Fraction(2049), np.float16(2048))  # a tie
    assert not is_nearest(Fraction(2049), np.float16(2050))
    assert is_nearest(Fraction(65520), np.float16(INF))
    assert not is_nearest(Fraction(65519), np.float16(INF))
    assert not is_nearest(Fraction(65520), np.float16(-INF))


def terms(rng, name):
    """Start and delta: anything, of one size, cancelling, tiny."""
    about = rng.uniform(*{"float16": (-26, 17), "float32": (-151, 129)}.get(name, (-1070, 1008)))
    size = 2.0**about
    start = rng.uniform(-1, 1) * size
    kind = rng.randrange(4)
    if kind == 0:
        return start, rng.uniform(-1, 1) * 2.0 ** rng.uniform(-1070, 1023)
    if kind == 1:
        return start, -start / rng.randint(1, 20)
    if kind == 2:
        return round(start / size * 2**12) * size, size * rng.choice((0.5, -0.25, 3.0))
    return start, rng.uniform(-1, 1) * size * 2.0 ** rng.randint(-60, 0)


@pytest.mark.parametrize("name", FLOATS)
def test_floats_are_rounded_once_to_nearest(name):
    rng = random.Random(name)
    seen = set()
    for _ in range(2000):
        start, delta = terms(rng, name)
        first = rng.choice((0, 1, 7, 1000, 2**32 - 3))
        found = sequence(start, delta, 3, name, first=first)
        assert found.dtype == name
        for i, value in enumerate(found, first):
            exact = Fraction(start) + i * Fraction(delta)
            assert is_nearest(exact, value), (start, delta, i, value)
            seen.add("infinite" if np.isinf(value) else "finite")
            seen.add("subnormal" if 0 < abs(value) < np.finfo(name).tiny else "normal")
    assert seen == {"infinite", "finite", "subnormal", "normal"}


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_one_element_is_a_conversion_from_float64(name):
    rng = random.Random(name)
    values = [rng.uniform(-1, 1) * 2.0 ** rng.randint(-160, 130) for _ in range(2000)]
    with np.errstate(over="ignore"):
        expected = np.array(values).astype(name)
    found = np.concatenate([sequence(value, 0.0, 1, name) for value in values])
    assert found.tolist() == expected.tolist()


def test_a_running_sum_would_drift():
    found = sequence(0.0, 0.1, 10**4, "float32")
    assert found[-1] == np.float32(999.9)
    assert np.cumsum(np.full(10**4, 0.1, np.float32))[-2] != found[-1]


def test_two_roundings_would_err():
    # 1 + 2**-11 + 2**-53 is above a tie of float16; rounded to float64 first it would be on it.
    assert sequence(1 + 2**-11, 2.0**-54, 3, "float16").tolist() == [1, 1 + 2**-10, 1 + 2**-10]
    # The product overflows, the sum does not.
    assert sequence(-1.5e308, 1e308, 3, "float64")[2] == float(
        2 * Fraction(1e308) - Fraction(1.5e308)
    )


@pytest.mark.parametrize("name", FLOATS)
def test_ties_subnormals_and_overflow(name):
    limits = np.finfo(name)
    tiny, most = float(limits.smallest_subnormal), float(limits.max)
    digits = limits.nmant + 1
    even = 2.0**digits
    assert sequence(even, 1.0, 4, name).tolist() == [even, even, even + 2, even + 4]
    assert sequence(0.0, tiny, 4, name).tolist() == [0, tiny, 2 * tiny, 3 * tiny]
    if name != "float64":
        assert sequence(0.0, tiny / 2, 4, name).tolist() == [0, 0, tiny, 2 * tiny]
    step = 2.0 ** (limits.maxexp - digits)
    assert sequence(most, step / 4, 3, name).tolist() == [most, most, INF]
    assert sequence(-most, -step / 4, 3, name).tolist() == [-most, -most, -INF]


@pytest.mark.parametrize("name", FLOATS)
def test_what_is_not_finite_is_as_ieee_754_has_it(name):
    def bits(start, delta):
        """With one name for all of not-a-number."""
        return [
            "nan" if np.isnan(value) else f"{float(value)}"
            for value in sequence(start, delta, 3, name)
        ]

    for start in (0.0, -0.0, 1.0, -2.0, INF, -INF, NAN):
        for delta in (0.0, -0.0, INF, -INF, NAN, 1.0, -1.0):
            expected = [start + float(i) * delta for i in range(3)]
            assert bits(start, delta) == [str(value) for value in expected], (start, delta)


@pytest.mark.parametrize("name", FLOATS)
def test_an_underflow_keeps_its_sign(name):
    tiny = 2.0**-1074
    found = sequence(-tiny, -tiny, 2, name)
    assert np.signbit(found).all()
    assert (found == 0).all() == (name != "float64")


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integers_wrap(bits):
    rng = random.Random(bits)
    for _ in range(50):
        start, delta = (rng.randint(-(2 ** (bits - 1)), 2**bits - 1) for _ in range(2))
        first = rng.choice((0, 5, 2**32 - 9))
        unsigned = sequence(start, delta, 9, f"uint{bits}", first=first)
        assert unsigned.dtype == f"uint{bits}"
        expected = [(start + i * delta) % 2**bits for i in range(first, first + 9)]
        assert unsigned.tolist() == expected
        signed = sequence(start, delta, 9, f"int{bits}", first=first)
        assert signed.dtype == f"int{bits}"
        half = 2 ** (bits - 1)
        assert signed.tolist() == [(value + half) % 2**bits - half for value in expected]


def test_directmls_example_and_nothing_at_all():
    assert sequence(10, -2, 4, "uint8").tolist() == [10, 8, 6, 4]
    assert sequence(1, 1, 0, "int64").tolist() == []
    assert sequence(1, 1, 0, "float16").dtype == np.float16


def test_bool_has_no_sequence():
    with pytest.raises(DTypeError, match="sequence: dtype must be an integer or a float; got dtyp"):
        sequence(0, 1, 2, "bool")
