"""The host's cost of a repeated small operation: plan, launch and total.

The columns are parts of the work of one library, so the cases are not in the table of the package.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import describe
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.kernels.plan.fill import plan_fill
from dml_vk.kernels.plan.indexed import plan_indexed
from dml_vk.layout import channels_last
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.philox import fill_philox
from dml_vk.random import Generator
from dml_vk.testing import philox_words

CALLS = 100  # a round, where nothing is waited for
SIZES = (4, 16, 4, 4)
ARRAY = np.arange(1, 1025, dtype=np.uint32).reshape(SIZES)
STATE = Generator(key=5).state


def copy_to(memory_format):
    x, y = dml_vk.asarray(ARRAY), dml_vk.empty(SIZES, "uint32", memory_format=memory_format)
    out = np.empty_like(y.numpy())
    source, target, profile = x.layout, y.layout, x.device.profile
    return (
        lambda: plan_copy(SIZES, source.strides, target.strides, 4, 0, 0, profile),
        lambda: dml_vk.copy(x, y),
        lambda: np.copyto(out, ARRAY),
        (y, ARRAY),
    )


def fill():
    y, out = dml_vk.empty(SIZES, "uint32"), np.empty(SIZES, np.uint32)
    strides, profile = y.layout.strides, y.device.profile
    return (
        lambda: plan_fill(SIZES, strides, 4, 0, profile),
        lambda: fill_constant("fill", y, y.dtype, 7),
        lambda: out.fill(7),
        (y, np.full(SIZES, 7)),
    )


def philox():
    y, generator = dml_vk.empty(SIZES, "uint32"), np.random.Generator(np.random.Philox(5))
    strides, profile, told = y.layout.strides, y.device.profile, {"sources": (4,), "spec": (0,)}
    return (
        lambda: plan_indexed("philox", "uint32", SIZES, strides, 4, 0, profile, **told),
        lambda: fill_philox("random", y, y.dtype, STATE),
        lambda: generator.integers(0, 2**32, SIZES, dtype=np.uint32),
        (y, philox_words(5, 0, 1024).reshape(SIZES)),
    )


# group: (plan, plan and record, what NumPy does, (the tensor, what is in it then))
CASES = {
    "copy": lambda: copy_to(dml_vk.contiguous_format),
    "convert": lambda: copy_to(channels_last),
    "fill": fill,
    "philox": philox,
}


@pytest.mark.parametrize("who", ["plan", "plan and record", "with its wait", "numpy"])
@pytest.mark.parametrize("group", CASES)
def test_small(benchmark, group, who):
    plan, launch, numpys, (y, expected) = CASES[group]()
    calls = 1 if who == "with its wait" else CALLS
    describe(benchmark, group, "a small one", who, calls=calls)

    def total():
        launch()
        dml_vk.synchronize()

    call = {"plan": plan, "plan and record": launch, "with its wait": total, "numpy": numpys}[who]

    def repeat():
        for _ in range(calls):
            call()

    # What piles up is done between rounds, so that only host time counts where nothing waits.
    benchmark.pedantic(repeat, setup=dml_vk.synchronize, rounds=200, warmup_rounds=5)
    launch()
    assert np.array_equal(y.numpy(), expected)
