"""Plans where neighbouring invocations load neighbouring quads."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.chain import Chain, Node
from dml_vk.kernels.plan.copy import plan_flat_copy
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.kernels.plan.flat import flat, resident
from dml_vk.kernels.plan.fused import plan_fused
from dml_vk.kernels.plan.paths import QUAD_BYTES
from dml_vk.kernels.plan.tasks import Operand, task_of
from tests import tier
from tests.profiles import CPU, GPU, H200

N = 2**26


def task(n, itemsizes, profile=GPU, steps=None, offsets=None):
    strides = [(step,) for step in steps or [1] * len(itemsizes)]
    bases = [at * size for at, size in zip(offsets or [0] * len(itemsizes), itemsizes)]
    return task_of((n,), strides, tuple(bases), tuple(itemsizes), 7, profile)[0]


def computed(kernel, itemsizes, operator="add"):
    operands = [Operand((1,), 0, itemsize) for itemsize in itemsizes]
    opcode = OPERATORS[operator].code if operator else 0
    spec = (opcode, 0, 0, *[0] * (len(itemsizes) + 1))
    return plan_computed(kernel, (N,), operands, spec, H200)


@tier.examples(200)
@given(
    n=st.integers(16, 10**5),
    itemsizes=st.lists(st.sampled_from([1, 2, 4, 8]), min_size=2, max_size=4),
    ahead=st.sampled_from([1, 2, 4]),
)
def test_each_element_is_in_one_work_item(n, itemsizes, ahead):
    profile = dataclasses.replace(GPU, units_wanted=1)
    path = flat(task(n, itemsizes, profile), ahead)
    per = QUAD_BYTES // itemsizes[-1]
    quads = path.constants["UNIT"] // per
    assert quads in (1, 2, 4)
    assert path.constants["UNIT"] == quads * per
    # As in glsl/include/index/{words,packed}.glsl.
    whole = {n + k * path.whole for n in range(path.whole) for k in range(quads)}
    assert len(whole) == path.whole * quads
    assert whole == set(range(path.whole * quads))
    left = n - len(whole) * per
    assert 0 <= left < quads * per
    each = 1 if itemsizes[-1] >= 4 else per
    assert (path.edges - 1) * each < left <= path.edges * each or path.edges == left == 0
    if each == per:
        assert path.groups == max(1, len(whole))
        assert path.constants["ENDS"] >= path.edges


@pytest.mark.parametrize(
    "case",
    [
        {"profile": CPU},
        {"n": 3},
        {"n": 0},
        {"steps": (2, 1, 1)},
        {"steps": (1, 1, 2)},
        {"offsets": (1, 0, 0)},
        {"offsets": (0, 0, 3)},
    ],
    ids=str,
)
def test_others_go_by_rows(case):
    case = {"n": 1000, "itemsizes": (4, 4, 4), **case}
    assert flat(task(**case)) is None


def test_a_source_may_be_an_element():
    path = flat(task(2**22, (4, 4, 4), steps=(1, 0, 1), offsets=(0, 3, 0)))
    assert path.constants["STEPS"] == 1
    assert path.constants["UNIT"] == 16
    assert path.constants["SRC_QUADS"] == 1


def test_small_work_is_not_shared_by_few():
    for n in (2**14, 4 * resident(GPU) - 4, 8 * resident(GPU)):
        path = flat(task(n, (4, 4)))
        assert path.constants["UNIT"] == (4 if n < 8 * resident(GPU) else 8)


# What a lane loads at once, in bytes; docs/benchmarks.md has this table.
@pytest.mark.parametrize(
    ("kernel", "operator", "itemsizes", "loads"),
    [
        ("float_arithmetic", "add", (4, 4, 4), 64),
        ("float_arithmetic", "add", (2, 2, 2), 64),
        ("int_arithmetic", "add", (1, 1, 1), 64),
        ("long_arithmetic", "add", (8, 8, 8), 32),
        ("double_arithmetic", "add", (8, 8, 8), 32),
        ("cast", None, (2, 4), 32),
        ("float_arithmetic", "divide", (4, 4, 4), 32),
        ("float_exp", "exp", (4, 4), 16),
        ("float_log", "log", (4, 4, 4), 32),
    ],
)
def test_plans_for_an_h200(kernel, operator, itemsizes, loads):
    plan = computed(kernel, itemsizes, operator)
    assert plan.spec[:2] == (256, 256)
    assert len(plan.launches) == 1
    assert plan.units * loads == N * sum(itemsizes[:-1])


def test_flat_copies_for_an_h200():
    plan = plan_flat_copy(4 * N, 0, H200)
    assert plan.spec[:2] == (256, 256)
    assert plan.units * 64 == 4 * N


@pytest.mark.parametrize("profile", [CPU, H200], ids=["CPU", "H200"])
def test_chains_have_workgroups_of_the_same_size(profile):
    x = Operand((1,), 0, 4)
    nodes = [
        Node("float_arithmetic", (OPERATORS["add"].code, *[0] * 6), at) for at in ((0, 0), (1, 0))
    ]
    plan = plan_fused(Chain((N,), (x,), tuple(nodes), ((2, x),)), profile)
    assert plan.spec == ((64, 8) if profile is CPU else (256, 256))
