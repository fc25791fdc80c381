"""Compiled functions of many elements, on both sides of 2^24, in one and in several submissions."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk


@pytest.mark.parametrize("count", [2**24 - 1, 2**24, 2**24 + 1, 2**26 + 3])
def test_compiled_functions_have_the_bits_of_the_functions(count):
    def function(x, y):
        return dml_vk.where(x > y, x - y, y) * 3 + 1, (x ^ 7).astype("float32")

    x = dml_vk.arange(count, dtype="int32")
    y = x.flip(0)
    compiled = [dml_vk.compile(function), dml_vk.fuse(function)]
    expected = [one.numpy() for one in function(x, y)]
    assert expected[1][-1] == np.float32((count - 1) ^ 7)
    for run in compiled:
        for one, other in zip(run(x, y), expected):
            assert np.array_equal(one.numpy(), other)


def test_a_long_chain_of_many_elements_is_cut_where_loops_end():
    def function(x):
        for _ in range(20):
            x = dml_vk.floor_divide(x * 3 + 1, 2)
        return x

    x = dml_vk.arange(2**22 + 5, dtype="int32")
    assert np.array_equal(dml_vk.compile(function)(x).numpy(), function(x).numpy())


@pytest.mark.parametrize("count", [2**24 + 1, 2**26 + 3])
def test_bytes_that_end_within_a_word_and_what_a_scan_and_a_product_read(count):
    def function(x):
        small = ((x ^ 7) * 3 + 1).astype("uint8")
        running = dml_vk.cumulative_sum(x * 2, axis=0)
        rows = x[: 2**24].reshape(2**13, 2**11).astype("float32") * 0.5
        return small, running, rows @ dml_vk.ones(2**11)

    x = dml_vk.arange(count, dtype="int32") & 31
    for one, other in zip(dml_vk.compile(function)(x), function(x)):
        assert np.array_equal(one.numpy(), other.numpy())
