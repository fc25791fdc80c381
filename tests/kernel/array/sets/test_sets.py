"""Distinct values against NumPy: which, where first, how many, and the way back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DeviceMemoryError, DTypeError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits, elements, memory_for


def expected_of(x):
    """Of the elements in row-major order, those that differ from the one before them in order."""
    flat = x.reshape(-1)
    order = np.argsort(flat, kind="stable")
    ranked = flat[order]
    begins = np.ones(flat.size, bool)
    begins[1:] = ~(ranked[1:] == ranked[:-1])  # NaN differs from all
    positions = np.flatnonzero(begins)
    inverse = np.empty(flat.size, np.int64)
    inverse[order] = np.cumsum(begins) - 1
    firsts = order[positions]
    counts = np.diff(np.append(positions, flat.size))
    return flat[firsts], firsts, inverse.reshape(x.shape), counts


def check(x, tensor):
    values, indices, inverse, counts = expected_of(x)
    found = dml_vk.unique_all(tensor)
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    assert found.values.dtype is tensor.dtype
    assert np.array_equal(bits(found.values.numpy()), bits(values))
    for result, expected in zip(found[1:], (indices, inverse, counts)):
        assert result.dtype is dml_vk.int64
        assert result.shape == expected.shape
        assert np.array_equal(result.numpy(), expected)
    assert found.inverse_indices.layout == tensor.layout.like()
    some = dml_vk.unique_counts(tensor)
    assert some._fields == ("values", "counts")
    assert np.array_equal(some.counts.numpy(), counts)
    back = dml_vk.unique_inverse(tensor)
    assert back._fields == ("values", "inverse_indices")
    assert np.array_equal(back.inverse_indices.numpy(), inverse)
    for alone in (some.values, back.values, dml_vk.unique_values(tensor)):
        assert np.array_equal(bits(alone.numpy()), bits(values))


@pytest.mark.parametrize(
    "name", tier.some(["bool", "int8", "float16", "int64", "uint16", "float64"], 3)
)
def test_some_of_every_size(name):
    x = chance().integers(0, 9, (5, 7, 11)).astype(name)
    if name.startswith("float"):
        x[x == 3], x[x == 4] = np.nan, -np.nan
        zeros = x == 0
        x[zeros] = chance().choice(np.array([0.0, -0.0], name), zeros.sum())
        assert np.isnan(dml_vk.unique_values(dml_vk.asarray(x)).numpy()).sum() == np.isnan(x).sum()
    else:
        assert np.array_equal(dml_vk.unique_values(dml_vk.asarray(x)).numpy(), np.unique(x))
    tensor = dml_vk.asarray(x)
    if tier.is_all() or name in ("int8", "float16", "int64"):  # sorted as others of their size
        check(x, tensor)
    if tier.is_all() or name not in ("int8", "float16", "int64"):
        check(x.transpose(2, 0, 1), tensor.over(tensor.layout.permute(2, 0, 1)))


@tier.examples(8)
@given(st.data())
def test_any_layout(data):
    sizes = tuple(data.draw(st.lists(st.integers(0, 9), max_size=4)))
    memory, layout = memory_for(data.draw(layouts(sizes=sizes)), 1)
    memory %= 16
    check(elements(memory, layout), dml_vk.asarray(memory).over(layout))


def test_formats_and_many():
    x = chance().integers(-50, 50, (2, 3, 5, 7)).astype(np.int32)
    check(x, dml_vk.asarray(x, memory_format=channels_last))
    row = chance().integers(0, 1000, 30_011).astype(np.float32)
    check(row, dml_vk.asarray(row))
    same = np.full(257, -0.0, np.float32)
    check(same, dml_vk.asarray(same))


def test_no_data_is_copied_and_nothing_is_too_small():
    x = chance().integers(0, 5, (4, 6)).astype(np.int32)
    tensor = dml_vk.asarray(x)
    with dml_vk.trace(strict=True):
        found = dml_vk.unique_all(tensor.over(tensor.layout.permute(1, 0)))
    assert np.array_equal(found.values.numpy(), np.unique(x))
    for sizes in ((), (1,), (0,), (3, 0)):
        none = np.full(sizes, 2.5, np.float32)
        check(none, dml_vk.asarray(none))


def test_what_is_refused():
    with pytest.raises(DTypeError, match=r"unique_all: x must be a Tensor.*; got x='ndarray'"):
        dml_vk.unique_all(np.ones(3))
    endless = dml_vk.asarray([True]).over(Layout((2**30,), (0,)))
    with pytest.raises(DeviceMemoryError, match="unique_values: "):
        dml_vk.unique_values(endless)
