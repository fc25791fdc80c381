"""DirectML's reductions and cumulative operators against NumPy, bit for bit where exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dml_vk.directml import (
    ArgMax,
    ArgMin,
    AxisDirection,
    BufferTensorDesc,
    CumulativeProduct,
    CumulativeSummation,
    DataType,
    Reduce,
    ReduceFunction,
    ValueScale2D,
)
from dml_vk.testing.reductions import tree_prod, tree_sum
from dml_vk.testing.scans import scan
from tests import tier
from tests.chance import chance
from tests.kernel.directml.strided import (
    INDEXES,
    NUMBERS,
    SUMMED,
    check,
    kind_of,
    sizes_of,
    source,
    target,
)

EXAMPLES = settings(max_examples=25 if tier.is_all() else 3)  # with pipelines of their own
FLOATS = [DataType.FLOAT32, DataType.FLOAT16]
F = ReduceFunction


def numbers(data_type, sizes):
    """Numbers whose sums are rounded, or wrap."""
    kind = kind_of(data_type)
    if kind.kind == "f":
        return chance().normal(size=sizes).astype(kind)
    info = np.iinfo(kind)
    return chance().integers(info.min, info.max, sizes, kind, endpoint=True)


def drawn(data, types, sizes):
    data_type = data.draw(st.sampled_from(types))
    return source(data.draw, numbers(data_type, sizes), True)


def some_axes(data, rank):
    return tuple(data.draw(st.permutations(range(rank)))[: data.draw(st.integers(1, rank))])


def summed(x, axes, function=np.add):
    """In the library's order for floats; integers wrap."""
    if x.dtype.kind == "f":
        tree = tree_sum if function is np.add else tree_prod
        return tree(x, axes, keepdims=True)
    return function.reduce(x, axis=axes, keepdims=True, dtype=x.dtype)


def wide(x):
    return x.astype(np.float32) if x.dtype.kind == "f" else x


@np.errstate(all="ignore")
def reduced(function, x, axes):
    kind = x.dtype
    if function is F.SUM:
        return summed(x, axes)
    if function is F.MULTIPLY:
        return summed(x, axes, np.multiply)
    if function in (F.MAX, F.MIN):
        choose = np.max if function is F.MAX else np.min
        return choose(x, axis=axes, keepdims=True)
    if function is F.L1:
        return summed(np.abs(x), axes)
    if function is F.SUM_SQUARE:
        return summed(wide(x) * wide(x), axes).astype(kind)
    if function is F.L2:
        return np.sqrt(summed(wide(x) * wide(x), axes)).astype(kind)
    assert function is F.AVERAGE
    count = np.float32(math.prod([x.shape[axis] for axis in axes]))
    return (summed(wide(x), axes) / count).astype(kind)


def extreme(x, axes, largest, last):
    """The place of the extreme element among the reduced dims in row-major order."""
    kept = [dim for dim in range(x.ndim) if dim not in axes]
    rows = x.transpose([*kept, *sorted(axes)]).reshape(*[x.shape[dim] for dim in kept], -1)
    find = np.argmax if largest else np.argmin
    found = rows.shape[-1] - 1 - find(rows[..., ::-1], -1) if last else find(rows, -1)
    return found.reshape([1 if dim in axes else size for dim, size in enumerate(x.shape)])


EXACT = [
    function for function in F if function not in (F.ARGMAX, F.ARGMIN, F.LOG_SUM, F.LOG_SUM_EXP)
]
TYPES = {
    **dict.fromkeys((F.MAX, F.MIN), NUMBERS),
    **dict.fromkeys((F.AVERAGE, F.L2), FLOATS),
    **dict.fromkeys((F.L1, F.MULTIPLY, F.SUM, F.SUM_SQUARE), SUMMED),
}


@pytest.mark.parametrize("function", EXACT, ids=lambda function: function.name)
@settings(max_examples=8 if tier.is_all() else 2)
@given(st.data(), sizes_of(most=9))
def test_reductions_bit_for_bit(function, data, sizes):
    x, axes = drawn(data, TYPES[function], sizes), some_axes(data, len(sizes))
    expected = reduced(function, x.array, axes)
    output = target(data.draw, x.desc.data_type, expected.shape)
    check(Reduce(function, x.desc, output, axes), [x], [expected])


@pytest.mark.parametrize("data_type", FLOATS, ids=lambda one: one.name)
def test_logarithms_of_sums(data_type):
    values = np.abs(chance().normal(size=(4, 300)) * 8).astype(kind_of(data_type))
    values[1, 7] = np.inf
    exact = values.astype(np.float64)
    x = source(lambda _: None, values)
    output = BufferTensorDesc(data_type, (4, 1))

    def close(found, expected):
        np.testing.assert_allclose(found, expected, rtol=2e-3 if data_type.bits == 16 else 1e-6)

    with np.errstate(over="ignore"):
        sums = np.log(np.sum(exact, 1, keepdims=True)).astype(values.dtype)
        powers = np.logaddexp.reduce(exact, 1, keepdims=True).astype(values.dtype)
    check(Reduce(F.LOG_SUM, x.desc, output, (1,)), [x], [sums], close)
    check(Reduce(F.LOG_SUM_EXP, x.desc, output, (1,)), [x], [powers], close)


def test_sums_of_float16_overflow_only_at_the_end():
    values = np.float16([[300, -300, 4, 0], [1, 2, 2, 0]])
    x = source(lambda _: None, values)
    output = BufferTensorDesc(DataType.FLOAT16, (2, 1))
    for function, expected in (
        (F.SUM_SQUARE, [np.inf, 9]),
        (F.L2, [np.sqrt(180016), 3]),
        (F.AVERAGE, [1, 1.25]),
        (F.L1, [604, 5]),
    ):
        with np.errstate(over="ignore"):
            wanted = np.float16(expected)[:, None]
        check(Reduce(function, x.desc, output, (1,)), [x], [wanted])


@EXAMPLES
@given(st.data(), sizes_of(most=6))
def test_places_of_the_largest_and_smallest(data, sizes):
    data_type = data.draw(st.sampled_from(NUMBERS))
    values = chance().integers(0, 4, sizes).astype(kind_of(data_type))
    if values.dtype.kind == "f":
        values[chance().random(sizes) < 0.02] = np.nan
    x, axes = source(data.draw, values, True), some_axes(data, len(sizes))
    shape = [1 if dim in axes else size for dim, size in enumerate(sizes)]
    output = target(data.draw, data.draw(st.sampled_from(INDEXES)), shape)
    kind = kind_of(output.data_type)
    for cls, function in ((ArgMax, F.ARGMAX), (ArgMin, F.ARGMIN)):
        for direction in AxisDirection:
            last = direction is AxisDirection.DECREASING
            expected = extreme(x.array, axes, cls is ArgMax, last).astype(kind)
            check(cls(x.desc, output, axes, direction), [x], [expected])
            if not last:
                check(Reduce(function, x.desc, output, axes), [x], [expected])


@EXAMPLES
@given(st.data(), sizes_of(), st.integers(1, 150), st.booleans())
def test_cumulative_sums_and_products(data, sizes, length, exclusive):
    axis = data.draw(st.integers(0, len(sizes) - 1))
    sizes = (*sizes[:axis], min(length, 5000 // math.prod(sizes)), *sizes[axis + 1 :])
    x = drawn(data, SUMMED, sizes)
    output = target(data.draw, x.desc.data_type, sizes)
    for direction in AxisDirection:
        turned = direction is AxisDirection.DECREASING
        values = np.flip(x.array, axis) if turned else x.array
        for cls, function in ((CumulativeSummation, np.add), (CumulativeProduct, np.multiply)):
            expected = scan(function, values, axis, exclusive=exclusive)
            if exclusive:
                first = expected[(slice(None),) * axis + (slice(0, 1),)]
                first[...] = int(cls is CumulativeProduct)
            expected = np.flip(expected, axis) if turned else expected
            check(cls(x.desc, output, axis, direction, exclusive), [x], [expected])


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_exclusive_sums_of_floats_start_with_plus_zero(dtype):
    x = source(lambda _: None, np.array([[-1, 2, 4], [3, -5, 6]], dtype))
    for direction, expected in (
        ("INCREASING", [[0, -1, 1], [0, 3, -2]]),
        ("DECREASING", [[6, 4, 0], [1, 6, 0]]),
    ):
        summed = CumulativeSummation(x.desc, x.desc, 1, AxisDirection[direction], True)
        check(summed, [x], [np.array(expected, dtype)])


@EXAMPLES
@given(st.data(), sizes_of(st.just(3), most=5), st.sampled_from([1, 3]))
def test_channels_scaled(data, sizes, channels):
    x = drawn(data, FLOATS, (sizes[0], channels, *sizes[1:]))
    bias = [0.1, -2.5, 7.0][:channels]
    expected = wide(x.array) * np.float32(1.7) + np.float32(bias).reshape(-1, 1, 1)
    output = target(data.draw, x.desc.data_type, x.array.shape)
    check(ValueScale2D(x.desc, output, 1.7, bias), [x], [expected.astype(x.array.dtype)])
