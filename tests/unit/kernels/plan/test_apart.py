"""Plans where neighbouring invocations do neighbouring quads of rows, or elements."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.kernels.plan.flat import apart, resident
from dml_vk.kernels.plan.paths import QUAD_BYTES
from dml_vk.kernels.plan.tasks import Operand, task_of
from tests import tier
from tests.profiles import CPU, GPU, H200

FEW = dataclasses.replace(GPU, units_wanted=1)
N = 4096


def task(sizes, *strides, itemsize=4, profile=FEW):
    count = len(strides)
    return task_of(sizes, strides, (0,) * count, (itemsize,) * count, 7, profile)[0]


@tier.examples(200)
@given(
    rows=st.integers(2, 300),
    size=st.integers(1, 300),
    itemsize=st.sampled_from([4, 8, 16]),
    gap=st.integers(1, 5),
    ahead=st.sampled_from([1, 2, 4]),
)
def test_each_part_is_in_one_work_item(rows, size, itemsize, gap, ahead):
    strides = (size + gap, 1)
    path = apart(task((rows, size), strides, strides, itemsize=itemsize), ahead)
    by_quads = path.by == "quads of rows apart"
    each = QUAD_BYTES // itemsize if by_quads else 1
    times = path.constants["UNIT"] // each
    assert by_quads == (size * itemsize % QUAD_BYTES == (size + gap) * itemsize % QUAD_BYTES == 0)
    assert path.extent == rows * size // each
    assert path.edges == 0
    # As in glsl/include/index/words.glsl: what is not below the extent is not stored.
    parts = [n + k * path.whole for k in range(times) for n in range(path.whole)]
    assert parts[: path.extent] == list(range(path.extent))
    assert len(parts) < path.extent + times
    assert path.whole <= path.extent


@pytest.mark.parametrize("times", [1, 2, 4])
def test_work_is_not_shared_by_few(times):
    rows = times * resident(H200) // 4
    for count in (rows - 1, rows):
        path = apart(task((count, 16), (16, 1), (32, 1), profile=H200))
        expected = times if count == rows else max(1, times // 2)
        assert path.constants["UNIT"] == 4 * expected


def test_cpus_and_nothing_go_by_rows():
    assert apart(task((4, 8), (9, 1), (8, 1), profile=CPU)) is None
    assert apart(task((4, 0), (9, 1), (8, 1))) is None


def test_small_elements_go_by_rows_in_large_workgroups():
    path = apart(task((64, 33), (40, 1), (33, 1), itemsize=2, profile=H200))
    assert (path.name, path.lanes) == ("packed", 256)


# What an invocation loads at once, in bytes, and work items; docs/benchmarks.md has this table.
@pytest.mark.parametrize(
    ("sizes", "strides", "by", "loads"),
    [
        ((N, N), ((N, 1), (0, 1), (N, 1)), "quads of rows apart", 64),
        ((N, N), ((N, 1), (1, 0), (N, 1)), "quads of rows apart", 64),
        ((N, N), ((N, -1), (N, 1), (N, 1)), "elements apart", 32),
        ((N, N), ((2 * N, 2), (2 * N, 2), (N, 1)), "elements apart", 32),
        ((N, N - 1), ((N, 1), (0, 1), (N - 1, 1)), "elements apart", 32),
    ],
)
def test_plans_for_an_h200(sizes, strides, by, loads):
    operands = [Operand(steps, 0, 4) for steps in strides]
    spec = (OPERATORS["add"].code, *[0] * 6)
    plan = plan_computed("float_arithmetic", sizes, operands, spec, H200)
    assert plan.path == f"words by {by}"
    assert plan.spec[:2] == (256, 256)
    assert plan.units == -(-math.prod(sizes) * 8 // loads)


def test_copies_for_an_h200():
    for sizes, src, by, units in (
        ((N, N), (2 * N, 1), "quads of rows apart", N * N // 16),
        ((N, N - 1), (N, 1), "elements apart", -(-N * (N - 1) // 4)),
    ):
        plan = plan_copy(sizes, src, (sizes[1], 1), 4, 0, 0, H200)
        assert (plan.path, plan.units) == (f"words by {by}", units)
