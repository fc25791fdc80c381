"""Operands of products in some layouts, and how their bits are compared."""

from __future__ import annotations

import numpy as np

from dml_vk.dtypes import float32
from dml_vk.layout import Layout
from tests.chance import chance
from tests.kernel.elementwise import source_of
from tests.kernel.memory import MARGIN, bits


def values(dtype, sizes):
    """Numbers of no even spread: any integers, floats of many exponents, none of them 0."""
    if dtype.kind == "f":
        spread = chance().normal(size=sizes) * 2.0 ** chance().integers(-4, 4, sizes)
        return np.where(spread == 0, 1, spread).astype(dtype.name)
    limits = np.iinfo(dtype.name)
    return chance().integers(limits.min, limits.max, sizes, dtype.name, endpoint=True)


def operand(layout, dtype=float32):
    return source_of(dtype, layout, values(dtype, layout.sizes))


def assert_bits(found, expected, told):
    """Bit for bit, any NaN for a NaN."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), told
    right = bits(found) == bits(expected)
    if found.dtype.kind == "f":
        right |= np.isnan(found) & np.isnan(expected)
    assert right.all(), (told, found[~right][:4], expected[~right][:4], np.argwhere(~right)[:4])


def packed(*sizes, order=None):
    """With the margin before it, it starts where quads do."""
    return Layout.packed(sizes, order, offset=8 - MARGIN)


def turned(*sizes):
    """A matrix whose columns are contiguous."""
    return packed(*sizes[:-2], sizes[-1], sizes[-2]).transpose(-1, -2)


def every_other(*sizes):
    return packed(*sizes[:-1], 2 * sizes[-1]).slice(-1, 1, None, 2)


# name: layouts of both operands, and of the result, if it is not new
