"""Plans of chains where neighbouring invocations do neighbouring steps."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.kernels.operators import OPCODES
from dml_vk.kernels.plan.chain import Chain, Node
from dml_vk.kernels.plan.flat import resident
from dml_vk.kernels.plan.fused import plan_fused
from dml_vk.kernels.plan.tasks import Operand
from tests import tier
from tests.profiles import CPU, GPU, H200

FEW = dataclasses.replace(GPU, units_wanted=1)
N = 4096


def chain(sizes, *strides, itemsizes=4, operator="ADD", kernel="float_arithmetic", count=2):
    """A chain of operations on the first operand and each other, the last of which is written."""
    itemsizes = itemsizes if isinstance(itemsizes, tuple) else (itemsizes,) * len(strides)
    *reads, to = [Operand(step, 0, size) for step, size in zip(strides, itemsizes)]
    spec = int(OPCODES[operator]), 0, 0, 10, 10, 10, 10
    first = len(reads)
    nodes = [Node(kernel, spec, (0, first - 1))]
    nodes += [Node(kernel, spec, (first + k, k % first)) for k in range(count - 1)]
    return Chain(sizes, tuple(reads), tuple(nodes), ((first + count - 1, to),))


@tier.examples(200)
@given(
    rows=st.integers(1, 200),
    size=st.integers(1, 200),
    itemsize=st.sampled_from([1, 2, 4, 8, 16]),
    gap=st.sampled_from([0, 0, 1, 4, 16]),
    operands=st.integers(2, 4),
)
def test_each_element_is_in_one_step(rows, size, itemsize, gap, operands):
    strides = size + gap, 1
    plan = plan_fused(chain((rows, size), *[strides] * operands, itemsizes=itemsize), FEW)
    recipe = plan.recipe
    if not recipe.quads:
        assert itemsize < 4
        return
    of_row, outer = math.prod(recipe.row), math.prod(recipe.rows)
    steps = outer * recipe.groups
    # As in kernels/codegen/chained.py: what is not below the steps is not written.
    at = [n + k * recipe.whole for k in range(recipe.quads) for n in range(recipe.whole)]
    assert at[:steps] == list(range(steps))
    assert len(at) < steps + recipe.quads
    assert steps * recipe.quad + outer * recipe.left == outer * of_row == rows * size
    assert plan.units == recipe.whole + outer * (recipe.left > 0)
    assert recipe.left < recipe.quad


@pytest.mark.parametrize("times", [1, 2, 4])
def test_work_is_not_shared_by_few(times):
    steps = times * resident(H200)
    for count in (steps - 1, steps):
        plan = plan_fused(chain((4 * count,), (1,), (1,)), H200)
        assert plan.recipe.quads == (times if count == steps else max(1, times // 2))


# What an invocation loads at once, in bytes, and a step's elements; docs/benchmarks.md has them.
ROW, BROADCAST = (N, 1), (0, 1)
CASES = {
    "flat": (chain((N * N,), (1,), (1,)), 64, 4),
    "flat, of two": (chain((N * N,), (1,), (1,), (1,)), 64, 4),
    "flat, of float16": (chain((N * N,), (1,), (1,), (1,), itemsizes=2), 64, 8),
    "flat, of bytes": (chain((N * N,), (1,), (1,), itemsizes=1), 64, 16),
    "flat, of float64": (chain((N * N,), (1,), (1,), (1,), itemsizes=8), 64, 2),
    "bytes to float32": (chain((N * N,), (1,), (1,), itemsizes=(1, 4)), 16, 4),
    "float32 to bytes": (chain((N * N,), (1,), (1,), itemsizes=(4, 1)), 64, 4),
    "a row for all": (chain((N, N), ROW, BROADCAST, ROW), 64, 4),
    "a number a row": (chain((N, N), ROW, (1, 0), ROW), 64, 4),
    "few images, NCHW": (chain((32, 256, 49), (12544, 49, 1), (0, 1, 0), (12544, 49, 1)), 32, 4),
    "of images, NHWC": (chain((32 * N, 64), (64, 1), (0, 1), (64, 1)), 64, 4),
    "three channels": (chain((N * N, 3), (3, 1), (0, 1), (3, 1)), 64, 4),
    "reversed": (chain((N, N), (N, -1), ROW, ROW), 32, 1),
    "every second": (chain((N, N), (2 * N, 2), ROW), 16, 1),
    "odd rows": (chain((N, N - 1), ROW, (N - 1, 1)), 16, 1),
    "a chain of 12 additions": (chain((N * N,), (1,), (1,), count=12), 32, 4),
    "a chain of 24": (chain((N * N,), (1,), (1,), count=24), 16, 4),
}


@pytest.mark.parametrize("case", CASES)
def test_plans_for_an_h200(case):
    asked, loads, step = CASES[case]
    plan = plan_fused(asked, H200)
    recipe = plan.recipe
    assert plan.spec == (256, 256)
    assert recipe.quad == step
    read = [pattern.itemsize for pattern in recipe.patterns[:-1]]
    assert recipe.quads * step * sum(read) == loads
    assert plan.units * recipe.quads * step - math.prod(asked.sizes) < recipe.quads * step
    assert max(recipe.patterns[-1].align, recipe.patterns[-1].itemsize) >= min(
        16, step * recipe.patterns[-1].itemsize
    )


def test_cpus_and_rare_values_go_step_by_step():
    flat = (2**20,), (1,), (1,)
    assert plan_fused(chain(*flat), CPU).recipe.quads == 0
    assert not plan_fused(chain(*flat), CPU).recipe.side_by_side
    sine = plan_fused(chain(*flat, operator="SIN", kernel="float_trig"), H200)
    assert sine.recipe.quads == 0
    assert sine.recipe.side_by_side
