"""Sorting by counting, which long rows take: short ones here, in chunks of few elements."""

from __future__ import annotations

import contextlib
import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import float16, float32, float64, int64, uint16
from dml_vk.kernels.plan import radix
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits, check_writes, elements, memory_for
from tests.kernel.ops.test_sort import check, order, special
from tests.kernel.profiled import profiled
from tests.profiles import CPU
from tests.real_dtypes import DTYPES

CHUNK = 64


@contextlib.contextmanager
def short_chunks():
    """Rows of any length are sorted by counting."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(radix, "SHORTEST", dict.fromkeys((1, 2, 4, 8), 1))
        with profiled(dml_vk.device(), dataclasses.replace(CPU, sort_chunk=CHUNK)):
            yield


@pytest.fixture
def counting():
    with short_chunks():
        yield


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=lambda dtype: dtype.name)
def test_every_dtype_in_rows_of_every_length_round_those_of_chunks(counting, dtype):
    lengths = [(3, CHUNK - 1), (3, CHUNK), (2, CHUNK + 1), (2, 611), (1, 17 * CHUNK), (5, 1)]
    if dtype.code % 3 and not tier.is_all():  # Rows of any length differ in the plan, not by dtype.
        lengths = lengths[dtype.code % 2 :: 2]
    for sizes, descending in tier.crossed(lengths, (False, True)):
        x = special(dtype, sizes)
        check(x, dml_vk.asarray(x), -1, descending)
    x = special(dtype, (67, 5))
    check(x, dml_vk.asarray(x), 0, True)
    if tier.is_all():
        check(x, dml_vk.asarray(x, memory_format=None).mT.mT, 0, False)


@pytest.mark.parametrize("dtype", [np.uint16, np.int32, np.float64])
def test_all_values_there_are(counting, dtype):
    x = np.arange(2**16).astype(dtype)
    chance().shuffle(x)
    tensor = dml_vk.asarray(x)
    assert np.array_equal(dml_vk.sort(tensor).numpy(), np.sort(x))
    assert np.array_equal(dml_vk.argsort(tensor).numpy(), np.argsort(x))


@tier.examples(15)
@given(st.data(), st.sampled_from([1, 2, 4, 8]))
def test_any_layout_to_any_layout(data, itemsize):
    sizes = tuple(data.draw(st.lists(st.integers(1, 19), min_size=1, max_size=4)))
    axis = data.draw(st.integers(0, len(sizes) - 1))
    memory, source = memory_for(data.draw(layouts(sizes=sizes)), itemsize)
    target = data.draw(targets(sizes=sizes))
    with short_chunks():
        x, seen = dml_vk.asarray(memory).over(source), elements(memory, source)
        expected = np.sort(seen, axis, kind="stable")
        check_writes(lambda out: dml_vk.sort(x, axis=axis, out=out), target, itemsize, expected)


def test_rows_are_read_and_written_where_they_are(counting):
    """Rows that start at quads are not copied, nor are those of results in whole words."""
    x = special(float32, (7, 96))
    tensor = dml_vk.asarray(x)[:, 4:72]
    out = dml_vk.zeros((7, 71))
    dml_vk.sort(tensor, out=out[:, 3:])
    expected = np.take_along_axis(x[:, 4:72], order(x[:, 4:72], 1), 1)
    assert np.array_equal(bits(out[:, 3:].numpy()), bits(expected))
    assert not out[:, :3].numpy().any()
    for part in (tensor[:, 1:], tensor[:, :50:2], tensor[::-1], tensor[:1].over(Layout((3, 68)))):
        check(part.numpy(), part, 1, True)
    repeated = tensor.over(Layout((3, 68), (0, 1), 4))
    assert np.array_equal(dml_vk.argsort(repeated).numpy(), order(repeated.numpy(), 1))


def test_the_format_is_kept(counting):
    for dtype in (float16, int64):
        x = special(dtype, (2, 3, 5, 7))
        tensor = dml_vk.asarray(x, memory_format=channels_last)
        for axis in range(4):
            check(x, tensor, axis, False)


def test_out_may_be_what_is_sorted(counting):
    for dtype in (float16, float32, int64):
        x = special(dtype, (6, 130))
        tensor = dml_vk.asarray(x)
        expected = np.take_along_axis(x, order(x, 1), 1)
        assert dml_vk.sort(tensor, out=tensor) is tensor
        assert np.array_equal(bits(tensor.numpy()), bits(expected))


def test_places_that_do_not_fit_a_word_together_with_a_digit(counting, monkeypatch):
    monkeypatch.setattr(radix, "MOST_JOINED", 100)
    for dtype in (uint16, float16):
        for length in (100, 101):
            x = special(dtype, (2, length))
            check(x, dml_vk.asarray(x), 1, True)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.int32, np.float32, np.int64])
def test_distinct_values_and_their_places(counting, dtype):
    """Of a layout that cannot be flattened too, and with NaN."""
    x = chance().integers(0, 50, (3, 8, 12)).astype(dtype)
    if x.dtype.kind == "f":
        x[1, ::3] = np.nan
    for axes in ((0, 1, 2), (2, 0, 1)):
        tensor, seen = dml_vk.asarray(x).permute(*axes), x.transpose(axes)
        found = dml_vk.unique(tensor, True, True, True)
        for one, expected in zip(found, np.unique(seen, True, True, True)):
            assert np.array_equal(
                one.numpy(), expected.reshape(one.shape), equal_nan=x.dtype.kind == "f"
            )
        assert dml_vk.unique_values(tensor).size == np.unique(seen, equal_nan=False).size


def test_what_is_composed_of_sorts(counting):
    x = special(float32, (3, 211))
    x[np.isnan(x)] = 2
    tensor = dml_vk.asarray(x)
    assert np.array_equal(dml_vk.median(tensor, axis=1).numpy(), np.median(x, 1))
    values, where = dml_vk.top_k(tensor, 7)
    assert np.array_equal(where.numpy(), order(x, 1, descending=True)[:, :7])
    assert np.array_equal(bits(values.numpy()), bits(np.take_along_axis(x, where.numpy(), 1)))


def test_double_zeros_keep_their_bits(counting):
    x = chance().choice(np.array([0.0, -0.0]), 333)
    found = dml_vk.sort(dml_vk.asarray(x, dtype=float64))
    assert np.array_equal(bits(found.numpy()), bits(x))
