"""DirectML's regions of interest against NumPy, bit for bit: types, strides, modes, tiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.directml import (
    BufferTensorDesc,
    DataType,
    InterpolationMode,
    ReduceFunction,
    RoiAlign,
    RoiAlign1,
    RoiPooling,
)
from dml_vk.kernels.plan import roi
from dml_vk.testing.regions import roi_align, roi_pooling
from tests import tier
from tests.chance import chance
from tests.kernel.directml.strided import check, kind_of, source, target

FLOATS = [DataType.FLOAT32, DataType.FLOAT16]
UNSIGNED = [DataType.UINT64, DataType.UINT32]
FUNCTIONS = [ReduceFunction.AVERAGE, ReduceFunction.MAX]


def image_of(data, data_type):
    sizes = [data.draw(st.integers(1, most)) for most in (2, 3, 9, 9)]
    made = chance().normal(size=sizes).astype(kind_of(data_type))
    made[chance().random(sizes) < 0.02] = np.inf
    return source(data.draw, made, True)


def corners_of(data, count, kind):
    """Most within the image; some empty, turned or far outside."""
    made = chance().uniform(-3, 12, (count, 4)).astype(kind)
    made[chance().random(count) < 0.1] = 3.5
    made[chance().random((count, 4)) < 0.03] = 3e4
    return made


@tier.examples(20)
@given(st.data(), st.sampled_from(FLOATS), st.integers(1, 4), st.integers(1, 4))
def test_boxes_of_regions(data, data_type, height, width):
    x, count = image_of(data, data_type), data.draw(st.integers(1, 4))
    batch = chance().integers(0, len(x.array), count)
    rows = np.concatenate([batch[:, None], corners_of(data, count, x.array.dtype)], 1)
    regions = source(data.draw, rows.astype(x.array.dtype).reshape(1, 1, count, 5), True)
    scale = data.draw(st.sampled_from([1.0, 0.5, 0.3]))
    own = regions.array.reshape(count, 5)
    expected = roi_pooling(x.array, own, scale, height, width)
    output = target(data.draw, data_type, expected.shape)
    operator = RoiPooling(x.desc, regions.desc, output, scale, (width, height))
    check(operator, [x, regions], [expected])


def test_boxes_in_several_tiles(monkeypatch):
    monkeypatch.setattr(roi, "_MOST_ROUNDS", 40)
    split = roi.tiles(30, 25, 40)
    assert len(split) > 30
    assert sum((one.bottom - one.top) * (one.right - one.left) for one in split) == 30 * 25
    monkeypatch.setattr("dml_vk.ops.roi.tiles", lambda height, width: roi.tiles(height, width, 40))
    x = source(lambda _: None, chance().normal(size=(2, 3, 30, 25)).astype(np.float32) - 5)
    x.array[0, 0, 20, 20] = x.memory[20 * 25 + 20] = np.nan
    rows = np.float32([[0, 0, 0, 24, 29], [1, 3, 2, 20, 21], [0, 9, 9, 8, 8], [1, 30, 0, 40, 9]])
    regions = source(lambda _: None, rows.reshape(1, 1, 4, 5))
    expected = roi_pooling(x.array, rows, 1, 2, 3)
    assert np.isnan(expected).any()
    assert (expected[2:] == 0).all()
    output = BufferTensorDesc(DataType.FLOAT32, expected.shape)
    operator = RoiPooling(x.desc, regions.desc, output, 1, (3, 2))
    check(operator, [x, regions], [expected], np.testing.assert_array_equal)


@tier.examples(20)
@given(st.data(), st.sampled_from(FLOATS), st.integers(1, 4), st.integers(1, 4))
@np.errstate(all="ignore")
def test_samples_of_regions(data, data_type, height, width):
    x, count = image_of(data, data_type), data.draw(st.integers(1, 4))
    front = data.draw(st.integers(0, 2))
    own = corners_of(data, count, x.array.dtype)
    regions = source(data.draw, own.reshape((1,) * front + own.shape), True)
    kind = kind_of(data.draw(st.sampled_from(UNSIGNED)))
    batch = chance().integers(0, len(x.array) + 1, count).astype(kind)
    batch = source(data.draw, batch.reshape((1,) * front + batch.shape), True)
    function = data.draw(st.sampled_from(FUNCTIONS))
    mode = data.draw(st.sampled_from(list(InterpolationMode)))
    least = data.draw(st.integers(1, 3))
    most = data.draw(st.sampled_from([least, least + 2, 2**32 - 1]))
    scales = data.draw(st.sampled_from([(1.0, 1.0), (0.5, 0.3)]))
    named = {
        "scales": scales,
        "outside": 7.5,
        "samples": (least, min(most, roi.MOST_SAMPLES)),
        "largest": function is ReduceFunction.MAX,
        "nearest": mode is InterpolationMode.NEAREST_NEIGHBOR,
    }
    own, indexes = regions.array.reshape(count, 4), batch.array.reshape(count)
    given = x.array, own, indexes, height, width
    output = target(data.draw, data_type, (count, x.array.shape[1], height, width))
    tensors, inputs = (x.desc, regions.desc, batch.desc, output), [x, regions, batch]
    expected = roi_align(*given, offsets=(0.5, -0.5), corners=False, **named)
    operator = RoiAlign(*tensors, function, mode, *scales, 7.5, least, most)
    check(operator, inputs, [expected], same)
    corners, offsets = (
        data.draw(st.booleans()),
        data.draw(st.sampled_from([(0.0, 0.0), (0.5, -0.5)])),
    )
    expected = roi_align(*given, offsets=offsets, corners=corners, **named)
    operator = RoiAlign1(*tensors, function, mode, *scales, *offsets, 7.5, least, most, corners)
    check(operator, inputs, [expected], same)


def same(found, expected):
    """Equal bits; those of NaN may differ."""
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


def test_the_example_of_directmls_gradient():
    """Nearest samples of four regions, 1.5 times as wide and half as high."""
    x = source(lambda _: None, np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4))
    rows = np.float32([[0, 0, 2, 2], [2, 0, 4, 2], [0, 2, 2, 4], [2, 2, 4, 4]])
    regions, batch = source(lambda _: None, rows), source(lambda _: None, np.zeros(4, np.uint32))
    output = BufferTensorDesc(DataType.FLOAT32, (4, 1, 1, 3))
    function, mode = ReduceFunction.AVERAGE, InterpolationMode.NEAREST_NEIGHBOR
    operator = RoiAlign1(
        x.desc, regions.desc, batch.desc, output, function, mode, 1, 1, 0, 0, 0, 1, 1, False
    )
    wanted = np.float32([[1, 2, 2], [3, 4, 4], [9, 10, 10], [11, 12, 12]]).reshape(4, 1, 1, 3)
    check(operator, [x, regions, batch], [wanted])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_corners_that_are_no_numbers_are_outside(value):
    x = source(lambda _: None, np.ones((1, 1, 3, 3), np.float32))
    regions = source(lambda _: None, np.float32([[value, 0, value, 3]]))
    batch = source(lambda _: None, np.zeros(1, np.uint32))
    output = BufferTensorDesc(DataType.FLOAT32, (1, 1, 2, 2))
    function, mode = ReduceFunction.AVERAGE, InterpolationMode.LINEAR
    operator = RoiAlign(x.desc, regions.desc, batch.desc, output, function, mode, 1, 1, 9, 1, 1)
    check(operator, [x, regions, batch], [np.full((1, 1, 2, 2), 9, np.float32)])
