"""Decompositions give back the matrix, by residuals as in LAPACK's own tests."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.dtypes import float16
from tests.chance import chance
from tests.kernel.linalg.matrices import (
    DTYPES,
    SIZES,
    as_tuple,
    close,
    general,
    laid_out,
    norms,
    orthonormal,
    positive,
    regular,
    same_bits,
    symmetric,
    turned,
    wide,
)

SHAPES = [*[(n, n) for n in SIZES], (5, 3), (1, 4), (20, 40)]
LARGE = 130  # in blocks, and of more than one team
of_each_type = pytest.mark.parametrize("dtype", DTYPES)


def check_cholesky(a):
    (lower,) = wide(linalg.cholesky(dml_vk.asarray(a)))
    assert np.array_equal(lower, np.tril(lower))
    close(lower @ turned(lower), a.astype(np.float64), a.dtype)


def check_qr(a):
    m, n = a.shape[-2:]
    for mode, k in (("reduced", min(m, n)), ("complete", m)):
        q, r = wide(*linalg.qr(dml_vk.asarray(a), mode=mode))
        assert (q.shape[-2:], r.shape[-2:]) == ((m, k), (k, n))
        assert np.array_equal(r, np.triu(r))
        orthonormal(q, a.dtype)
        close(q @ r, a.astype(np.float64), a.dtype)


def check_eigh(a):
    x, exact = dml_vk.asarray(a), a.astype(np.float64)
    values, vectors = linalg.eigh(x)
    assert same_bits(linalg.eigvalsh(x).numpy(), values.numpy())
    values, vectors = wide(values, vectors)
    assert (np.diff(values) >= 0).all()
    orthonormal(vectors, a.dtype)
    close(vectors * values[..., None, :] @ turned(vectors), exact, a.dtype)
    expected = np.linalg.eigvalsh(exact)
    close(values[..., None], expected[..., None], a.dtype)


def check_svd(a):
    m, n = a.shape[-2:]
    x, exact, k = dml_vk.asarray(a), a.astype(np.float64), min(m, n)
    expected = np.linalg.svd(exact, compute_uv=False)
    for full in (True, False):
        found = linalg.svd(x, full_matrices=full)
        assert same_bits(linalg.svdvals(x).numpy(), found.S.numpy())
        u, s, vh = wide(*found)
        columns, rows = (m, n) if full else (k, k)
        assert (u.shape[-2:], vh.shape[-2:]) == ((m, columns), (rows, n))
        assert (s >= 0).all()
        assert (np.diff(s) <= 0).all()
        orthonormal(u, a.dtype)
        orthonormal(turned(vh), a.dtype)
        close(u[..., :k] * s[..., None, :] @ vh[..., :k, :], exact, a.dtype)
        close(s[..., None], expected[..., None], a.dtype)


def check_solve(a):
    x, exact = dml_vk.asarray(a), a.astype(np.float64)
    right = chance().normal(size=(*a.shape[:-1], 3)).astype(a.dtype)
    (found,) = wide(linalg.solve(x, dml_vk.asarray(right)))
    close(exact @ found, right.astype(np.float64), a.dtype, norms(a) * norms(found))
    (found,) = wide(linalg.inv(x))
    identity = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    close(exact @ found, identity, a.dtype, norms(a) * norms(found))


@of_each_type
def test_matrices_of_all_kinds_and_shapes(dtype):
    for n in SIZES:
        check_cholesky(positive(n, dtype))
        check_eigh(symmetric(n, dtype))
        check_solve(regular(n, dtype))
    for m, n in SHAPES:
        check_qr(general(m, n, dtype))
        check_svd(general(m, n, dtype))


@of_each_type
def test_large_matrices_in_blocks(dtype):
    check_cholesky(positive(LARGE, dtype)[:1])
    check_qr(general(LARGE, LARGE - 9, dtype)[:1])
    check_eigh(symmetric(LARGE, dtype)[0])
    check_svd(general(LARGE, LARGE, dtype)[4])
    check_solve(regular(LARGE, dtype)[:1])


CALLS = {
    "cholesky": lambda x: linalg.cholesky(x),
    "cholesky-upper": lambda x: linalg.cholesky(x, upper=True),
    "det": lambda x: linalg.det(x),
    "eigh": lambda x: linalg.eigh(x),
    "inv": lambda x: linalg.inv(x),
    "pinv": lambda x: linalg.pinv(x),
    "qr": lambda x: linalg.qr(x),
    "slogdet": lambda x: linalg.slogdet(x),
    "svd": lambda x: linalg.svd(x),
}


def numpys(found):
    return tuple([one.numpy() for one in as_tuple(found)])


@of_each_type
@pytest.mark.parametrize("name", CALLS)
def test_a_batch_and_any_layout_have_the_bits_of_single_matrices(name, dtype):
    call, a = CALLS[name], positive(17, dtype).reshape(2, 2, 17, 17)
    whole = numpys(call(dml_vk.asarray(a)))
    for at in np.ndindex(2, 2):
        assert same_bits(numpys(call(dml_vk.asarray(a[at]))), tuple([one[at] for one in whole]))
    for x in laid_out(a):
        assert same_bits(numpys(call(x)), whole)


def test_only_one_triangle_of_a_symmetric_matrix_is_read():
    a = positive(9, np.float32)
    lower, upper = dml_vk.asarray(np.tril(a)), dml_vk.asarray(np.triu(a))
    whole = dml_vk.asarray(a)
    for found, expected in (
        (linalg.cholesky(lower), linalg.cholesky(whole)),
        (linalg.cholesky(upper, upper=True), linalg.cholesky(whole, upper=True)),
        (linalg.eigvalsh(lower), linalg.eigvalsh(whole)),
    ):
        assert same_bits(found.numpy(), expected.numpy())
    assert same_bits(linalg.cholesky(whole, upper=True).mT.numpy(), linalg.cholesky(whole).numpy())


def test_sizes_of_0():
    for m, n in ((0, 0), (0, 3), (3, 0)):
        for batch in ((), (0,), (2,), (2, 0)):
            a = np.zeros((*batch, m, n))
            x = dml_vk.asarray(a)
            calls = [("qr", {}), ("qr", {"mode": "complete"}), ("pinv", {})]
            calls += [("svd", {"full_matrices": full}) for full in (True, False)]
            if m == n:
                calls += [(name, {}) for name in ("eigh", "inv", "cholesky", "det", "slogdet")]
            for name, named in calls:
                expected = as_tuple(getattr(np.linalg, name)(a, **named))
                found = numpys(getattr(linalg, name)(x, **named))
                for one, other in zip(found, expected):
                    assert one.shape == np.shape(other), (name, a.shape)
                    assert np.array_equal(one, other), (name, a.shape)
            assert linalg.svdvals(x).shape == (*batch, min(m, n))
            assert np.array_equal(linalg.matrix_rank(x).numpy(), np.zeros(batch))
            if m == n:
                assert linalg.eigvalsh(x).shape == (*batch, n)
                assert linalg.solve(x, x).shape == a.shape


def test_float16_integers_and_bools_are_computed_in_float32():
    a = positive(5, np.float32)[0]
    for name in ("cholesky", "inv", "eigvalsh", "svdvals", "det"):
        half, call = dml_vk.asarray(a.astype(np.float16)), getattr(linalg, name)
        found, expected = call(half), call(half.to("float32")).numpy().astype(np.float16)
        assert found.dtype is float16
        assert same_bits(found.numpy(), expected), name
        whole = np.diag([1, 2, 3]).astype(np.int8)
        found = call(dml_vk.asarray(whole))
        assert same_bits(found.numpy(), call(dml_vk.asarray(whole.astype(np.float32))).numpy())
    assert linalg.qr(dml_vk.asarray(np.eye(2, dtype=bool))).R.dtype is dml_vk.float32
