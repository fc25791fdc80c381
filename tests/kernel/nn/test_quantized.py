"""Quantized numbers and products of them, beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms, forms
from tests.kernel.tensors import assert_same

SIZES = (2, 3, 4, 5)
SMALL = ("int8", "uint8", "int16", "uint16")
SCALES = np.array([0.3, 0.1, 2.0], np.float32).reshape(3, 1, 1)
X, Q = dml_vk.ones((2, 3)), dml_vk.ones((2, 3), "int8")


def quantized(array, scale, zero_point, dtype):
    limits = np.iinfo(dtype)
    whole = np.round(array.astype(np.float32) / np.float32(scale)) + np.float32(zero_point)
    return np.nan_to_num(np.clip(whole, limits.min, limits.max)).astype(dtype)


def dequantized(array, scale, zero_point, dtype):
    steps = array.astype(np.int32) - np.asarray(zero_point).astype(np.int32)
    with np.errstate(over="ignore"):
        return (steps.astype(np.float32) * np.float32(scale)).astype(dtype)


@pytest.mark.parametrize("kind", SMALL)
def test_numbers(kind):
    array = (chance().standard_normal(SIZES) * 200).astype(np.float32)
    array[0, 0, 0] = [np.inf, -np.inf, np.nan, 0.15, 0.45]
    for turn, dtype in enumerate(("float32", "float16")):
        for x in few_forms(array.astype(dtype), turn):
            for scale, zero_point in ((0.3, 7), (1, 0), (np.float32(2.5), np.int64(100))):
                found = nn.quantize(x, scale, zero_point, dtype=kind)
                assert_same(found, quantized(array.astype(dtype), scale, zero_point, kind))
                assert found.layout.order == x.layout.order
                back = nn.dequantize(found, scale, zero_point, dtype=dtype)
                assert_same(back, dequantized(found.numpy(), scale, zero_point, dtype))
                assert back.layout.order == x.layout.order


@pytest.mark.parametrize("kind", SMALL)
def test_numbers_of_each_channel(kind):
    array = (chance().standard_normal(SIZES) * 90).astype(np.float32)
    points = np.array([1, 0, 5], kind).reshape(3, 1, 1)
    for dtype in ("float32", "float16"):
        scale, zero_point = dml_vk.asarray(SCALES.astype(dtype)), dml_vk.asarray(points)
        scales = SCALES.astype(dtype).astype(np.float32)
        x = dml_vk.asarray(array, memory_format=dml_vk.channels_last)
        with dml_vk.trace(strict=True):
            found = nn.quantize(x, scale, zero_point, dtype=kind)
            back = nn.dequantize(found, scale, zero_point, dtype=dtype)
        assert_same(found, quantized(array, scales, points, kind))
        assert_same(back, dequantized(found.numpy(), scales, points, dtype))
    wide = dml_vk.asarray(np.array([2**24 + 2, -5, 7], np.int32))
    assert nn.dequantize(wide, 0.5, 2).tolist() == [2.0**23, -3.5, 2.5]


def test_results_that_are_given():
    out = dml_vk.empty((2, 3), "uint8")
    assert nn.quantize(X, 0.5, 1, dtype="uint8", out=out) is out
    assert out.tolist() == [[3, 3, 3]] * 2
    floats = dml_vk.empty((2, 3), "float16")
    assert nn.dequantize(out, 0.5, 1, dtype="float16", out=floats) is floats
    assert floats.tolist() == [[1, 1, 1]] * 2
    assert nn.quantize(dml_vk.zeros((0, 3)), 1, 0, dtype="int8").shape == (0, 3)


def integers(kind, sizes):
    limits = np.iinfo(kind)
    return chance().integers(limits.min, limits.max + 1, sizes).astype(kind)


BYTES = ["int8", "uint8"]
ROWS = (3, 1), (1, 5)
POINTS = [(0, 0), (3, 0), (0, 5), (3, 5), ROWS, (ROWS[0], 5), (3, (5,))]


def test_products():
    """Zero points are numbers, or tensors of these shapes."""
    for points, (first, second) in tier.crossed(POINTS, list(itertools.product(BYTES, BYTES))):
        a, b = integers(first, (4, 3, 70)), integers(second, (70, 5))
        p, q = [
            integers(kind, one) if isinstance(one, tuple) else one
            for one, kind in zip(points, (first, second))
        ]
        expected = (a.astype(np.int32) - p) @ (b.astype(np.int32) - q)
        points = [dml_vk.asarray(one) if isinstance(one, np.ndarray) else one for one in (p, q)]
        with dml_vk.trace(strict=True):
            found = nn.matmul_integer(dml_vk.asarray(a), dml_vk.asarray(b), *points)
        assert_same(found, expected.astype(np.int32))


def test_products_in_every_form_and_to_memory_of_an_operand():
    a, b = integers("uint8", (2, 1, 6, 8)), integers("int8", (3, 8, 7))
    expected = (a.astype(np.int32) - 9) @ (b.astype(np.int32) + 2)
    for one in forms(a):
        assert_same(nn.matmul_integer(one, dml_vk.asarray(b), 9, -2), expected)
    for one in forms(b):
        assert_same(nn.matmul_integer(dml_vk.asarray(a), one, 9, -2), expected)
    memory = dml_vk.asarray(integers("uint8", (8, 32)))
    out, array = memory.view(dml_vk.int32), memory.numpy()[:, :8].astype(np.int32)
    nn.matmul_integer(memory[:, :8], memory[:, :8], 1, 2, out=out)
    assert_same(out, (array - 1) @ (array - 2))
    nothing = nn.matmul_integer(Q[:, :0], Q.mT[:0], 1, 2)
    assert nothing.tolist() == [[0, 0], [0, 0]]


def test_sums_wrap():
    a = dml_vk.full((1, 40_000), 255, "uint8")
    found = nn.matmul_integer(a, a.mT, -0, 0)
    assert found.item() == (255 * 255 * 40_000 + 2**31) % 2**32 - 2**31
    whole = nn.matmul_integer(a, a.mT, 1, 2).item()
    assert whole == (254 * 253 * 40_000 + 2**31) % 2**32 - 2**31


POINT = dml_vk.zeros((3, 1), "int8")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.quantize(3, 1, 0, dtype="int8"), DTypeError, "quantize: x must be a Tensor"),
        (
            lambda: nn.quantize(Q, 1, 0, dtype="int8"),
            DTypeError,
            "quantize: dtype must be one of f",
        ),
        (
            lambda: nn.quantize(X, 1, 0, dtype="int32"),
            DTypeError,
            "dtype must be one of int8, uint",
        ),
        (lambda: nn.quantize(X, 0, 0, dtype="int8"), RangeError, "scale must be positive and fini"),
        (lambda: nn.quantize(X, np.inf, 0, dtype="int8"), RangeError, "scale must be positive"),
        (lambda: nn.quantize(X, "1", 0, dtype="int8"), DTypeError, "scale must be a real number"),
        (lambda: nn.quantize(X, Q, 0, dtype="int8"), DTypeError, "dtype must be one of float16"),
        (lambda: nn.quantize(X, 1, 128, dtype="int8"), DTypeError, "zero_point must be an integer"),
        (lambda: nn.quantize(X, 1, 0.5, dtype="int8"), DTypeError, "zero_point must be an integer"),
        (lambda: nn.quantize(X, 1, X, dtype="int8"), DTypeError, "dtype must be one of int8"),
        (
            lambda: nn.quantize(X, X[None], 0, dtype="int8"),
            LayoutError,
            "quantize: scale and zero_point must broadcast to the shape of x",
        ),
        (lambda: nn.quantize(X, 1, 0, dtype="int8", out=X), DTypeError, "out must have the dtype"),
        (lambda: nn.dequantize(X, 1, 0), DTypeError, "dequantize: dtype must be one of int8"),
        (lambda: nn.dequantize(Q, 1, 0, dtype="int8"), DTypeError, "dtype must be one of float16"),
        (lambda: nn.matmul_integer(X, Q), DTypeError, "matmul_integer: dtype must be one of int8"),
        (lambda: nn.matmul_integer(Q, 3), DTypeError, "matmul_integer: b must be a Tensor"),
        (lambda: nn.matmul_integer(Q[0], Q), LayoutError, "a must have at least two dims"),
        (lambda: nn.matmul_integer(Q, Q), LayoutError, r"a.shape\[-1\] must equal b.shape\[-2\]"),
        (lambda: nn.matmul_integer(Q, Q.mT, 300), DTypeError, "a_zero_point must be an integer"),
        (lambda: nn.matmul_integer(Q, Q.mT, 0, Q), LayoutError, "b_zero_point must have size 1 in"),
        (lambda: nn.matmul_integer(Q, Q.mT, POINT), LayoutError, "sizes must agree or be 1"),
        (
            lambda: nn.matmul_integer(Q, Q.mT, POINT[None, :1]),
            LayoutError,
            "a_zero_point must have size 1 in dim -1, and broadcast to the result",
        ),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
