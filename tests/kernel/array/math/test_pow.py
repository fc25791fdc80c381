"""Powers by whole numbers, or a half: the bits of products, quotients and roots."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DTYPES, float16, float32, float64
from dml_vk.errors import DmlVkError, DTypeError
from dml_vk.layout import Layout, channels_last
from tests import tier
from tests.kernel.elementwise import random_values, source_of
from tests.kernel.memory import MARGIN, bits, elements, memory_for

FLOATS = [float16, float32, float64]
# Exponents, and what their powers are.
PRODUCTS = {
    1: lambda x: x,
    2: lambda x: x * x,
    0.5: np.sqrt,
    -1: lambda x: x.dtype.type(1) / x,
    3: lambda x: x * x * x,
    4: lambda x: x * x * x * x,
}
SMALL = [number for number in PRODUCTS if number not in (3, 4)]


def values(dtype, count=4000):
    """Of any size, without what a device may flush, before or after."""
    x = random_values(dtype, count)
    if dtype is not float64:
        with np.errstate(all="ignore"):
            info = np.finfo(dtype.name)
            least = np.min([np.abs(of(x)) for of in PRODUCTS.values()], axis=0)
            x[(least < info.smallest_normal) & (least > 0) | np.isnan(least)] = 1.5
    return x


def same(found, expected):
    nan = np.isnan(expected)
    return np.array_equal(np.isnan(found), nan) and np.array_equal(
        bits(found[~nan]), bits(expected[~nan])
    )


@tier.parametrize("number dtype", PRODUCTS, FLOATS)
def test_small_powers_have_the_bits_of_what_they_are(dtype, number):
    if dtype is float64 and number not in SMALL:
        return check_exact(number)
    seen = values(dtype)
    x = dml_vk.asarray(seen)
    with np.errstate(all="ignore"):
        expected = PRODUCTS[number](seen)
    for exponent in {number, float(number), np.float32(number)}:
        for found in (x**exponent, dml_vk.pow(x, exponent)):
            assert same(found.numpy(), expected)
    y = x.clone()
    y **= number
    assert same(y.numpy(), expected)
    return None


def test_they_are_those_of_our_own_operators():
    x = dml_vk.asarray(values(float32))
    for number, expected in (
        *((2, x * x), (3, x * x * x), (4, x * x * x * x)),
        *((0.5, dml_vk.sqrt(x)), (-1, 1 / x)),
    ):
        assert same((x**number).numpy(), expected.numpy())


def exact(base, number):
    """The nearest float64."""
    if base == 0 or not math.isfinite(base):
        with np.errstate(all="ignore"):
            return np.float64(base) ** np.float64(number)
    if abs(number) < 2**12:
        power = Fraction(float(base)) ** int(number)
        try:
            return power.numerator / power.denominator
        except OverflowError:
            return math.inf if power > 0 else -math.inf
    with mpmath.workprec(300):
        return float(mpmath.mpf(float(base)) ** int(number))


def check_exact(number, *same_numbers):
    near_one = 1 + np.array(tier.some(range(-60, 60), 30)) * 2.0**-48
    some = random_values(float64, 300 if tier.is_all() else 60)
    seen = np.concatenate([some, near_one, -near_one[:20], [0.0, -0.0]])
    expected = np.array([exact(base, number) for base in seen])
    for power in (number, *same_numbers):
        assert same((dml_vk.asarray(seen) ** power).numpy(), expected)


@pytest.mark.parametrize(
    "number",
    [
        *(0, 5, 7, 10, 63, 64, 101, 500, -2, -3, -7, -64, -501),
        *(2**31, 2**31 + 1, -(2**32), 2**45 + 1, 2**53 - 1, -(2**53 - 1), 2**62, -(2**62)),
        *(2**63, 2**70, -(2**80), 10**300),
    ],
    ids="{:.12g}".format,
)
def test_whole_powers_of_float64_are_rounded_once(number):
    # The same powers, and beside 10**300 one so near that no result tells.
    check_exact(number, float(number))


def test_powers_in_any_layout_and_nothing_beside():
    layout = Layout((3, 4, 5, 6), (400, 7, 70, 1), 2)
    for dtype in FLOATS:
        given = values(dtype, 360).reshape(3, 4, 5, 6)
        x, seen = source_of(dtype, Layout.packed(given.shape, channels_last), given)
        for number in (2, 3, -1):
            memory, to = memory_for(layout, dtype.itemsize)
            whole = dml_vk.asarray(memory.view(dtype.name))
            dml_vk.pow(x, number, out=whole.over(to))
            found = whole.numpy()
            with np.errstate(all="ignore"):
                if dtype is float64 and number == 3:
                    expected = np.vectorize(exact)(seen, 3)
                else:
                    expected = PRODUCTS[number](seen)
            assert same(elements(found, to), expected)
            beside = np.ones(memory.size, bool)
            elements(beside.view(np.uint8), to)[...] = 0
            assert np.array_equal(bits(found)[beside], memory[beside])
            assert beside[:MARGIN].all()
    x = dml_vk.asarray(values(float32, 360).reshape(3, 4, 5, 6), memory_format=channels_last)
    assert (x**3).memory_format is (x**2).memory_format is channels_last


@pytest.mark.parametrize("name", ["int8", "uint16", "int32", "int64", "uint64"])
def test_squares_of_integers(name):
    seen = random_values(DTYPES[name], 500)
    with np.errstate(over="ignore"):
        assert np.array_equal((dml_vk.asarray(seen) ** 2).numpy(), seen * seen)


def test_other_powers_of_float64():
    x = dml_vk.asarray([1.0, 2.0, 16.0], "float64")
    assert (x**0.25).tolist() == [1.0, 2.0**0.25, 2.0]
    assert (x**-0.5).tolist() == [1.0, 0.5**0.5, 0.25]
    assert (x**math.inf).tolist() == [1.0, math.inf, math.inf]
    assert (x**math.nan).numpy()[0] == 1
    assert (2.0**x).tolist() == [2.0, 4.0, 65536.0]
    assert (x ** dml_vk.asarray([3.0, -2.0, 1.5])).tolist() == [1.0, 0.25, 64.0]
    with pytest.raises(DTypeError, match=r"^pow: number must be a number that float64 can hold"):
        x**10**400


def test_errors_are_those_of_pow():
    x = dml_vk.asarray([1.0, 2.0])
    for number in (2, 3, 0.5):
        with pytest.raises(DmlVkError, match=r"^pow: out must have the shape"):
            dml_vk.pow(x, number, out=dml_vk.zeros(3))
