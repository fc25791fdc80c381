"""DirectML descriptors: sizes in bytes, what is refused, strides and policies."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from dml_vk.directml import (
    BufferTensorDesc,
    DataType,
    TensorFlags,
    TensorPolicy,
    TensorProperties,
    calc_buffer_tensor_size,
    calculate_strides,
)
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout, channels_last

F32, F16, F64 = DataType.FLOAT32, DataType.FLOAT16, DataType.FLOAT64
U8, U4, I4 = DataType.UINT8, DataType.UINT4, DataType.INT4
LIMIT = 2**32 - 1

BITS = {
    "FLOAT32": 32, "FLOAT16": 16, "UINT32": 32, "UINT16": 16, "UINT8": 8, "INT32": 32,
    "INT16": 16, "INT8": 8, "FLOAT64": 64, "UINT64": 64, "INT64": 64, "UINT4": 4, "INT4": 4,
}  # fmt: skip


def test_data_types_are_directmls_in_its_order():
    assert [(one.name, one.bits) for one in DataType] == list(BITS.items())
    assert [one.value for one in DataType] == list(range(1, 14))


@pytest.mark.parametrize("data_type", DataType, ids=lambda one: one.name)
def test_every_data_type_has_a_size_and_an_alignment(data_type):
    count = 7 * 11
    expected = -(-count * BITS[data_type.name] // 8)
    desc = BufferTensorDesc(data_type, (7, 11))
    assert desc.minimum_implied_size_in_bytes == -(-expected // 4) * 4
    assert calc_buffer_tensor_size(data_type, (7, 11)) == desc.total_tensor_size_in_bytes
    element = max(1, BITS[data_type.name] // 8)
    for alignment in (0, element, 4 * element, 256):
        made = BufferTensorDesc(data_type, (7,), guaranteed_base_offset_alignment=alignment)
        assert made.guaranteed_base_offset_alignment == alignment
    for alignment in (element // 2 or -1, 3 * element, -element, 255, 2**32):
        with pytest.raises(LayoutError, match=f"power of two from {element}, the element size"):
            BufferTensorDesc(data_type, (7,), guaranteed_base_offset_alignment=alignment)


@pytest.mark.parametrize(
    ("data_type", "sizes", "strides", "nbytes"),
    [
        (F32, (1, 1, 3, 5), None, 60),
        (F32, (1, 1, 3, 5), (15, 1, 5, 1), 60),
        (F16, (3,), None, 8),
        (U8, (2, 3), (5, 1), 8),
        (U8, (5,), None, 8),
        (F32, (2, 3), (0, 1), 12),
        (U4, (5,), None, 4),
        (I4, (9,), None, 8),
        (U4, (2, 3), (5, 1), 4),
        (F64, (3,), None, 24),
        # The index of the last element passes 32 bits; the C++ helper answers 4 here.
        (U8, (2,), (2**32 - 1,), 2**32),
        (F32, (3, 2), (2**31, 1), 4 * (2**32 + 2)),
        (F32, (65536, 65536), None, 2**34),
        (F64, (65535, 65537), None, 8 * LIMIT),
    ],
)
def test_calc_buffer_tensor_size(data_type, sizes, strides, nbytes):
    assert calc_buffer_tensor_size(data_type, sizes, strides) == nbytes


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((F32, (2, 0)), LayoutError, r"sizes must be from 1 to 4294967295; got sizes\[1\]=0"),
        ((F32, (2,), (-1,)), LayoutError, r"strides must be from 0 .*; got strides\[0\]=-1"),
        (
            (F32, (2,), (1, 1)),
            LayoutError,
            "sizes and strides must have the same length; got sizes=",
        ),
        ((F32, 3), LayoutError, "sizes must be a sequence of integers; got sizes=3"),
        (("FLOAT32", (2,)), DTypeError, "data_type must be a DataType; got data_type='FLOAT32'"),
        ((1, (2,)), DTypeError, "data_type must be a DataType; got data_type=1"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=f"calc_buffer_tensor_size: {message}"):
        calc_buffer_tensor_size(*arguments)
    with pytest.raises(error, match=f"BufferTensorDesc: {message}"):
        BufferTensorDesc(*arguments)
    with pytest.raises(error, match=f"Input: {message}"):
        BufferTensorDesc(*arguments, name="Input")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": ()}, r"Output: a tensor must have 1 to 8 sizes; got sizes=\(\)"),
        ({"sizes": (1,) * 9}, r"Output: a tensor must have 1 to 8 sizes; got sizes=\(1, 1, 1, 1"),
        ({"sizes": (2**32,)}, r"Output: sizes must be .*; got sizes\[0\]=4294967296"),
        ({"sizes": (1, 2), "strides": (2**32, 1)}, r"strides must be .*; got strides\[0\]=4294"),
        ({"sizes": (65536, 65536)}, "Output: the tensor must span at most 4294967295 elements"),
        ({"sizes": (2, 2), "strides": (LIMIT, 1)}, "Output: the tensor must span at most"),
        ({"total_tensor_size_in_bytes": 20}, "Output: total_tensor_size_in_bytes must be from 24"),
        ({"total_tensor_size_in_bytes": 4 * LIMIT + 4}, "total_tensor_size_in_bytes must be from"),
        ({"total_tensor_size_in_bytes": "x"}, "total_tensor_size_in_bytes must be an integer"),
        (
            {"guaranteed_base_offset_alignment": 2},
            "0 or a power of two from 4, the element size, to",
        ),
        ({"guaranteed_base_offset_alignment": 12}, "got guaranteed_base_offset_alignment=12"),
        ({"guaranteed_base_offset_alignment": 0.5}, "alignment must be an integer"),
        ({"flags": 2}, "Output: flags must be TensorFlags.NONE or OWNED_BY_DML; got flags=2"),
        ({"flags": "NONE"}, "Output: flags must be TensorFlags.NONE or OWNED_BY_DML"),
    ],
)
def test_descriptors_are_checked_as_directml_checks_them(arguments, message):
    with pytest.raises(LayoutError, match=message):
        BufferTensorDesc(**{"data_type": F32, "sizes": (2, 3), "name": "Output"} | arguments)


def test_the_largest_legal_tensors():
    for data_type in DataType:
        desc = BufferTensorDesc(data_type, (65535, 65537))
        assert desc.element_count == LIMIT
        again = BufferTensorDesc(
            data_type, (1,), total_tensor_size_in_bytes=desc.total_tensor_size_in_bytes
        )
        assert again.minimum_implied_size_in_bytes < again.total_tensor_size_in_bytes
    assert BufferTensorDesc(F32, (2, 2), (LIMIT - 2, 1)).layout.span == LIMIT


def test_a_descriptor_knows_its_layout():
    desc = BufferTensorDesc(
        F16, np.array([2, 3, 4, 5]), [60, 1, 15, 3], TensorFlags.OWNED_BY_DML, 512, 16
    )
    assert desc.layout == Layout.packed((2, 3, 4, 5), channels_last)
    assert desc.sizes == (2, 3, 4, 5)
    assert desc.strides == (60, 1, 15, 3)
    assert desc.dimension_count == 4
    assert desc.element_count == 120
    assert desc.minimum_implied_size_in_bytes == 240
    assert desc.total_tensor_size_in_bytes == 512
    assert desc.flags is TensorFlags.OWNED_BY_DML
    assert pickle.loads(pickle.dumps(desc)) == desc


def test_a_broadcast_element_counts_as_often_as_it_is_read():
    desc = BufferTensorDesc(F32, (2, 3), (0, 1))
    assert desc.element_count == 6
    assert desc.minimum_implied_size_in_bytes == 12


def test_descriptors_of_the_same_tensor_are_equal():
    implicit = BufferTensorDesc(F32, (1, 3, 5), name="Input")
    explicit = BufferTensorDesc(F32, (1, 3, 5), (99, 5, 1), TensorFlags(0))
    assert implicit == explicit
    assert len({implicit, explicit}) == 1
    assert BufferTensorDesc(F32, (1, 1, 3, 5)) == BufferTensorDesc(F32, (1, 1, 3, 5), (15, 1, 5, 1))
    assert implicit != BufferTensorDesc(F32, (1, 3, 5), (99, 6, 1))
    assert implicit != BufferTensorDesc(DataType.INT32, (1, 3, 5))
    with pytest.raises(AttributeError):
        implicit.sizes = (3,)


@pytest.mark.parametrize(
    ("layout", "sizes", "broadcast", "strides"),
    [
        ("NCHW", (2, 3, 4, 5), (0, 0, 0, 0), (60, 20, 5, 1)),
        ("NHWC", (2, 3, 4, 5), (0, 0, 0, 0), (60, 1, 15, 3)),
        (channels_last, (2, 3, 4, 5), (0, 0, 0, 0), (60, 1, 15, 3)),
        ("NCHW", (2, 3, 4, 5), (1, 0, 0, 0), (0, 20, 5, 1)),
        ("NCHW", (2, 3, 4, 5), (0, 0, 1, 1), (3, 1, 0, 0)),
        ("NHWC", (2, 3, 4, 5), (0, 1, 0, 0), (20, 0, 5, 1)),
        ("NHWC", (2, 3, 4, 5), (True, False, True, True), (0, 1, 0, 0)),
        ("NCHW", (2, 3, 4, 5), (1, 1, 1, 1), (0, 0, 0, 0)),
    ],
)
def test_calculate_strides(layout, sizes, broadcast, strides):
    assert calculate_strides(layout, sizes, broadcast) == strides


def test_calculate_strides_without_broadcast_and_with_bad_arguments():
    assert calculate_strides("NHWC", (2, 3, 4, 5)) == (60, 1, 15, 3)
    with pytest.raises(
        LayoutError, match="calculate_strides: sizes and broadcast must have the same length"
    ):
        calculate_strides("NCHW", (2, 3, 4, 5), (True,))
    with pytest.raises(LayoutError, match="calculate_strides: order must name all 3 dims"):
        calculate_strides("NCHW", (2, 3, 4), (0, 0, 0))
    with pytest.raises(LayoutError, match=r"calculate_strides: sizes must be .* got sizes\[0\]=0"):
        calculate_strides("NCHW", (0, 3, 4, 5), (0, 0, 0, 0))
    for broadcast in ("abcd", 7, [[], [], [], []], np.zeros((4, 4))):
        with pytest.raises(LayoutError, match="calculate_strides: broadcast must be a sequence of"):
            calculate_strides("NCHW", (2, 3, 4, 5), broadcast)
    assert calculate_strides("HW", (2, 3), np.array([True, False])) == (0, 1)


def test_default_policy():
    properties = TensorPolicy.default(F16, TensorFlags.NONE, (3, 5))
    assert properties == TensorProperties(None, 32, 0)


@pytest.mark.parametrize(
    ("sizes", "strides"),
    [
        ((3,), (1,)),
        ((2, 3), (3, 1)),
        ((2, 3, 4), (12, 1, 3)),
        ((2, 3, 4, 5), (60, 1, 15, 3)),
        ((2, 3, 4, 5, 6), (360, 1, 90, 18, 3)),
        ((2, 3, 2, 2, 2, 2), (48, 1, 24, 12, 6, 3)),
    ],
)
def test_interleaved_channel_policy(sizes, strides):
    properties = TensorPolicy.interleaved_channel(F32, TensorFlags.NONE, sizes)
    assert properties.strides == strides
    assert properties.total_tensor_size_in_bytes == 4 * np.prod(sizes)
    desc = BufferTensorDesc(F32, sizes, properties.strides)
    assert desc.layout.is_packed


def test_policies_check_what_they_are_given():
    for policy in (TensorPolicy.default, TensorPolicy.interleaved_channel):
        with pytest.raises(LayoutError, match=r"sizes must be from 1 .* got sizes\[1\]=0"):
            policy(F32, TensorFlags.NONE, (2, 0))
        with pytest.raises(DTypeError, match="data_type must be a DataType; got data_type=None"):
            policy(None, TensorFlags.NONE, (2, 3))
        with pytest.raises(
            LayoutError, match=r"TensorPolicy\.\w+: flags must be .* got flags='no'"
        ):
            policy(F32, "no", (2, 3))
