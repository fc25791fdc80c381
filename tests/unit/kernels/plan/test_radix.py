"""When rows are sorted by counting, and into how many chunks they are cut."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from dml_vk.kernels.plan.radix import LEAST_CHUNK, SHORTEST, chunks_of, suits
from tests import tier
from tests.profiles import CPU, GPU


def test_rows_are_counted_where_that_takes_less_time():
    for itemsize, length in SHORTEST.items():
        assert suits(1, length, itemsize, CPU)
        assert not suits(1, length - 1, itemsize, CPU)
        assert not suits(1, length, itemsize, GPU)


def test_keys_and_places_fit_one_buffer():
    small = dataclasses.replace(CPU, max_range_bytes=2**20)
    assert suits(1, 2**17 - 16, 4, small)
    assert not suits(1, 2**17, 4, small)
    assert not suits(2, 2**16, 4, small)
    assert suits(1, 2**17 - 16, 1, small)
    assert not suits(1, 2**17 - 16, 8, small)


@tier.examples(200)
@given(st.integers(1, 2**20), st.integers(1, 2**31 - 1))
def test_chunks_cover_a_row_and_counts_of_a_digit_are_not_a_power_of_two_apart(count, length):
    size, number = chunks_of(count, length, CPU)
    assert LEAST_CHUNK <= size <= CPU.sort_chunk
    assert size * number >= length
    assert number < 16 or number // 16 % 2 == 1
