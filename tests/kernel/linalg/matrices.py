"""Matrices that are hard to decompose, and residuals as LAPACK's own tests scale them."""

from __future__ import annotations

import numpy as np

import dml_vk
from tests.chance import chance

BOUND = 10.0  # of residuals, in units of the size times the distance from 1 to the next number
DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
SIZES = (1, 2, 5, 33)


def is_complex(dtype):
    return np.dtype(dtype).kind == "c"


def random_numbers(sizes, dtype):
    """In double precision."""
    if is_complex(dtype):
        return chance().normal(size=(*sizes, 2)).view(np.complex128)[..., 0]
    return chance().normal(size=sizes)


def phases(n, dtype):
    """Numbers of size 1."""
    return np.exp(2j * np.pi * chance().random(n)) if is_complex(dtype) else np.ones(n)


def general(m, n, dtype):
    """One batch: random, graded by rows and columns, of low rank, ill-conditioned, and special."""
    k, longer = min(m, n), max(m, n)
    grades = np.logspace(-6, 6, m)
    random = random_numbers((6, m, n), dtype)
    rank, turns = max(1, k // 3), phases(m, dtype)[:, None]
    kinds = [
        random[0],
        random[1] * grades[:, None],
        random[2] * grades[::-1, None],
        random[3] * np.logspace(3, -3, n),
        random[4][:, :rank] @ random[5][:rank],
        turns / (np.arange(m)[:, None] + np.arange(n) + 1),  # Hilbert's
        np.linalg.qr(random_numbers((longer, longer), dtype))[0][:m, :n],
        np.eye(m, n),
        np.zeros((m, n)),
        turns * np.eye(m, n, 1),  # nilpotent
        turns * np.eye(m, n, 1)
        + np.eye(m, n) * (np.arange(n) % 3),  # zeros inside a bidiagonal matrix
        random[0] * 2.0**-100,
    ]
    return np.stack(kinds).astype(dtype)


def symmetric(n, dtype):
    """The same, made Hermitian, and with both ends of the diagonal large in turn."""
    a = general(n, n, exact(np.zeros(0, dtype)).dtype)
    a[1] *= np.logspace(-6, 6, n)
    a[2] *= np.logspace(6, -6, n)
    return (a + turned(a)).astype(dtype)


def regular(n, dtype):
    """Without those that are singular, or nearly."""
    a = general(n, n, dtype)[[0, 1, 2, 3, 6, 7, 11]]
    turned = np.eye(n, dtype=dtype)[::-1]  # no pivot is on the diagonal
    return np.concatenate([a, turned[None]])


def positive(n, dtype):
    """Positive definite: random, graded, with close eigenvalues, and nearly singular."""
    a, turns = random_numbers((n, n), dtype), phases(n, dtype)
    random = a @ turned(a) + np.eye(n)
    grades = np.logspace(-4, 4, n)
    hilbert = 1 / (np.arange(n)[:, None] + np.arange(n) + 1)
    hilbert += n * np.finfo(dtype).eps * np.eye(n)
    special = np.stack([3 * np.eye(n) + 1e-3, hilbert]) * turns[:, None] * turns.conj()
    return np.stack([random, random * np.outer(grades, grades), *special]).astype(dtype)


def turned(x):
    """The conjugate transposes."""
    return np.swapaxes(x, -1, -2).conj()


def exact(a):
    """The same numbers in double precision."""
    return a.astype(np.complex128 if is_complex(a.dtype) else np.float64)


def norms(a):
    """The largest magnitude of each matrix, or 1 where all are 0."""
    size = np.abs(a).max(axis=(-1, -2))
    return np.where(size > 0, size, 1.0)


def close(found, a, dtype, scale=None):
    """Each matrix differs from that of `a` by little, for its size or for a scale."""
    n = max(*a.shape[-2:], *found.shape[-2:])
    units = n * np.finfo(dtype).eps * (norms(a) if scale is None else scale)
    residual = (np.abs(found - a).max(axis=(-1, -2)) / units).max()
    assert residual < BOUND, residual


def orthonormal(q, dtype):
    """The columns are."""
    close(
        turned(q) @ q,
        np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *q.shape[-1:] * 2)),
        dtype,
    )


def wide(*arrays):
    """Tensors as arrays of double precision."""
    return [exact(one.numpy()) for one in arrays]


def laid_out(a):
    """The same matrices in several layouts."""
    yield dml_vk.asarray(a)
    yield dml_vk.asarray(np.ascontiguousarray(np.swapaxes(a, -1, -2))).mT
    yield dml_vk.asarray(np.ascontiguousarray(a[..., ::-1, :])).flip(-2)
    padded = np.zeros((*a.shape[:-1], 2 * a.shape[-1] + 3), a.dtype)
    padded[..., 1:-2:2] = a
    yield dml_vk.asarray(padded)[..., 1:-2:2]


def same_bits(found, expected):
    pairs = zip(as_tuple(found), as_tuple(expected), strict=True)
    return all(one.tobytes() == other.tobytes() for one, other in pairs)


def as_tuple(found):
    return found if isinstance(found, tuple) else (found,)
