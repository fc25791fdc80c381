"""Convolution of integers, beside sums in NumPy; all is exact."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import int8, int32, uint8
from dml_vk.errors import DmlVkError
from dml_vk.layout import channels_last, contiguous_format
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.matrices import assert_bits, operand
from tests.kernel.nn.test_products import check_written


def expected(x, weight, p, q, stride, pads, dilation, groups):
    """Sums over the taps of int64, of x less its zero point, with zeros round it."""
    wide = np.pad(x.astype(np.int64) - p, [(0, 0), (0, 0), *pads])
    q = np.reshape(q, (-1, *(1,) * (weight.ndim - 1)))
    taps = weight.astype(np.int64) - q
    batch, outputs = x.shape[0], weight.shape[0]
    kernel = weight.shape[2:]
    reach = [step * (size - 1) + 1 for step, size in zip(dilation, kernel)]
    out = [(n - r) // s + 1 for n, r, s in zip(wide.shape[2:], reach, stride)]
    sums = np.zeros((batch, groups, outputs // groups, *out), np.int64)
    wide = wide.reshape(batch, groups, -1, *wide.shape[2:])
    taps = taps.reshape(groups, outputs // groups, *taps.shape[1:])
    for place in itertools.product(*map(range, kernel)):
        at = [
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, s, n in zip(place, dilation, stride, out)
        ]
        sums += np.einsum("ngc...,goc->ngo...", wide[(..., *at)], taps[(..., *place)])
    return sums.reshape(batch, outputs, *out).astype(np.int32)


@tier.examples(25, deadline=None, derandomize=True)
@given(st.data())
def test_any_layouts_windows_and_zero_points(data):
    rank, groups = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([1, 2]))
    sizes = [data.draw(st.sampled_from([1, 2, 5])) for _ in range(rank)]
    kernel, stride, dilation = [
        tuple(data.draw(st.integers(1, most)) for _ in range(rank)) for most in (3, 3, 2)
    ]
    need = [d * (k - 1) + 1 - n for d, k, n in zip(dilation, kernel, sizes)]
    pads = tuple(
        (data.draw(st.integers(max(0, least), max(0, least) + 3)), data.draw(st.integers(0, 2)))
        for least in need
    )
    inputs, outputs, batch = (data.draw(st.sampled_from([1, 3])) for _ in range(3))
    x, seen = operand(
        data.draw(layouts(sizes=(batch, inputs * groups, *sizes))),
        data.draw(st.sampled_from([int8, uint8])),
    )
    weight, taps = operand(
        data.draw(layouts(sizes=(outputs * groups, inputs, *kernel))),
        data.draw(st.sampled_from([int8, uint8])),
    )
    p, q = data.draw(st.sampled_from([0, 100])), data.draw(st.sampled_from([0, 7]))
    points = p, q
    if data.draw(st.booleans()):
        q = chance().integers(0, 128, outputs * groups)
        points = dml_vk.asarray(np.uint8([p])), dml_vk.asarray(q.astype(np.int8))
    told = expected(seen, taps, p, q, stride, pads, dilation, groups)
    options = {"stride": stride, "padding": pads, "dilation": dilation, "groups": groups}
    check_written(
        lambda out: nn.conv_integer(x, weight, *points, **options, out=out),
        *(data.draw(targets(sizes=told.shape)), int32, told),
    )


@pytest.mark.parametrize("memory_format", tier.some([channels_last, contiguous_format], 1))
def test_many_channels_in_both_formats_without_a_trace(memory_format):
    """More channels than one product adds; the largest products wrap."""
    x = np.full((2, 4100, 3, 4), 255, np.uint8)
    weight = chance().integers(-128, 128, (5, 4100, 2, 3)).astype(np.int8)
    given = dml_vk.asarray(x, memory_format=memory_format), dml_vk.asarray(weight)
    with dml_vk.trace(strict=True):
        found = nn.conv_integer(*given, 3, padding="same")
    assert found.memory_format is memory_format
    pads = ((0, 1), (1, 1))
    told = expected(x, weight, 3, 0, (1, 1), pads, (1, 1), 1)
    assert_bits(found.numpy(), told, memory_format)


def test_sums_wrap():
    count = 2**16 + 5
    x = dml_vk.full((1, count, 1), 255, "uint8")
    weight = dml_vk.full((1, count, 1), 255, "uint8")
    wrapped = (count * 255 * 255 + 2**31) % 2**32 - 2**31
    assert nn.conv_integer(x, weight).item() == wrapped
    assert nn.conv_integer(x, weight, 255).item() == 0


@pytest.mark.parametrize("sizes", [(0, 2, 3), (2, 0, 3), (2, 2, 3)])
def test_without_terms_or_results(sizes):
    x, weight = dml_vk.ones(sizes, "int8"), dml_vk.ones((3, sizes[1], 1), "int8")
    found = nn.conv_integer(x, weight, padding=1)
    assert found.shape == (sizes[0], 3, 5)
    assert found.numpy()[..., [0, -1]].max(initial=0) == 0
    assert nn.conv_integer(x, weight[:0]).shape == (sizes[0], 0, 3)


def test_a_result_may_share_memory_with_operands():
    memory = dml_vk.zeros(64, "int32")
    x = memory.view("int8").over(dml_vk.Layout((1, 2, 5), offset=3))
    x[...] = dml_vk.asarray(np.arange(10).reshape(1, 2, 5), dtype="int8")
    weight = dml_vk.ones((1, 2, 1), "int8")
    out = memory.over(dml_vk.Layout((1, 1, 5)))
    assert nn.conv_integer(x, weight, out=out) is out
    assert out.tolist() == [[[5, 7, 9, 11, 13]]]


X, W = dml_vk.ones((1, 2, 5), "int8"), dml_vk.ones((4, 2, 3), "int8")
MESSAGES = {
    "x must be a Tensor": lambda: nn.conv_integer(1, W),
    "weight must be a Tensor": lambda: nn.conv_integer(X, 1),
    "dtype must be one of int8, uint8": lambda: nn.conv_integer(X.to("int16"), W),
    "dtype must be one of int8, uint8; got": lambda: nn.conv_integer(X, W.to("float32")),
    "x must have 3 to 5 dims": lambda: nn.conv_integer(X[0], W),
    "weight must have as many dims as x": lambda: nn.conv_integer(X, W[0]),
    "groups must divide weight.shape[0], and x.shape[1]": lambda: nn.conv_integer(X, W, groups=3),
    "groups must be an integer": lambda: nn.conv_integer(X, W, groups=1.5),
    "windows of the weight must have": lambda: nn.conv_integer(X, W[..., :0]),
    "windows must fit into the padded input": lambda: nn.conv_integer(X, W, dilation=3),
    "stride must be from 1": lambda: nn.conv_integer(X, W, stride=0),
    "padding must be from 0": lambda: nn.conv_integer(X, W, padding=-1),
    "dilation must be an integer": lambda: nn.conv_integer(X, W, dilation=(1, 1)),
    "x_zero_point must be an integer that int8": lambda: nn.conv_integer(X, W, 200),
    "weight_zero_point must be an integer that int8": lambda: nn.conv_integer(X, W, 0, 0.5),
    "x_zero_point must have one element": lambda: nn.conv_integer(X, W, X[0, :, 0]),
    "weight_zero_point must have one element, or": lambda: nn.conv_integer(X, W, 0, X[0, 0]),
    "dtype must be one of int8, uint8, int16": lambda: nn.conv_integer(X, W, dml_vk.ones(1)),
    "out must have the dtype int32": lambda: nn.conv_integer(X, W, out=dml_vk.ones((1, 4, 3))),
    "out must have the shape (1, 4, 3)": lambda: nn.conv_integer(X, W, out=X),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_bad_input_is_an_error_before_any_work(message):
    with pytest.raises(DmlVkError) as raised:
        MESSAGES[message]()
    assert str(raised.value).startswith(f"conv_integer: {message}")
