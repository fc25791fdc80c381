"""Local response normalization and norms of any power: their bits, and beside float64."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.errors import DmlVkError
from dml_vk.layout import channels_last, contiguous_format
from dml_vk.testing.reductions import tree_sum
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.matrices import assert_bits, operand
from tests.kernel.nn.test_products import check_written

SIZES = st.sampled_from([1, 2, 5])
INF, NAN = np.inf, np.nan


def power(array, exponent):
    """Our own: it is tested elsewhere. Exponents in tensors are not taken as roots or products."""
    return dml_vk.pow(dml_vk.asarray(array), dml_vk.asarray(np.float32(exponent))).numpy()


def squares_near(array, size, across):
    """Sums of squares in row-major order of the window, in float32."""
    wide = array.astype(np.float32)
    dims = [1] if across else list(range(2, array.ndim))
    before = [size // 2 if dim in dims else 0 for dim in range(array.ndim)]
    after = [(size - 1) // 2 if dim in dims else 0 for dim in range(array.ndim)]
    padded = np.pad(wide * wide, list(zip(before, after)))
    sums = np.zeros_like(wide)
    for places in itertools.product(range(size), repeat=len(dims)):
        at = [slice(None)] * array.ndim
        for dim, place in zip(dims, places):
            at[dim] = slice(place, place + array.shape[dim])
        sums = sums + padded[tuple(at)]
    return sums


def responses(array, size, alpha, beta, k, across=True):
    base = squares_near(array, size, across) * np.float32(alpha / size) + np.float32(k)
    powers = power(base, beta)
    return (array.astype(np.float32) / powers).astype(array.dtype)


@tier.examples(20, deadline=None, derandomize=True)
@given(st.data())
def test_responses_of_any_layout_to_any_layout(data):
    sizes = (
        *[data.draw(SIZES) for _ in range(2)],
        *data.draw(st.lists(SIZES, min_size=1, max_size=3)),
    )
    dtype, across = data.draw(st.sampled_from([float32, float16])), data.draw(st.booleans())
    x, seen = operand(data.draw(layouts(sizes=sizes)), dtype)
    size = data.draw(st.sampled_from([1, 2, 3, 4, 9]))
    expected = responses(seen, size, 0.7, 0.6, 1.5, across)
    given = {"alpha": 0.7, "beta": 0.6, "k": 1.5, "cross_channel": across}
    check_written(
        lambda out: nn.local_response_norm(x, size, **given, out=out),
        *(data.draw(targets(sizes=sizes)), dtype, expected),
    )


@tier.parametrize("across form", [True, False], [contiguous_format, channels_last])
def test_responses_in_boxes_keep_the_format_and_the_bits(across, form):
    array = chance().standard_normal((2, 3, 1100, 700)).astype(np.float32)
    x = dml_vk.asarray(array, memory_format=form)
    with dml_vk.trace(strict=True):
        found = nn.local_response_norm(x, 3, alpha=0.5, cross_channel=across)
    assert found.memory_format is form
    assert_bits(found.numpy(), responses(array, 3, 0.5, 0.75, 1.0, across), form)


def test_a_size_beyond_all_channels_takes_them_all_and_is_the_divisor():
    x = dml_vk.asarray([[[1.0], [2.0], [3.0]]])
    found = nn.local_response_norm(x, 10**9, alpha=1e9, beta=1.0, k=0.0)
    assert np.allclose(found.numpy().ravel() * 14, [1, 2, 3], rtol=1e-6)
    for sizes in ((2, 0, 3), (0, 2, 3), (2, 3, 0)):
        assert nn.local_response_norm(dml_vk.empty(sizes), 2).shape == sizes


def test_responses_of_special_values():
    """As PyTorch 2.13: infinity over infinity is NaN, and beside it are zeros."""
    x = dml_vk.asarray([[[1.0, -0.0], [INF, NAN], [2.0, 1.0], [1.0, 1.0]]])
    found = nn.local_response_norm(x, 2, beta=0.5).numpy()[0]
    assert np.isnan(found[1]).all()
    assert found[2, 0] == 0
    assert np.isnan(found[2, 1])
    assert np.signbit(found[0, 1])
    assert np.isfinite(found[3]).all()


def norm_of(array, axis, p):
    """In the order of a sum, with our own powers."""
    wide = np.abs(array.astype(np.float32))
    if p == INF:
        return wide.max(axis, keepdims=True)
    powers = power(wide, p)
    kept = [dim for dim in range(array.ndim) if dim not in axis]
    rows = powers.transpose(*kept, *axis).reshape(*[array.shape[dim] for dim in kept], -1)
    sums = power(tree_sum(rows, -1), 1 / p)
    return np.expand_dims(sums, axis)


@tier.examples(20, deadline=None, derandomize=True)
@given(st.data())
def test_norms_of_any_power_layout_and_axes(data):
    sizes = tuple(data.draw(st.lists(SIZES, min_size=1, max_size=4)))
    dtype, p = (
        data.draw(st.sampled_from([float32, float16])),
        data.draw(st.sampled_from([0.5, 3, INF])),
    )
    axis = tuple(sorted(data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))))
    x, seen = operand(data.draw(layouts(sizes=sizes)), dtype)
    bound = np.maximum(norm_of(seen, axis, p), np.float32(1e-12))
    expected = (seen.astype(np.float32) / bound).astype(dtype.numpy_name)
    check_written(
        lambda out: nn.normalize(x, p=p, axis=axis, out=out),
        *(data.draw(targets(sizes=sizes)), dtype, expected),
    )


@pytest.mark.parametrize("p", tier.some([1.5, 7, INF], 2))
def test_norms_in_boxes_keep_the_format(p):
    array = chance().standard_normal((2, 5, 700, 800)).astype(np.float32)
    exact = np.linalg.norm(array.astype(np.float64), p, axis=1, keepdims=True)
    bits = set()
    for one in (contiguous_format, channels_last):
        x = dml_vk.asarray(array, memory_format=one)
        with dml_vk.trace(strict=True):
            found = nn.normalize(x, p=p)
        assert found.memory_format is one
        assert np.allclose(found.numpy(), array / exact, rtol=3e-6)
        bits.add(found.numpy().tobytes())
    assert len(bits) == 1


def test_norms_of_nothing():
    assert nn.normalize(dml_vk.empty((0, 3)), p=3).shape == (0, 3)
    assert nn.normalize(dml_vk.empty((3, 0)), p=INF).shape == (3, 0)


@pytest.mark.parametrize("p", [0.5, 1, 2, 3, INF])
def test_norms_of_special_values(p):
    """As PyTorch 2.13: rows of zeros stay, one infinity makes itself NaN and all others 0."""
    x = dml_vk.asarray([[0.0, -0.0], [INF, 1.0], [NAN, 1.0], [-INF, -1.0]])
    found = nn.normalize(x, p=p).numpy()
    assert np.array_equal(found, [[0, 0], [NAN, 0], [NAN, NAN], [NAN, 0]], equal_nan=True)
    assert np.signbit(found[0, 1])
    assert np.signbit(found[3, 1])


X = dml_vk.ones((1, 2, 3))
MESSAGES = {
    "local_response_norm: x must be a Tensor": lambda: nn.local_response_norm([1.0], 2),
    "local_response_norm: dtype must be one of float16, float32": lambda: nn.local_response_norm(
        X.to("int32"), 2
    ),
    "local_response_norm: x must have 3 to 5 dims": lambda: nn.local_response_norm(X[0], 2),
    "local_response_norm: size must be at least 1": lambda: nn.local_response_norm(X, 0),
    "local_response_norm: size must be from 1 to": lambda: nn.local_response_norm(X, 2**31),
    "local_response_norm: size must be an integer": lambda: nn.local_response_norm(X, 1.5),
    "local_response_norm: alpha must be a real": lambda: nn.local_response_norm(X, 2, alpha="a"),
    "local_response_norm: beta must be a real": lambda: nn.local_response_norm(X, 2, beta=None),
    "local_response_norm: k must be a real": lambda: nn.local_response_norm(X, 2, k=1j),
    "local_response_norm: cross_channel must be a bool": lambda: nn.local_response_norm(
        X, 2, cross_channel=2
    ),
    "local_response_norm: out must have the shape (1, 2, 3)": lambda: nn.local_response_norm(
        X, 2, out=X[0]
    ),
    "normalize: p must be from 2**-100 to 2**100, or infinity": lambda: nn.normalize(X, p=0),
    "normalize: p must be a real number": lambda: nn.normalize(X, p="2"),
    "normalize: eps must be at least 0": lambda: nn.normalize(X, p=3, eps=-1.0),
    "normalize: axis must be from -3 to 2": lambda: nn.normalize(X, p=3, axis=3),
    "normalize: out must have the dtype float32": lambda: nn.normalize(X, p=3, out=X.to("float16")),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_bad_input_is_an_error_before_any_work(message):
    with pytest.raises(DmlVkError) as raised:
        MESSAGES[message]()
    assert str(raised.value).startswith(message)
