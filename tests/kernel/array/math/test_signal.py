"""Convolution and correlation beside NumPy, and the order of their sums."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.array.math import signal
from dml_vk.errors import LayoutError, RangeError
from dml_vk.testing.reductions import tree_sum
from tests import tier
from tests.kernel.forms import forms, mixed

LENGTHS = ((1, 1), (5, 1), (1, 4), (6, 3), (4, 4), (3, 7), (200, 32))
MODES = ("full", "same", "valid")
FUNCTIONS = ("convolve", "correlate")


def near(found, expected, dtype):
    """Integers to the bit; floats within a few roundings of float64's result."""
    assert (found.shape, found.dtype.numpy_name) == (expected.shape, dtype)
    if np.dtype(dtype).kind != "f":
        assert np.array_equal(found.numpy(), expected.astype(dtype))
    else:
        error = 40 * np.finfo(dtype).eps
        assert np.allclose(found.numpy(), expected, rtol=error, atol=error)


@tier.parametrize("name dtype", FUNCTIONS, ["float32", "float64", "float16", "uint16"])
def test_all_modes(name, dtype):
    wide = "float64" if np.dtype(dtype).kind == "f" else dtype
    cases = tier.crossed(LENGTHS, MODES)
    for (n, m), mode in cases if dtype == "float32" else tier.some(cases, 3):
        a, v = mixed(dtype, (n,)), mixed(dtype, (m,), 1)
        if dtype == "float16":
            a, v = a / 16, v / 16
        expected = getattr(np, name)(a.astype(wide), v.astype(wide), mode)
        near(getattr(dml_vk, name)(dml_vk.asarray(a), dml_vk.asarray(v), mode), expected, dtype)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forms_and_out(name):
    a, v = mixed("float32", (9,)), mixed("int32", (4,), 1)
    for mode in MODES:
        expected = getattr(np, name)(a, v, mode)
        results = set()
        for x, y in tier.some(zip(forms(a), forms(v), strict=True), 3):
            for given in ((x, y), (y, x)):
                right = expected if given[0] is x else getattr(np, name)(v, a, mode)
                found = getattr(dml_vk, name)(*given, mode)
                near(found, right, "float32")
                out = dml_vk.full((2 * len(right),), 7.0)[::2]
                assert getattr(dml_vk, name)(*given, mode, out=out) is not None
                assert np.array_equal(out, found)
            results.add(getattr(dml_vk, name)(x, y, mode).numpy().tobytes())
        assert len(results) == 1, "the same bits in every form"


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint16"])
def test_out_may_be_an_operand(dtype):
    for name in FUNCTIONS:
        a, v = mixed(dtype, (6,)), mixed(dtype, (6,), 1)
        expected = getattr(np, name)(a, v, "same")
        for which in range(2):
            operands = [dml_vk.asarray(a), dml_vk.asarray(v)]
            getattr(dml_vk, name)(*operands, "same", out=operands[which])
            near(operands[which], expected, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_lies_outside_is_not_multiplied(dtype):
    a, v = np.array([1, np.inf, -2, 0], dtype), np.array([np.nan, 1, -np.inf], dtype)
    for name in FUNCTIONS:
        for mode in MODES:
            for one, other in ((a, v), (v, a), (np.nan_to_num(a, posinf=3), v)):
                with np.errstate(invalid="ignore"):
                    expected = getattr(np, name)(one, other, mode)
                found = getattr(dml_vk, name)(dml_vk.asarray(one), dml_vk.asarray(other), mode)
                assert np.array_equal(found, expected, equal_nan=True)


def test_the_order_of_doubles(monkeypatch):
    monkeypatch.setattr(signal, "_AT_ONCE", 100)  # several blocks of results
    a, v = mixed("float64", (50,)), mixed("float64", (20,), 1)
    found = dml_vk.correlate(dml_vk.asarray(a), dml_vk.asarray(v)).numpy()
    products = np.lib.stride_tricks.sliding_window_view(a, 20) * v
    assert np.array_equal(found, [tree_sum(row) for row in products])


def test_what_is_refused():
    x = dml_vk.zeros(3)
    for name in FUNCTIONS:
        call = getattr(dml_vk, name)
        for given, kind, words in (
            ((x, x[:0]), LayoutError, r"a and v must not be empty; got a=\(3,\), v=\(0,\)"),
            ((x[None], x), LayoutError, "a must be 1-D; got a="),
            ((x, x, "half"), RangeError, "mode must be 'full', 'same' or 'valid'; got mode='half'"),
        ):
            with pytest.raises(kind, match=f"^{name}: {words}"):
                call(*given)
        with pytest.raises(LayoutError, match=rf"^{name}: out must have the shape \(5,\)"):
            call(x, dml_vk.zeros(5), "same", out=dml_vk.zeros(4))
