"""The physical order: read off strides, or given as a format, a name or a permutation."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk.layout import (
    Layout,
    MemoryFormat,
    channels_first,
    channels_last,
    contiguous_format,
    preserve_format,
)

# The order, read off strides


@pytest.mark.parametrize(
    ("sizes", "strides", "order"),
    [
        ((2, 3), (3, 1), (0, 1)),
        ((2, 3), (1, 2), (1, 0)),
        ((2, 3), (-1, -2), (1, 0)),
        ((2, 3), (0, 1), (0, 1)),
        ((2, 3), (1, 0), (0, 1)),
        ((2, 3), (0, 0), (0, 1)),
        ((2, 3), (1, 1), (1, 0)),  # equal strides put the bigger size outside
        ((3, 2), (1, 1), (0, 1)),
        ((2, 2), (1, 1), (0, 1)),
        ((2, 3, 4), (12, 1, 3), (0, 2, 1)),
        ((2, 3, 4), (1, 0, 2), (2, 1, 0)),
        ((2, 3, 4, 5), (60, 1, 15, 3), (0, 2, 3, 1)),
        ((1, 3, 4, 5), (0, 1, 15, 3), (0, 2, 3, 1)),
        ((2, 1, 4, 5), (20, 1, 5, 1), (0, 2, 3, 1)),  # NHWC by what C's stride says
        ((2, 1, 4, 5), (20, 20, 5, 1), (0, 1, 2, 3)),  # the same memory, NCHW
        ((2, 3, 1, 1), (3, 1, 3, 3), (0, 2, 3, 1)),
        ((2, 3, 1, 1), (3, 1, 1, 1), (0, 1, 2, 3)),
        ((2, 1, 1, 1), (1, 1, 1, 1), (0, 1, 2, 3)),
        ((2, 1, 1, 1), (3, 1, 3, 3), (0, 2, 3, 1)),  # cut from three channels
        ((2, 3, 2, 3, 2), (36, 1, 18, 6, 3), (0, 2, 3, 4, 1)),
        ((2, 3, 4, 5, 2, 2), (240, 1, 60, 12, 6, 3), (0, 2, 3, 4, 5, 1)),
    ],
)
def test_order_is_read_off_the_strides(sizes, strides, order):
    low = sum(min(0, stride) * (size - 1) for stride, size in zip(strides, sizes))
    assert Layout(sizes, strides, -low).order == order


# Names


@pytest.mark.parametrize(
    ("sizes", "name", "strides"),
    [
        ((2, 3), "HW", (3, 1)),
        ((2, 3), "WH", (1, 2)),
        ((2, 2, 3), "DHW", (6, 3, 1)),
        ((2, 2, 3), "WHD", (1, 2, 4)),
        ((2, 2, 3), "WDH", (2, 1, 4)),
        ((2, 3, 4, 5), "NCHW", (60, 20, 5, 1)),
        ((2, 3, 4, 5), "NHWC", (60, 1, 15, 3)),
        ((2, 3, 4, 5), "nhwc", (60, 1, 15, 3)),
        ((2, 3, 4, 5), "CHWN", (1, 40, 10, 2)),
        ((2, 3, 4), "NWC", (12, 1, 3)),
        ((2, 3, 2, 3, 2), "NDHWC", (36, 1, 18, 6, 3)),
        ((2, 3), contiguous_format, (3, 1)),
        ((2, 3, 4), channels_last, (12, 1, 3)),
        ((2, 3, 4, 5), channels_last, (60, 1, 15, 3)),
        ((2, 3, 4), (2, 0, 1), (3, 1, 6)),
        ((2, 3, 4), "channels_last", (12, 1, 3)),
        ((2, 3, 4), "contiguous_format", (12, 4, 1)),
        ((), "", ()),
    ],
)
def test_packed_takes_formats_names_and_permutations(sizes, name, strides):
    layout = Layout.packed(sizes, name, 5)
    assert layout.strides == strides
    assert layout.offset == 5
    assert layout == Layout(sizes, None, 5, name) == Layout(sizes, strides, 5, layout.order)


def test_empty_dims_count_as_one_in_row_major_order_only():
    assert Layout((2, 0, 4, 5)).strides == (20, 20, 5, 1)
    assert Layout.packed((2, 0, 4, 5), channels_last).strides == (0, 1, 0, 0)


def test_formats_are_the_same_object_everywhere():
    assert channels_first is contiguous_format is MemoryFormat.contiguous_format
    assert dml_vk.channels_last is channels_last
    assert dml_vk.channels_first is dml_vk.contiguous_format is contiguous_format
    assert dml_vk.preserve_format is preserve_format
    assert [repr(one) for one in MemoryFormat] == [
        "contiguous_format",
        "channels_last",
        "preserve_format",
    ]
