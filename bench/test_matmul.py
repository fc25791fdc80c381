"""Matrix products into existing memory, compared with NumPy's and PyTorch's.

Both call a BLAS that is optimized for the processor, with fused multiply-add. Gigaflops, with a
product and a sum counted as two operations, are in the benchmark's own record.
"""

from __future__ import annotations

import numpy as np
import pytest

from bench.cases import WHO, measure
from dml_vk.testing import products

# case: (dtype, sizes of a, sizes of b, which of them are turned)
CASES = {
    "512": ("float32", (512, 512), (512, 512), ""),
    "512, a turned": ("float32", (512, 512), (512, 512), "a"),
    "512, b turned": ("float32", (512, 512), (512, 512), "b"),
    "511": ("float32", (511, 511), (511, 511), ""),
    "1024": ("float32", (1024, 1024), (1024, 1024), ""),
    "tall, 65536 by 16 by 16": ("float32", (65536, 16), (16, 16), ""),
    "64 times 64": ("float32", (64, 64, 64), (64, 64, 64), ""),
    "4096 by a column": ("float32", (4096, 4096), (4096, 1), ""),
    "a row by 4096": ("float32", (1, 4096), (4096, 4096), ""),
    "a row by a column, 2**20": ("float32", (1, 2**20), (2**20, 1), ""),
    "512, float16": ("float16", (512, 512), (512, 512), ""),
    "512, int8": ("int8", (512, 512), (512, 512), ""),
    "128, float64": ("float64", (128, 128), (128, 128), ""),
    "128, int64": ("int64", (128, 128), (128, 128), ""),
}
# NumPy has no BLAS for these, and PyTorch nothing for int64 but a loop, which takes seconds.
SLOW = {("512, float16", "numpy"), ("512, int8", "numpy")}


def operand(seed, dtype, sizes, turned):
    values = np.random.default_rng(seed).uniform(-1, 1, sizes) * (1 if dtype[0] == "f" else 99)
    array = values.astype(dtype)
    return np.ascontiguousarray(array.T).T if turned else array


@pytest.mark.parametrize(
    ("case", "who"),
    [(case, who) for case in CASES for who in WHO if (case, who) not in SLOW],
)
def test_matmul(benchmark, case, who):
    dtype, first, second, turned = CASES[case]
    a, b = operand(1, dtype, first, "a" in turned), operand(2, dtype, second, "b" in turned)
    out = np.zeros((*first[:-1], second[-1]), dtype)
    call = lambda xp, x, y, out: xp.matmul(x, y, out=out)  # noqa: E731
    operations = 2 * out.size * first[-1]
    result = measure(benchmark, "matmul", case, who, call, [a, b, out], operations=operations)
    rows, columns = a[..., :2, :], b[..., :2]
    expected = products.matmul(rows, columns)
    if who == "dml_vk" or dtype[0] != "f":
        assert np.array_equal(result[..., :2, :2], expected)
    else:
        error = np.abs(result[..., :2, :2].astype(np.float64) - expected)
        assert error.max() <= 64 * np.finfo(dtype).eps * np.abs(rows).sum(-1).max()
