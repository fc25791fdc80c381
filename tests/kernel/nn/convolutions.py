"""Convolutions on the device against the reference: operands and results in any memory."""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float32
from dml_vk.testing import convolutions
from tests.kernel.matrices import assert_bits, operand
from tests.kernel.memory import elements, memory_for


def as_pairs(padding, rank):
    if padding == "valid":
        return [(0, 0)] * rank
    padding = [padding] * rank if isinstance(padding, int) else padding
    return [(one, one) if isinstance(one, int) else tuple(one) for one in padding]


def each(value, rank):
    return [value] * rank if isinstance(value, int) else list(value)


def expected_of(x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    rank = x.ndim - 2
    return convolutions.conv(
        *(x, weight, bias),
        stride=each(stride, rank),
        padding=as_pairs(padding, rank),
        dilation=each(dilation, rank),
        groups=groups,
    )


def check(x, weight, bias=None, to=None, dtype=float32, told=None, **options):
    """The convolution of operands in these layouts, into new memory or amid sentinels."""
    (a, seen_a), (b, seen_b) = operand(x, dtype), operand(weight, dtype)
    c, seen_c = (None, None) if bias is None else operand(bias, dtype)
    expected = expected_of(seen_a, seen_b, seen_c, **options)
    if to is None:
        found = nn.conv(a, b, c, **options)
        assert found.layout.order == x.order, told
        assert found.layout.is_packed, told
        assert_bits(found.numpy(), expected, told)
        return
    to = to(expected.shape) if callable(to) else to
    memory, to = memory_for(to, dtype.itemsize)
    whole = dml_vk.asarray(memory.view(dtype.name))
    target = whole.over(to)
    assert nn.conv(a, b, c, out=target, **options) is target
    found = whole.numpy().view(memory.dtype)
    assert_bits(elements(found.view(dtype.name), to), expected, told)
    elements(memory, to)[...] = elements(found, to)
    assert np.array_equal(found, memory), (told, "something is written beside it")
