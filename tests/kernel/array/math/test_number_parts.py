"""Functions of single numbers that are composed of others, beside NumPy."""

from __future__ import annotations

from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DmlVkError
from dml_vk.testing.elementwise import ulps_apart
from tests import tier
from tests.chance import chance

MP = mpmath.MPContext()
MP.prec = 200
INF, NAN = np.inf, np.nan
FLOATS = ("float64", "float32", "float16")
SPECIAL = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 5e-324, -3e-320, 1e-310, 1.7e308, -2.5, 0.3]
SPECIAL += [1e-45, 1e-40, 65504.0, 6e-8, 1000.0, 27.0, -8.0]


def numbers(dtype):
    some = chance().standard_normal(150) * 10.0 ** chance().integers(-30, 30, 150)
    with np.errstate(all="ignore"):
        return np.concatenate([SPECIAL, some]).astype(dtype)


def same(found, expected):
    """The same dtype, numbers and signs of zeros."""
    found = found.numpy()
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected, equal_nan=True)
    there = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found)[there], np.signbit(expected)[there])


@pytest.mark.parametrize("dtype", FLOATS)
def test_parts_of_floats_have_numpys_bits(dtype):
    array = numbers(dtype)
    x = dml_vk.asarray(array)
    for name, second in (("modf", x.dtype), ("frexp", "int32")):
        expected = getattr(np, name)(array)
        for one, two in zip(getattr(dml_vk, name)(x), expected):
            same(one, two)
        out = dml_vk.empty(x.shape, dtype=x.dtype), dml_vk.empty(x.shape, dtype=second)
        found = getattr(np, name)(x, out=out)
        assert found[0] is out[0]
        assert found[1] is out[1]
        for one, two in zip(out, expected):
            same(one, two)
    exponents = chance().integers(-2300, 2300, array.size)
    exponents[::2] %= 80
    with np.errstate(all="ignore"):
        same(dml_vk.ldexp(x, dml_vk.asarray(exponents)), np.ldexp(array, exponents))
        for n in tier.some((0, 3, -1060, 1070, -1022, -1023), 3 if dtype == "float64" else 1):
            same(dml_vk.ldexp(x, n), np.ldexp(array, n))
        small = dml_vk.asarray(np.array([-3, 5], np.int8))
        same(np.ldexp(0.75, small), np.ldexp(np.float32(0.75), small.numpy()))


@tier.parametrize(
    "dtype name",
    tier.some(["float64", "bool", "float32", "uint8", "float16", "int16"], 3),
    ["fmax", "fmin"],
)
def test_extremes_leave_nan_out(dtype, name):
    if dtype in FLOATS:
        a = numbers(dtype)
        b = chance().permutation(a)
    else:
        a, b = chance().integers(0, 200, (2, 50)).astype(dtype)
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    ours, numpys = getattr(dml_vk, name), getattr(np, name)
    found = ours(x, y).numpy()
    assert np.array_equal(found, numpys(a, b), equal_nan=dtype in FLOATS)
    assert np.array_equal(numpys(x, y), found, equal_nan=dtype in FLOATS)
    assert np.array_equal(ours(x, 1), numpys(a, a.dtype.type(1)), equal_nan=dtype in FLOATS)
    out = dml_vk.empty(x.shape, dtype=x.dtype)
    assert ours(x, y, out=out) is out
    assert np.array_equal(out, found, equal_nan=dtype in FLOATS)


@np.vectorize(otypes=[np.float64])
def cube_root(x):
    """To 60 digits: NumPy's is up to 1.7 ULP off on some processors."""
    return float(MP.cbrt(abs(x))) * np.sign(x) if np.isfinite(x) and x else x


@tier.parametrize("name dtype", ["cbrt", "degrees", "radians"], FLOATS)
def test_functions_are_rounded_once_from_float64(name, dtype):
    array = numbers(dtype)
    with np.errstate(all="ignore"):
        oracle = cube_root if name == "cbrt" else getattr(np, name)
        expected = oracle(array.astype(np.float64)).astype(dtype)
        found = getattr(dml_vk, name)(dml_vk.asarray(array)).numpy()
    assert found.dtype == expected.dtype
    most = 0 if dtype != "float64" else 1
    finite = np.isfinite(expected)
    assert np.array_equal(found[~finite], expected[~finite], equal_nan=True)
    apart = np.abs(found[finite].astype(np.float64) - expected[finite].astype(np.float64))
    assert (apart <= most * np.spacing(np.abs(expected[finite]))).all()
    integers = dml_vk.asarray(np.array([0, 1, 3], np.int8))
    out = dml_vk.empty(3)
    assert getattr(dml_vk, name)(integers, out=out) is out
    wanted = getattr(np, name)(integers.numpy().astype(np.float64))
    assert np.allclose(out, wanted, rtol=1e-6, atol=1e-7)


def wave(x):
    """sin(pi x) / (pi x) to 60 digits."""
    return MP.sinpi(x) / (MP.pi * x) if x else MP.mpf(1)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("name", "exact", "top"), [("i0", partial(MP.besseli, 0), 713.9), ("sinc", wave, 60.0)]
)
def test_bounds_hold_to_the_ends_of_the_range(name, exact, top, dtype):
    limits = np.finfo(dtype)
    top = min(top, float(np.log(limits.max)))
    near = chance().uniform(-top, top, 60)
    sizes = 10.0 ** chance().uniform(np.log10(limits.smallest_subnormal), np.log10(top), 40)
    whole = [0.0, -0.0, 1, -2, 3, top, 0.98 * top, limits.smallest_subnormal, limits.tiny]
    if name == "sinc":
        whole += [1025.0, limits.max / 2, -limits.max, 0.5, -1.5]
    array = np.concatenate([near, sizes, whole]).astype(dtype)
    found = getattr(dml_vk, name)(dml_vk.asarray(array)).numpy()
    expected = np.array([float(exact(MP.mpf(float(x)))) for x in array]).astype(dtype)
    assert ulps_apart(found, expected).max() <= (3 if dtype == "float64" else 0)
    ends = getattr(dml_vk, name)(dml_vk.asarray(np.array([np.inf, -np.inf, np.nan], dtype)))
    expected = [np.inf, np.inf, np.nan] if name == "i0" else [np.nan] * 3
    assert np.array_equal(ends, np.array(expected, dtype), equal_nan=True)


@tier.examples(6)
@given(st.data())
def test_divisors_and_multiples(data):
    dtype = np.dtype(data.draw(st.sampled_from(["int8", "uint8", "int16", "int32", "uint64"])))
    limits = np.iinfo(dtype)
    whole = st.integers(int(limits.min), int(limits.max)) | st.integers(0, 60)
    count = data.draw(st.sampled_from([1, 19]))  # each takes kernels of its own
    pairs = data.draw(st.lists(st.tuples(whole, whole), min_size=count, max_size=count))
    a, b = np.array(pairs, dtype).T
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    for name in ("gcd", "lcm"):
        expected = getattr(np, name)(a, b)
        assert np.array_equal(getattr(np, name)(x, y).numpy(), expected)


def test_fibonaccis_numbers_take_the_most_rounds():
    one, two = 1, 1
    while two < 2**63 - one:
        one, two = two, one + two
    x = dml_vk.asarray(np.array([two, 2 * 3 * 7], np.int64))
    out = dml_vk.empty((2,), dtype="int64")
    assert dml_vk.gcd(x, np.array([one, 3 * 7 * 11]), out=out).tolist() == [1, 21]
    assert dml_vk.lcm(x[1:], 77).tolist() == [462]


BAD = {
    "modf: dtype must be one of": lambda x: dml_vk.modf(x.astype("complex64")),
    "modf: out must be a pair of tensors": lambda x: dml_vk.modf(x, out=x),
    "frexp: out must have the dtype int32": lambda x: dml_vk.frexp(x, out=(x, x)),
    "ldexp: dtype must be one of int8": lambda x: dml_vk.ldexp(x, x),
    "gcd: dtype must be one of int8": lambda x: dml_vk.gcd(x, 2),
    "lcm: at least one operand": lambda x: dml_vk.lcm(4, 6),
    "cbrt: x must be a Tensor": lambda x: dml_vk.cbrt(8.0),
    "fmax: dtype must be one of": lambda x: dml_vk.fmax(x.astype("complex64"), x),
    "angle: deg must be a bool": lambda x: dml_vk.angle(x, deg=2),
}


@pytest.mark.parametrize("rule", BAD)
def test_bad_arguments_are_refused(rule):
    with pytest.raises(DmlVkError, match=f"^{rule}"):
        BAD[rule](dml_vk.ones(2))


def test_angles_in_degrees():
    z = dml_vk.asarray([1j, -1, 1 + 1j])
    out = dml_vk.empty(3)
    assert dml_vk.angle(z, deg=True, out=out).tolist() == [90.0, 180.0, 45.0]
