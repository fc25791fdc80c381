"""Programs of random steps, compiled and step by step: all that both must have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import dml_vk
from dml_vk.errors import DmlVkError
from tests.kernel.compiler.language import GIVEN, LATER, Inputs, Pool, Step

SEED = 11


class Function:
    """The function of a list of steps, with a generator and a tensor of its own from outside.

    `returned` has a bit for each tensor of the pool in turn.
    """

    def __init__(self, start: Step, steps: Sequence[Step], returned: int) -> None:
        self.steps, self.returned = steps, returned
        self.outside = Inputs(start, SEED).bases[0]
        self.generator = dml_vk.random.Generator(SEED)

    def __call__(self, arguments: Any, numbers: Any) -> list[dml_vk.Tensor]:
        pool = Pool([*arguments, self.outside[1:]], numbers, self.generator)
        for step in self.steps:
            pool.do(step)
        return [x for k, x in enumerate(pool.tensors) if self.returned >> k % 24 & 1]


def check(start: Step, steps: Sequence[Step], returned: int) -> None:
    """Call both for other values, numbers and places of memory, and then for the same memory."""
    one, other = (Function(start, steps, returned) for _ in range(2))
    compiled = dml_vk.compile(one)
    kept: list[Any] = []
    for call, numbers in enumerate((GIVEN, LATER)):
        ours, plain = (Inputs(start, 10 * call) for _ in range(2))
        _called(compiled, one, ours, other, plain, numbers)
        kept.append(ours)
    for inputs in (ours, plain):
        inputs.put(20)
    _called(compiled, one, ours, other, plain, GIVEN)


def _called(
    compiled: Callable[..., Any],
    one: Function,
    ours: Inputs,
    other: Function,
    plain: Inputs,
    numbers: Sequence[float],
) -> None:
    found, expected = compiled(ours.arguments, numbers), other(plain.arguments, numbers)
    assert [told(x) for x in found] == [told(x) for x in expected]
    memory = [*found, *ours.bases, one.outside], [*expected, *plain.bases, other.outside]
    compare(*memory)
    assert one.generator.counter == other.generator.counter
    for results in (found, expected):  # What shares memory does so afterwards.
        for x in results:
            with suppress(DmlVkError):  # of elements that overlap
                x[...] = True
    compare(*memory)


def compare(found: Sequence[dml_vk.Tensor], expected: Sequence[dml_vk.Tensor]) -> None:
    for k, (a, b) in enumerate(zip(found, expected)):
        assert bits(a) == bits(b), (k, a.numpy(), b.numpy())
    assert shared(found) == shared(expected)


def bits(x: dml_vk.Tensor) -> bytes:
    """Those of any NaN as one: which NaN an operation gives is up to the driver's compiler."""
    values = np.ascontiguousarray(x.numpy())
    if values.dtype.kind in "fc":
        parts = values.reshape(-1).view(
            x.dtype.part.numpy_name if x.dtype.kind == "c" else values.dtype
        )
        parts[np.isnan(parts)] = np.nan
    return values.tobytes()


def told(x: dml_vk.Tensor) -> Any:
    return x.dtype, x.layout


def shared(tensors: Sequence[dml_vk.Tensor]) -> list[int]:
    """For each tensor the first that has the same memory."""
    memory = [id(x.allocation) for x in tensors]
    return [memory.index(one) for one in memory]
