"""Weighted means and widths, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.forms import few_forms, forms, mixed

AXES = (None, 0, -1, (0, 2), (2, 0, 1), ())
CLOSE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}


FLOATS = tuple(CLOSE)


def by_turns(axes, number):
    """Every second one, or all, each with its place."""
    return list(enumerate(axes)) if tier.is_all() else list(enumerate(axes))[number::2]


def near(found, expected, dtype):
    assert (found.shape, found.dtype.numpy_name) == (np.shape(expected), dtype)
    close = CLOSE[dtype]
    assert np.allclose(found.numpy(), expected, rtol=close, atol=close, equal_nan=True)


@pytest.mark.parametrize("dtype", tier.some(["int8", "uint64", "float32", "float16", "float64"], 3))
def test_widths(dtype):
    array = mixed(dtype, (3, 4, 5), nan=0.05)
    for turn, axis in by_turns(AXES, dtype in ("uint64", "float32")):
        for x in few_forms(array, turn):
            expected = np.asarray(np.ptp(array, axis=axis, keepdims=axis == -1))
            found = dml_vk.ptp(x, axis, keepdims=axis == -1)
            assert (found.shape, found.dtype.numpy_name) == (expected.shape, dtype)
            kept = {"equal_nan": True} if array.dtype.kind == "f" else {}
            assert np.array_equal(found.numpy(), expected, **kept)
    whole = np.int8([-128, 127, 3])
    assert dml_vk.ptp(dml_vk.asarray(whole)).item() == np.ptp(whole) == -1


def test_widths_elsewhere():
    array = mixed("float32", (2, 3, 4, 5))
    image = dml_vk.asarray(array, memory_format=channels_last)
    with dml_vk.trace(strict=True):
        assert dml_vk.ptp(image, 1, keepdims=True).memory_format is channels_last
    dml_vk.ptp(image, 1, out=image[:, 2])
    assert np.array_equal(image[:, 2].numpy(), np.ptp(array, axis=1))
    many = mixed("float32", (1000, 1003))
    assert np.array_equal(dml_vk.ptp(dml_vk.asarray(many), 0).numpy(), np.ptp(many, axis=0))
    for call, error, told in (
        (lambda: dml_vk.ptp([1]), DTypeError, "x must be a Tensor"),
        (lambda: dml_vk.ptp(image > 0), DTypeError, "dtype must be one of int8"),
        (lambda: dml_vk.ptp(image, 4), LayoutIndexError, "axis must be from -4 to 3"),
        (lambda: dml_vk.ptp(image[:0], 0), RangeError, "zero-size reduction has no identity"),
        (lambda: dml_vk.ptp(image, out=image), LayoutError, r"out must have the shape \(\)"),
    ):
        with pytest.raises(error, match=rf"^ptp: {told}"):
            call()


@tier.parametrize(
    "other dtype",
    ["bool", "int16", "float16", "float32", "float64"],
    ["float16", "float32", "bool", "uint8", "float64"],
)
def test_averages(dtype, other):
    array, weights = mixed(dtype, (3, 4, 5)), np.abs(mixed(other, (3, 4, 5), 1)) + (other != "bool")
    floats = [np.dtype(one) for one in (dtype, other) if np.dtype(one).kind == "f"]
    kind = max(floats or [np.dtype("float32")], key=lambda one: one.itemsize).name
    weights = weights.astype(other)
    weights[0] = True
    weights[:, 0], weights[..., 1] = True, True
    wide, heavy = array.astype(np.float64), weights.astype(np.float64)
    # Where weights come to 0 NumPy gives no answer.
    for turn, axis in by_turns(AXES[: -1 if other == "bool" else None], dtype in FLOATS):
        for x, given in zip(few_forms(array, turn), few_forms(weights, turn)):
            expected = np.average(wide, axis, heavy, returned=True, keepdims=True)
            found = dml_vk.average(x, axis, given, True, keepdims=True)
            for one, wanted in zip(found, expected, strict=True):
                near(one, wanted, kind)
            near(dml_vk.average(x, axis, given), np.average(wide, axis, heavy), kind)


def test_weights_along_axes():
    array = mixed("float32", (3, 4, 5))
    for axis, sizes in ((0, (3,)), (-1, (5,)), ((0, 2), (3, 5)), ((2, 0), (5, 3)), ((1,), (4,))):
        weights = np.abs(mixed("float32", sizes, 3))
        # NumPy before 2.2 takes one axis only.
        axes = [one % 3 for one in np.atleast_1d(axis)]
        deep = np.expand_dims(weights, list(range(len(axes), 3)))
        moved = np.moveaxis(deep, range(len(axes)), axes)
        expected = np.average(array, axis, np.broadcast_to(moved, array.shape), returned=True)
        for x, given in tier.some(zip(forms(array), forms(weights)), 2):
            found = dml_vk.average(x, axis, given, returned=True)
            for one, wanted in zip(found, expected, strict=True):
                near(one, wanted, "float32")


def test_averages_without_weights():
    kinds = (("bool", "float32"), ("int32", "float32"), ("float16", "float16"))
    for k, (dtype, kind) in enumerate(kinds):
        array = mixed(dtype, (3, 4, 5))
        for turn, axis in by_turns(AXES, k % 2):
            for x in few_forms(array, turn):
                expected = np.average(array.astype(np.float64), axis, returned=True)
                for one, wanted in zip(dml_vk.average(x, axis, returned=True), expected):
                    near(one, wanted, kind)
                near(dml_vk.average(x, axis), expected[0], kind)


def test_averages_elsewhere():
    nothing = dml_vk.asarray([0.0, 0.0])
    assert np.isnan(dml_vk.average(nothing + 1, weights=nothing).item())
    assert np.isnan(dml_vk.average(nothing[:0]).item())
    image = dml_vk.asarray(mixed("float32", (2, 3, 4, 5)), memory_format=channels_last)
    with dml_vk.trace(strict=True):
        found = dml_vk.average(image, 1, dml_vk.asarray([1.0, 2.0, 3.0]), keepdims=True)
    assert found.memory_format is channels_last
    many, weights = mixed("float32", (1000, 1003)), np.abs(mixed("float32", (1000, 1003), 1))
    found = dml_vk.average(dml_vk.asarray(many), 1, dml_vk.asarray(weights))
    wide = np.average(many.astype(np.float64), 1, weights.astype(np.float64))
    assert np.allclose(found.numpy(), wide, rtol=1e-5, atol=1e-6)
    for call, error, told in (
        (lambda: dml_vk.average([1]), DTypeError, "x must be a Tensor"),
        (lambda: dml_vk.average(image, weights=1), DTypeError, "weights must be a Tensor"),
        (lambda: dml_vk.average(image, 4), LayoutIndexError, "axis must be from -4 to 3"),
        (lambda: dml_vk.average(image, 1, nothing), LayoutError, "weights must have the shape of"),
        (lambda: dml_vk.average(image, returned=3), DTypeError, "returned must be a bool"),
    ):
        with pytest.raises(error, match=rf"^average: {told}"):
            call()
