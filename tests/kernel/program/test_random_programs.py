"""Programs of random steps give the same bits compiled as they do step by step."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DmlVkError
from tests.kernel.program.language import GIVEN, LATER, NUMBERS, Inputs, Pool, Step

steps = st.tuples(*[st.integers(0, 255)] * NUMBERS)


def check(start: Step, steps: list[Step], returned: int) -> None:
    """`returned` has a bit for each tensor of the pool in turn."""

    def function(arguments, numbers):
        pool = Pool(arguments, numbers)
        for step in steps:
            pool.do(step)
        return [x for k, x in enumerate(pool.tensors) if returned >> k % 24 & 1]

    compiled = dml_vk.compile(function)
    for call, numbers in enumerate((GIVEN, LATER)):
        ours, plain = (Inputs(start, 10 * call) for _ in range(2))
        found, expected = compiled(ours.arguments, numbers), function(plain.arguments, numbers)
        compare(ours, found, plain, expected)
        for results in (found, expected):  # What shares memory does so afterwards.
            for x in results:
                with suppress(DmlVkError):  # of elements that overlap
                    x[...] = True
        compare(ours, found, plain, expected)


def compare(ours: Inputs, found, plain: Inputs, expected) -> None:
    assert [told(x) for x in found] == [told(x) for x in expected]
    for k, (a, b) in enumerate(zip(found + ours.bases, expected + plain.bases)):
        assert bits(a) == bits(b), (k, a.numpy(), b.numpy())
    assert shared(found + ours.bases) == shared(expected + plain.bases)


def bits(x):
    """Those of any NaN as one: which NaN an operation gives is up to the driver's compiler."""
    values = np.ascontiguousarray(x.numpy())
    if values.dtype.kind in "fc":
        parts = values.reshape(-1).view(
            x.dtype.part.numpy_name if x.dtype.kind == "c" else values.dtype
        )
        parts[np.isnan(parts)] = np.nan
    return values.tobytes()


def told(x):
    return x.dtype, x.layout


def shared(tensors):
    """For each tensor the first that has the same memory."""
    memory = [id(x.allocation) for x in tensors]
    return [memory.index(one) for one in memory]


@settings(max_examples=40)
@given(steps, st.lists(steps, max_size=14), st.integers(0, 2**24 - 1))
def test_compiled_programs_have_the_same_bits(start, steps, returned):
    check(start, steps, returned)
