"""The host's cost of small operations on tensors, compared with NumPy and PyTorch.

dml_vk is timed until the launch is recorded, except for the chains, whose steps depend on each
other and which are waited for. So the cases are not in the table of the package, whose calls are
all waited for.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import WHO, describe
from dml_vk.commands.cases.arithmetic import chain as dependent

CALLS = 100  # a round
ARRAY = np.linspace(0.5, 2, 64, dtype=np.float32).reshape(8, 8)

CASES = {
    "a + b": lambda a, b: a + b,
    "a += b": lambda a, b: a.__iadd__(b),
    "a + 1.5": lambda a, b: a + 1.5,
    "2.0 - a": lambda a, b: 2.0 - a,
    "-a": lambda a, b: -a,
    "a < b": lambda a, b: a < b,
    "a + b[0]": lambda a, b: a + b[0],
    "a[1]": lambda a, b: a[1],
    "a[1:5, ::2]": lambda a, b: a[1:5, ::2],
    "a.T": lambda a, b: a.T,
    "a.reshape(64)": lambda a, b: a.reshape(64),
    "a.sum()": lambda a, b: a.sum(),
    "a @ b": lambda a, b: a @ b,
}


def operands(who):
    a, b = ARRAY, ARRAY / 4
    if who == "torch":
        import torch

        return torch.from_numpy(a.copy()), torch.from_numpy(b)
    return (a.copy(), b) if who == "numpy" else (dml_vk.asarray(a), dml_vk.asarray(b))


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", CASES)
def test_one(benchmark, case, who):
    a, b = operands(who)
    call = CASES[case]
    describe(benchmark, "tensor", case, who, calls=CALLS)

    def repeat():
        for _ in range(CALLS):
            call(a, b)

    benchmark.pedantic(repeat, setup=dml_vk.synchronize, rounds=100, warmup_rounds=3)
    assert np.allclose(np.asarray(call(*operands(who))), call(*operands("numpy")))


@pytest.mark.parametrize("who", WHO)
def test_a_chain(benchmark, who):
    """A hundred operations, each of which depends on the one before, and the wait for the end."""
    a, b = operands(who)
    describe(benchmark, "tensor", "100 dependent a + b", who)

    def chain():
        x = dependent(a, b, 100)
        dml_vk.synchronize()
        return x

    benchmark.pedantic(chain, rounds=50, warmup_rounds=3)
    assert np.allclose(np.asarray(chain()), ARRAY * 26)


@pytest.mark.parametrize("who", ["10 alive", "100,000 alive", "rank 1", "rank 8"])
def test_what_the_cost_must_not_depend_on(benchmark, who):
    """Tensors that are alive, of which every other one is the result of an operation, and ranks."""
    describe(benchmark, "tensor", "a + b", who, calls=CALLS)
    many, ranks = {"100,000 alive": 100_000}.get(who, 10), {"rank 1": 1, "rank 8": 8}
    a = dml_vk.ones((2,) * ranks.get(who, 6))
    alive = [a + a if number % 2 else dml_vk.ones(8) for number in range(many)]

    def repeat():
        for _ in range(CALLS):
            a + a

    benchmark.pedantic(repeat, setup=dml_vk.synchronize, rounds=100, warmup_rounds=3)
    assert [float(alive[1].sum()), float(alive[-2][0])] == [2 * a.size, 1]
