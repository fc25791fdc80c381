"""Fills and random numbers, compared with NumPy's, into existing arrays where it can.

Bytes are counted as written.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish
from dml_vk import testing
from dml_vk.layout import channels_last
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.philox import fill_philox
from dml_vk.ops.sequence import fill_sequence
from dml_vk.random import Generator

BIG = (16, 64, 128, 128)
COUNT = 16 * 64 * 128 * 128
SEED = 5


def ours(benchmark, group, case, dtype, fill, memory_format=dml_vk.contiguous_format):
    x = dml_vk.empty(BIG, dtype, memory_format=memory_format)
    describe(benchmark, group, case, "dml_vk", x.nbytes)

    def call():
        fill(x)
        dml_vk.synchronize()

    benchmark(call)
    finish(benchmark, x.nbytes)
    return x.numpy()


def numpys(benchmark, group, case, call, nbytes):
    describe(benchmark, group, case, "numpy", nbytes)
    benchmark(call)
    finish(benchmark, nbytes)


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_constant(benchmark, dtype, who):
    case = f"constant, {dtype}"
    if who == "numpy":
        out = np.empty(BIG, dtype)
        numpys(benchmark, "fill", case, lambda: out.fill(7), out.nbytes)
    else:
        found = ours(
            *(benchmark, "fill", case, dtype),
            lambda x: fill_constant("fill", x, x.dtype, 7),
        )
        assert np.array_equal(found, np.full(BIG, 7, dtype))


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_sequence(benchmark, dtype, who):
    """NumPy makes a new array: `arange` has no `out`. Its steps are rounded more than once."""
    case = f"sequence, {dtype}"
    delta = 0.5 if dtype.startswith("f") else 3
    if who == "numpy":
        nbytes = COUNT * np.dtype(dtype).itemsize
        arange = lambda: np.arange(7, 7 + COUNT * delta, delta, dtype)  # noqa: E731
        numpys(benchmark, "fill", case, arange, nbytes)
    else:
        found = ours(
            *(benchmark, "fill", case, dtype),
            lambda x: fill_sequence("fill", x, x.dtype, 7, delta),
        )
        assert np.array_equal(found.ravel()[:1000], testing.sequence(7, delta, 1000, dtype))


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("dtype", ["uint32", "uint64", "float32", "float64"])
def test_random(benchmark, dtype, who):
    """`integers` for bits as uint32, `random_raw` for uint64, `random` for floats."""
    case = f"{dtype}"
    state = Generator(SEED).state
    if who == "numpy":
        generator = np.random.Generator(np.random.Philox(SEED))
        nbytes = COUNT * np.dtype(dtype).itemsize
        out = np.empty(COUNT, dtype)
        calls = {
            "uint32": lambda: generator.integers(0, 2**32, COUNT, dtype=np.uint32),
            "uint64": lambda: generator.bit_generator.random_raw(COUNT),
            "float32": lambda: generator.random(dtype=np.float32, out=out),
            "float64": lambda: generator.random(out=out),
        }
        numpys(benchmark, "philox", case, calls[dtype], nbytes)
    else:
        found = ours(
            *(benchmark, "philox", case, dtype),
            lambda x: fill_philox("random", x, x.dtype, state),
        )
        words = testing.philox_words(Generator(SEED).key, 0, 4096)
        expected = testing.philox_uniform(words, dtype)
        assert np.array_equal(found.ravel()[: expected.size], expected)


@pytest.mark.parametrize("dtype", ["uint32", "float16"])
def test_random_channels_last(benchmark, dtype):
    """The same numbers in another order: NumPy would have to copy."""
    state = Generator(SEED).state
    found = ours(
        *(benchmark, "philox", f"{dtype}, NHWC", dtype),
        lambda x: fill_philox("random", x, x.dtype, state),
        channels_last,
    )
    generator = Generator(SEED)
    make = generator.bits if dtype == "uint32" else generator.random
    assert np.array_equal(found, make(BIG, dtype).numpy())
