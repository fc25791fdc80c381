"""Reference results of matrix products, bit for bit, in NumPy."""

from __future__ import annotations

import math

import numpy as np

from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.testing.arrays import Array


def sum_of(terms: Array) -> Array:
    """Sum along the last dim, in the order of matrix products.

    Runs of 64 terms are added sequentially. The sums of the runs are then added in the same way,
    until one is left. The sum of no terms is 0.

    >>> import numpy as np
    >>> from dml_vk.testing.products import sum_of
    >>> terms = np.full(100, 0.1, np.float32)
    >>> first, second = np.float32(0), np.float32(0)
    >>> for term in terms[:64]: first += term
    >>> for term in terms[64:]: second += term
    >>> bool(sum_of(terms) == first + second)
    True
    """
    neutral = -0.0 if terms.dtype.kind == "f" else 0  # 0.0 would turn -0.0 into 0.0
    if not terms.shape[-1]:
        return np.zeros(terms.shape[:-1], terms.dtype)
    while terms.shape[-1] > 1:
        missing = -terms.shape[-1] % RUN
        padded = np.pad(
            terms, [(0, 0)] * (terms.ndim - 1) + [(0, missing)], constant_values=neutral
        )
        runs = padded.reshape(*terms.shape[:-1], -1, RUN)
        terms = runs[..., 0]
        for k in range(1, RUN):
            terms = terms + runs[..., k]
    return terms[..., 0]


def matmul(a: Array, b: Array) -> Array:
    """The result of `dml_vk.matmul` for matrices or batches of matrices.

    >>> import numpy as np
    >>> from dml_vk.testing.products import matmul
    >>> matmul(np.float32([[1, 2]]), np.float32([[3], [4]])).tolist()
    [[11.0]]
    """
    common = np.result_type(a, b)
    if common.kind != "f":
        wrapped: Array = np.matmul(a.astype(common), b.astype(common))
        return wrapped
    computed = np.dtype(np.float32) if common.itemsize == 2 else common
    with np.errstate(all="ignore"):
        rows = a.astype(computed)[..., :, None, :]
        columns = np.swapaxes(b, -1, -2).astype(computed)[..., None, :, :]
        sums: Array = sum_of(rows * columns).astype(common)
    return sums


def gemm(
    a: Array, b: Array, c: Array | None = None, alpha: float = 1.0, beta: float = 1.0
) -> Array:
    """The result of `dml_vk.nn.gemm` without an activation, of operands that are not transposed.

    >>> import numpy as np
    >>> from dml_vk.testing.products import gemm
    >>> gemm(np.float32([[1, 2]]), np.float32([[3], [4]]), np.float32([1]), 2.0, 0.5).tolist()
    [[22.5]]
    """
    result = np.result_type(*[each for each in (a, b, c) if each is not None])
    with np.errstate(all="ignore"):
        sums = matmul(a.astype(np.float32), b.astype(np.float32)) * np.float32(alpha)
        if c is not None and beta:
            sums = sums + c.astype(np.float32) * np.float32(beta)
        rounded: Array = sums.astype(result)
    return rounded


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """The result of `dml_vk.nn.linear` without an activation.

    >>> import numpy as np
    >>> from dml_vk.testing.products import linear
    >>> linear(np.float32([1, 2]), np.float32([[3, 4]]), np.float32([0.5])).tolist()
    [11.5]
    """
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    result = gemm(rows, weight.T, bias)
    return result.reshape(*x.shape[:-1], weight.shape[0])
