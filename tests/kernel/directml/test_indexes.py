"""DirectML's gathers, scatters and selections against NumPy: types, ranks, strides, in place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dml_vk.directml import (
    AxisDirection,
    BufferTensorDesc,
    DataType,
    Gather,
    GatherElements,
    GatherND,
    GatherND1,
    NonzeroCoordinates,
    OneHot,
    ReverseSubsequences,
    Scatter,
    ScatterND,
    TopK,
    TopK1,
)
from tests import tier
from tests.chance import chance
from tests.kernel.directml.strided import (
    ALL,
    INDEXES,
    NUMBERS,
    check,
    kind_of,
    random_bits,
    sizes_of,
    source,
    target,
)

EXAMPLES = settings(max_examples=25 if tier.is_all() else 3)  # with pipelines of their own
UNSIGNED = [DataType.UINT64, DataType.UINT32]


def drawn(data, types, sizes, zeros=True):
    return source(data.draw, random_bits(data.draw(st.sampled_from(types)), sizes), zeros)


def indexes(data, size, shape):
    """Indexes of any type for a dim."""
    return source(data.draw, numbers(size, shape, data.draw(st.sampled_from(INDEXES))), True)


def numbers(size, shape, data_type):
    """Indexes for a dim, some of them out of range."""
    kind = kind_of(data_type)
    info = np.iinfo(kind)
    low = -size - 2 if kind.kind == "i" else 0
    made = chance().integers(low, size + 3, shape).astype(kind)
    far = chance().random(shape) < 0.05
    made = np.where(far, info.max, np.where(chance().random(shape) < 0.05, info.min, made))
    return made.astype(kind)


def selected(index, size):
    """From the end if negative, and the nearest one if out of range."""
    whole = [int(one) for one in index.reshape(-1)]
    found = [max(one + size, 0) if one < 0 else min(one, size - 1) for one in whole]
    return np.array(found, np.int64).reshape(index.shape)


def in_range(index, size):
    found = [-size <= int(one) < size for one in index.reshape(-1)]
    return np.array(found).reshape(index.shape)


def cut(sizes, rank):
    """Sizes aligned on the right: ones in front are added or left out; None if they do not fit."""
    extra = len(sizes) - rank
    if any(size > 1 for size in sizes[: max(0, extra)]):
        return None
    return (1,) * -extra + tuple(sizes[max(0, extra) :])


@EXAMPLES
@given(st.data(), sizes_of())
def test_gathers_along_an_axis(data, sizes):
    axis = data.draw(st.integers(0, len(sizes) - 1))
    rank = data.draw(st.integers(len(sizes), 8))
    own = data.draw(sizes_of(st.integers(0, 3), elements=20))
    sizes, axis = (1,) * (rank - len(sizes)) + sizes, axis + rank - len(sizes)
    own = own[:rank]
    count = data.draw(st.integers(len(own), rank))
    shape = (*sizes[:axis], *((1,) * (count - len(own)) + own), *sizes[axis + 1 :])
    assume(cut(shape, rank) is not None)
    x = drawn(data, ALL, sizes)
    index = indexes(data, sizes[axis], (1,) * (rank - len(own)) + own)
    output = target(data.draw, x.desc.data_type, cut(shape, rank))
    places = selected(index.array, sizes[axis]).reshape(shape[axis : axis + count])
    expected = np.take(x.array, places, axis).reshape(output.sizes)
    check(Gather(x.desc, index.desc, output, axis, count), [x, index], [expected])


def test_gathers_along_an_axis_were_made_of_several_dims():
    """DirectML's fourth and fifth example, and a single element."""
    x = source(lambda _: None, np.arange(1, 10, dtype=np.float32).reshape(1, 3, 3))
    pair = source(lambda _: None, np.array([[[0, 2]]], np.uint32))
    output = BufferTensorDesc(DataType.FLOAT32, (3, 1, 2))
    wanted = np.float32([[[1, 3]], [[4, 6]], [[7, 9]]])
    check(Gather(x.desc, pair.desc, output, 2, 2), [x, pair], [wanted])
    grid = source(lambda _: None, np.array([[[0, 1], [1, 2]]], np.uint32))
    rows = source(lambda _: None, np.float32([[[1, 2], [3, 4], [5, 6]]]))
    output = BufferTensorDesc(DataType.FLOAT32, (2, 2, 2))
    wanted = np.float32([[[1, 2], [3, 4]], [[3, 4], [5, 6]]])
    check(Gather(rows.desc, grid.desc, output, 1, 2), [rows, grid], [wanted])
    line = source(lambda _: None, np.float32([5, 6, 7]))
    one = source(lambda _: None, np.array([1], np.int32))
    output = BufferTensorDesc(DataType.FLOAT32, (1,))
    check(Gather(line.desc, one.desc, output, 0, 0), [line, one], [np.float32([6])])


@EXAMPLES
@given(st.data(), sizes_of(), st.integers(1, 5))
def test_elements_gathered_and_scattered(data, sizes, count):
    axis = data.draw(st.integers(0, len(sizes) - 1))
    shape = (*sizes[:axis], count, *sizes[axis + 1 :])
    x, index = drawn(data, ALL, sizes), indexes(data, sizes[axis], shape)
    places = selected(index.array, sizes[axis])
    output = target(data.draw, x.desc.data_type, shape)
    expected = np.take_along_axis(x.array, places, axis)
    check(GatherElements(x.desc, index.desc, output, axis), [x, index], [expected])
    updates = drawn(data, [x.desc.data_type], shape)
    output = target(data.draw, x.desc.data_type, sizes)
    expected = x.array.copy()
    inside = in_range(index.array, sizes[axis])
    for at in np.ndindex(shape):  # Later updates overwrite earlier ones.
        if inside[at]:
            expected[(*at[:axis], places[at], *at[axis + 1 :])] = updates.array[at]
    scatter = Scatter(x.desc, index.desc, updates.desc, output, axis)
    check(scatter, [x, index, updates], [expected])


@EXAMPLES
@given(st.data(), sizes_of(st.integers(1, 5)), sizes_of(st.integers(0, 2), elements=12))
def test_parts_gathered_and_scattered_at_coordinates(data, sizes, shape):
    batch = data.draw(st.integers(0, min(2, len(sizes) - 1)))
    count = data.draw(st.integers(1, len(sizes) - batch))
    full = (*sizes[:batch], *shape, count)
    result = (*full[:-1], *sizes[batch + count :])
    rank = data.draw(st.integers(max(len(sizes), len(full), len(result)), 8))
    x = drawn(data, ALL, (1,) * (rank - len(sizes)) + sizes)
    kind = data.draw(st.sampled_from(INDEXES))
    columns = [numbers(size, full[:-1], kind) for size in sizes[batch : batch + count]]
    made = np.stack(columns, -1).reshape((1,) * (rank - len(full)) + full)
    index = source(data.draw, made, True)
    tuples = index.array.reshape(full)
    places = [selected(tuples[..., k], sizes[batch + k]) for k in range(count)]
    output = target(data.draw, x.desc.data_type, (1,) * (rank - len(result)) + result)
    own = x.array.reshape(sizes)
    expected = np.empty(result, own.dtype)
    for at in np.ndindex(full[:-1]):
        expected[at] = own[(*at[:batch], *[int(one[at]) for one in places])]
    counts = len(sizes), len(full)
    operator = GatherND1(x.desc, index.desc, output, *counts, batch)
    check(operator, [x, index], [expected.reshape(output.sizes)])
    if batch:
        return
    operator = GatherND(x.desc, index.desc, output, *counts)
    check(operator, [x, index], [expected.reshape(output.sizes)])
    updates = drawn(data, [x.desc.data_type], output.sizes)
    new = updates.array.reshape(result)
    whole = target(data.draw, x.desc.data_type, x.desc.sizes)
    expected = own.copy()
    inside = np.all([in_range(tuples[..., k], size) for k, size in enumerate(sizes[:count])], 0)
    for at in np.ndindex(full[:-1]):  # Later updates overwrite earlier ones.
        if inside[at]:
            expected[tuple(int(one[at]) for one in places)] = new[at]
    scatter = ScatterND(x.desc, index.desc, updates.desc, whole, *counts)
    check(scatter, [x, index, updates], [expected.reshape(x.desc.sizes)])


def ranked(x, axis, descending):
    """The places of a stable sort, in which NaN is the largest and zeros are equal."""
    exact = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(object)
    sign = -1 if descending else 1

    def key(one):
        return (sign, 0) if one != one else (0, sign * one)

    def places(row):
        return np.array(sorted(range(len(row)), key=lambda k: key(row[k])))

    return np.apply_along_axis(places, axis, exact)


@EXAMPLES
@given(st.data(), sizes_of(most=6))
def test_the_first_of_the_largest_and_smallest(data, sizes):
    axis = data.draw(st.integers(0, len(sizes) - 1))
    data_type = data.draw(st.sampled_from(NUMBERS))
    values = chance().integers(0, 5, sizes).astype(kind_of(data_type))
    if values.dtype.kind == "f":
        special = values.dtype.type([np.nan, -0.0, 0.0, np.inf, -np.inf, -2.5])
        values = np.where(chance().random(sizes) < 0.4, chance().choice(special, sizes), values)
    x = source(data.draw, values, True)
    k = data.draw(st.integers(1, sizes[axis]))
    shape = (*sizes[:axis], k, *sizes[axis + 1 :])
    first = target(data.draw, data_type, shape)
    where = target(data.draw, data.draw(st.sampled_from(UNSIGNED)), shape)
    for direction in AxisDirection:
        descending = direction is AxisDirection.DECREASING
        places = np.take(ranked(x.array, axis, descending), range(k), axis)
        values = np.take_along_axis(x.array, places, axis)
        expected = [values, places.astype(kind_of(where.data_type))]
        check(TopK1(x.desc, first, where, axis, k, direction), [x], expected)
        if descending:
            check(TopK(x.desc, first, where, axis, k), [x], expected)


@EXAMPLES
@given(st.data(), sizes_of())
def test_one_at_an_index(data, sizes):
    axis = data.draw(st.integers(0, len(sizes) - 1))
    count = sizes[axis]
    index = indexes(data, count, (*sizes[:axis], 1, *sizes[axis + 1 :]))
    values = drawn(
        data, ALL, data.draw(sizes_of(st.just(len(sizes))).filter(lambda own: math.prod(own) > 1))
    )
    output = target(data.draw, values.desc.data_type, sizes)
    own = index.array
    if own.dtype.kind == "i":
        own = np.where(own < 0, own.astype(np.int64) + count, own)
    along = np.arange(count).reshape([-1 if dim == axis else 1 for dim in range(len(sizes))])
    second = [0] * len(sizes)
    second[max(dim for dim, size in enumerate(values.array.shape) if size > 1)] = 1
    first = values.array[(0,) * len(sizes)]
    expected = np.where(along == own, values.array[tuple(second)], first)
    check(OneHot(index.desc, values.desc, output, axis), [index, values], [expected])


def test_one_at_an_index_as_in_directmls_examples():
    index = source(lambda _: None, np.array([[-3], [100], [3]], np.int32))
    values = source(lambda _: None, np.float32([[4], [2], [9]]))
    output = BufferTensorDesc(DataType.FLOAT32, (3, 4))
    wanted = np.float32([[4, 2, 4, 4], [4, 4, 4, 4], [4, 4, 4, 2]])
    check(OneHot(index.desc, values.desc, output, 1), [index, values], [wanted])


@EXAMPLES
@given(st.data(), sizes_of(most=6))
def test_beginnings_reversed(data, sizes):
    axis = data.draw(st.integers(0, len(sizes) - 1))
    count, shape = sizes[axis], (*sizes[:axis], 1, *sizes[axis + 1 :])
    x, kind = drawn(data, ALL, sizes), kind_of(data.draw(st.sampled_from(UNSIGNED)))
    made = chance().integers(0, count + 2, shape).astype(kind)
    made[chance().random(shape) < 0.1] = np.iinfo(kind).max
    lengths = source(data.draw, made, True)
    output = target(data.draw, x.desc.data_type, sizes)
    along = np.arange(count).reshape([-1 if dim == axis else 1 for dim in range(len(sizes))])
    own = np.minimum(lengths.array, count).astype(np.int64)
    expected = np.take_along_axis(x.array, np.where(along < own, own - 1 - along, along), axis)
    operator = ReverseSubsequences(x.desc, lengths.desc, output, axis)
    check(operator, [x, lengths], [expected])


@settings(max_examples=30 if tier.is_all() else 4)
@given(st.data(), sizes_of(elements=200), st.sampled_from([0.0, 0.3, 1.0]))
def test_where_elements_are_not_zero(data, sizes, share):
    data_type = data.draw(st.sampled_from([one for one in NUMBERS if one.bits <= 32]))
    kind = kind_of(data_type)
    values = np.where(chance().random(sizes) < share, random_bits(data_type, sizes), kind.type(0))
    if kind.kind == "f":
        values[chance().random(sizes) < 0.2] = -0.0
    x = source(data.draw, values, True)
    rank = len(sizes)
    needed = next((rank - dim for dim, size in enumerate(sizes) if size > 1), 1)
    columns = data.draw(st.integers(needed, rank))
    front = (1,) * data.draw(st.integers(0, 6))
    count = target(data.draw, DataType.UINT32, (1,) * data.draw(st.integers(1, 8)))
    rows = target(data.draw, DataType.UINT32, (*front, x.array.size, columns))
    found = np.argwhere(x.array)[:, rank - columns :]
    expected = np.ma.masked_all((x.array.size, columns), np.uint32)
    expected[: len(found)] = found
    wanted = [np.full(count.sizes, len(found), np.uint32), expected.reshape(rows.sizes)]
    check(NonzeroCoordinates(x.desc, count, rows), [x], wanted)


@pytest.mark.parametrize("data_type", [DataType.UINT8, DataType.FLOAT16, DataType.INT64])
def test_the_last_of_many_updates_is_stored(data_type):
    count = 5000
    x = source(lambda _: None, np.zeros(7, kind_of(data_type)))
    places = source(lambda _: None, chance().integers(0, 7, count).astype(np.uint32))
    values = source(lambda _: None, chance().integers(0, 100, count).astype(kind_of(data_type)))
    expected = x.array.copy()
    for at, value in zip(places.array, values.array):
        expected[at] = value
    scatter = Scatter(x.desc, places.desc, values.desc, x.desc, 0)
    check(scatter, [x, places, values], [expected])


def test_updates_at_pairs_of_coordinates_leave_out_those_outside():
    x = source(lambda _: None, np.arange(12, dtype=np.int32).reshape(3, 4))
    places = source(lambda _: None, np.array([[0, 1], [2, 3], [0, 1], [5, 0]], np.uint32))
    values = source(lambda _: None, np.array([[100, 200, 300, 400]], np.int32))
    expected = x.array.copy()
    expected[2, 3], expected[0, 1] = 200, 300
    check(
        ScatterND(x.desc, places.desc, values.desc, x.desc, 2, 2), [x, places, values], [expected]
    )
