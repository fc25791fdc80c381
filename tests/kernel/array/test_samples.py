"""Covariances, interpolation, bins, derivatives and integrals, beside NumPy in float64."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.forms import few_forms, forms, mixed

FLOATS = ("float16", "float32", "float64")


def near(found, expected, dtype, scale=8):
    expected = np.asarray(expected)
    assert (found.shape, found.dtype.numpy_name) == (expected.shape, dtype)
    error = scale * np.finfo(dtype).eps
    assert np.allclose(found.numpy(), expected, rtol=error, atol=error, equal_nan=True)


TRAPEZOID = getattr(np, "trapezoid", None) or np.trapz  # the name in an older NumPy


def same_bits(results):
    assert len({one.numpy().tobytes() for one in results}) == 1


@pytest.mark.parametrize("dtype", tier.some(("float32", "float16", "float64"), 2))
def test_covariances(dtype):
    array, other = mixed(dtype, (3, 40)), mixed(dtype, (2, 40), 1)
    wide, more = array.astype(np.float64), other.astype(np.float64)
    often, heavy = np.arange(40) % 4, np.linspace(0.5, 2, 40)
    x, y = dml_vk.asarray(array), dml_vk.asarray(other)
    near(dml_vk.corrcoef(x, y), np.corrcoef(wide, more), dtype, 30)
    if dtype != "float32":
        return  # float32 is enough for options, and float16 computes in it.
    for named in (
        {}, {"bias": True}, {"ddof": 0}, {"ddof": 3}, {"fweights": often}, {"aweights": heavy},
        {"fweights": often, "aweights": heavy}, {"aweights": heavy, "ddof": 0},
    ):  # fmt: skip
        given = {k: dml_vk.asarray(v) if isinstance(v, np.ndarray) else v for k, v in named.items()}
        near(dml_vk.cov(x, **given), np.cov(wide, **named), dtype, 30)
    near(dml_vk.cov(x, y), np.cov(wide, more), dtype, 30)
    near(dml_vk.cov(x[0]), np.cov(wide[0]), dtype, 30)
    near(dml_vk.corrcoef(x[0]), 1.0, dtype)
    near(dml_vk.corrcoef(x.T, rowvar=False), np.corrcoef(wide), dtype, 30)
    near(dml_vk.cov(x, dtype="float64"), np.cov(wide), "float64", 30)
    same_bits([dml_vk.cov(one) for one in forms(array)])
    out = dml_vk.zeros((3, 3), dtype)
    assert dml_vk.cov(x, out=out) is out
    assert np.array_equal(out, dml_vk.cov(x))
    assert dml_vk.corrcoef(x, out=out) is out
    assert np.array_equal(out, dml_vk.corrcoef(x))


def test_covariances_of_few():
    near(dml_vk.cov(dml_vk.asarray([[1, 2], [5, 9]])), np.cov([[1, 2], [5, 9]]), "float32")
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
        expected = np.cov(np.float32([[1], [2]]), dtype=np.float32)
    near(dml_vk.cov(dml_vk.asarray([[1.0], [2.0]])), expected, "float32")
    assert dml_vk.cov(dml_vk.zeros((0, 5))).shape == (0, 0)


@pytest.mark.parametrize("dtype", tier.some(("float32", "float16", "float64"), 2))
def test_interpolation(dtype):
    xp = np.sort(mixed(dtype, (9,)))
    fp, x = mixed(dtype, (9,), 1), mixed(dtype, (2, 3, 4, 5), 2, nan=0.05)
    x[0, 0, 0, :4] = xp[0], xp[-1], xp[4], 77
    wide = [one.astype(np.float64) for one in (x, xp, fp)]
    points = [dml_vk.asarray(one) for one in (xp, fp)]
    for named in ({}, {"left": 3.0}, {"right": -1.5, "left": 0}):
        expected = np.interp(*wide, **named)
        found = [dml_vk.interp(one, *points, **named) for one in few_forms(x, 4)]
        near(found[0], expected, dtype, 4000)
        same_bits(found)
    assert found[-1].memory_format is channels_last
    if dtype != "float32":
        return
    named = {"period": 1.25}
    near(dml_vk.interp(dml_vk.asarray(np.nan_to_num(x)), *points, **named),
         np.interp(np.nan_to_num(wide[0]), *wide[1:], **named), dtype, 30_000)  # fmt: skip
    out = dml_vk.zeros(x.shape, dtype)
    assert dml_vk.interp(dml_vk.asarray(x), *points, out=out) is out
    near(out, np.interp(*wide), dtype, 4000)


def test_interpolation_at_points_is_exact_and_goes_round_infinities():
    xp, fp = np.float32([0.1, 0.7, 1e30, 3e38]), np.float32([0.3, np.inf, np.inf, 0.1])
    x = np.float32([0.1, 0.4, 0.7, 0.9, 1e30, 3e38])
    found = dml_vk.interp(dml_vk.asarray(x), dml_vk.asarray(xp), dml_vk.asarray(fp))
    assert np.array_equal(found, np.interp(x, xp, fp).astype(np.float32), equal_nan=True)
    one = dml_vk.interp(dml_vk.asarray([1.0, 2.0, 3.0]), dml_vk.asarray([2.0]), [5.0], -1)
    assert one.tolist() == [-1.0, 5.0, 5.0]
    near(dml_vk.interp(0.5, dml_vk.asarray([0, 1]), dml_vk.asarray([10, 20])), 15.0, "float32")
    assert dml_vk.interp(dml_vk.zeros((0, 2)), dml_vk.asarray(xp), fp).shape == (0, 2)


def test_bins():
    for dtype in ("float32", "int16"):
        array, edges = mixed(dtype, (2, 3, 4, 5)), np.sort(mixed(dtype, (7,), 1))
        array[0, 0, 0] = edges[:5]
        some = (edges, edges[::-1].copy(), edges[:1], edges[:0], np.repeat(edges[:2], 2))
        for bins, right in tier.crossed(some, (dtype == "int16", dtype != "int16")):
            expected = np.digitize(array, bins, right)
            for x in tier.some(forms(array), 2):
                found = dml_vk.digitize(x, dml_vk.asarray(bins), right)
                assert np.array_equal(found, expected)
            assert found.memory_format is channels_last
    out = dml_vk.zeros((2, 3, 4, 5), "int64")
    assert dml_vk.digitize(x, dml_vk.asarray(edges[::-1]), out=out) is out
    assert np.array_equal(out, np.digitize(array, edges[::-1]))
    assert dml_vk.digitize(2.5, dml_vk.asarray([1, 2, 3])).tolist() == 2


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_derivatives(dtype):
    kind = dtype if dtype in FLOATS else "float32"
    array = mixed(dtype, (4, 3, 5, 6))
    at = np.cumsum(np.linspace(0.25, 2, 6))
    wide = array.astype(np.float64)
    steps = (([], None), ([0.5], (1, 3)), ([2, 0.25], (0, -1)), ([at], 3))
    cases = list(itertools.product((1, 2), steps))
    turn = ("float16", "float32", "int32").index(dtype)
    for order, (arguments, axis) in cases if tier.is_all() else cases[turn::3]:
        expected = np.gradient(wide, *arguments, axis=axis, edge_order=order)
        given = [
            dml_vk.asarray(one.astype(kind)) if isinstance(one, np.ndarray) else one
            for one in arguments
        ]
        found = dml_vk.gradient(dml_vk.asarray(array), *given, axis=axis, edge_order=order)
        if axis == 3:
            found, expected = (found,), (expected,)
        for one, two in zip(found, expected, strict=True):
            near(one, two, kind, 1000)
    if dtype != "float32":
        return
    results = [dml_vk.gradient(x, axis=2) for x in forms(array)]
    same_bits(results)
    assert results[-1].memory_format is channels_last
    short = dml_vk.asarray(array)[..., :2]
    near(dml_vk.gradient(short, axis=3), np.gradient(wide[..., :2], axis=3), kind, 100)
    step = dml_vk.asarray(0.5, kind)
    near(dml_vk.gradient(short, step, axis=1), np.gradient(wide[..., :2], 0.5, axis=1), kind, 100)


def test_integrals_and_flat_differences():
    array, at = mixed("float32", (3, 5)), np.sort(mixed("float32", (5,), 1))
    for x in forms(array):
        for named in ({}, {"dx": 0.5}, {"axis": 0}, {"x": at}, {"x": array[::-1].copy()}):
            given = {k: dml_vk.asarray(v) if k == "x" else v for k, v in named.items()}
            near(dml_vk.trapezoid(x, **given), TRAPEZOID(array, **named), "float32", 30)
        assert np.array_equal(dml_vk.ediff1d(x), np.ediff1d(array))
        found = dml_vk.ediff1d(x, dml_vk.asarray(at), 7)
        assert np.array_equal(found, np.ediff1d(array, at, 7))
    near(dml_vk.trapezoid(x, dx=dml_vk.asarray(2.0)), TRAPEZOID(array, dx=2), "float32", 30)
    for size in (0, 1):
        few = mixed("int8", (size,))
        found = dml_vk.ediff1d(dml_vk.asarray(few), [1], [2, 3])
        assert found.tolist() == np.ediff1d(few, [1], [2, 3]).tolist()
    out = dml_vk.zeros(15)
    assert dml_vk.ediff1d(x, 1.0, out=out) is out
    assert np.array_equal(out, np.ediff1d(array, 1.0))


X = dml_vk.asarray([0.5, 1.5, 2.5])


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: dml_vk.cov(X[None, None]), LayoutError, "cov: m must have at most two dims"),
        (lambda: dml_vk.cov(X, fweights=[1, 2]), LayoutError, "cov: fweights must have the shape "),
        (lambda: dml_vk.cov(X, dtype="int8"), DTypeError, "cov: dtype must be one of float"),
        (lambda: dml_vk.cov(X, bias="no"), DTypeError, "cov: bias must be a bool"),
        (lambda: dml_vk.interp(X, X, X[:2]), LayoutError, "interp: xp and fp must have the same"),
        (lambda: dml_vk.interp(X, X[:0], X[:0]), LayoutError, "interp: xp and fp must have the sa"),
        (lambda: dml_vk.interp(X, X, X, period=0), RangeError, "interp: period must not be 0"),
        (lambda: dml_vk.interp(X, X[None], X), LayoutError, "interp: xp must be 1-D"),
        (lambda: dml_vk.interp(X, X, X, left="a"), DTypeError, "interp: left must be a real numbe"),
        (lambda: dml_vk.digitize(X, X[None]), LayoutError, "digitize: bins must be 1-D"),
        (lambda: dml_vk.gradient(X, edge_order=3), RangeError, "gradient: edge_order must be 1 or"),
        (lambda: dml_vk.gradient(X[:2], edge_order=2), LayoutError, "gradient: f must have at lea"),
        (lambda: dml_vk.gradient(X, 1, 2), LayoutError, "gradient: there must be one distance, or"),
        (lambda: dml_vk.gradient(X, X[:2]), LayoutError, "gradient: coordinates must be 1-D, one "),
    ],
)
def test_what_is_refused(call, kind, words):
    with pytest.raises(kind, match=f"^{words}"):
        call()
