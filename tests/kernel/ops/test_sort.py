"""Sorting against NumPy's stable sort: the same order, the same bits, in any layout."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import sort as sort_module
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits, check_writes, elements, memory_for
from tests.real_dtypes import DTYPES


def order(x, axis, descending=False):
    """Which element comes where: by ranks, so that equal ones keep their order either way."""
    _, ranks = np.unique(x, return_inverse=True)  # of all NaNs one, the last
    ranks = ranks.reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, axis, kind="stable")


def special(dtype, sizes):
    """Few different values, so that many are equal, and all that there is to be wrong about."""
    kind = np.dtype(dtype.numpy_name)
    if kind.kind == "b":
        return chance().integers(0, 2, sizes).astype(bool)
    if kind.kind == "f":
        info = np.finfo(kind)
        numbers = [0.0, -0.0, 1, -1, 1.5, np.inf, -np.inf, info.max, info.min, info.tiny]
        numbers += [info.smallest_subnormal, -info.smallest_subnormal, -info.tiny]
        values = np.array([*numbers, np.nan, -np.nan], kind)
        payload = np.array([np.nan], kind)
        bits(payload)[...] += 1
        return chance().choice(np.concatenate([values, payload]), sizes)
    info = np.iinfo(kind)
    numbers = [info.min, info.max, info.min + 1, info.max - 1, info.max // 2, 0, 1, 2, 3]
    return chance().choice(np.array(numbers, kind), sizes)


def check(x, tensor, axis, descending):
    expected = order(x, axis, descending)
    found = dml_vk.argsort(tensor, axis=axis, descending=descending)
    assert found.dtype is dml_vk.int64
    assert found.layout == tensor.layout.like()
    assert np.array_equal(found.numpy(), expected)
    found = dml_vk.sort(tensor, axis=axis, descending=descending)
    assert found.layout == tensor.layout.like()
    assert np.array_equal(bits(found.numpy()), bits(np.take_along_axis(x, expected, axis)))


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=lambda dtype: dtype.name)
def test_every_dtype(dtype):
    every = ((3, 5), (3, 37), (2, 611))
    if dtype not in tier.some(DTYPES.values(), 6):
        every = every[-1:]
    for sizes, descending in tier.crossed(every, (False, True)):
        x = special(dtype, sizes)
        tensor = dml_vk.asarray(x)
        check(x, tensor, -1, descending)
    check(x, tensor, 0, True)


@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_rows_of_every_length_round_those_of_runs(profile, dtype):
    for length in (*range(1, 20), 31, 32, 33, 47, 63, 64, 65, 127, 129, 257, 511, 512, 513, 1031):
        x = chance().integers(0, 1 + length // 3, (3, length)).astype(dtype)
        found = dml_vk.argsort(dml_vk.asarray(x))
        assert np.array_equal(found.numpy(), order(x, -1)), length


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_a_long_row(dtype):
    x = (chance().standard_normal(100_003) * 1000).astype(dtype)
    expected = order(x, 0)
    tensor = dml_vk.asarray(x)
    assert np.array_equal(dml_vk.argsort(tensor).numpy(), expected)
    assert np.array_equal(dml_vk.sort(tensor).numpy(), x[expected])


def test_rows_that_are_sorted_already_either_way():
    x = np.arange(3000, dtype=np.int32)
    for row in (x, x[::-1].copy(), np.full(3000, 7, np.int32), np.roll(x, 1000)):
        for descending in (False, True):
            found = dml_vk.argsort(dml_vk.asarray(row), descending=descending)
            assert np.array_equal(found.numpy(), order(row, 0, descending))


@tier.examples(15)
@given(st.data(), st.sampled_from([1, 4, 8]))
def test_any_layout_to_any_layout(data, itemsize):
    sizes = tuple(data.draw(st.lists(st.integers(1, 19), min_size=1, max_size=4)))
    axis = data.draw(st.integers(0, len(sizes) - 1))
    memory, source = memory_for(data.draw(layouts(sizes=sizes)), itemsize)
    x, seen = dml_vk.asarray(memory).over(source), elements(memory, source)
    expected = np.sort(seen, axis, kind="stable")
    check_writes(
        lambda out: dml_vk.sort(x, axis=axis, out=out),
        data.draw(targets(sizes=sizes)),
        itemsize,
        expected,
    )


def test_the_format_is_kept():
    x = special(dml_vk.float32, (2, 3, 5, 7))
    tensor = dml_vk.asarray(x, memory_format=channels_last)
    for axis in range(4):
        check(x, tensor, axis, False)
    assert dml_vk.sort(tensor, axis=1).memory_format is channels_last


def test_every_rank():
    for rank in (1, 2, 5, 8):
        x = special(dml_vk.int16, (3, 2, 1, 2, 3, 1, 2, 2)[:rank])
        tensor = dml_vk.asarray(x)
        check(x, tensor, 0, False)
        check(x, tensor, rank - 1, False)
    ten = special(dml_vk.int16, (2,) * 10)
    turned = tuple(reversed(range(10)))
    tensor = dml_vk.asarray(ten)
    found = dml_vk.sort(tensor.over(tensor.layout.permute(turned).flip((1, 4, 7))), axis=3)
    assert np.array_equal(found.numpy(), np.sort(np.flip(ten.transpose(turned), (1, 4, 7)), 3))


def test_nothing_to_sort():
    for sizes, axis in (((0,), 0), ((3, 0), 0), ((0, 4), 1), ((1, 1), 0)):
        tensor = dml_vk.asarray(np.ones(sizes, np.float32))
        assert dml_vk.sort(tensor, axis=axis).shape == sizes
        assert dml_vk.argsort(tensor, axis=axis).tolist() == np.zeros(sizes).tolist()


def test_rows_that_are_many_are_sorted_in_parts(monkeypatch):
    monkeypatch.setattr(sort_module, "MOST_ELEMENTS", 100)
    x = special(dml_vk.int64, (5, 23, 7))
    tensor = dml_vk.asarray(x)
    check(x, tensor, 1, False)
    expected = order(x, 1)
    dml_vk.argsort(tensor, axis=1, out=tensor)
    assert np.array_equal(tensor.numpy(), expected)
    row = special(dml_vk.float32, (301,))
    check(row, dml_vk.asarray(row), 0, False)


def test_large_temporaries_of_a_sort_are_split(monkeypatch):
    queue = dml_vk.device().queue
    small = dataclasses.replace(queue.encoder.profile, max_range_bytes=64)
    monkeypatch.setattr(queue.encoder, "profile", small)
    x = special(dml_vk.float64, (3, 41))
    check(x, dml_vk.asarray(x), 1, False)


def test_out_may_be_what_is_sorted():
    x = special(dml_vk.float32, (6, 50))
    tensor = dml_vk.asarray(x)
    assert dml_vk.sort(tensor, out=tensor) is tensor
    assert np.array_equal(tensor.numpy(), np.sort(x), equal_nan=True)
    wide = special(dml_vk.int64, (40, 40))
    tensor = dml_vk.asarray(wide)
    other = tensor.over(tensor.layout.permute(1, 0))
    dml_vk.argsort(tensor, axis=0, out=other)
    assert np.array_equal(other.numpy(), order(wide, 0))


def test_what_is_refused():
    x = dml_vk.asarray(np.ones((2, 3), np.float32))
    with pytest.raises(DTypeError, match=r"sort: x must be a Tensor.*; got x='list'"):
        dml_vk.sort([1, 2])
    with pytest.raises(LayoutIndexError, match="argsort: axis must be from -2 to 1; got axis=2"):
        dml_vk.argsort(x, axis=2)
    with pytest.raises(LayoutError, match="sort: axis must be an integer; got axis=None"):
        dml_vk.sort(x, axis=None)
    with pytest.raises(LayoutIndexError, match="sort: axis is out of range: there are none"):
        dml_vk.sort(x.over(Layout(())))
    with pytest.raises(DTypeError, match="sort: descending must be a bool; got descending=1"):
        dml_vk.sort(x, descending=1)
    with pytest.raises(DTypeError, match="argsort: stable must be a bool; got stable=None"):
        dml_vk.argsort(x, stable=None)
    with pytest.raises(DTypeError, match="argsort: out must have the dtype int64"):
        dml_vk.argsort(x, out=x)
    with pytest.raises(LayoutError, match=r"sort: out must have the shape \(2, 3\)"):
        dml_vk.sort(x, out=x.over(Layout((3, 2))))
    with pytest.raises(LayoutError, match="sort: out has overlapping elements"):
        dml_vk.sort(x, out=x.over(Layout((2, 3), (0, 1))))
