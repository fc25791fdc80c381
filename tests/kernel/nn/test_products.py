"""linear and gemm: the bits of the reference from any layouts, into any, and nothing beside it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing import products
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.matrices import assert_bits, operand, packed, turned
from tests.kernel.memory import bits, elements, memory_for


def check_written(call, to, dtype, expected):
    memory, to = memory_for(to, dtype.itemsize)
    whole = dml_vk.asarray(memory.view(dtype.name))
    target = whole.over(to)
    assert call(target) is target
    found = whole.numpy().view(memory.dtype)
    assert_bits(elements(found.view(dtype.name), to), expected, to)
    elements(memory, to)[...] = elements(found, to)
    assert np.array_equal(found, memory), "something is written beside it"


SIZES = st.sampled_from([1, 2, 7])


@tier.examples(40, deadline=None, derandomize=True)
@given(st.data())
def test_linear_of_any_layouts(data):
    batch = data.draw(st.lists(SIZES, max_size=3))
    inputs, outputs = data.draw(st.sampled_from([0, 1, 5, 70])), data.draw(SIZES)
    dtype = data.draw(st.sampled_from([float32, float16]))
    x, a = operand(data.draw(layouts(sizes=(*batch, inputs))), dtype)
    weight, b = operand(data.draw(layouts(sizes=(outputs, inputs))), dtype)
    bias, c = None, None
    if data.draw(st.booleans()):
        bias, c = operand(data.draw(layouts(sizes=(outputs,))), dtype)
    to = data.draw(targets(sizes=(*batch, outputs)))
    expected = products.linear(a, b, c)
    check_written(lambda out: nn.linear(x, weight, bias, out=out), to, dtype, expected)


@tier.examples(40, deadline=None, derandomize=True)
@given(st.data())
def test_gemm_of_any_layouts(data):
    batch = data.draw(st.lists(SIZES, max_size=2))
    m, n, k = data.draw(SIZES), data.draw(SIZES), data.draw(st.sampled_from([0, 1, 5, 70]))
    dtype = data.draw(st.sampled_from([float32, float16]))
    turns = data.draw(st.booleans()), data.draw(st.booleans())
    a, seen_a = operand(
        data.draw(layouts(sizes=(*batch, *((k, m) if turns[0] else (m, k))))), dtype
    )
    b, seen_b = operand(data.draw(layouts(sizes=(n, k) if turns[1] else (k, n))), dtype)
    c, seen_c = None, None
    if data.draw(st.booleans()):
        sizes = data.draw(st.sampled_from([(*batch, m, n), (m, n), (n,), (m, 1), ()]))
        c, seen_c = operand(data.draw(layouts(sizes=sizes)), dtype)
    alpha, beta = data.draw(st.sampled_from([(1.0, 1.0), (0.3, 1), (1, -0.7), (2, 0.0)]))
    seen_a = np.swapaxes(seen_a, -1, -2) if turns[0] else seen_a
    seen_b = np.swapaxes(seen_b, -1, -2) if turns[1] else seen_b
    expected = products.gemm(seen_a, seen_b, seen_c, alpha, beta)
    options = {"transpose_a": turns[0], "transpose_b": turns[1], "alpha": alpha, "beta": beta}
    to = data.draw(targets(sizes=expected.shape))
    check_written(lambda out: nn.gemm(a, b, c, **options, out=out), to, dtype, expected)
    found = nn.gemm(a, b, c, **options)
    assert found.layout == Layout(expected.shape)
    assert_bits(found.numpy(), expected, "new")


def test_batches_broadcast():
    (a, x), (b, y) = operand(packed(3, 1, 4, 5)), operand(packed(2, 5, 6))
    assert_bits(nn.gemm(a, b).numpy(), products.gemm(x, y), "batches")


def test_linear_keeps_the_format():
    for memory_format in (dml_vk.contiguous_format, channels_last):
        x = dml_vk.ones((2, 3, 4, 5), memory_format=memory_format)
        assert nn.linear(x, dml_vk.ones((7, 5))).memory_format is memory_format


def test_activations():
    (x, _), (w, _) = operand(packed(4, 6)), operand(packed(5, 6))
    plain = nn.linear(x, w)
    found = nn.linear(x, w, activation=("leaky_relu", {"alpha": 0.5}))
    assert_bits(found.numpy(), dml_vk.leaky_relu(plain, 0.5).numpy(), "linear")
    found = nn.gemm(x, w, transpose_b=True, activation="gelu")
    assert_bits(found.numpy(), dml_vk.gelu(plain).numpy(), "gemm")


def test_float16_is_rounded_once():
    (x, a), (w, b) = operand(packed(4, 6), float16), operand(packed(5, 6), float16)
    (c, d), wide = operand(packed(5), float16), np.float32
    sums = dml_vk.asarray(products.linear(a.astype(wide), b.astype(wide), d.astype(wide)))
    expected = dml_vk.gelu(sums).astype("float16").numpy()
    assert_bits(nn.linear(x, w, c, activation="gelu").numpy(), expected, "linear")
    assert_bits(nn.gemm(x, w, c, transpose_b=True, activation="gelu").numpy(), expected, "gemm")


def test_nothing_is_copied():
    (x, _), (w, _), bias = operand(packed(4, 6)), operand(turned(5, 6)), dml_vk.ones(5)
    with dml_vk.trace(strict=True):
        nn.linear(x, w, bias, activation="relu")
        nn.gemm(x, w, bias, transpose_b=True, alpha=2.0, beta=3.0)
        nn.linear(x.over(packed(4, 6).flip(1)), w)


def test_a_result_may_be_an_operand():
    (x, a), (w, b), (c, d) = operand(packed(6, 6)), operand(packed(6, 6)), operand(packed(6, 6))
    expected = products.gemm(a, b, d, 2.0, 0.5)
    assert nn.gemm(x, w, c, alpha=2.0, beta=0.5, out=c) is c
    assert_bits(c.numpy(), expected, "c")
    assert nn.linear(x, w, out=x) is x
    assert_bits(x.numpy(), products.linear(a, b), "x")


def test_c_is_not_read_without_a_share():
    a, c = dml_vk.ones((2, 2)), dml_vk.full((2, 2), float("nan"))
    assert np.array_equal(nn.gemm(a, a, c, beta=0.0).numpy(), [[2, 2], [2, 2]])


def test_without_terms():
    x, w = dml_vk.empty((3, 0)), dml_vk.empty((2, 0))
    assert not bits(nn.linear(x, w).numpy()).any()
    assert nn.linear(x, w, dml_vk.asarray([1.0, 2.0])).tolist() == [[1.0, 2.0]] * 3


def ones(shape):
    return dml_vk.ones(shape)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: nn.linear(ones((2, 3)), ones((4, 2))),
            LayoutError,
            "weight must be a matrix",
        ),
        (lambda: nn.linear(ones((2, 3)), ones(3)), LayoutError, "weight must be a matrix"),
        (lambda: nn.linear(ones(()), ones((4, 1))), LayoutError, "weight must be a matrix"),
        (
            lambda: nn.linear(ones(3), ones((4, 3)), ones(3)),
            LayoutError,
            "bias must have the shape",
        ),
        (lambda: nn.linear(ones(3), 1.0), DTypeError, "weight must be a Tensor"),
        (lambda: nn.gemm(ones(3), ones((3, 4))), LayoutError, "a and b must have at least two"),
        (lambda: nn.gemm(ones((2, 3)), ones((2, 3))), LayoutError, "the columns of a must be as"),
        (lambda: nn.gemm(ones((2, 2)), ones((2, 2)), ones((3, 2, 2))), LayoutError, "c must broad"),
        (lambda: nn.gemm(ones((2, 2)), ones((2, 2)), 1.0), DTypeError, "c must be a Tensor"),
        (lambda: nn.gemm(ones((2, 2)), ones((2, 2)), alpha="a"), DTypeError, "alpha must be a num"),
        (lambda: nn.gemm(ones((2, 2)).astype("int32"), ones((2, 2))), DTypeError, "dtype must be"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
