"""Transposed convolution: the bits of the reference from any layouts, and nothing beside it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import channels_last
from dml_vk.testing import convolutions
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.matrices import assert_bits, operand, packed
from tests.kernel.memory import elements, memory_for


@tier.examples(25, deadline=None, derandomize=True)
@given(st.data())
def test_any_layouts(data):
    def draw(*values):
        return data.draw(st.sampled_from(values))

    rank, groups, inputs, outputs = draw(1, 1, 2, 2, 3), draw(1, 2, 3), draw(1, 2), draw(1, 2)
    kernel = [draw(1, 2, 3) for _ in range(rank)]
    options = {
        "stride": [draw(1, 2, 3) for _ in range(rank)],
        "dilation": [draw(1, 2) for _ in range(rank)],
        "padding": [(draw(0, 1), draw(0, 1)) for _ in range(rank)],
        "groups": groups,
    }
    pairs = zip(options["stride"], options["dilation"])
    options["output_padding"] = [draw(0, max(pair) - 1) for pair in pairs]
    dtype = draw(float32, float16)
    sizes = [draw(3, 4) for _ in range(rank)]
    x, a = operand(data.draw(layouts(sizes=(draw(1, 2), groups * inputs, *sizes))), dtype)
    weight, b = operand(data.draw(layouts(sizes=(groups * inputs, outputs, *kernel))), dtype)
    bias, c = None, None
    if data.draw(st.booleans()):
        bias, c = operand(data.draw(layouts(sizes=(groups * outputs,))), dtype)
    expected = convolutions.conv_transpose(a, b, c, **options)
    found = nn.conv_transpose(x, weight, bias, **options)
    assert found.layout.order == x.layout.order
    assert_bits(found.numpy(), expected, "new")
    memory, to = memory_for(data.draw(targets(sizes=expected.shape)), dtype.itemsize)
    whole = dml_vk.asarray(memory.view(dtype.name))
    nn.conv_transpose(x, weight, bias, **options, out=whole.over(to))
    found = whole.numpy().view(memory.dtype)
    assert_bits(elements(found.view(dtype.name), to), expected, "out")
    elements(memory, to)[...] = elements(found, to)
    assert np.array_equal(found, memory), "something is written beside it"


def test_both_formats_have_the_same_bits_and_nothing_is_copied():
    (x, a), (w, b) = operand(packed(2, 8, 5, 6)), operand(packed(8, 8, 3, 3))
    options = {"stride": 2, "padding": 1, "output_padding": 1}
    expected = convolutions.conv_transpose(
        *(a, b), stride=[2, 2], padding=[(1, 1)] * 2, output_padding=[1, 1], dilation=[1, 1]
    )
    last = x.to(memory_format=channels_last)
    with dml_vk.trace(strict=True):
        found = [nn.conv_transpose(one, w, **options) for one in (x, last)]
    for one in found:
        assert_bits(one.numpy(), expected, one.layout)
    relu = nn.conv_transpose(x, w, **options, activation="relu")
    assert_bits(relu.numpy(), dml_vk.relu(found[0]).numpy(), "relu")


X, W = (2, 4, 6, 6), (4, 2, 3, 3)


@pytest.mark.parametrize(
    ("x", "weight", "options", "error", "message"),
    [
        ((2, 4), W, {}, LayoutError, "x must have 3 to 5 dims"),
        (X, (4, 4, 3), {}, LayoutError, "weight must have as many dims as x"),
        (X, (3, 4, 3, 3), {}, RangeError, "groups must divide"),
        (X, W, {"groups": 3}, RangeError, "groups must divide"),
        (X, W, {"groups": 0}, RangeError, "groups must divide"),
        (X, (4, 4, 0, 3), {}, LayoutError, "windows of the weight must have elements"),
        (X, W, {"padding": "same"}, RangeError, "padding must be numbers or pairs"),
        (X, W, {"padding": 9}, LayoutError, "the input must not be empty, and padding must leave"),
        ((2, 4, 0, 6), W, {"stride": 1}, LayoutError, "the input must not be empty"),
        (X, W, {"output_padding": 1}, RangeError, "output_padding must be smaller than stride"),
    ],
)
def test_errors(x, weight, options, error, message):
    with pytest.raises(error, match=f"conv_transpose: {message}"):
        nn.conv_transpose(dml_vk.ones(x), dml_vk.ones(weight), **options)


def test_a_bias_of_another_shape_or_type():
    x, w = dml_vk.ones(X), dml_vk.ones(W)
    with pytest.raises(LayoutError, match=r"bias must have the shape \(4,\)"):
        nn.conv_transpose(x, w, dml_vk.ones(2), groups=2)
    with pytest.raises(DTypeError, match="conv_transpose: weight must be a Tensor"):
        nn.conv_transpose(x, 1.0)
