"""Temporaries share memory, also with results, and in place where the last reader permits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.compiler.passes import fuse
from dml_vk.compiler.passes.memory import shared
from dml_vk.tracing.capture import Placeholder
from dml_vk.tracing.step import Verify
from tests import tier
from tests.kernel.compiler.tensors import same, tensor
from tests.kernel.profiled import profiled
from tests.profiles import CPU

ROOM = 4096  # bytes of 1024 elements
MOST_STEPS = 16  # in a kernel here
CHAIN = 3 * MOST_STEPS  # steps that become several kernels


@pytest.fixture(autouse=True)
def small_kernels(monkeypatch):
    monkeypatch.setattr(fuse, "MOST_STEPS", MOST_STEPS)


def temporaries(function, *args):
    compiled = dml_vk.compile(function)
    copies = [x.clone() for x in args]
    same(compiled(*args), function(*copies))
    same(compiled(*args), function(*copies))
    (program,) = compiled.programs
    return program.temporary_bytes


def longest(x):
    """A chain that is too long for one kernel, whose results depend on x all the same."""
    for number in range(CHAIN):
        x = x * -1.015625 + number
    return x


def test_a_chain_in_several_kernels_needs_no_temporaries():
    assert temporaries(lambda x: [longest(x)], tensor(1024)) == 0


def test_a_reader_that_is_not_elementwise_needs_other_memory():
    def function(x):
        return [dml_vk.cumulative_sum(longest(dml_vk.cumulative_sum(x) + 1))]

    with profiled(dml_vk.device(), CPU):
        assert temporaries(function, tensor(1024)) == ROOM
        assert temporaries(lambda x: [dml_vk.cumulative_sum(x) * 2], tensor(1024)) == 0


@pytest.mark.parametrize(
    "last",
    [
        lambda x: [longest(x), dml_vk.sort(x)],  # somebody else reads it on the same level
        lambda x: [longest(x), dml_vk.cumulative_sum(dml_vk.sort(x))],  # or later
        lambda x: [longest(x) + x[::-1], x[0]],
        lambda x: [longest(x), longest(x[::-1])],
    ],
)
def test_what_others_read_is_not_overwritten(last):
    temporaries(lambda x: last(longest(x)), tensor(1024))
    temporaries(lambda x: last(dml_vk.sort(x)), tensor(1024))


@tier.parametrize(
    "change is_first",
    [
        lambda x: x.reshape(32, 32).T + 1,
        lambda x: x[::-1] + 1,
        lambda x: x[1:] * x[:-1],
        lambda x: dml_vk.astype(x, dml_vk.float16),
        lambda x: dml_vk.astype(x, dml_vk.int64),
        lambda x: dml_vk.astype(x, dml_vk.float16)[::-1] + 1,
        lambda x: x.reshape(32, 32) + x[:32],
        lambda x: dml_vk.where(x > 0, x, x.reshape(32, 32)[0, 0]),
        lambda x: dml_vk.concat([x[:512] + 1, x[512:] * 2]),
    ],
    [False, True],
)
def test_other_places_orders_and_sizes_are_not_in_place(change, is_first):
    if is_first:
        temporaries(lambda x: [longest(change(dml_vk.sort(x)))], tensor(1024))
    else:
        temporaries(lambda x: [dml_vk.sort(change(longest(x)))], tensor(1024))


@pytest.mark.compiler
def test_shaders_of_the_users_write_over_nothing():
    double = dml_vk.kernel(
        """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint x_base; uint y_base; };
void main() { y[y_base + gl_WorkGroupID.x] = 2.0 * x[x_base + 1023 - gl_WorkGroupID.x]; }
"""
    )

    def function(x):
        y, z = longest(x), dml_vk.empty_like(x)
        double(y, z, groups=1024)
        return [longest(z)]

    assert temporaries(function, tensor(1024)) == ROOM


def test_results_that_nothing_writes_have_memory():
    found = dml_vk.compile(lambda x: (dml_vk.empty(5), x + 1))(tensor(5))
    assert [one.shape for one in found] == [(5,), (5,)]


KINDS = (
    lambda x, y: x + y,
    lambda x, y: dml_vk.sort(x),
    lambda x, y: (x * 2)[::-1],
    lambda x, y: dml_vk.cumulative_sum(y),
    lambda x, y: dml_vk.maximum(x, y[0]),
    lambda x, y: dml_vk.astype(x, dml_vk.float16) + dml_vk.sum(y),
    lambda x, y: dml_vk.sin(dml_vk.roll(y, 1)),
)


@tier.examples(60)
@given(
    st.lists(st.tuples(*[st.integers(0, 7)] * 3), max_size=12),
    st.integers(0, 2**8 - 1),
)
def test_programs_of_many_temporaries_have_the_same_bits(steps, returned):
    def function(x):
        pool = [x]
        for kind, left, right in steps:
            make = KINDS[kind % len(KINDS)]
            pool.append(make(pool[left % len(pool)], pool[right % len(pool)]))
        return [one for k, one in enumerate(pool[1:]) if returned >> k % 8 & 1] + pool[-1:]

    x = dml_vk.asarray(np.linspace(-2, 2, 64, dtype=np.float32))
    compiled, donating = dml_vk.compile(function), dml_vk.compile(function, donate=0)
    expected = function(x.clone())
    for _ in range(2):
        same(compiled(x), expected)
        same(donating(x.clone()), expected)


def test_memory_of_a_smaller_result_or_temporary_is_not_read_beyond_its_end():
    slots = [Placeholder(number, nbytes) for number, nbytes in enumerate((4, 8, 4, 12))]
    steps = [Verify(slot, 0, 4, lambda data, real: None) for slot in slots]
    found = shared(steps, [0, 1, 2, 3], slots, [2], [], [])
    assert all(found.blocks[found.of[one]].nbytes >= slots[one].nbytes for one in range(4))
    assert found.blocks[found.of[2]].nbytes == 4
