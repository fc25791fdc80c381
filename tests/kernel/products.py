"""Products of operands in any layouts beside the reference, and what their plans say."""

from __future__ import annotations

import itertools

import numpy as np

import dml_vk
from dml_vk.dtypes import float32
from dml_vk.kernels import registry
from dml_vk.layout import Layout
from dml_vk.testing import products
from tests.kernel.matrices import assert_bits, operand, packed, turned
from tests.kernel.memory import elements, memory_for

LYING = list(itertools.product((packed, turned), repeat=2))


def adds(plan):
    """Whether a launch adds to sums that are in its target."""
    name = "_".join(plan.module.split("_")[:2])
    return plan.spec[registry.KERNELS[name].spec.index("MORE")]


def check(a, b, to=None, dtype=float32, told=None):
    """The product of operands in these layouts, into new memory or amid sentinels."""
    (x, seen_x), (y, seen_y) = operand(a, dtype), operand(b, dtype)
    expected = products.matmul(seen_x, seen_y)
    if to is None:
        found = dml_vk.matmul(x, y)
        assert found.layout == Layout(expected.shape)
        assert_bits(found.numpy(), expected, told)
        return
    memory, to = memory_for(to, dtype.itemsize)
    whole = dml_vk.asarray(memory.view(dtype.name))
    target = whole.over(to)
    assert dml_vk.matmul(x, y, out=target) is target
    found = whole.numpy().view(memory.dtype)
    assert_bits(elements(found.view(dtype.name), to), expected, told)
    elements(memory, to)[...] = elements(found, to)
    assert np.array_equal(found, memory), (told, "something is written beside it")
