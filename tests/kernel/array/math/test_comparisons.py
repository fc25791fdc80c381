"""What is close and what is equal, beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.forms import few_forms, forms, mixed

SPECIAL = [0.0, -0.0, 1.0, -1.0, 1.00001, 3e38, -3e38, np.inf, -np.inf, np.nan]
PAIRS = [np.array(side) for side in zip(*itertools.product(SPECIAL, SPECIAL))]


def same(found, expected):
    assert found.dtype is dml_vk.bool_
    assert np.array_equal(found.numpy(), expected)


def close(x, y, *, equal_nan, rtol=1e-5, atol=1e-8):
    """What NumPy says since version 2; older ones compute in float64."""
    of = x.dtype.type
    near = abs(x - y) <= of(atol) + of(rtol) * abs(y)
    return near & np.isfinite(y) | (x == y) | (equal_nan & np.isnan(x) & np.isnan(y))


@tier.parametrize("dtype equal_nan", ["float32", "float64"], [False, True])
def test_floats(dtype, equal_nan):
    a, b = (side.astype(dtype) for side in PAIRS)
    near = np.random.default_rng(1).uniform(0.9, 1.1, 500).astype(dtype)
    with np.errstate(all="ignore"):
        for x, y, options in (
            (a, b, {}),
            (a, b, {"rtol": 2.5, "atol": 0.25}),
            (near, near[::-1], {"rtol": 0.0625, "atol": 0.015625}),
        ):
            expected = close(x, y, equal_nan=equal_nan, **options)
            assert 0 < expected.sum() < expected.size
            tensors = dml_vk.asarray(x), dml_vk.asarray(y)
            same(dml_vk.isclose(*tensors, equal_nan=equal_nan, **options), expected)
            assert not dml_vk.allclose(*tensors, equal_nan=equal_nan, **options)
            assert dml_vk.allclose(tensors[0], tensors[0], equal_nan=True)


def test_halves_are_compared_as_floats():
    a = np.float16([1, 1, 65504, -65504, np.inf, 2e-7, np.nan])
    b = np.float16([1.001, 1.1, 65472, 65504, np.inf, 1e-7, np.nan])
    for equal_nan in (False, True):
        expected = np.isclose(np.float32(a), np.float32(b), rtol=0.01, equal_nan=equal_nan)
        tensors = dml_vk.asarray(a), dml_vk.asarray(b)
        same(dml_vk.isclose(*tensors, rtol=0.01, equal_nan=equal_nan), expected)


@tier.parametrize(
    "other dtype",
    ["bool", "int8", "uint16", "int64", "uint64", "float32"],
    ["bool", "uint8", "int32", "int64", "uint64"],
)
def test_integers_and_bools(dtype, other):
    a, b = mixed(dtype, (200,)), mixed(other, (200,), 1)
    b[:50] = a[:50].astype(b.dtype)
    for options in ({}, {"rtol": 0.5, "atol": 2}, {"rtol": 0, "atol": 7}):
        expected = np.isclose(a, b, **options)
        same(dml_vk.isclose(dml_vk.asarray(a), dml_vk.asarray(b), **options), expected)


def test_integers_at_their_limits():
    for name in ("int8", "int64", "uint8", "uint64"):
        limits = np.iinfo(name)
        values = [limits.min, limits.min + 1, limits.max // 2, limits.max - 5, limits.max]
        a, b = (np.array(side, name) for side in zip(*itertools.product(values, values)))
        tensors = dml_vk.asarray(a), dml_vk.asarray(b)
        for rtol in (0.0, 1e-5, 0.75):
            expected = np.isclose(a, b, rtol, 0.5)
            assert expected[a == b].all()
            same(dml_vk.isclose(*tensors, rtol, 0.5), expected)
        assert not dml_vk.allclose(*tensors)
        assert dml_vk.allclose(tensors[0], tensors[0], 0, 0)


def test_numbers():
    x = mixed("float32", (50,))
    t = dml_vk.asarray(x)
    numbers = 0.5, 1, True, np.float64(-0.5), np.inf, np.nan, np.int8(2)
    for number, equal_nan in tier.crossed(numbers, (False, True)):
        weak = np.asarray(number, np.float32)
        found = dml_vk.isclose(t, number, atol=0.5, equal_nan=equal_nan)
        same(found, np.isclose(x, weak, atol=0.5, equal_nan=equal_nan))
        found = dml_vk.isclose(number, t, atol=0.5, equal_nan=equal_nan)
        same(found, np.isclose(weak, x, atol=0.5, equal_nan=equal_nan))
    whole = np.arange(-4, 5)
    same(dml_vk.isclose(dml_vk.asarray(whole), 1.5, atol=1), np.isclose(whole, 1.5, atol=1))
    assert dml_vk.allclose(dml_vk.asarray(whole), 0, atol=dml_vk.asarray(4))


def test_layouts_and_broadcasts():
    a = mixed("float32", (2, 3, 4, 5))
    pairs = [(a, b) for b in (a + np.float32(0.25), a[:, :1], a[0, 0, 0, 0], a[..., :1])]
    pairs += [(a[:0], a[:1]), (a[..., :0], a[..., :1])]
    for turn, (one, two) in enumerate(pairs):
        expected = np.isclose(one, two, 0.1, 0.2)
        both = list(zip(forms(one), forms(two)))
        for x, y in both if turn == 0 else [both[turn % len(both)]]:
            same(dml_vk.isclose(x, y, 0.1, 0.2), expected)
    image = dml_vk.full((2, 3, 4, 5), 1.5).to(channels_last)
    with dml_vk.trace(strict=True):
        for pair in ((image, dml_vk.zeros((2, 3, 4, 5))), (dml_vk.zeros(image.shape), image)):
            assert dml_vk.isclose(*pair).memory_format is channels_last
        assert dml_vk.isclose(image, 1).memory_format is channels_last


def test_out():
    x = dml_vk.asarray([1.0, 2.0, 3.0])
    room = dml_vk.zeros((6,), bool)
    assert dml_vk.isclose(x, 2.0, atol=1, out=room[::2]).tolist() == [True] * 3
    assert dml_vk.isclose(x, 2.0, out=room[1::2]).tolist() == [False, True, False]
    assert room.tolist() == [True, False, True, True, True, False]
    with pytest.raises(DTypeError, match=r"^isclose: out must have the dtype bool_"):
        dml_vk.isclose(x, x, out=x)


def test_many():
    a = mixed("float32", (1000, 1001))
    b = a + np.random.default_rng(3).normal(scale=1e-5, size=a.shape).astype(np.float32)
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    same(dml_vk.isclose(x, y, 1e-5, 1e-7), np.isclose(a, b, 1e-5, 1e-7))
    assert dml_vk.allclose(x, y, 0, 1e-4)
    assert not dml_vk.allclose(x, y, 0, 1e-6)
    assert dml_vk.array_equal(x, dml_vk.asarray(a.T.copy()).T)
    b[...] = a
    b[999, 1000] += 1
    assert not dml_vk.array_equal(x, dml_vk.asarray(b))


def test_equal():
    for turn, name in enumerate(("bool", "int8", "uint64", "float16", "float32", "float64")):
        a = mixed(name, (3, 4))
        for x in few_forms(a, turn):
            assert dml_vk.array_equal(x, dml_vk.asarray(a)) is True
            assert dml_vk.array_equal(x, dml_vk.asarray(a.T)) is False
            assert dml_vk.array_equal(x, dml_vk.asarray(a[:1])) is False
        b = a.copy()
        b[2, 1] = b[2, 1] == 0
        assert dml_vk.array_equal(dml_vk.asarray(a), dml_vk.asarray(b)) is np.array_equal(a, b)
        assert dml_vk.array_equal(dml_vk.asarray(a), dml_vk.asarray(a), equal_nan=True)
    a, b = np.float32([1, np.nan, -0.0]), np.float32([1, np.nan, 0.0])
    c = np.float32([1, 2, 0])
    for one, two in itertools.product((a, b, c), repeat=2):
        for equal_nan in (False, True):
            found = dml_vk.array_equal(dml_vk.asarray(one), dml_vk.asarray(two), equal_nan)
            assert found is np.array_equal(one, two, equal_nan=equal_nan)
    nothing = dml_vk.zeros((0, 3))
    assert dml_vk.array_equal(nothing, nothing)
    assert dml_vk.allclose(nothing, nothing)
    assert not dml_vk.array_equal(nothing, dml_vk.zeros((3, 0)))


def test_errors():
    x = dml_vk.zeros((2, 3))
    with pytest.raises(LayoutError, match=r"^isclose: sizes must agree or be 1 in dim -1"):
        dml_vk.isclose(x, dml_vk.zeros((2, 4)))
    with pytest.raises(DTypeError, match=r"^allclose: at least one operand must be a Tensor"):
        dml_vk.allclose(1.0, 2.0)
    with pytest.raises(DTypeError, match=r"^isclose: rtol must be a real number; got rtol='x'"):
        dml_vk.isclose(x, x, "x")
    with pytest.raises(DTypeError, match=r"^allclose: equal_nan must be a bool"):
        dml_vk.allclose(x, x, equal_nan=3)
    with pytest.raises(DTypeError, match=r"^array_equal: a2 must be a Tensor"):
        dml_vk.array_equal(x, 1.0)
    with pytest.raises(DTypeError, match=r"^array_equal: cannot mix uint64 with signed integers"):
        dml_vk.array_equal(x.to("uint64"), x.to("int8"))
