"""Layouts of NumPy's arrays, and of tensors like them, which programs upload again and again."""

from __future__ import annotations

import functools

from dml_vk.arguments import Ints
from dml_vk.layout import Layout, MemoryFormat, preserve_format
from dml_vk.tensor.host import Array

MOST_LAYOUTS = 1024  # that are remembered


def layout_of_array(array: Array) -> Layout:
    """Return the layout of an array, whose strides imply the order of dims."""
    return _layout_of(array.shape, array.strides, array.itemsize, array.flags.c_contiguous)


@functools.lru_cache(MOST_LAYOUTS)
def _layout_of(shape: Ints, byte_strides: Ints, itemsize: int, is_c_contiguous: bool) -> Layout:
    strides = [stride // itemsize for stride in byte_strides]
    offset = sum(-s * (n - 1) for s, n in zip(strides, shape) if s < 0 and n)
    layout = Layout(shape, strides, offset)
    if is_c_contiguous and layout.memory_format is None:
        # NumPy's strides of size-1 dims are arbitrary and imply no order.
        return Layout(shape)
    return layout


def packed_like(layout: Layout, memory_format: MemoryFormat) -> Layout:
    """Return the layout of a new tensor with these sizes."""
    is_own = memory_format is preserve_format
    return _dense_like(layout) if is_own else layout.like(memory_format)


@functools.lru_cache(MOST_LAYOUTS)
def _dense_like(layout: Layout) -> Layout:
    return layout.like()
