"""DirectML's operators that move elements, against NumPy: types, ranks, strides, in place."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dml_vk.directml import (
    BufferTensorDesc,
    DataType,
    DepthSpaceOrder,
    DepthToSpace,
    DepthToSpace1,
    DiagonalMatrix,
    DiagonalMatrix1,
    Fold,
    Join,
    Padding,
    Padding1,
    PaddingMode,
    Slice,
    Slice1,
    SliceGrad,
    SpaceToDepth,
    SpaceToDepth1,
    Split,
    Tile,
    Unfold,
)
from tests import tier
from tests.kernel.directml.strided import (
    ALL,
    NUMBERS,
    check,
    kind_of,
    random_bits,
    sizes_of,
    source,
    target,
)

EXAMPLES = settings(max_examples=25 if tier.is_all() else 3)  # with pipelines of their own
F32, U32, I8 = DataType.FLOAT32, DataType.UINT32, DataType.INT8


def drawn(data, types, sizes, zeros=True):
    return source(data.draw, random_bits(data.draw(st.sampled_from(types)), sizes), zeros)


def window(data, size):
    """(offset, size, stride, elements) of a window over a dim."""
    offset = data.draw(st.integers(0, size - 1))
    length = data.draw(st.integers(1, size - offset))
    stride = data.draw(st.sampled_from([1, 1, 2, 3, 2**31 - 1]))
    count = data.draw(st.integers(1, 1 + (length - 1) // stride))
    return offset, length, stride * data.draw(st.sampled_from([1, -1])), count


def windowed(array, windows):
    """What Slice1 reads, by its pseudocode."""
    found = array
    for dim, (offset, length, stride, count) in enumerate(windows):
        start = offset + (length - 1 if stride < 0 else 0)
        found = np.take(found, [start + stride * k for k in range(count)], dim)
    return found


@EXAMPLES
@given(st.data(), sizes_of(most=6))
def test_slices(data, sizes):
    x = drawn(data, ALL, sizes)
    windows = [window(data, size) for size in sizes]
    expected = windowed(x.array, windows)
    offsets, lengths, strides, counts = zip(*windows)
    part = target(data.draw, x.desc.data_type, counts)
    check(Slice1(x.desc, part, offsets, lengths, strides), [x], [expected])
    forth = [abs(stride) * (count > 1) for stride, count in zip(strides, counts)]
    expected = x.array[
        tuple(
            np.array([offset + step * k for k in range(count)]).reshape(
                [-1 if other == dim else 1 for other in range(len(sizes))]
            )
            for dim, (offset, step, count) in enumerate(zip(offsets, forth, counts))
        )
    ]
    check(Slice(x.desc, part, offsets, counts, forth), [x], [expected])


@EXAMPLES
@given(st.data(), sizes_of(most=6))
def test_gradients_of_slices(data, sizes):
    windows = [window(data, size) for size in sizes]
    offsets, lengths, strides, counts = zip(*windows)
    x = drawn(data, ALL, counts)
    places = windowed(np.arange(math.prod(sizes)).reshape(sizes), windows)
    expected = np.zeros(sizes, x.array.dtype)
    expected.reshape(-1)[places.reshape(-1)] = x.array.reshape(-1)
    whole = target(data.draw, x.desc.data_type, sizes)
    check(SliceGrad(x.desc, whole, offsets, lengths, strides), [x], [expected])


@EXAMPLES
@given(st.data(), sizes_of(elements=60))
def test_tiles(data, sizes):
    x = drawn(data, NUMBERS, sizes)
    repeats = [data.draw(st.sampled_from([1, 1, 2, 3])) for _ in sizes]
    expected = np.tile(x.array, repeats)
    output = target(data.draw, x.desc.data_type, expected.shape)
    check(Tile(x.desc, output, repeats), [x], [expected])


@EXAMPLES
@given(st.data(), sizes_of(), st.integers(1, 4))
def test_joins_and_splits(data, sizes, count):
    axis = data.draw(st.integers(0, len(sizes) - 1))
    data_type = data.draw(st.sampled_from(ALL))
    lengths = [data.draw(st.integers(1, 4)) for _ in range(count)]
    shapes = [(*sizes[:axis], length, *sizes[axis + 1 :]) for length in lengths]
    parts = [source(data.draw, random_bits(data_type, shape), True) for shape in shapes]
    expected = np.concatenate([part.array for part in parts], axis)
    whole = target(data.draw, data_type, expected.shape)
    check(Join([part.desc for part in parts], whole, axis), parts, [expected])
    x = source(data.draw, expected, True)
    pieces = np.split(x.array, np.cumsum(lengths)[:-1], axis)
    outputs = [target(data.draw, data_type, shape) for shape in shapes]
    check(Split(x.desc, outputs, axis), [x], pieces)


# NumPy's reflection of a single element, and wraps of wide padding, are what is expected here.
MODES = {"EDGE": "edge", "REFLECTION": "reflect", "SYMMETRIC": "symmetric", "WRAP": "wrap"}


@EXAMPLES
@given(st.data(), sizes_of(elements=60), st.sampled_from(list(PaddingMode)))
def test_padding(data, sizes, mode):
    x = drawn(data, ALL, sizes)
    start, end = ([data.draw(st.sampled_from([0, 0, 1, 2, 7])) for _ in sizes] for _ in range(2))
    while math.prod([a + b + c for a, b, c in zip(start, sizes, end)]) > 5000:
        start, end = [a // 2 for a in start], [b // 2 for b in end]
    pairs, data_type = list(zip(start, end)), x.desc.data_type
    if mode is PaddingMode.CONSTANT:
        expected = np.pad(x.array, pairs, constant_values=7)
    else:
        expected = np.pad(x.array, pairs, mode=MODES[mode.name])
    output = target(data.draw, data_type, expected.shape)
    check(
        Padding(x.desc, output, mode, 7.9 if "INT" in data_type.name else 7, start, end),
        [x],
        [expected],
    )
    check(Padding1(x.desc, output, mode, data_type, 7, start, end), [x], [expected])


@pytest.mark.parametrize("mode", PaddingMode)
def test_no_padding_is_a_copy(mode):
    array = np.arange(1, 7, dtype=np.int16).reshape(2, 3)
    x, output = (BufferTensorDesc(DataType.INT16, (2, 3), strides) for strides in (None, (1, 2)))
    check(Padding(x, output, mode, 7, (0, 0), (0, 0)), [source(lambda _: None, array)], [array])


@pytest.mark.parametrize("mode", MODES)
def test_wide_padding(mode):
    array = np.arange(1, 7, dtype=np.int16).reshape(2, 3)
    x, output = (BufferTensorDesc(DataType.INT16, sizes) for sizes in ((2, 3), (5, 10)))
    expected = np.pad(array, ((1, 2), (4, 3)), mode=MODES[mode])
    padding = Padding(x, output, PaddingMode[mode], 7, (1, 4), (2, 3))
    check(padding, [source(lambda _: None, array)], [expected])


@pytest.mark.parametrize(
    ("data_type", "value", "expected"),
    [
        (DataType.INT8, 1e9, 127),
        (DataType.UINT8, -3.5, 0),
        (DataType.FLOAT16, 0.1, 0.1),
        (DataType.INT32, -1.9, -1),
        (DataType.FLOAT64, 0.1, np.float32(0.1)),
    ],
)
def test_values_of_padding_are_truncated_or_rounded(data_type, value, expected):
    x, output = (BufferTensorDesc(data_type, (size,)) for size in (1, 2))
    zero = source(lambda _: None, np.zeros(1, kind_of(data_type)))
    made = np.array([expected, 0], kind_of(data_type))
    check(Padding(x, output, PaddingMode.CONSTANT, value, (1,), (0,)), [zero], [made])


DEEP = np.array([9 * c + k for c in range(8) for k in range(6)], np.uint32).reshape(1, 8, 2, 3)
# From the examples on DirectML's pages: the first row of each channel.
WIDE = {
    DepthSpaceOrder.DEPTH_COLUMN_ROW: [[0, 18, 1, 19, 2, 20], [9, 27, 10, 28, 11, 29]],
    DepthSpaceOrder.COLUMN_ROW_DEPTH: [[0, 9, 1, 10, 2, 11], [36, 45, 37, 46, 38, 47]],
}


def shuffled(x, block, order):
    images, channels, height, width = x.shape
    rest = channels // block**2
    if order is DepthSpaceOrder.DEPTH_COLUMN_ROW:
        cut = x.reshape(images, block, block, rest, height, width).transpose(0, 3, 4, 1, 5, 2)
    else:
        cut = x.reshape(images, rest, block, block, height, width).transpose(0, 1, 4, 2, 5, 3)
    return cut.reshape(images, rest, height * block, width * block)


@tier.examples(15)
@given(st.data(), st.integers(1, 3), st.sampled_from(list(DepthSpaceOrder)))
def test_depth_and_space(data, block, order):
    images, channels, height, width = (data.draw(st.integers(1, 3)) for _ in range(4))
    deep = drawn(data, ALL, (images, channels * block**2, height, width))
    expected = shuffled(deep.array, block, order)
    wide = target(data.draw, deep.desc.data_type, expected.shape)
    check(DepthToSpace1(deep.desc, wide, block, order), [deep], [expected])
    # The way back.
    x = source(data.draw, expected)
    back = target(data.draw, deep.desc.data_type, deep.array.shape)
    check(SpaceToDepth1(x.desc, back, block, order), [x], [deep.array])
    if order is DepthSpaceOrder.DEPTH_COLUMN_ROW:
        check(DepthToSpace(deep.desc, wide, block), [deep], [expected])
        check(SpaceToDepth(x.desc, back, block), [x], [deep.array])


@pytest.mark.parametrize("order", DepthSpaceOrder, ids=lambda order: order.name)
def test_the_orders_are_those_of_directmls_examples(order):
    assert shuffled(DEEP, 2, order)[0, :, 0].tolist() == WIDE[order]


@EXAMPLES
@given(st.data(), sizes_of(st.integers(2, 4), most=7), st.integers(-9, 9), st.integers(-9, 9))
def test_diagonals(data, sizes, begin, end):
    x = drawn(data, ALL, sizes)
    data_type, kind = x.desc.data_type, x.array.dtype
    output = target(data.draw, data_type, sizes)
    top = np.arange(sizes[-1]) - np.arange(sizes[-2])[:, None]
    # As on DirectML's page.
    filled = (end >= begin) ^ (top >= begin) ^ (top < end)
    seven = kind.type(7)
    check(
        DiagonalMatrix1(x.desc, output, data_type, 7, begin, end),
        [x],
        [np.where(filled, seven, x.array)],
    )
    zeros = np.broadcast_to(np.where(filled, seven, kind.type(0)), sizes)
    check(DiagonalMatrix1(None, output, data_type, 7, begin, end), [None], [zeros])
    value = 7.9 if "INT" in data_type.name else 7
    one = np.broadcast_to(np.where(top == begin, seven, kind.type(0)), sizes)
    check(DiagonalMatrix(output, begin, value), [], [one])


def test_bands_may_be_without_bounds():
    x = source(lambda _: None, np.arange(20, dtype=np.float32).reshape(4, 5))
    output, low = BufferTensorDesc(F32, (4, 5)), -(2**31)
    upper = DiagonalMatrix1(x.desc, output, F32, 0, low, 1)
    check(upper, [x], [np.triu(x.array, 1)])
    lower = DiagonalMatrix1(x.desc, output, F32, 0, 1, 2**31 - 1)
    check(lower, [x], [np.tril(x.array, 0)])
    diagonal = DiagonalMatrix1(x.desc, output, F32, 0, 1, 0)
    check(diagonal, [x], [np.eye(4, 5, dtype=np.float32) * x.array])


def windows_over(data, spatial):
    """Random windows that fit: (sizes, strides, dilations, start, end), the windows of each dim."""
    found, counts = [], []
    for size in spatial:
        start, end = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
        dilation = data.draw(st.integers(1, 2))
        taps = data.draw(st.integers(1, max(1, (size + start + end - 1) // dilation)))
        taps = min(taps, 3)
        stride = data.draw(st.integers(1, 3))
        counts.append((size + start + end - dilation * (taps - 1) - 1) // stride + 1)
        found.append((taps, stride, dilation, start, end))
    return [list(one) for one in zip(*found)], counts


def reads(spatial, windows, counts):
    """For each tap and window the flat index that it reads, or -1 in the padding."""
    taps, strides, dilations, start, _ = windows
    rows = []
    for tap in np.ndindex(*taps):
        row = []
        for place in itertools.product(*map(range, counts)):
            at = [
                p * stride + t * dilation - before
                for p, stride, t, dilation, before in zip(place, strides, tap, dilations, start)
            ]
            inside = all(0 <= one < size for one, size in zip(at, spatial))
            row.append(int(np.ravel_multi_index(at, spatial)) if inside else -1)
        rows.append(row)
    return np.array(rows)


@tier.examples(15)
@given(st.data(), sizes_of(st.integers(3, 6), most=4, elements=100))
def test_windows_as_columns_and_back(data, sizes):
    images, channels, *spatial = sizes
    windows, counts = windows_over(data, spatial)
    table = reads(spatial, windows, counts)
    x = drawn(data, ALL, sizes)
    flat = np.concatenate(
        [x.array.reshape(images, channels, -1), np.zeros((images, channels, 1), x.array.dtype)], 2
    )
    columns = flat[:, :, table].reshape(images, -1, table.shape[1])
    shape = (1,) * data.draw(st.integers(0, 2)) + columns.shape
    output = target(data.draw, x.desc.data_type, shape)
    check(Unfold(x.desc, output, *windows), [x], [columns.reshape(shape)])
    # Back: small integers, whose sums are exact.
    kind = kind_of(data.draw(st.sampled_from(ALL)))
    numbers = np.arange(columns.size).reshape(shape) % 9
    y = source(data.draw, numbers.astype(kind), True)
    sums = np.zeros((images, channels, math.prod(spatial) + 1), kind)
    terms = y.array.reshape(images, channels, *table.shape)
    for tap, row in enumerate(table):
        for place, at in enumerate(row):
            sums[:, :, at] += terms[:, :, tap, place]
    image = target(data.draw, y.desc.data_type, sizes)
    check(Fold(y.desc, image, *windows), [y], [sums[:, :, :-1].reshape(sizes)])
