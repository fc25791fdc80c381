"""Functions of float64 lie within 0.52 units in the last place of the exact value, by mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float64
from dml_vk.kernels.operators import OPERATORS
from tests import tier
from tests.kernel.ops.test_accuracy import DOMAIN, EXACT

MANY = 20 if tier.is_all() else 20 // tier.FEWER  # of each kind of random points
BOUND = 0.52
FULL = 1.7976931348623157e308
# They also multiply by parameters in float64, for which the table's bound holds.
ROUNDED_TWICE = {"elu", "celu", "scaled_tanh", "softsign"}
OURS = {
    **EXACT,
    "gelu": lambda x: (
        x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2 if x > -99 else mpmath.mpf("-1e-999")
    ),
    "erf": lambda x: mpmath.erf(x) if abs(x) < 30 else mpmath.sign(x),
}
DOMAINS = {**DOMAIN, "log1p": (-1 + 2.0**-53, np.inf), "atanh": (-1 + 2.0**-53, 1 - 2.0**-53)}
DOMAINS |= dict.fromkeys(["log", "log2", "log10", "rsqrt", "gammaln", "digamma"], (5e-324, np.inf))
INEXACT = [one for one in OPERATORS.values() if one.takes(float64) and one.name in OURS]
UNARY = [one.name for one in INEXACT if one.arity == 1 and one.ulp]
PERIODIC = ("sin", "cos", "tan")
# Where results overflow, vanish, or become subnormal, and where the methods change.
BORDERS = [
    709.782712893384,
    710.4758600739439,
    745.1332191019412,
    708.3964185322641,
    1023.999,
    1024.0,
]
BORDERS += [1022.0, 1074.0, 1075.0, 36.7368005696771, 18.7, 27.2, 38.5, 0.125, 0.5, 1.0, 2.0, 4.0]
BORDERS += [0.41421356237309503, 0.6931471805599453, 1.4142135623730951, 5.9, 2.0**53, 2.0**64]


def near_quarters() -> np.ndarray:
    """Numbers of 53 bits next to multiples of pi/2, by continued fractions."""
    found = []
    with mpmath.workdps(700):
        for exponent in range(-53, 971, 32):
            rest, before, q = mpmath.ldexp(2 / mpmath.pi, exponent), 0, 1
            while q < 1 << 53:
                found.append(np.ldexp(float(q), exponent))
                rest = 1 / (rest - mpmath.floor(rest))
                before, q = q, int(mpmath.floor(rest)) * q + before
    return np.array(found)


def points(name: str) -> np.ndarray:
    random = np.random.default_rng(64)
    anything = random.integers(0, 2**64, 3 * MANY, np.uint64).view(np.float64)
    near_one = 1 + random.choice([-1, 1], MANY) * np.exp2(random.uniform(-52, -1, MANY))
    found = [anything, near_one]
    found += [random.standard_normal(2 * MANY), random.uniform(-800, 800, 2 * MANY)]
    found += [
        np.ldexp(1.0, random.integers(-1074, 1024, MANY)),
        np.ldexp(1.0, [-1074, -1022, 1023]),
    ]
    found += [np.nextafter(BORDERS, away) for away in (0, np.inf)] + [np.array(BORDERS), [FULL]]
    found += [near_quarters()] if name in PERIODIC else []
    x = np.concatenate([*found, *(-np.asarray(one) for one in found)])
    low, high = DOMAINS.get(name, (-np.inf, np.inf))
    return np.unique(x[np.isfinite(x) & (x >= low) & (x <= high) & (x != 0)])


def units_off(found: float, exact: mpmath.mpf) -> float:
    """The distance in units in the last place of the exact value."""
    unit = mpmath.ldexp(1, max(mpmath.frexp(exact)[1] - 53, -1074))
    if np.isinf(found):  # It stands for the power of two after the largest number.
        found = np.sign(found) * mpmath.ldexp(1, 1024)
        exact = mpmath.sign(exact) * min(abs(exact), mpmath.ldexp(1, 1024))
    return float(abs(mpmath.mpf(found) - exact) / unit)


def check(name, bound, exact_of, *operands) -> None:
    found = getattr(dml_vk, name)(*map(dml_vk.asarray, operands)).numpy()
    digits = 380 if name in PERIODIC else 60
    with mpmath.workdps(digits):
        for *given, result in zip(*[one.tolist() for one in (*operands, found)]):
            exact = exact_of(*map(mpmath.mpf, given))
            off = units_off(result, exact) if exact else float(result != 0)
            assert off <= bound, (
                f"**{name}{given}: {result} is {off} off, for {mpmath.nstr(exact, 20)}"
            )


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_float64(name):
    bound = OPERATORS[name].ulp if name in ROUNDED_TWICE else BOUND
    check(name, bound, OURS[name], points(name))


def test_powers_of_float64():
    random = np.random.default_rng(65)
    x = np.concatenate(
        [
            np.exp(random.uniform(-700, 700, 10 * MANY)),
            1 + np.exp2(-random.uniform(1, 52, 5 * MANY)),
        ]
    )
    x = np.concatenate([x[x != 1], 1 / x[x != 1]])
    y = random.uniform(-1.05, 1.05, x.size) * 745 / np.log(x)
    check("pow", BOUND, mpmath.power, x, y)


def test_powers_that_float64_can_hold_are_exact():
    random = np.random.default_rng(66)
    bases = random.integers(1, 2**12, 2000) * np.exp2(random.integers(-200, 200, 2000))
    exponents = random.integers(1, 5, 2000)
    exact = bases.copy()
    for k in range(1, 4):
        exact[exponents > k] *= bases[exponents > k]
    powers = np.float64([1, 2, 3, 4])[exponents - 1]
    assert np.array_equal(dml_vk.pow(*map(dml_vk.asarray, (bases, powers))).numpy(), exact)
    roots = [one[exponents != 3] for one in (exact, 1 / powers, bases)]
    assert np.array_equal(dml_vk.pow(*map(dml_vk.asarray, roots[:2])).numpy(), roots[2])
    assert (dml_vk.asarray(exact[exponents == 4]) ** 0.25).tolist() == bases[
        exponents == 4
    ].tolist()


def test_two_float64():
    random = np.random.default_rng(67)
    many = 15 * MANY
    y = random.standard_normal(many) * np.exp(random.uniform(-340, 340, many))
    x = y * np.exp(random.uniform(-40, 40, many)) * random.choice([-1, 1], many)
    check("hypot", BOUND, mpmath.hypot, y, x)
    check("atan2", BOUND, mpmath.atan2, y, x)
    legs = np.ldexp([[3.0, 5.0], [4.0, 12.0]], [900, -1060])
    assert (
        dml_vk.hypot(*map(dml_vk.asarray, legs)).tolist()
        == np.ldexp([5.0, 13.0], [900, -1060]).tolist()
    )


def test_relatives_of_the_gamma_function_below_0():
    x = -np.random.default_rng(69).uniform(0, 40, 10 * MANY)
    check("gammaln", BOUND, lambda x: mpmath.log(abs(mpmath.gamma(x))), x)
    check("digamma", BOUND, mpmath.digamma, x)
    x = 1.4616321449683623 + np.arange(-20, 20) * 2.0**-50
    check("digamma", BOUND, mpmath.digamma, x)


@pytest.mark.parametrize("name", ["i0e", "i1e"])
def test_bessel_functions_of_float64(name):
    borders = np.outer([1.0, 8.0], 1 + np.arange(-60, 60) * 2.0**-52).ravel()
    x = np.concatenate([np.random.default_rng(71).uniform(-20, 20, 20 * MANY), borders])
    check(name, BOUND, OURS[name], x)
    # From 2 on both fall.
    x = 8 * (1 + np.arange(-2000, 2000) * 2.0**-34)
    assert (np.diff(getattr(dml_vk, name)(dml_vk.asarray(x)).numpy()) < 0).all()


def test_x_log_y_of_float64():
    x, y = np.random.default_rng(70).uniform(0.01, 30, (2, 200))
    check("xlogy", BOUND, OURS["xlogy"], x, y)


def test_logaddexp_of_float64():
    random = np.random.default_rng(68)
    a, b = random.uniform(0, 50, (2, 300))
    check("logaddexp", BOUND, OURS["logaddexp"], a, b)
    # A negative operand may cancel: it is the operand's last place that counts then.
    a, b = -np.exp2(random.uniform(-60, 5, (2, 300)))
    found = dml_vk.logaddexp(dml_vk.asarray(a), dml_vk.asarray(b)).numpy()
    with mpmath.workdps(60):
        exact = [OURS["logaddexp"](*map(mpmath.mpf, pair)) for pair in zip(a.tolist(), b.tolist())]
        off = [float(abs(one - mpmath.mpf(two))) for one, two in zip(exact, found.tolist())]
    assert (off <= 0.52 * np.spacing(np.maximum(abs(found), abs(np.maximum(a, b))))).all()


def test_whole_results_are_whole():
    whole = np.arange(-1074, 1024.0)
    powers = np.ldexp(1.0, whole.astype(int))
    assert np.array_equal(dml_vk.exp2(dml_vk.asarray(whole)).numpy(), powers)
    assert np.array_equal(dml_vk.log2(dml_vk.asarray(powers)).numpy(), whole)
    tens = np.arange(23.0)
    assert np.array_equal(dml_vk.log10(dml_vk.asarray(10.0**tens)).numpy(), tens)


RISING = {
    "exp": 0.3,
    "expm1": 0.3466,
    "sinh": 0.35,
    "tanh": 0.2,
    "log": 1.41421356,
    "log1p": 0.41421356,
}
RISING |= {
    "asinh": 0.6,
    "atanh": 0.125,
    "sin": 0.785398163,
    "atan": 0.41421356,
    "erf": 0.5,
    "asin": 0.70710678,
}


@pytest.mark.parametrize("name", RISING)
def test_they_rise_where_the_method_changes(name):
    x = RISING[name] * (1 + np.arange(-2000, 2000) * 2.0**-34)
    assert (np.diff(getattr(dml_vk, name)(dml_vk.asarray(x)).numpy()) > 0).all()


def test_the_test_sees_an_error_beyond_the_bound():
    with mpmath.workdps(60):
        assert 0.9 < units_off(np.nextafter(1.0, 2), mpmath.mpf(1)) < 1.1
        assert units_off(np.inf, mpmath.mpf(FULL)) == 1
        assert units_off(5e-324, mpmath.mpf(0.4) * mpmath.mpf(5e-324)) == pytest.approx(0.6)
