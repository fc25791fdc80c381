"""The two runtimes beside each other: submissions, waits and transfers, compared with NumPy.

Each runtime opens a device of its own. All times include the wait for the result. The
columns are runtimes, not libraries, so the cases are not in the table of the package.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import dml_vk
from bench.cases import describe
from dml_vk.commands.cases.arithmetic import chain
from dml_vk.runtime.device import Device

RUNTIMES = ("kompute", "vulkan")
WHO = (*RUNTIMES, "numpy")
MIB = 2**20


@functools.cache
def opened(runtime):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DML_VK_RUNTIME", runtime)
        return Device(dml_vk.device().info)


def tensors(who, *arrays):
    if who == "numpy":
        return arrays
    return [dml_vk.asarray(array, device=opened(who)) for array in arrays]


def waited(who):
    return (lambda: None) if who == "numpy" else opened(who).synchronize


SMALL = np.linspace(0.5, 2, 1024, dtype=np.float32)


def one(x, y):
    return x + y


def independent(x, y):
    return [x + y for _ in range(100)]


CASES = {
    "one a + b": one,
    "100 dependent a + b": lambda x, y: chain(x, y, 100),
    "1000 dependent a + b": lambda x, y: chain(x, y, 1000),
    "100 independent a + b": independent,
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("who", WHO)
def test_small_operations(benchmark, case, who):
    x, y = tensors(who, SMALL, SMALL / 4)
    describe(benchmark, "runtime", case, who)
    call, wait = CASES[case], waited(who)

    def run():
        result = call(x, y)
        wait()
        return result

    rounds = 20 if case.startswith("1000") else 200
    benchmark.pedantic(run, rounds=rounds, warmup_rounds=5)
    result, expected = (call(*tensors(each, SMALL, SMALL / 4)) for each in (who, "numpy"))
    if isinstance(result, list):
        result, expected = result[-1], expected[-1]
    assert np.array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("who", WHO)
def test_new_large_tensors(benchmark, who):
    """Eight additions of 12 MiB, whose results are all new memory."""
    array = np.ones(3 * MIB, np.float32)
    describe(
        benchmark, "runtime", "8 a + b of 12 MiB, new memory", who, nbytes=8 * 3 * array.nbytes
    )
    wait = waited(who)

    def fresh():
        if who != "numpy":
            opened(who).release_cached()
        return tensors(who, array, array), {}

    def run(x, y):
        results = [x + y for _ in range(8)]
        wait()
        return results

    benchmark.pedantic(run, setup=fresh, rounds=10, warmup_rounds=1)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", ["copy", "fill"])
def test_flat_memory(benchmark, case, who):
    array = np.ones(16 * MIB, np.float32)
    x, y = tensors(who, array, array.copy())
    describe(
        benchmark, "runtime", f"{case} 64 MiB", who, nbytes=array.nbytes * (1 + (case == "copy"))
    )
    wait = waited(who)

    def run():
        if case == "fill":
            y[...] = 2
        elif who == "numpy":
            np.copyto(y, x)
        else:
            dml_vk.copy(x, y)
        wait()

    benchmark.pedantic(run, rounds=20, warmup_rounds=2)
    assert np.asarray(y)[[0, 77, -1]].tolist() == [2 if case == "fill" else 1] * 3


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", ["upload", "download"])
def test_transfers(benchmark, case, who):
    """Into memory that is there already, and into a new array."""
    array = np.ones(256 * MIB, np.float32)
    describe(benchmark, "runtime", f"{case} 1 GiB", who, nbytes=array.nbytes)
    if who == "numpy":
        target = np.zeros_like(array)
        run = functools.partial(np.copyto, target, array) if case == "upload" else array.copy
    else:
        buffer = dml_vk.Buffer(array.nbytes, device=opened(who))
        buffer.write(array)
        run = functools.partial(buffer.write, array) if case == "upload" else buffer.read
    benchmark.pedantic(run, rounds=5, warmup_rounds=1)
