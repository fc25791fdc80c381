"""Scans and `nonzero`, compared with NumPy's and PyTorch's.

Bytes are counted as read once and written once, though a scan in several passes reads some of them
twice.
"""

from __future__ import annotations

import numpy as np
import pytest

from bench.cases import WHO, measure
from dml_vk.testing.scans import scan

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
    call = lambda xp, x, out: xp.cumulative_sum(x, axis=axis, out=out)  # noqa: E731
    calls = {
        "dml_vk": call,
        "numpy": call,
        "torch": lambda xp, x, out: xp.cumsum(x, axis, out=out),
    }
    nbytes = x.nbytes + out.nbytes
    result = measure(benchmark, "scan", case, who, calls, [x, out], nbytes)
    if who == "dml_vk":
        corner = tuple([slice(None) if dim == axis else 0 for dim in range(len(sizes))])
        expected = scan(np.add, x[corner], dtype=out.dtype)
        assert np.array_equal(result[corner], expected)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", SHARES)
def test_nonzero(benchmark, case, who):
    mask = np.random.default_rng(1).random(COUNT) < SHARES[case]
    nbytes = mask.nbytes + 8 * int(mask.sum())
    call = lambda xp, mask: xp.nonzero(mask)[0]  # noqa: E731
    calls = {
        "dml_vk": call,
        "numpy": call,
        "torch": lambda xp, mask: xp.nonzero(mask, as_tuple=True)[0],
    }
    result = measure(benchmark, "scan", case, who, calls, [mask], nbytes)
    assert np.array_equal(result, np.flatnonzero(mask))


@pytest.mark.parametrize("who", WHO)
def test_searchsorted(benchmark, who):
    random = np.random.default_rng(1)
    row, keys = np.sort(random.random(2**16, np.float32)), random.random(2**20, np.float32)
    nbytes = keys.nbytes + 8 * keys.size
    call = lambda xp, row, keys: xp.searchsorted(row, keys)  # noqa: E731
    case = "searchsorted, 1M in 64k"
    result = measure(benchmark, "scan", case, who, call, [row, keys], nbytes)
    assert np.array_equal(result, np.searchsorted(row, keys))
