"""Stable sorting, compared with NumPy's and PyTorch's, into new memory. Bytes count once."""

from __future__ import annotations

import numpy as np
import pytest

from bench.cases import WHO, measure

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
    calls = {
        "dml_vk": lambda xp, x: xp.sort(x, axis=axis),
        "numpy": lambda xp, x: xp.sort(x, axis, kind="stable"),
        "torch": lambda xp, x: xp.sort(x, dim=axis, stable=True)[0],
    }
    result = measure(benchmark, "sort", case, who, calls, [x], x.nbytes)
    assert np.array_equal(result, np.sort(x, axis))


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
@pytest.mark.parametrize("name", ["unique_values", "unique_counts", "unique_inverse"])
def test_unique(benchmark, name, dtype, who):
    x = np.random.default_rng(5).integers(0, 1000, 2**18).astype(dtype)
    call = lambda xp, x: getattr(xp, name)(x)  # noqa: E731
    result = measure(benchmark, "sort", f"{name}, 256K {dtype}", who, call, [x], x.nbytes)
    if who == "dml_vk":  # NumPy's need not be sorted
        values = result if name == "unique_values" else result.values
        assert np.array_equal(np.asarray(values), np.unique(x))
