"""Stable sorting, compared with NumPy's and PyTorch's, into new memory. Bytes count once."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish

HAS_TORCH = importlib.util.find_spec("torch") is not None
WHO = ("dml_vk", "numpy", "torch") if HAS_TORCH else ("dml_vk", "numpy")
# case: (dtype, sizes, axis)
CASES = {
    "1M float32": ("float32", (2**20,), 0),
    "1M int64": ("int64", (2**20,), 0),
    "1M uint8": ("uint8", (2**20,), 0),
    "1M int16": ("int16", (2**20,), 0),
    "1M float16": ("float16", (2**20,), 0),
    "(1024, 1024) uint8 rows": ("uint8", (1024, 1024), 1),
    "(1024, 1024) rows": ("float32", (1024, 1024), 1),
    "(1024, 1024) columns": ("float32", (1024, 1024), 0),
    "4096 rows of 16": ("float32", (4096, 16), 1),
}


def values(dtype, sizes):
    random = np.random.default_rng(5)
    if dtype in ("float16", "float32"):
        return random.standard_normal(sizes, np.float32).astype(dtype)
    return random.integers(0, 2**40, sizes).astype(dtype)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", CASES)
def test_sort(benchmark, case, who):
    dtype, sizes, axis = CASES[case]
    x = values(dtype, sizes)
    describe(benchmark, "sort", case, who, x.nbytes)
    if who == "numpy":
        benchmark(lambda: np.sort(x, axis, kind="stable"))
    elif who == "torch":
        import torch

        tensor = torch.from_numpy(x)
        benchmark(lambda: torch.sort(tensor, dim=axis, stable=True))
    else:
        ours = dml_vk.asarray(x)

        def call():
            found = dml_vk.sort(ours, axis=axis)
            dml_vk.synchronize()
            return found

        assert np.array_equal(benchmark(call).numpy(), np.sort(x, axis))
    finish(benchmark, x.nbytes)


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
@pytest.mark.parametrize("name", ["unique_values", "unique_counts", "unique_inverse"])
def test_unique(benchmark, name, dtype, who):
    x = np.random.default_rng(5).integers(0, 1000, 2**18).astype(dtype)
    describe(benchmark, "sort", f"{name}, 256K {dtype}", who, x.nbytes)
    if who == "numpy":
        benchmark(lambda: getattr(np, name)(x))
    else:
        ours = dml_vk.asarray(x)
        call = getattr(dml_vk, name)
        found = benchmark(lambda: call(ours))
        values = found if name == "unique_values" else found.values
        assert np.array_equal(values.numpy(), np.unique(x))
    finish(benchmark, x.nbytes)
