"""Calls on tensors alike: the second is like the first, on other memory and other values."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.array import calls
from dml_vk.array.math import elementwise
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import numbers as numbers_of_kernels
from dml_vk.tensor import spec
from dml_vk.testing.strategies import layouts
from tests import tier

ARRAY = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)


@pytest.fixture
def only_known(monkeypatch):
    """From now on, no call is recorded that was not called before."""
    calls._traces.clear()  # else it might be full, and emptied, in the middle of the test
    spec.Spec._known.clear()

    def refuse(*arguments):
        raise AssertionError(f"recorded again: {arguments}")

    return lambda: monkeypatch.setattr(calls, "_traced", refuse)


def tensors(scale=1.0):
    x = dml_vk.asarray(ARRAY * np.float32(scale))
    return x, x.to(channels_last), x.over(x.layout.flip(1, 3))


def written(x, y):
    """Assign numbers and values, by views, masks and indexes."""
    x = x.copy() if isinstance(x, np.ndarray) else x.clone()
    x[0], x[1, 1], x[:, 2, 1] = 7.5, y[0, 1], -1
    x[x > 40] = 3
    x[[0, 1], 0] = y[0, 2]
    return x


def test_arrays_of_the_host_are_uploaded_into_known_calls(only_known, monkeypatch):
    def planned(*arguments):
        raise AssertionError(f"planned again: {arguments}")

    x, array = dml_vk.asarray(ARRAY), ARRAY[:, :, ::-1]
    calls_of = [
        lambda k: (x + k * array, ARRAY + k * array),
        lambda k: ((k * array).tolist() * x, k * array * ARRAY),
        lambda k: (np.float64(k) - x, np.float64(k) - ARRAY),
    ]
    for call in calls_of:
        call(np.float32(1))
    only_known()
    monkeypatch.setattr(elementwise, "compute", planned)
    for call in calls_of:
        result, expected = call(np.float32(3))
        assert result.tolist() == expected.tolist()


def test_repeated_calls_give_the_same_as_the_first(only_known):
    cases = {
        "x + y": lambda x, y: x + y,
        "x - 1.5": lambda x, y: x - 1.5,
        "2 - x": lambda x, y: 2 - x,
        "-x": lambda x, y: -x,
        "sqrt": lambda x, y: np.sqrt(x) if isinstance(x, np.ndarray) else dml_vk.sqrt(x),
        "x < y": lambda x, y: x < y,
        "x * bias": lambda x, y: x * y[:1, :, :1, :1],
        "x % 7": lambda x, y: x % 7,
        "clip": lambda x, y: x.clip(9.0, 70.0),
        "astype": lambda x, y: x.astype("int16"),
        "where": lambda x, y: (np if isinstance(x, np.ndarray) else dml_vk).where(x > 60, x, y),
        "where 0": lambda x, y: (np if isinstance(x, np.ndarray) else dml_vk).where(x > 60, x, 0.5),
        "bool * float": lambda x, y: (x > 9) * x,
        "sum": lambda x, y: x.sum(axis=(0, 2)),
        "mean": lambda x, y: x.mean(axis=1),
        "var": lambda x, y: x[:, :1, :1, :1].var(),
        "max": lambda x, y: x.max(axis=-1, keepdims=True),
        "argmin": lambda x, y: x.argmin(axis=2),
        "matmul": lambda x, y: x[0] @ y[1, 0, 0],
        "einsum": lambda x, y: (np if isinstance(x, np.ndarray) else dml_vk).einsum(
            "abcd,abed->ce", x, y
        ),
        "views": lambda x, y: x[1, ..., ::2][0],
        "take": lambda x, y: x[[1, 0, 1], 2],
        "mask": lambda x, y: x[x > 50],
        "write": lambda x, y: written(x, y),
    }
    for scale in (1.0, 0.25):
        for k, (x, y) in enumerate(zip(tensors(scale), tensors(scale * 2)[::-1])):
            part = slice(None) if tier.is_all() or not k else slice(k - 1, None, 2)
            for name, call in list(cases.items())[part]:
                found, expected = call(x, y).numpy(), call(x.numpy(), y.numpy())
                assert np.allclose(found, expected, rtol=1e-5), name
        only_known()


def test_repeated_calls_write_to_out_and_in_place(only_known):
    kept = []
    for _ in range(2):
        x, y, _ = tensors()
        out = dml_vk.empty(ARRAY.shape, memory_format=channels_last)
        assert dml_vk.add(x, y, out=out) is out
        assert np.array_equal(out.numpy(), ARRAY * 2)
        x += y
        x *= 2.0
        x += x
        assert np.array_equal(x.numpy(), ARRAY * 8)
        kept += [x, y, out]
        only_known()
    assert len({id(one.allocation) for one in kept}) == 6


def test_overlapping_operands_are_not_mistaken_for_separate_ones():
    for dtype in (np.float32, np.uint8):
        for _ in range(3):
            x = dml_vk.asarray(np.arange(1, 11).astype(dtype))
            low, high = x.over(Layout((9,))), x.over(Layout((9,), offset=1))
            other = dml_vk.asarray(np.arange(1, 10).astype(dtype))
            apart = dml_vk.empty(10, dtype).over(high.layout)
            dml_vk.add(low, other, out=apart)  # alike, and in nobody's way
            dml_vk.add(low, other, out=high)
            assert x.tolist() == [1, *range(2, 20, 2)]


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_what_shares_memory_with_the_result_is_part_of_the_call(dtype):
    values = np.arange(1, 26).reshape(5, 5).astype(dtype)
    cases = {
        "assign": lambda ours, x, y: x.__setitem__(slice(1, None), y[:-1]),
        "where": lambda ours, x, y: (
            ours.where(y[:-1] > 9, y[:-1], x[1:], out=x[1:])
            if ours is dml_vk
            else x.__setitem__(slice(1, None), np.where(y[:-1] > 9, y[:-1], x[1:]))
        ),
        "sum": lambda ours, x, y: ours.sum(y, axis=0, dtype=dtype, out=x[1]),
        "matmul": lambda ours, x, y: ours.matmul(y, x, out=x),
        "take": lambda ours, x, y: ours.take(y, [1, 0, 1, 4, 2], axis=0, out=x),
        "cast": lambda ours, x, y: ours.add(y.T, x, out=x),
    }
    for _ in range(2):
        for name, case in cases.items():
            for shares in (False, True, False):
                x, y = dml_vk.asarray(values), dml_vk.asarray(values * dtype(2))
                a, b = values.copy(), values * dtype(2)
                case(dml_vk, x, x if shares else y)
                case(np, a, a if shares else b)
                assert np.array_equal(x.numpy(), a), (name, shares)


def test_bytes_in_place_that_share_words_stay_right():
    expected = np.arange(1, 31, dtype=np.uint8)
    x, other = dml_vk.asarray(expected), dml_vk.asarray(expected)
    rows = x.over(Layout((5, 3), (6, 1)))
    dml_vk.add(rows, rows, out=other.over(rows.layout))  # alike, and not in place
    for _ in range(3):
        rows += rows
        expected.reshape(5, 6)[:, :3] *= 2
        assert np.array_equal(x.numpy(), expected)


def test_calls_with_different_numbers_are_kept_apart():
    x = dml_vk.asarray(np.float32([1.5, -2.0, 3.25]))
    for number in (0.0, -0.0, 1e300, -1e300, float("nan"), 3, 2**60 + 1, True, np.float32(2)):
        with np.errstate(over="ignore"):
            expected = np.copysign(x.numpy(), np.float32(number))
            for _ in range(2):
                if number is not True:
                    found = dml_vk.copysign(x, number).numpy()
                    assert np.array_equal(found.view(np.uint32), expected.view(np.uint32)), number
    small = dml_vk.asarray(np.int8([1, 2, 3]))
    for _ in range(2):
        assert (small + 3).tolist() == [4, 5, 6]
        with pytest.raises(dml_vk.DTypeError, match="number must be an integer that int8 can hold"):
            small + 300
        assert (small + 1.5).tolist() == [2.5, 3.5, 4.5]
    wide = dml_vk.asarray(np.int64([1, -2]))
    for _ in range(2):
        assert (wide * -(2**62)).tolist() == [-(2**62), -(2**63)]


@tier.examples(30)
@given(st.data(), st.sampled_from(["float32", "uint8"]))
def test_repeated_calls_on_views_of_any_layout_give_the_same(data, dtype):
    layout = data.draw(layouts(max_rank=4))
    for start in (1, 3):
        values = np.arange(layout.offset + layout.span + 8)
        memory = (values % 100 + start).astype(dtype)
        x = dml_vk.asarray(memory).over(layout)
        places = np.array(layout.offsets(), int).reshape(layout.sizes)
        expected = memory[places]
        assert np.array_equal((x + x).numpy(), expected + expected)
        assert np.array_equal(dml_vk.maximum(x, 50).numpy(), np.maximum(expected, 50))
        if not layout.overlaps:
            x += 1
            assert np.array_equal(x.numpy(), expected + 1)


def test_errors_have_the_operands_that_they_are_about():
    x = dml_vk.asarray(ARRAY)
    for _ in range(2):
        with pytest.raises(dml_vk.DTypeError) as raised:
            dml_vk.add(2, 3.5)
        assert raised.value.got == {"operands": (2, 3.5)}
        with pytest.raises(dml_vk.LayoutError, match=r"^add: .*out=\(2,\)"):
            dml_vk.add(x, 7, out=dml_vk.empty(2))
    assert np.array_equal((x + 7).numpy(), ARRAY + 7)


def test_a_replay_without_memory_names_the_function_that_was_called():
    device, x = dml_vk.device(), dml_vk.full((2**21, 2), 3, "int8")
    assert dml_vk.mean(x, axis=1)[0].item() == 3.0
    gc.collect()  # what earlier tests left is not to go meanwhile
    device.release_cached()
    stats, limit = device.memory_stats(), device.memory_limit
    device.memory_limit = stats.in_use + stats.cached
    try:
        with pytest.raises(dml_vk.DeviceMemoryError, match=r"^mean: out of device memory"):
            dml_vk.mean(x, axis=1)
    finally:
        device.memory_limit = limit
    assert dml_vk.mean(x, axis=1)[0].item() == 3.0


def test_a_number_that_comes_again_is_packed_once(monkeypatch):
    x, packed = dml_vk.asarray(ARRAY), []
    plain = numbers_of_kernels.to_bytes
    monkeypatch.setattr(
        numbers_of_kernels, "to_bytes", lambda *of: packed.append(of[-1]) or plain(*of)
    )
    constant, zero = 0.1, 0.0
    for _ in range(5):
        y = constant * x
    assert np.array_equal(np.asarray(y), np.float32(0.1) * ARRAY)
    assert len(packed) < 5
    signs = [np.signbit(np.asarray(x * number)).all() for number in (zero, -zero, zero)]
    assert signs == [False, True, False], "equal numbers need not be the same"


def test_bools_are_numbers_of_their_own_kind():
    mask = dml_vk.asarray([True, False, True])
    for _ in range(2):
        assert (mask & True).tolist() == [True, False, True]
        assert (mask & False).tolist() == [False, False, False]
        assert (mask + 1).tolist() == [2, 1, 2]
        assert (mask & False).dtype is dml_vk.bool_


def test_the_caches_of_calls_are_bounded(monkeypatch):
    monkeypatch.setattr(calls, "MOST", 5)
    monkeypatch.setattr(spec, "MOST", 5)
    calls._traces.clear()
    spec.Spec._known.clear()
    for size in range(1, 20):
        x = dml_vk.full((size,), 1.5)
        assert (x + x).tolist() == [3.0] * size
        assert len(spec.Spec._known) <= 5
        assert len(calls._traces) <= 5
