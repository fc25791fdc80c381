"""The cost of memory: time to allocate and fill it, and the memory that a program holds.

Memory is measured with time, so the cases are not in the table of the package.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish
from dml_vk.layout import channels_last
from dml_vk.runtime.device import Device
from tests.integration.process import run

MIB = 2**20
CALLS = 100
SIZES = (4, 64, 256, 256)  # 64 MiB of float32


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
def test_a_cached_tensor(benchmark, who):
    describe(benchmark, "memory", "get and free 4 KiB", who, calls=CALLS)
    empty, kind = (dml_vk.empty, dml_vk.float32) if who == "dml_vk" else (np.empty, np.float32)
    keep = empty((1024,), kind)

    def repeat():
        for _ in range(CALLS):
            empty((1024,), kind)

    benchmark(repeat)
    assert keep.shape == (1024,)


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
def test_up_and_down(benchmark, who):
    """For NumPy, which has no device, two copies."""
    a = np.random.default_rng(1).random(SIZES, np.float32)
    describe(benchmark, "memory", "64 MiB up and down", who, 4 * a.nbytes)
    if who == "dml_vk":
        result = benchmark(lambda: dml_vk.asarray(a).numpy())
    else:
        result = benchmark(lambda: a.copy().copy())
    finish(benchmark, 4 * a.nbytes)
    assert np.array_equal(result, a)


def test_a_chain(benchmark):
    """One tensor is alive at the end of each step; two more may come and go."""
    device = Device(dml_vk.device().info)
    a = np.random.default_rng(2).random(SIZES, np.float32)
    steps, held = 10, []
    describe(benchmark, "memory", "ten conversions of 64 MiB", "dml_vk", 2 * steps * a.nbytes)

    def chain():
        x = dml_vk.asarray(a, device=device)
        for _ in range(steps // 2):
            for memory_format in (channels_last, dml_vk.contiguous_format):
                x = x.to(memory_format)
                stats = device.memory_stats()
                held.append(sum(arena.nbytes for arena in stats.arenas))
        return x.numpy()

    result = benchmark.pedantic(chain, rounds=3)
    tensors = {"peak": device.memory_stats().peak / a.nbytes, "held": max(held) / a.nbytes}
    benchmark.extra_info.update(tensors)
    finish(benchmark, 2 * steps * a.nbytes)
    assert np.array_equal(result, a)
    assert tensors["peak"] <= 3
    assert device.unified is False or tensors["held"] <= 3, "a staging device holds staging too"


def test_resident(benchmark):
    """Measure a program that holds many small tensors and a large one."""
    describe(benchmark, "memory", "hold 1 GiB, from start to end", "dml_vk", 2**30)
    code = """
    held = [dml_vk.full((2**18,), 3.0) for _ in range(512)] + [dml_vk.full((2**27,), 3.0)]
    dml_vk.synchronize()
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            print(int(line.split()[1]) * 1024, sum(x.nbytes for x in held))
    """
    done = benchmark.pedantic(lambda: run(code), rounds=1)
    resident, nbytes = map(int, done.stdout.split())
    benchmark.extra_info.update({"resident MiB": resident / MIB, "tensors MiB": nbytes / MIB})
    assert nbytes == 2**30
    if dml_vk.device().unified:
        assert resident <= 1.25 * nbytes + 150 * MIB


@pytest.mark.parametrize("runtime", ["kompute", "vulkan"])
def test_a_million_operations(benchmark, runtime, monkeypatch):
    """Measure a program after a tenth of its small operations and after all of them."""
    monkeypatch.setenv("DML_VK_RUNTIME", runtime)
    describe(benchmark, "memory", "1,000,000 small operations", runtime)
    code = """
    a = dml_vk.ones((8, 8))
    for part in range(10):
        for _ in range(100_000):
            b = a + a
        dml_vk.synchronize()
        if part in (0, 9):
            for line in open("/proc/self/status"):
                if line.startswith("VmRSS"):
                    print(int(line.split()[1]) * 1024)
    print(float(b[0, 0]))
    """
    done = benchmark.pedantic(lambda: run(code), rounds=1)
    early, late, value = map(float, done.stdout.split())
    benchmark.extra_info.update({"early MiB": early / MIB, "late MiB": late / MIB})
    assert value == 2
    assert late <= early + 4 * MIB
