"""Scans and `nonzero`, compared with NumPy's and PyTorch's.

Bytes are counted as read once and written once, though a scan in several passes reads some of them
twice.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import dml_vk
from bench.cases import describe, finish
from dml_vk.testing.scans import scan

HAS_TORCH = importlib.util.find_spec("torch") is not None
WHO = ("dml_vk", "numpy", "torch") if HAS_TORCH else ("dml_vk", "numpy")
COUNT, TABLE = 2**24, (4096, 4096)
CASES = {
    "cumulative_sum, flat": ((COUNT,), 0, "float32"),
    "cumulative_sum, last axis": (TABLE, 1, "float32"),
    "cumulative_sum, first axis": (TABLE, 0, "float32"),
    "cumulative_sum, int32": (TABLE, 1, "int32"),
    "cumulative_sum, float16": (TABLE, 1, "float16"),
}
SHARES = {"nonzero, half": 0.5, "nonzero, one in 100": 0.01}


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", CASES)
def test_cumulative_sum(benchmark, case, who):
    sizes, axis, dtype = CASES[case]
    most = 7 if dtype == "float16" else 100  # its sums stay finite
    x = (np.random.default_rng(1).random(sizes) * most).astype(dtype)
    out = np.zeros(sizes, "int64" if dtype == "int32" else dtype)
    describe(benchmark, "scan", case, who, x.nbytes + out.nbytes)
    if who == "numpy":
        benchmark(lambda: np.cumulative_sum(x, axis=axis, out=out))
    elif who == "torch":
        import torch

        source, target = torch.from_numpy(x), torch.from_numpy(out)
        benchmark(lambda: torch.cumsum(source, axis, out=target))
    else:
        source, target = dml_vk.asarray(x), dml_vk.asarray(out)

        def call():
            dml_vk.cumulative_sum(source, axis=axis, out=target)
            dml_vk.synchronize()

        benchmark(call)
        corner = tuple([slice(None) if dim == axis else 0 for dim in range(len(sizes))])
        expected = scan(np.add, x[corner], dtype=out.dtype)
        assert np.array_equal(target.numpy()[corner], expected)
    finish(benchmark, x.nbytes + out.nbytes)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", SHARES)
def test_nonzero(benchmark, case, who):
    mask = np.random.default_rng(1).random(COUNT) < SHARES[case]
    nbytes = mask.nbytes + 8 * int(mask.sum())
    describe(benchmark, "scan", case, who, nbytes)
    if who == "numpy":
        benchmark(lambda: np.nonzero(mask))
    elif who == "torch":
        import torch

        source = torch.from_numpy(mask)
        benchmark(lambda: torch.nonzero(source, as_tuple=True))
    else:
        source = dml_vk.asarray(mask)

        def call():
            (found,) = dml_vk.nonzero(source)
            dml_vk.synchronize()
            return found

        found = benchmark(call)
        assert np.array_equal(found.numpy(), np.flatnonzero(mask))
    finish(benchmark, nbytes)


@pytest.mark.parametrize("who", WHO)
def test_searchsorted(benchmark, who):
    random = np.random.default_rng(1)
    row, keys = np.sort(random.random(2**16, np.float32)), random.random(2**20, np.float32)
    nbytes = keys.nbytes + 8 * keys.size
    describe(benchmark, "scan", "searchsorted, 1M in 64k", who, nbytes)
    if who == "numpy":
        benchmark(lambda: np.searchsorted(row, keys))
    elif who == "torch":
        import torch

        benchmark(lambda: torch.searchsorted(torch.from_numpy(row), torch.from_numpy(keys)))
    else:
        given = dml_vk.asarray(row), dml_vk.asarray(keys)

        def call():
            found = dml_vk.searchsorted(*given)
            dml_vk.synchronize()
            return found

        found = benchmark(call)
        assert np.array_equal(found.numpy(), np.searchsorted(row, keys))
    finish(benchmark, nbytes)
