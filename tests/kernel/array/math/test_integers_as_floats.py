"""Float results of integers: each is NumPy's, which computes in float64, rounded once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dml_vk
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.forms import few_forms

KINDS = ("int64", "uint64", "int32", "uint32", "int16", "uint8", "bool")
LARGE = 2**40


def integers(kind: str, sizes=(3, 4, 5), seed: int = 0):
    """Integers near the end of their range, or near 2**40, whose distances float32 would lose."""
    if kind == "bool":
        return np.random.default_rng(seed).random(sizes) < 0.7
    most = min(np.iinfo(kind).max, LARGE)
    return (most - np.random.default_rng(seed).integers(0, 100, sizes)).astype(kind)


def check(found, expected):
    """Compare with results in float64, rounded once; twice may differ in the last bit of them."""
    found = found if isinstance(found, tuple) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for one, wanted in zip(found, expected, strict=True):
        kind = "complex64" if np.iscomplexobj(wanted) else "float32"
        assert one.dtype.name == kind
        with np.errstate(over="ignore"):
            assert np.array_equal(one.numpy(), np.asarray(wanted).astype(kind), equal_nan=True)


CALLS = {
    "mean": lambda f, x: f.mean(x, axis=1),
    "var": lambda f, x: f.var(x, axis=(0, 2), keepdims=True),
    "std": lambda f, x: f.std(x, axis=2, ddof=1),
    "nanmean": lambda f, x: f.nanmean(x, axis=0),
    "nanvar": lambda f, x: f.nanvar(x, axis=1, ddof=1, keepdims=True),
    "nanstd": lambda f, x: f.nanstd(x),
    "median": lambda f, x: f.median(x, axis=1),
    "nanmedian": lambda f, x: f.nanmedian(x, axis=(0, 1)),
    "quantile": lambda f, x: f.quantile(x, [0.1, 0.35], axis=2),
    "nanpercentile": lambda f, x: f.nanpercentile(x, 77, axis=0, keepdims=True),
    "midpoint": lambda f, x: f.percentile(x, 30, method="midpoint"),
    "cov": lambda f, x: f.cov(x[1]),
    "corrcoef": lambda f, x: f.corrcoef(x[1], rowvar=False),
    "trapezoid": lambda f, x: f.trapezoid(x, dx=0.1, axis=1),
}


@tier.parametrize("name kind", list(CALLS), KINDS)
def test_results_are_rounded_once(name, kind):
    array = integers(kind)
    # NumPy itself interpolates between bools by and-ing them, and has small integers wrap.
    wide = array.astype(np.float64)
    for x in few_forms(array, list(CALLS).index(name)):
        with np.errstate(invalid="ignore"):
            found, expected = CALLS[name](dml_vk, x), CALLS[name](np, wide)
        if name in ("cov", "corrcoef", "trapezoid"):  # The orders of their sums are others.
            assert found.dtype.name == "float32"
            assert np.allclose(found.numpy(), expected, rtol=2e-7, atol=2e-7, equal_nan=True)
        else:
            check(found, expected)


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_derivatives(kind):
    array, at = integers(kind), np.sort(np.unique(integers(kind, 40)))[:5]
    x, wide, places = dml_vk.asarray(array), array.astype(np.float64), at.astype(np.float64)
    check(dml_vk.gradient(x), tuple(np.gradient(wide)))
    check(dml_vk.gradient(x, 0.1, axis=0), np.gradient(wide, 0.1, axis=0))
    expected = np.gradient(wide, 0.25, axis=2, edge_order=2)
    check(dml_vk.gradient(x, 0.25, axis=2, edge_order=2), expected)
    check(dml_vk.gradient(x, dml_vk.asarray(at), axis=2), np.gradient(wide, places, axis=2))
    floats = np.linspace(1, 2, 5).astype(np.float32) ** 3
    found = dml_vk.gradient(dml_vk.asarray(floats), dml_vk.asarray(at))
    check(found, np.gradient(floats.astype(np.float64), places))
    check(
        dml_vk.trapezoid(dml_vk.asarray(floats), dml_vk.asarray(at)),
        np.trapezoid(floats.astype(np.float64), places),
    )


@pytest.mark.parametrize("kind", ["int64", "uint64", "int32"])
def test_integers_beside_floats(kind):
    """Weights and coordinates that are integers beside elements that are floats, and vice versa."""
    array, floats = integers(kind, 30), np.linspace(-3, 5, 30).astype(np.float32)
    x, y, wide = dml_vk.asarray(array), dml_vk.asarray(floats), floats.astype(np.float64)
    check(dml_vk.average(x, weights=y), np.average(array, weights=wide))
    check(dml_vk.average(y, weights=x), np.average(wide, weights=array))
    check(dml_vk.average(x, returned=True), np.average(array, returned=True))
    order = np.unique(array)
    ends = np.array([order[0], order[-1]])
    for values in (floats[:2], np.array([1, 9], kind)):
        points = [dml_vk.asarray(one) for one in (ends, values)]
        check(dml_vk.interp(x, *points), np.interp(array, ends, values))
    turned = np.array([1j, 2 - 3j], np.complex64)
    points = dml_vk.asarray(ends), dml_vk.asarray(turned)
    check(dml_vk.interp(x, *points), np.interp(array, ends, turned))
    found = dml_vk.cov(x, y).numpy()
    assert np.allclose(found, np.cov(array, wide), rtol=2e-7)
    found = dml_vk.cov(y, fweights=dml_vk.asarray(np.arange(30))).numpy()
    assert np.allclose(found, np.cov(wide, fweights=np.arange(30)), rtol=2e-7)


@pytest.mark.parametrize("kind", ["int64", "uint64"])
def test_sums_of_means_do_not_overflow(kind):
    limits = np.iinfo(kind)
    for numbers in (
        [limits.max] * 7,
        [limits.max, limits.max - 1, limits.min, 5],
        [2**53 + 1, 2**53 + 3, 7],
        [2**53 + 1, -(2**53)] if kind == "int64" else [2**63 + 5, 1],
        [-1] * 5 + [2**32] if kind == "int64" else [2**32 - 1] * 5,
        [limits.min] * 3,
    ):
        exact = Fraction(sum(numbers), len(numbers))
        for x in few_forms(np.array(numbers, kind), len(numbers)):
            assert dml_vk.mean(x).item() == np.float32(float(exact))
        many = np.resize(np.array(numbers, kind), (2, 3, 700, 5))
        exact = [Fraction(sum(row.ravel().tolist()), 10500) for row in many]
        image = dml_vk.asarray(many, memory_format=channels_last)
        assert dml_vk.mean(image, (1, 2, 3)).tolist() == [np.float32(float(one)) for one in exact]


def test_from_nothing_and_to_out():
    for kind in ("int64", "int8", "bool"):
        none, one = dml_vk.zeros((0, 2), dtype=kind), dml_vk.ones((1,), dtype=kind)
        for function in (dml_vk.mean, dml_vk.var, dml_vk.std, dml_vk.nanmean, dml_vk.nanstd):
            assert np.isnan(function(none, axis=0).numpy()).all()
            assert function(one).item() == ("mean" in function.__name__)
            out = dml_vk.full((2, 1), 9.0)
            x = dml_vk.asarray([[1, 2], [3, 5]]).astype(kind)
            assert function(x, axis=1, keepdims=True, out=out) is out
            check(out, getattr(np, function.__name__)(x.numpy(), axis=1, keepdims=True))
    x = dml_vk.asarray([LARGE + 1, LARGE + 3])
    assert np.std(x) == np.std(x, dtype=np.float32) == dml_vk.nanstd(x, dtype="float32") == 1
    out = dml_vk.empty((), "float32")
    assert dml_vk.trapezoid(x, out=out) is out
    assert out.item() == np.float32(LARGE + 2)


def test_compiled():
    x = dml_vk.asarray(integers("int64", (4, 6)))
    for name, function in (("std", dml_vk.std), ("median", dml_vk.median), ("mean", dml_vk.mean)):
        found = dml_vk.compile(lambda a, f=function: f(a, axis=1))(x)
        check(found, getattr(np, name)(x.numpy(), axis=1))
