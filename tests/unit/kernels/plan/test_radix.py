"""When rows are sorted by counting, and into how many chunks they are cut."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.offsets import plan_offsets
from dml_vk.kernels.plan.radix import (
    ALONE,
    FEW,
    LEAST_CHUNK,
    MANY,
    SHORTEST,
    SHORTEST_BY_TEAMS,
    Rows,
    chunks_of,
    plan_count,
    plan_move,
    suits,
)
from tests import tier
from tests.profiles import CPU, GPU


def test_rows_are_counted_where_that_takes_less_time():
    for itemsize, length in SHORTEST.items():
        assert suits(1, length, itemsize, CPU)
        assert not suits(1, length - 1, itemsize, CPU)
    for itemsize, length in SHORTEST_BY_TEAMS.items():
        assert suits(1, length, itemsize, GPU)
        assert not suits(1, length - 1, itemsize, GPU)


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
    size, number, _ = chunks_of(count, length, CPU)
    assert LEAST_CHUNK <= size <= CPU.sort_chunk
    assert size * number >= length
    assert number < 16 or number // 16 % 2 == 1


def test_a_workgroup_moves_a_chunk_that_fits_its_shared_memory():
    """As of an H200: 2^24 elements, and rows that need not be counted."""
    h200 = dataclasses.replace(GPU, max_invocations=1024, max_shared_bytes=49152)
    chunks = chunks_of(1, 2**24, h200)
    assert (chunks.size, chunks.number, chunks.words) == (3840, 4370, 4371)
    rows = Rows(1, 2**24, 2**24, 2**24)
    for plan in (
        plan_count(rows, chunks, 4, 0, h200),
        plan_move(rows, chunks, 4, 0, 0, False, h200),
    ):
        assert (plan.units, plan.spec[0], plan.by_teams) == (4370, 256, True)
    assert [chunks_of(9, 3840 * n, h200).known for n in (1, 2, 16, 17)] == [ALONE, FEW, FEW, MANY]
    assert chunks_of(1, 3841, GPU).size == 128 * 15


def test_a_workgroup_adds_the_counts_of_the_longest_rows():
    """Those that suit: a key and a place of each element fit a range."""
    longest = GPU.max_range_bytes * 16 // 8  # as devices with ranges of 2 GiB have
    plan = plan_offsets(256, chunks_of(1, longest, GPU).number, GPU)
    assert plan.unit_rounds <= rounds.MOST
