"""Functions of float32 are as exact as the table of operators says, over the whole range.

That is, so many floats at most lie between the result and the float nearest to the exact value.
NumPy's float64 is exact enough for that in bulk; mpmath, with 60 digits, where functions are hard.
"""

from __future__ import annotations

import functools
import itertools

import mpmath
import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing.elementwise import reference, ulps_apart
from tests import tier
from tests.kernel.elementwise import compare, flushed
from tests.kernel.points import (
    BORDERS,
    hard_points,
    near_one,
    near_quarters,
    neighbours,
    pairs,
    points,
)

# What takes an operand, or its sign, as it is; tests of every operator compare its bits.
CHOICES = {"where", "cast", "clip", "clip_grad", "positive", "negative", "abs", "sign", "copysign"}
CHOICES |= {"maximum", "minimum", "relu", "relu_grad", "thresholded_relu"}
FLOATS = [
    operator
    for operator in OPERATORS.values()
    if "s" in operator.dtypes
    and not operator.result
    and operator.name not in {*CHOICES, "whole_power"}
]
UNARY = [one.name for one in FLOATS if one.arity == 1]
BINARY = [one.name for one in FLOATS if one.arity == 2]
# What makes good, or worse, that something within is tiny or large.
EXTREME = [
    ("swish", {"sigmoid_input_scale": 1.7}),
    ("swish", {"sigmoid_input_scale": -1e-36}),
    ("softplus", {"steepness": 0.01}),
    ("softplus", {"steepness": 3.0}),
    ("parametric_softplus", {"alpha": 1e8, "beta": 1.3}),
    ("parametric_softplus", {"alpha": -1e-3, "beta": -0.3}),
    ("scaled_tanh", {"alpha": 1e10, "beta": 30.0}),
    ("scaled_elu", {"alpha": -3.0, "gamma": 1e-2}),
    ("celu", {"alpha": 0.03}),
]


@functools.cache
def everywhere() -> np.ndarray:
    """All points, or all hard ones and some of the others; an odd number in any case."""
    return points() if tier.is_all() else np.concatenate([hard_points(), points()[1::5]])


def call(name: str, *operands: np.ndarray, **parameters: float) -> np.ndarray:
    return getattr(dml_vk, name)(*map(dml_vk.asarray, operands), **parameters).numpy()


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_argument(name):
    x = everywhere()
    compare(name, [x], call(name, x), reference(name, x))


@pytest.mark.parametrize(("name", "parameters"), EXTREME)
def test_functions_with_extreme_parameters(name, parameters):
    x = everywhere()
    compare(name, [x], call(name, x, **parameters), reference(name, x, **parameters))


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arguments(name):
    a, b = (each[:-1] for each in pairs(name))  # an odd number, as of special values
    compare(name, [a, b], call(name, a, b), reference(name, a, b))


WITH_SUBNORMALS = [*UNARY, *BINARY, *sorted(CHOICES - {"where", "cast", "clip", "clip_grad"})]


@pytest.mark.parametrize("name", [name for name in WITH_SUBNORMALS if name != "logaddexp"])
def test_subnormals_are_kept_or_zero(name):
    """Kept where the table says so, else as the device has it with each operand and the result."""
    sizes = np.float32([0.0, 1e-45, 1e-42, 1e-39, 1.1754942e-38, 1.1754944e-38, 3e-38, 1e-36, 1.0])
    values = np.concatenate([sizes, -sizes])
    operands = [values]
    if OPERATORS[name].arity == 2:
        operands = [np.repeat(values, values.size), np.tile(values, values.size)]
    found = call(name, *operands)
    if OPERATORS[name].keeps_subnormals:
        right = ulps_apart(found, reference(name, *operands)) <= OPERATORS[name].ulp
    else:
        right = np.zeros(found.shape, np.bool_)
        for given in itertools.product(*[(one, flushed(one)) for one in operands]):
            expected = reference(name, *given)
            zero = (found == 0) & (np.abs(expected) <= 2.0**-126)
            right |= zero | (ulps_apart(found, expected) <= OPERATORS[name].ulp)
    assert right.all(), [each[~right][:5] for each in (*operands, found)]


def _softplus(x):
    return mpmath.log1p(mpmath.exp(x))


def _bessel(order, x):
    if abs(x) < 300:
        return mpmath.besseli(order, x) * mpmath.exp(-abs(x))
    # The asymptotic series is exact to 50 digits here.
    size, sign = abs(x), mpmath.sign(x) if order else 1
    terms, total = mpmath.mpf(1), mpmath.mpf(1)
    for k in range(1, 30):
        terms *= ((2 * k - 1) ** 2 - 4 * order) / (8 * k * size)
        total += terms
    return sign * total / mpmath.sqrt(2 * mpmath.pi * size)


EXACT = {
    **{name: getattr(mpmath, name) for name in ("exp", "expm1", "sinh", "cosh", "tanh", "log")},
    **{name: getattr(mpmath, name) for name in ("log10", "log1p", "asinh", "acosh", "atanh")},
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(mpmath, name) for name in ("sqrt", "atan2", "hypot")},
    "exp2": lambda x: mpmath.power(2, x),
    "log2": lambda x: mpmath.log(x, 2),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "erf": lambda x: mpmath.erf(x) if abs(x) < 30 else mpmath.sign(x),
    "gelu": lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2 if x > -30 else mpmath.mpf("-1e-99"),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "swish": lambda x: x / (1 + mpmath.exp(-x)),
    "softplus": _softplus,
    "parametric_softplus": _softplus,
    "scaled_tanh": mpmath.tanh,
    "softsign": lambda x: x / (1 + abs(x)),
    "elu": lambda x: x if x > 0 else mpmath.expm1(x),
    "celu": lambda x: x if x > 0 else mpmath.expm1(x),
    "erfc": lambda x: mpmath.erfc(x) if abs(x) < 99 else 1 - mpmath.sign(x),
    "gammaln": mpmath.loggamma,
    "digamma": mpmath.digamma,
    "xlogy": lambda a, b: a * mpmath.log(b),
    **{f"i{n}e": functools.partial(_bessel, n) for n in (0, 1)},
    "pow": mpmath.power,
    "logaddexp": lambda a, b: max(a, b) + mpmath.log1p(mpmath.exp(-abs(a - b))),
}
DOMAIN = {
    **dict.fromkeys(["log", "log2", "log10", "sqrt", "rsqrt"], (1e-45, np.inf)),
    **dict.fromkeys(["gammaln", "digamma"], (1e-45, np.inf)),
    **dict.fromkeys(["asin", "acos"], (-1, 1)),
    "log1p": (-0.99999994, np.inf),
    "acosh": (1, np.inf),
    "atanh": (-0.99999994, 0.99999994),
}
CUT = ("linear", "shrink", "scaled_elu", "hard_sigmoid", "hard_swish", "difference_square")


def exactly(function, *operands: np.ndarray) -> np.ndarray:
    """The nearest floats to what the function gives with 60 digits."""
    found = []
    with mpmath.workdps(60):
        for each in zip(*operands):
            value = function(*[mpmath.mpf(float(one)) for one in each])
            found.append(
                float(value) if abs(value) < 1e40 else np.copysign(np.inf, float(value > 0) - 1)
            )
    with np.errstate(over="ignore", under="ignore"):
        return np.array(found, np.float64).astype(np.float32)


def hardest(name: str) -> np.ndarray:
    low, high = DOMAIN.get(name, (-np.inf, np.inf))
    random = np.random.default_rng(30)
    edges = np.float32([one for one in (low, high) if np.isfinite(one)])
    found = [random.choice(near_quarters(), 60), neighbours(BORDERS, 1), near_one(60, 31)]
    found += [neighbours(random.choice(np.exp2(np.arange(-149.0, 128)), 40), 1)]
    found += [random.choice(points(), 120), edges]
    x = np.concatenate(found)
    return x[np.isfinite(x) & (x != 0) & (x >= np.float32(low)) & (x <= np.float32(high))]


def test_every_inexact_function_has_an_exact_reference():
    inexact = {one.name for one in FLOATS if one.ulp}
    assert inexact - set(CUT) <= set(EXACT)


@pytest.mark.parametrize("name", [name for name in UNARY if name in EXACT])
def test_hard_arguments_with_more_digits(name):
    x = hardest(name)
    compare(name, [x], call(name, x), exactly(EXACT[name], x))


def test_lengths_a_little_beyond_a_half_go_up():
    """sqrt(u^2 + v^2) is more than u + 1/2 where v^2 is more than u + 1/4, by however little."""
    u = np.arange(2.0**23, 2.0**24, 4098)
    v = np.ceil(np.sqrt(u + 0.25) * 4096) / 4096
    near = (v * v > u + 0.25) & (v * v < u + 0.5)
    u, v = u[near], v[near]
    found = dml_vk.hypot(*[dml_vk.asarray(each.astype(np.float32)) for each in (u, v)]).numpy()
    assert len(u) > 100
    assert np.array_equal(found, u + 1)


@pytest.mark.parametrize("name", [name for name in BINARY if name in EXACT])
def test_hard_pairs_with_more_digits(name):
    a, b = (each[-6 * 1024 :] for each in pairs(name))
    usual = np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
    if name == "pow":
        usual &= (a > 0) | (b == np.trunc(b))
    if name == "xlogy":
        usual &= b > 0
    a, b = (each[usual][::16] for each in (a, b))
    compare(name, [a, b], call(name, a, b), exactly(EXACT[name], a, b))


def test_the_test_sees_an_error_beyond_the_bound():
    x = np.float32([1.0, 2.0])
    off = np.add(reference("exp", x).view(np.int32), [2, 3])
    with pytest.raises(AssertionError, match=r"exp\[.*1 wrong of 2"):
        compare("exp", [x], off.astype(np.int32).view(np.float32), reference("exp", x))
