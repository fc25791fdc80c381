"""Random numbers into existing memory, compared with NumPy's own Philox, and PyTorch.

NumPy's Philox has 64-bit words, and its normals are made by ziggurat; PyTorch uses a Mersenne
twister. Bytes are counted as written.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import WHO, describe, finish
from dml_vk import testing
from dml_vk.random import Generator

COUNT = 1 << 24
SEED = 5
KEY = Generator(SEED).key
FIRST = 4096  # elements that are checked
HIGH = 1000

# case: (dtype, how we draw, what must come)
CASES = {
    "bits": ("uint32", Generator.bits, lambda words: words),
    "random": ("float32", Generator.random, lambda words: testing.philox_uniform(words, "float32")),
    "uniform": (
        "float32",
        lambda one, **to: one.uniform(-1, 3, **to),
        lambda words: testing.philox_between(words, -1, 3, "float32"),
    ),
    "normal": ("float32", Generator.normal, testing.philox_normal),
    "normal, float16": (
        "float16",
        Generator.normal,
        lambda words: testing.philox_normal(words, "float16"),
    ),
    "integers": (
        "uint32",
        lambda one, **to: one.integers(HIGH, **to),
        lambda words: testing.philox_integers(KEY, 0, words.size, 0, HIGH, "uint32"),
    ),
    "integers, int64": (
        "int64",
        lambda one, **to: one.integers(HIGH, **to),
        lambda words: testing.philox_integers(KEY, 0, words.size, 0, HIGH),
    ),
}


def numpys(case):
    drawn = np.random.Generator(np.random.Philox(SEED))
    out = np.empty(COUNT, np.float32)
    return {
        "bits": lambda: drawn.integers(0, 2**32, COUNT, np.uint32),
        "random": lambda: drawn.random(dtype=np.float32, out=out),
        "uniform": lambda: drawn.uniform(-1, 3, COUNT),  # float64 is all it has
        "normal": lambda: drawn.standard_normal(dtype=np.float32, out=out),
        "integers": lambda: drawn.integers(0, HIGH, COUNT, np.uint32),
        "integers, int64": lambda: drawn.integers(0, HIGH, COUNT),
    }[case]


def torchs(case):
    import torch

    generator = torch.Generator().manual_seed(SEED)
    floats, halves = torch.empty(COUNT), torch.empty(COUNT, dtype=torch.half)
    return {
        "random": lambda: floats.uniform_(generator=generator),
        "uniform": lambda: floats.uniform_(-1, 3, generator=generator),
        "normal": lambda: floats.normal_(generator=generator),
        "normal, float16": lambda: halves.normal_(generator=generator),
        "integers": lambda: torch.randint(HIGH, (COUNT,), generator=generator, dtype=torch.int32),
        "integers, int64": lambda: torch.randint(HIGH, (COUNT,), generator=generator),
    }[case]


# NumPy has no normals of float16, and PyTorch no random words.
NONE = {("normal, float16", "numpy"), ("bits", "torch")}
PAIRS = [(case, who) for case in CASES for who in WHO if (case, who) not in NONE]


@pytest.mark.parametrize(("case", "who"), PAIRS)
def test_random(benchmark, case, who):
    dtype, draw, expected = CASES[case]
    nbytes = COUNT * np.dtype(dtype).itemsize
    describe(benchmark, "random", case, who, nbytes)
    if who == "dml_vk":
        one, out = Generator(SEED), dml_vk.empty(COUNT, dtype)

        def call():
            one.counter = 0
            draw(one, dtype=dtype, out=out)
            dml_vk.synchronize()

        benchmark(call)
        words = testing.philox_words(KEY, 0, FIRST)
        assert np.array_equal(out.numpy()[:FIRST], expected(words))
    else:
        benchmark({"numpy": numpys, "torch": torchs}[who](case))
    finish(benchmark, nbytes)
