"""Every worked example of DirectML's guide to strides, padding and memory layout."""

from __future__ import annotations

import pytest

from dml_vk.directml import BufferTensorDesc, DataType, calc_buffer_tensor_size
from dml_vk.layout import Layout, broadcast_sizes, channels_last

LETTERS = "ABCDEFGHIJKL"


def values(layout, memory):
    """The elements in logical order, where memory holds these values."""
    return "".join(memory[offset] for offset in layout.offsets())


def test_2x3_row_major():
    layout = Layout.packed((2, 3), "HW")
    assert layout.strides == (3, 1)
    assert layout.draw("ABCDEF") == "0 | A B C D E F"
    assert layout.offset_of(1, 0) - layout.offset_of(0, 0) == 3  # from A to D


def test_2x3_column_major():
    layout = Layout.packed((2, 3), "WH")
    assert layout.strides == (1, 2)
    assert layout.draw("ABCDEF") == "0 | A D B E C F"
    assert values(layout, "ADBECF") == "ABCDEF"


def test_labels_of_higher_dimensions():
    assert Layout.packed((2, 2, 3), "DHW").order == (0, 1, 2)
    assert Layout.packed((2, 2, 3), "WHD").order == (2, 1, 0)
    assert Layout.packed((1, 2, 3, 4), "NCHW").order == (0, 1, 2, 3)


def test_2x2x3_cube_in_dhw():
    layout = Layout.packed((2, 2, 3), "DHW")
    depth, height, width = layout.strides
    assert (depth, height, width) == (2 * 3, 3, 1)
    assert layout.draw(LETTERS) == "0 | A B C D E F G H I J K L"


def test_h_of_the_cube_is_at_offset_7():
    assert Layout.packed((2, 2, 3), "DHW").offset_of(1, 0, 1) == 1 * 6 + 0 * 3 + 1 * 1 == 7
    assert LETTERS[7] == "H"


def test_2x2x3_cube_in_whd():
    """Width outermost, then height, then depth: each stride is what lies inside it."""
    layout = Layout.packed((2, 2, 3), "WHD")
    depth, height, width = layout.strides
    assert (depth, height, width) == (1, 2, 2 * 2)
    assert layout.draw(LETTERS) == "0 | A G D J B H E K C I F L"


def test_packed_means_as_many_addresses_as_elements():
    layout = Layout((2, 2, 3))
    assert layout.is_packed
    assert layout.span == layout.numel == 12
    assert not layout.overlaps


def test_broadcast_row():
    layout = Layout((2, 3), (0, 1))
    assert values(layout, "ABC") == "ABCABC"
    assert layout.span == 3
    assert layout.numel == 6
    assert layout.overlaps
    assert not layout.is_packed
    assert Layout((3,)).expand(2, 3) == layout


def test_broadcast_channels_of_nchw():
    layout = Layout((1, 4, 2, 3), (6, 0, 3, 1))
    assert all(layout.select(1, c).offsets() == [0, 1, 2, 3, 4, 5] for c in range(4))


def test_padded_row_pitch_of_5():
    layout = Layout((2, 3), (5, 1))
    assert values(layout, "ABCxxDEFxx") == "ABCDEF"
    assert layout.draw("ABCDEF") == "0 | A B C · · D E F"
    assert not layout.is_packed
    assert not layout.overlaps
    assert layout.span == 8 > layout.numel == 6


def test_sizes_are_always_in_logical_order():
    nhwc = Layout.packed((2, 3, 4, 5), "NHWC")
    assert nhwc.sizes == (2, 3, 4, 5)
    assert nhwc.strides == (60, 1, 15, 3)
    ndhwc = Layout.packed((2, 3, 2, 4, 5), "NDHWC")
    assert ndhwc.sizes == (2, 3, 2, 4, 5)
    assert ndhwc.strides == (120, 1, 60, 15, 3)


def test_low_ranks_get_leading_ones():
    hw = Layout((3, 5))
    assert hw.view(1, 1, 3, 5) == hw.expand(1, 1, 3, 5) == Layout((1, 1, 3, 5))
    assert broadcast_sizes((3, 5), (1, 1, 1, 1)) == (1, 1, 3, 5)


@pytest.mark.parametrize(
    ("strides", "memory_format"),
    [
        (None, "contiguous_format"),
        ((15, 15, 5, 1), "contiguous_format"),
        ((15, 1, 5, 1), "channels_last"),
    ],
    ids=["packed NCHW, implicit", "packed NCHW, explicit", "packed NHWC"],
)
def test_1x1x3x5(strides, memory_format):
    desc = BufferTensorDesc(DataType.FLOAT32, (1, 1, 3, 5), strides)
    assert desc.total_tensor_size_in_bytes == 60
    assert desc.layout.memory_format.value == memory_format
    assert desc.layout.strides == (strides or (15, 15, 5, 1))
    assert desc.layout.is_contiguous()
    assert desc.layout.is_contiguous(channels_last)


def test_the_padding_after_the_last_row_is_not_part_of_the_tensor():
    assert calc_buffer_tensor_size(DataType.UINT8, (2, 3), (5, 1)) == 8
