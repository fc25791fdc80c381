"""Tensors of any layout over random memory, and the same elements as NumPy has them."""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk.layout import Layout
from tests.kernel.memory import KINDS, elements, memory_for


def tensor_over(layout: Layout, itemsize: int = 4) -> tuple[dml_vk.Tensor, np.ndarray]:
    """Unsigned integers in this layout, between others, and a view of the same in NumPy."""
    memory, layout = memory_for(layout, itemsize)
    return dml_vk.asarray(memory).over(layout), elements(memory, layout)


def assert_same(x: dml_vk.Tensor, expected: np.ndarray) -> None:
    """The shape, dtype and bits that NumPy gives."""
    found = x.numpy()
    assert (x.shape, found.dtype) == (expected.shape, expected.dtype)
    kind = KINDS[expected.itemsize]
    expected = np.ascontiguousarray(expected).view(kind)
    assert np.array_equal(np.ascontiguousarray(found).view(kind), expected)
