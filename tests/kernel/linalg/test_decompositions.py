"""Decompositions give back the matrix, by residuals as in LAPACK's own tests."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.dtypes import float16
from dml_vk.errors import RangeError
from dml_vk.linalg import reductions
from tests import tier
from tests.chance import chance
from tests.kernel.linalg.matrices import (
    DTYPES,
    SIZES,
    as_tuple,
    close,
    exact,
    general,
    is_complex,
    laid_out,
    norms,
    orthonormal,
    positive,
    random_numbers,
    regular,
    same_bits,
    symmetric,
    turned,
    wide,
)

# Each in another type, the largest ones in a real and a complex one.
SQUARES = [(33, np.float32), (5, np.float64), (1, np.complex64), (33, np.complex128)]
SHAPES = [(33, 33), (5, 3), (20, 40), (33, 33), (1, 4), (1, 1)]
LARGE = 130  # in blocks, and of more than one team


def check_cholesky(a):
    (lower,) = wide(linalg.cholesky(dml_vk.asarray(a)))
    assert np.array_equal(lower, np.tril(lower))
    close(lower @ turned(lower), exact(a), a.dtype)


def check_qr(a):
    m, n = a.shape[-2:]
    for mode, k in (("reduced", min(m, n)), ("complete", m)):
        q, r = wide(*linalg.qr(dml_vk.asarray(a), mode=mode))
        assert (q.shape[-2:], r.shape[-2:]) == ((m, k), (k, n))
        assert np.array_equal(r, np.triu(r))
        assert not np.diagonal(r, 0, -2, -1).imag.any()
        orthonormal(q, a.dtype)
        close(q @ r, exact(a), a.dtype)


def check_eigh(a):
    x = dml_vk.asarray(a)
    values, vectors = linalg.eigh(x)
    assert values.dtype is vectors.dtype.part
    assert same_bits(linalg.eigvalsh(x).numpy(), values.numpy())
    values, vectors = wide(values, vectors)
    assert (np.diff(values) >= 0).all()
    orthonormal(vectors, a.dtype)
    close(vectors * values[..., None, :] @ turned(vectors), exact(a), a.dtype)
    expected = np.linalg.eigvalsh(exact(a))
    close(values[..., None], expected[..., None], a.dtype)


def check_svd(a):
    m, n = a.shape[-2:]
    x, k = dml_vk.asarray(a), min(m, n)
    expected = np.linalg.svd(exact(a), compute_uv=False)
    for full in (True, False):
        found = linalg.svd(x, full_matrices=full)
        assert same_bits(linalg.svdvals(x).numpy(), found.S.numpy())
        assert found.S.dtype is found.U.dtype.part
        u, s, vh = wide(*found)
        columns, rows = (m, n) if full else (k, k)
        assert (u.shape[-2:], vh.shape[-2:]) == ((m, columns), (rows, n))
        assert (s >= 0).all()
        assert (np.diff(s) <= 0).all()
        orthonormal(u, a.dtype)
        orthonormal(turned(vh), a.dtype)
        close(u[..., :k] * s[..., None, :] @ vh[..., :k, :], exact(a), a.dtype)
        close(s[..., None], expected[..., None], a.dtype)


def check_solve(a):
    x = dml_vk.asarray(a)
    right = random_numbers((*a.shape[:-1], 3), a.dtype).astype(a.dtype)
    (found,) = wide(linalg.solve(x, dml_vk.asarray(right)))
    close(exact(a) @ found, exact(right), a.dtype, norms(a) * norms(found))
    (found,) = wide(linalg.inv(x))
    identity = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    close(exact(a) @ found, identity, a.dtype, norms(a) * norms(found))


@pytest.mark.parametrize(("n", "dtype"), tier.crossed(SIZES, DTYPES) if tier.is_all() else SQUARES)
def test_square_matrices_of_all_kinds(n, dtype):
    check_cholesky(positive(n, dtype))
    check_eigh(symmetric(n, dtype))
    check_solve(regular(n, dtype))


@tier.parametrize(
    "shape dtype", sorted({*SHAPES, (2, 2), (5, 5)}) if tier.is_all() else SHAPES, DTYPES
)
def test_matrices_of_all_kinds_and_shapes(shape, dtype):
    check_qr(general(*shape, dtype))
    check_svd(general(*shape, dtype))


IN_BLOCKS = {
    "cholesky": lambda dtype: check_cholesky(positive(LARGE, dtype)[:1]),
    "qr": lambda dtype: check_qr(general(LARGE, LARGE - 9, dtype)[:1]),
    "eigh": lambda dtype: check_eigh(symmetric(LARGE, dtype)[0]),
    "svd": lambda dtype: check_svd(general(LARGE, LARGE, dtype)[4]),
    "solve": lambda dtype: check_solve(regular(LARGE, dtype)[:1]),
}


@tier.parametrize("name dtype", IN_BLOCKS, DTYPES)
def test_large_matrices_in_blocks(name, dtype):
    IN_BLOCKS[name](dtype)


@tier.parametrize("shape dtype", tier.some([1, 2, 33, 36, 67, (1, 37), (41, 33)], 3), DTYPES)
def test_matrices_of_all_kinds_that_are_reduced_by_panels(shape, dtype, monkeypatch):
    """Of fewer rows than a panel has, of one row more, and of two panels and a few rows."""
    monkeypatch.setattr(reductions, "BY_ONE_TEAM", 0)
    if isinstance(shape, tuple):
        check_svd(general(*shape, dtype))
    else:
        check_eigh(symmetric(shape, dtype))


CALLS = {
    "cholesky": lambda x: linalg.cholesky(x),
    "cholesky-upper": lambda x: linalg.cholesky(x, upper=True),
    "det": lambda x: linalg.det(x),
    "eigh": lambda x: linalg.eigh(x),
    "pinv": lambda x: linalg.pinv(x),
    "inv": lambda x: linalg.inv(x),
    "qr": lambda x: linalg.qr(x),
    "slogdet": lambda x: linalg.slogdet(x),
    "svd": lambda x: linalg.svd(x),
}


def numpys(found):
    return tuple([one.numpy() for one in as_tuple(found)])


@tier.parametrize("name dtype", tier.some(CALLS, 4), DTYPES)
def test_a_batch_and_any_layout_have_the_bits_of_single_matrices(name, dtype):
    call, a = CALLS[name], positive(17, dtype).reshape(2, 2, 17, 17)
    whole = numpys(call(dml_vk.asarray(a)))
    for at in np.ndindex(2, 2):
        assert same_bits(numpys(call(dml_vk.asarray(a[at]))), tuple([one[at] for one in whole]))
    for x in laid_out(a):
        assert same_bits(numpys(call(x)), whole)


@tier.parametrize("name dtype", ["eigh", "svd"], [np.float32, np.complex128])
def test_panels_of_a_batch_and_of_any_layout_have_the_bits_of_single_matrices(
    name, dtype, monkeypatch
):
    monkeypatch.setattr(reductions, "BY_ONE_TEAM", 0)
    call, a = CALLS[name], random_numbers((2, 37, 37), dtype).astype(dtype)
    whole = numpys(call(dml_vk.asarray(a)))
    for at in range(2):
        assert same_bits(numpys(call(dml_vk.asarray(a[at]))), tuple([one[at] for one in whole]))
    for x in laid_out(a):
        assert same_bits(numpys(call(x)), whole)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_only_one_triangle_of_a_matrix_is_read_and_the_real_parts_of_its_diagonal(dtype):
    a = positive(9, dtype)
    lower, upper = np.tril(a), np.triu(a)
    if is_complex(dtype):
        diagonal = np.arange(9)
        a.imag[:, diagonal, diagonal] = 0
        lower.imag[:, diagonal, diagonal] = np.nan
        upper.imag[:, diagonal, diagonal] = 7
    lower, upper, whole = [dml_vk.asarray(one) for one in (lower, upper, a)]
    for found, expected in (
        (linalg.cholesky(lower), linalg.cholesky(whole)),
        (linalg.cholesky(upper, upper=True), linalg.cholesky(whole, upper=True)),
        (linalg.eigvalsh(lower), linalg.eigvalsh(whole)),
    ):
        assert same_bits(found.numpy(), expected.numpy())
    factor, other = linalg.cholesky(whole).numpy(), linalg.cholesky(whole, upper=True).numpy()
    assert np.array_equal(turned(other), factor)
    assert np.array_equal(np.diagonal(factor, 0, 1, 2).imag, np.zeros((4, 9)))


@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_sizes_of_0(kind):
    for m, n in ((0, 0), (0, 3), (3, 0)):
        for batch in ((), (0,), (2,), (2, 0)):
            a = np.zeros((*batch, m, n), kind)
            x = dml_vk.asarray(a)
            calls = [("qr", {}), ("qr", {"mode": "complete"}), ("pinv", {})]
            calls += [("svd", {"full_matrices": full}) for full in (True, False)]
            if m == n:
                calls += [(name, {}) for name in ("eigh", "inv", "cholesky", "det", "slogdet")]
            for name, named in calls:
                expected = as_tuple(getattr(np.linalg, name)(a, **named))
                found = numpys(getattr(linalg, name)(x, **named))
                for one, other in zip(found, expected):
                    assert one.dtype == other.dtype, (name, a.shape)
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


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_real_numbers_as_complex_ones(dtype):
    """What only adds zeros has the bits of the real parts; the rest is as close as always."""
    a = positive(9, dtype().real.dtype)
    for name in ("cholesky", "inv", "eigvalsh", "svdvals", "det", "qr"):
        call = getattr(linalg, name)
        found = as_tuple(call(dml_vk.asarray(a.astype(dtype))))
        for one, other in zip(found, as_tuple(call(dml_vk.asarray(a)))):
            assert np.array_equal(one.numpy(), other.numpy()), name


def test_the_upper_triangle_is_that_of_the_lower_turned():
    for dtype in ("float32", "complex128"):
        a = chance().normal(size=(3, 5, 5, 2))
        a = (a.view(np.complex128) if dtype == "complex128" else a)[..., 0].astype(dtype)
        x = dml_vk.asarray(a)
        for lower, upper in (("L", "U"), ("l", "u")):
            one = linalg.eigh(x, lower)
            other = np.linalg.eigh(dml_vk.conj(x).mT, UPLO=upper)
            for mine, theirs in zip(one, other, strict=True):
                assert mine.numpy().tobytes() == theirs.numpy().tobytes()
        found = linalg.eigvalsh(x, UPLO="U").numpy()
        np.testing.assert_allclose(found, np.linalg.eigvalsh(a, "U"), rtol=0, atol=1e-5)
    with pytest.raises(RangeError, match=r'^eigh: triangle must be "L" or "U"; got UPLO=.D.'):
        linalg.eigh(x, "D")
