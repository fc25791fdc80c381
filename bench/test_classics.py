"""Classic programs, written with slices and assignments as in NumPy, and compared with it.

Each one gets the namespace of its functions, and arrays of it. It is timed to the end of its work,
when it is warm. The cases are programs, not calls on operands, so they are not in the table of the
package.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import describe

DRAWN = np.random.default_rng(13)


def sieve(xp):
    """Strike out multiples by slices."""
    n = 200_000
    is_prime = xp.ones(n, dtype=bool)
    is_prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = False
    return is_prime


def cholesky(xp, a):
    """Row by row."""
    n = a.shape[0]
    low = xp.zeros_like(a)
    for j in range(n):
        low[j, j] = xp.sqrt(a[j, j] - low[j, :j] @ low[j, :j])
        low[j + 1 :, j] = (a[j + 1 :, j] - low[j + 1 :, :j] @ low[j, :j]) / low[j, j]
    return low


def power_iteration(xp, a, v):
    for _ in range(200):
        v = a @ v
        v = v / xp.sqrt((v * v).sum())
    return v @ (a @ v)


def bilinear(xp, image):
    """To sizes that are no multiples, by fancy indexing."""
    height, width = image.shape
    y = xp.linspace(0, height - 1, 200, dtype=xp.float32)
    x = xp.linspace(0, width - 1, 150, dtype=xp.float32)
    top, left = xp.floor(y).astype(xp.int32), xp.floor(x).astype(xp.int32)
    below, right = xp.minimum(top + 1, height - 1), xp.minimum(left + 1, width - 1)
    dy, dx = (y - top)[:, None], (x - left)[None, :]
    first = image[top[:, None], left] * (1 - dx) + image[top[:, None], right] * dx
    second = image[below[:, None], left] * (1 - dx) + image[below[:, None], right] * dx
    return first * (1 - dy) + second * dy


def heat(xp, u):
    """The heat equation, by slices."""
    u = u.copy()
    for _ in range(200):
        inner = u[1:-1, 1:-1]
        near = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = inner + 0.1 * (near - 4 * inner)
    return u


def lu(xp, a):
    """With partial pivoting, which reads the pivot's row."""
    a = a.copy()
    n = a.shape[0]
    for k in range(n - 1):
        p = k + int(xp.argmax(xp.abs(a[k:, k])))
        if p != k:
            row = a[k].copy()
            a[k] = a[p]
            a[p] = row
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return a


def mlp(xp, x, y, w1, b1, w2, b2):
    """Gradients written by hand, as many steps of descent."""
    for _ in range(100):
        hidden = xp.tanh(x @ w1 + b1)
        error = (hidden @ w2 + b2 - y) * (2 / y.shape[0])
        back = (error @ w2.T) * (1 - hidden * hidden)
        w2 = w2 - 0.1 * (hidden.T @ error)
        b2 = b2 - 0.1 * error.sum(axis=0)
        w1 = w1 - 0.1 * (x.T @ back)
        b1 = b1 - 0.1 * back.sum(axis=0)
    return w1


def lookup(xp, table, image):
    """Bytes by a table."""
    return table[image]


def normal(*sizes):
    return DRAWN.standard_normal(sizes, np.float32)


def definite(n):
    a = normal(n, n)
    return a @ a.T / n + np.eye(n, dtype=np.float32)


def mlp_operands():
    weights = [normal(16, 32) / 4, normal(32) / 4, normal(32, 1) / 6, normal(1)]
    return [normal(64, 16), normal(64, 1), *weights]


# case: (function, operands)
CASES = {
    "sieve of 200,000": (sieve, []),
    "cholesky of 96 by rows": (cholesky, [definite(96)]),
    "200 power iterations of 256": (power_iteration, [definite(256), normal(256)]),
    "bilinear resize to 200 x 150": (bilinear, [normal(128, 96)]),
    "200 heat steps of 128 x 128": (heat, [normal(128, 128)]),
    "lu of 64 with pivots": (lu, [normal(64, 64)]),
    "100 steps of an MLP": (mlp, mlp_operands()),
    "bytes by a table, 1024 x 1024": (
        lookup,
        [
            DRAWN.permutation(256).astype(np.uint8),
            DRAWN.integers(0, 256, (1024, 1024), dtype=np.uint8),
        ],
    ),
}


def caller(case, who):
    """A call that returns when its result is there."""
    function, arrays = CASES[case]
    if who == "numpy":
        return lambda: function(np, *arrays)
    operands = [dml_vk.asarray(array) for array in arrays]

    def call():
        result = function(dml_vk, *operands)
        dml_vk.synchronize()
        return result

    return call


@pytest.mark.parametrize("who", ["dml_vk", "numpy"])
@pytest.mark.parametrize("case", CASES)
def test_classic(benchmark, case, who):
    describe(benchmark, "classics", case, who)
    found = benchmark.pedantic(caller(case, who), rounds=9, warmup_rounds=2)
    expected = caller(case, "numpy")()
    if expected.dtype.kind == "f":
        assert np.allclose(np.asarray(found), expected, rtol=2e-3, atol=2e-3)
    else:
        assert np.array_equal(np.asarray(found), expected)
