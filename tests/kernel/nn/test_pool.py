"""Pooling against NumPy: any windows, any layouts, bit for bit and nothing beside."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.kernels.plan import pool_tile
from dml_vk.kernels.plan.pool import Box, boxes
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import pool as operation
from dml_vk.testing.pooling import (
    adaptive_positions,
    max_of,
    mean_of,
    positions,
    power_mean_of,
)
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import MARGIN, bits, elements, memory_for
from tests.profiles import PROFILES

FLOATS = ("float32", "float16")
ALL_FLOATS = (*FLOATS, "float64")
SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 0.0, -0.0, 1.0, 1.0, -2.5, 1e-41, -7e-8)


def numbers(count, dtype, hard):
    """Random numbers, or hard ones: NaNs, infinities, zeros, subnormals, and many equal ones."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        low = np.iinfo(dtype).min
        return chance().choice(np.array([low, low + 1, 0, 1, 2, 100], dtype), count)
    if hard:
        return chance().choice(np.array(SPECIAL, np.float64), count).astype(dtype)
    return chance().standard_normal(count).astype(dtype)


def source(layout, dtype, hard=False):
    """(tensor, array) of a layout, between others."""
    memory, layout = memory_for(layout, np.dtype(dtype).itemsize)
    filled = numbers(memory.size, dtype, hard)
    return dml_vk.asarray(filled).over(layout), elements(filled, layout)


def same(found, expected):
    """The same bits, for any NaN is as good as another where numbers are computed."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if expected.dtype.kind == "f":
        found, expected = found.copy(), expected.copy()
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        found[np.isnan(found)] = expected[np.isnan(expected)] = 1
    assert np.array_equal(bits(found), bits(expected))


def check_out(call, layout, expected):
    """`call(out)` writes `expected` to the layout's elements, and not one bit beside them."""
    _, layout = memory_for(layout, expected.itemsize)
    count = layout.span + layout.offset + MARGIN
    memory = numbers(max(count, 2 * MARGIN), expected.dtype, hard=False)
    tensor = dml_vk.asarray(memory)
    call(tensor.over(layout))
    found = tensor.numpy().copy()
    same(np.array(elements(found, layout)), expected)
    elements(found, layout)[...] = elements(memory, layout)
    assert np.array_equal(bits(found), bits(memory))


@st.composite
def windows(draw):
    """(sizes of x, the arguments, positions of each window's elements, ends of the padding)."""
    rank = draw(st.integers(1, 3))
    shape = draw(st.tuples(st.integers(0, 2), st.sampled_from([1, 3, 4, 8])))
    sizes, kernel, stride, dilation, padding, rows, ends = [], [], [], [], [], [], []
    for _ in range(rank):
        size, width = draw(st.integers(1, 7)), draw(st.integers(1, 3))
        step, apart = draw(st.integers(1, 3)), draw(st.integers(1, 2))
        span = (width - 1) * apart + 1
        begin, end = (draw(st.integers(0, span - 1)) for _ in range(2))
        size += max(0, span - size - begin - end)
        sizes.append(size)
        for each, value in zip((kernel, stride, dilation), (width, step, apart)):
            each.append(value)
        padding.append((begin, end))
        ends.append(size + end)
        rows.append((size, width, step, apart, begin, end))
    ceil_mode = draw(st.booleans())
    found = []
    for size, width, step, apart, begin, end in rows:
        span = (width - 1) * apart + 1
        starts = range(-begin, size + end - span + 1, step)
        left = starts[-1] + span < size + end and starts[-1] + step < size
        count = len(starts) + (ceil_mode and left)
        found.append(positions(size, count, width, step, begin, apart))
    given = {
        "kernel_size": kernel,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": ceil_mode,
    }
    return (*shape, *sizes), given, found, ends


@tier.examples(40)
@given(st.data())
def test_any_windows_over_any_layout(data):
    sizes, given, rows, ends = data.draw(windows())
    dtype, hard = data.draw(st.sampled_from(ALL_FLOATS)), data.draw(st.booleans())
    x, array = source(data.draw(layouts(sizes=sizes)), dtype, hard)
    shape = (*sizes[:2], *map(len, rows))
    out = data.draw(targets(sizes=shape))
    operation = data.draw(st.sampled_from(["max", "index", "avg", "lp"]))
    if operation == "max":
        check_out(lambda y: nn.max_pool(x, **given, out=y), out, max_of(array, rows)[0])
    elif operation == "index":
        values, indices = nn.max_pool(x, **given, return_indices=True)
        best, index = max_of(array, rows)
        assert np.array_equal(bits(values.numpy()), bits(best))
        assert np.array_equal(indices.numpy(), index)
        assert values.layout == indices.layout == Layout.packed(shape, x.layout.order)
    elif operation == "avg":
        counted = data.draw(st.booleans())
        expected = mean_of(array, rows, ends if counted else None)
        pool = {**given, "count_include_pad": counted}
        check_out(lambda y: nn.avg_pool(x, **pool, out=y), out, expected)
    else:
        p = data.draw(st.sampled_from([1, 2]))
        expected = power_mean_of(array, rows, p)
        check_out(lambda y: nn.lp_pool(x, p, **given, out=y), out, expected)


@tier.examples(15)
@given(st.data())
def test_windows_that_divide_x_evenly(data):
    rank = data.draw(st.integers(1, 3))
    sizes = (2, data.draw(st.sampled_from([1, 3, 8])), *[data.draw(st.integers(1, 9))] * rank)
    counts = [data.draw(st.none() | st.integers(0, 11)) for _ in range(rank)]
    dtype = data.draw(st.sampled_from(ALL_FLOATS))
    x, array = source(data.draw(layouts(sizes=sizes)), dtype)
    every = [own if n is None else n for n, own in zip(counts, sizes[2:])]
    rows = [adaptive_positions(size, n) for size, n in zip(sizes[2:], every)]
    best, index = max_of(array, rows)
    values, indices = nn.adaptive_max_pool(x, counts, return_indices=True)
    same(values.numpy(), best)
    assert np.array_equal(indices.numpy(), index)
    same(nn.adaptive_max_pool(x, counts).numpy(), best)
    found = nn.adaptive_avg_pool(x, counts)
    assert found.layout == Layout.packed(found.shape, x.layout.order)
    if max(every) > 1 or min(every) == 0:
        same(found.numpy(), mean_of(array, rows))


INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")


@pytest.mark.parametrize(
    ("dtype", "profile", "order"),
    [
        (dtype, *how)
        for dtype, how in tier.crossed(INTEGERS, itertools.product(PROFILES, (None, channels_last)))
    ],
    indirect=["profile"],
)
def test_maxima_of_integers(profile, dtype, order):
    rows = [positions(9, 5, 3, 2, 1), positions(6, 3, 2, 2)]
    x, array = source(Layout.packed((2, 20, 9, 6), order), dtype)
    given = {"stride": 2, "padding": ((1, 1), (0, 0)), "return_indices": True}
    values, indices = nn.max_pool(x, (3, 2), **given)
    best, index = max_of(array, rows)
    same(values.numpy(), best)
    assert np.array_equal(indices.numpy(), index)


def test_tiles_of_windows_read_and_store_in_every_way(monkeypatch):
    plans = []

    def spy(*given):
        plans.append(pool_tile.plan_pool_tile(*given))
        return plans[-1]

    monkeypatch.setattr(operation, "plan_pool_tile", spy)
    windows = [((2, 8, 9, 16), 3, 1), ((1, 5, 12, 20), 4, 5), ((1, 4, 6, 7), 2, 2)]
    planes, pixels = dml_vk.contiguous_format, channels_last
    forms = [("float32", planes), ("float16", pixels), ("float32", pixels), ("float16", planes)]
    for (sizes, kernel, stride), (dtype, order) in tier.crossed(windows, forms):
        pads = [(1, 0), (0, 1)]
        rows = [
            positions(size, (size + 1 - kernel) // stride + 1, kernel, stride, begin)
            for size, (begin, _) in zip(sizes[2:], pads)
        ]
        ends = [size + end for size, (_, end) in zip(sizes[2:], pads)]
        array = numbers(sizes, dtype, hard=True)
        x = dml_vk.asarray(array, memory_format=order)
        given = {"stride": stride, "padding": pads}
        same(nn.max_pool(x, kernel, **given).numpy(), max_of(array, rows)[0])
        found = nn.avg_pool(x, kernel, count_include_pad=stride > 1, **given).numpy()
        same(found, mean_of(array, rows, ends if stride > 1 else None))
    told = {pair for plan in plans for pair in zip(pool_tile.KERNELS[0].spec, plan.spec)}
    wanted = {
        *[("X_READ", way) for way in (0, 1, 2)],
        *[("CHANNELS", size) for size in (1, 4)],
        *[("DOWN", size) for size in (1, 2)],
        *[(flag, value) for flag in ("DST_QUADS", "COUNTED") for value in (0, 1)],
    }
    assert wanted <= told


# Sizes that go all ways: by quads of channels or of windows, by shifted ones, element by element.
SHAPES = [(2, 8, 9, 12), (1, 3, 9, 13), (3, 1, 7, 8), (1, 16, 5, 5), (1, 1, 3, 3), (8, 5, 3, 4)]


@pytest.mark.parametrize(
    ("shape", "profile", "dtype"),
    [(shape, *how) for shape, how in tier.crossed(SHAPES, itertools.product(PROFILES, FLOATS))],
    indirect=["profile"],
)
def test_formats_and_batches_give_the_same_bits(profile, shape, dtype):
    array = numbers(shape, dtype, hard=False)
    calls = {
        "max": lambda x: nn.max_pool(x, 3, stride=2, padding=1),
        "avg": lambda x: nn.avg_pool(x, 3, stride=1, padding=1, count_include_pad=False),
        "lp": lambda x: nn.lp_pool(x, 2, 2),
        "adaptive": lambda x: nn.adaptive_avg_pool(x, (2, 3)),
        "mean": nn.global_avg_pool,
        "global max": nn.global_max_pool,
    }
    orders = (channels_last, (2, 0, 3, 1))
    for turn, (name, call) in enumerate(calls.items(), SHAPES.index(shape)):
        found = {}
        others = orders if tier.is_all() else (orders[turn % 2],)
        for order in (dml_vk.contiguous_format, *others):
            x = dml_vk.asarray(array).to(memory_format=order)
            with dml_vk.trace(strict=True):
                found[order] = call(x)
            assert found[order].layout == Layout.packed(found[order].shape, x.layout.order), name
        first, *others = [bits(one.numpy()) for one in found.values()]
        assert all(np.array_equal(first, one) for one in others), name
        if len(array) > 1:
            alone = [call(dml_vk.asarray(one[None])).numpy() for one in array]
            assert np.array_equal(first, bits(np.concatenate(alone))), name


@pytest.mark.parametrize(
    ("profile", "dtype", "order"),
    tier.some(itertools.product(PROFILES, FLOATS, (None, channels_last)), 2),
    indirect=["profile"],
)
def test_large_windows_take_several_launches(profile, dtype, order):
    array = numbers((1, 8, 70, 90), dtype, hard=False)
    array[0, :, 60:, 80:] = np.float32(5)
    x = dml_vk.asarray(array, memory_format=order or dml_vk.contiguous_format)
    rows = [positions(70, 2, 68, 4, 1), positions(90, 2, 88, 3, 1)]
    pool = {"kernel_size": (68, 88), "stride": (4, 3), "padding": 1}
    best, index = max_of(array, rows)
    values, indices = nn.max_pool(x, **pool, return_indices=True)
    same(values.numpy(), best)
    assert np.array_equal(indices.numpy(), index)
    same(nn.avg_pool(x, **pool).numpy(), mean_of(array, rows, (71, 91)))
    same(nn.lp_pool(x, 2, **pool).numpy(), power_mean_of(array, rows, 2))


def test_large_volumes_take_several_launches():
    array = numbers((1, 2, 18, 17, 16), "float32", hard=False)
    rows = [positions(18, 3, 16), positions(17, 2, 16), positions(16, 1, 16)]
    best, index = max_of(array, rows)
    values, indices = nn.max_pool(dml_vk.asarray(array), 16, stride=1, return_indices=True)
    same(values.numpy(), best)
    assert np.array_equal(indices.numpy(), index)


def test_windows_of_a_launch_that_few_units_can_take(profile):
    for dtype in FLOATS:
        array = numbers((1, 2, 1, 3000), dtype, hard=False)
        rows = [positions(1, 1, 1), positions(3000, 5, 1900, 275)]
        x = dml_vk.asarray(array)
        assert np.array_equal(
            bits(nn.max_pool(x, (1, 1900), stride=275).numpy()), bits(max_of(array, rows)[0])
        )


def test_windows_are_split_into_consecutive_boxes():
    assert boxes((3, 3)) == [Box(0, (3, 3), False, True)]
    assert boxes((2, 3, 4), 5) == [Box(at * 4, (1, 1, 4), at > 0, at == 5) for at in range(6)]
    assert boxes((3, 4), 8) == [Box(0, (2, 4), False, False), Box(8, (1, 4), True, True)]
    assert boxes((7,), 3) == [
        Box(0, (3,), False, False),
        Box(3, (3,), True, False),
        Box(6, (1,), True, True),
    ]


def test_the_last_nan_and_the_first_of_equals_count():
    x = dml_vk.asarray([[[0.0, -0.0, -np.inf, -np.inf, np.nan, 2.0, -np.nan, -1.0]]])
    values, indices = nn.max_pool(x, (2,), return_indices=True)
    assert bits(values.numpy()).ravel().tolist()[:2] == [0, 0xFF800000]
    assert np.isnan(values.numpy()[..., 2:]).all()
    assert indices.tolist() == [[[0, 2, 4, 6]]]
    last = nn.max_pool(x, 8, return_indices=True)[1]
    assert last.item() == 6


def test_padding_is_neither_read_nor_added():
    x = dml_vk.asarray(np.float32([[[-3.0, -5.0]]]))
    assert nn.max_pool(x, 2, stride=1, padding=1).tolist() == [[[-3.0, -3.0, -5.0]]]
    inf = dml_vk.asarray(np.float32([[[np.inf, -np.inf, -0.0]]]))
    found = nn.avg_pool(inf, 2, stride=1, padding=1).numpy()
    assert np.array_equal(found, [[[np.inf, np.nan, -np.inf, 0.0]]], equal_nan=True)
    assert not np.signbit(found[..., -1])
    nothing = nn.max_pool(x, 2, stride=1, padding=1, dilation=2, return_indices=True)
    assert nothing[0].tolist() == [[[-5.0, -3.0]]]
    single = dml_vk.asarray(np.int32([[[7]]]))
    values, indices = nn.max_pool(single, 2, padding=1, dilation=2, return_indices=True)
    assert (values.item(), indices.item()) == (-(2**31), -1)


def test_names_of_padding_and_powers():
    array = numbers((1, 4, 5, 6), "float32", hard=False)
    x = dml_vk.asarray(array)
    assert nn.max_pool(x, 3, stride=2, padding="same").shape == (1, 4, 3, 3)
    assert nn.max_pool(x, 3, stride=2, padding="valid").shape == (1, 4, 2, 2)
    positive = dml_vk.abs(x)
    rows = [positions(5, 2, 2, 2), positions(6, 3, 2, 2)]
    for p in (3, 2.5, 0.5):
        expected = power_mean_of(np.abs(array), rows, p)
        np.testing.assert_allclose(nn.lp_pool(positive, p, 2).numpy(), expected, rtol=3e-6)


def test_sums_err_by_a_rounding_for_each_element():
    """On data that cancels: large numbers of both signs, and small ones between them."""
    array = chance().standard_normal((1, 4, 40, 40)).astype(np.float32)
    array[..., ::2] *= 1e6
    array[..., 2::4] = -array[..., ::4]
    rows = [positions(40, 11, 30), positions(40, 11, 30)]
    found = nn.avg_pool(dml_vk.asarray(array), 30, stride=1).numpy()
    exact, size = [
        np.lib.stride_tricks.sliding_window_view(each.astype(np.float64), (30, 30), (2, 3)).mean(
            (-2, -1)
        )
        for each in (array, np.abs(array))
    ]
    assert (np.abs(found - exact) <= 900 * 2.0**-24 * size).all()
    same(found, mean_of(array, rows))


def test_empty_batches_give_empty_results():
    for shape in ((0, 3, 4, 4), (2, 0, 4, 4)):
        x = dml_vk.zeros(shape, memory_format=channels_last)
        for found in (nn.max_pool(x, 2), nn.avg_pool(x, 2), nn.adaptive_avg_pool(x, (2, 2))):
            assert found.shape == (*shape[:2], 2, 2)
            assert found.layout.order == x.layout.order
    assert nn.adaptive_max_pool(dml_vk.zeros((1, 2, 4, 4)), (0, 3)).shape == (1, 2, 0, 3)


def test_no_output_size_keeps_that_of_x():
    array = numbers((1, 2, 3, 5), "float32", hard=False)
    x = dml_vk.asarray(array)
    same(nn.adaptive_max_pool(x, None).numpy(), array)
    assert nn.adaptive_avg_pool(x, (None, 1)).shape == (1, 2, 3, 1)


def test_an_operand_that_is_the_result_is_read_first():
    array = numbers((1, 2, 8), "float32", hard=False)
    x = dml_vk.asarray(array)
    nn.max_pool(x, 3, stride=1, padding=1, out=x)
    same(x.numpy(), max_of(array, [positions(8, 8, 3, 1, 1)])[0])


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_a_strided_operand_that_the_result_overlaps_is_read_first(dtype):
    array = numbers((1, 2, 8, 10), dtype, hard=False)
    whole = dml_vk.asarray(array)
    x, out = whole[:, :, ::2, ::2], whole[:, :, :3, :4]
    rows = [positions(4, 3, 2), positions(5, 4, 2)]
    used = array[:, :, ::2, ::2]
    if dtype == "int8":
        nn.max_pool(x, 2, stride=1, out=out)
        same(out.numpy(), max_of(used, rows)[0])
    else:
        nn.lp_pool(x, 1, 2, stride=1, out=out)
        same(out.numpy(), power_mean_of(used, rows, 1))
