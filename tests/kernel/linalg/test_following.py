"""What follows from decompositions: determinants, ranks, inverses, least squares and powers."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.dtypes import int64
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests import tier
from tests.kernel.linalg.matrices import (
    DTYPES,
    exact,
    general,
    is_complex,
    phases,
    random_numbers,
    regular,
    same_bits,
    wide,
)

of_each_type = pytest.mark.parametrize("dtype", DTYPES)
FEW = tier.some(DTYPES, 2)  # of functions that are made of others, which take all


def tolerance(dtype, n=20):
    return {"rtol": 20 * n * np.finfo(dtype).eps, "atol": 0}


@of_each_type
def test_determinants(dtype):
    for n in (1, 2, 5, 20):
        # Not graded, so that the determinant itself is well-conditioned.
        a = (random_numbers((2, 3, n, n), dtype) + 3 * np.sqrt(n) * np.eye(n)).astype(dtype)
        a[0] = a[0, :, ::-1]
        x, det = dml_vk.asarray(a), np.linalg.det(exact(a))
        sign, log = np.linalg.slogdet(exact(a))
        found = linalg.slogdet(x)
        assert found.logabsdet.dtype is found.sign.dtype.part
        if is_complex(dtype):
            np.testing.assert_allclose(found.sign.numpy(), sign, **tolerance(dtype))
        else:
            assert np.array_equal(found.sign.numpy(), sign)
        np.testing.assert_allclose(found.logabsdet.numpy(), log, **tolerance(dtype))
        np.testing.assert_allclose(linalg.det(x).numpy(), det, **tolerance(dtype))
    # Elements whose product overflows on the way, subnormal ones, and those whose log is near 0.
    limits = np.finfo(dtype)
    for diagonal in (
        [limits.max, limits.max, limits.tiny, limits.tiny],
        [limits.tiny / 64, 2.0, 3.0],
        [1 + limits.eps, 1.0],
        [-limits.max, 8.0],
        [2.0] * 60,
    ):
        # Phases of the axes only, so that products stay exact.
        axes = np.array([1, 1j, -1, 1j] if is_complex(dtype) else [1, 1, 1, 1])
        turns = np.resize(axes, len(diagonal))
        a = np.diag((np.array(diagonal, dtype) * turns).astype(dtype))
        found, log = linalg.slogdet(dml_vk.asarray(a)), np.log2(np.abs(diagonal)).sum()
        assert found.sign.item() == np.prod(np.sign(diagonal) * turns)
        expected = log * np.log(2.0)
        close = {"rtol": 8 * limits.eps, "atol": 0.3 * limits.eps}
        np.testing.assert_allclose(found.logabsdet.numpy(), expected, **close)
        with np.errstate(over="ignore"):
            size = dtype().real.dtype.type(np.exp2(np.longdouble(log)))
        det = linalg.det(dml_vk.asarray(a)).numpy()
        largest = det if not is_complex(dtype) else max(det.real, det.imag, key=np.abs)
        np.testing.assert_allclose(np.abs(largest), size, rtol=1e-4)


@of_each_type
def test_determinants_of_singular_matrices_and_what_is_not_finite(dtype):
    a = np.zeros((4, 3, 3), dtype)
    a[1] = np.ones((3, 3))
    a[2] = np.diag([1, np.nan, 1])
    a[3] = np.diag([-np.inf, 1, 1])
    x = dml_vk.asarray(a)
    assert np.array_equal(linalg.det(x).numpy()[:3], [0, 0, np.nan], equal_nan=True)
    found = linalg.slogdet(x)
    assert np.array_equal(found.sign.numpy()[:3], [0, 0, np.nan], equal_nan=True)
    expected = [-np.inf, -np.inf, np.nan]
    assert np.array_equal(found.logabsdet.numpy()[:3], expected, equal_nan=True)
    assert not np.isfinite(linalg.det(x).numpy()[3])


@of_each_type
def test_solutions_of_vectors_and_batches_that_broadcast(dtype):
    a = regular(5, dtype).reshape(2, 4, 5, 5)
    cases = [
        *(((), (5,)), ((1, 4), (5,)), ((2, 4), (5, 2)), ((2, 1), (4, 5, 2))),
        ((4,), (2, 1, 5, 70)),
    ]
    for sizes, right in cases if dtype is np.float32 else tier.some(cases, 2):
        matrices = a[tuple([slice(0, size) for size in sizes])][(0,) * (2 - len(sizes))]
        matrices = np.ascontiguousarray(matrices) if sizes else a[0, 0]
        b = random_numbers(right, dtype).astype(dtype)
        found = linalg.solve(dml_vk.asarray(matrices), dml_vk.asarray(b))
        column = b[:, None] if b.ndim == 1 else b
        expected = np.linalg.solve(exact(matrices), exact(column))
        expected = expected[..., 0] if b.ndim == 1 else expected
        assert found.shape == expected.shape
        near = {"rtol": 0, "atol": 1e3 * np.finfo(dtype).eps * np.abs(expected).max()}
        if sizes == ():
            np.testing.assert_allclose(found.numpy(), expected, **near)
    single = dml_vk.asarray(np.eye(2, dtype=np.float32))
    for other in (dml_vk.float64, dml_vk.complex64, dml_vk.complex128):
        assert linalg.solve(single, single.to(other)).dtype is other


@tier.parametrize("shape dtype", tier.some([(9, 4), (5, 5), (4, 9)], 2), FEW)
def test_ranks_and_pseudo_inverses(shape, dtype):
    a = general(*shape, dtype)[[0, 4, 6, 7, 8, 9]]
    x = dml_vk.asarray(a)
    eps = max(shape) * np.finfo(dtype).eps
    ranks = linalg.matrix_rank(x)
    assert ranks.dtype is int64
    largest = np.linalg.svd(exact(a), compute_uv=False)[:, 0]
    assert np.array_equal(ranks.numpy(), np.linalg.matrix_rank(exact(a), tol=eps * largest))
    (found,) = wide(linalg.pinv(x))
    expected = np.linalg.pinv(exact(a), rcond=eps)
    near = {"rtol": 0, "atol": 1e3 * np.finfo(dtype).eps * np.abs(expected).max()}
    np.testing.assert_allclose(found, expected, **near)


@pytest.mark.parametrize("dtype", tier.some(DTYPES, 1))
def test_singular_values_that_count(dtype):
    tall = np.zeros((100, 2), dtype)
    tall[0, 0], tall[1, 1] = 1, 20 * np.finfo(dtype).eps
    for a in (tall, tall.T):
        assert linalg.matrix_rank(dml_vk.asarray(a)).item() == np.linalg.matrix_rank(a) == 1
    x = dml_vk.asarray(np.diag([4.0, 2.0, 1.0]).astype(dtype))
    both = dml_vk.stack([x, x])
    assert linalg.matrix_rank(x, rtol=0.3).item() == 2
    each = dml_vk.asarray(np.array([0.5, 0.1], dtype).real.copy())
    assert linalg.matrix_rank(both, rtol=each).tolist() == [1, 3]
    assert np.allclose(linalg.pinv(x, rtol=0.3).numpy(), np.diag([0.25, 0.5, 0]))


@tier.parametrize("sizes dtype", [(7, 4, 4), (7, 4, 2), (4, 7, 4), (5, 5, 5)], FEW)
def test_least_squares(sizes, dtype):
    m, n, rank = sizes
    left, right = [random_numbers(sizes, dtype) for sizes in ((m, rank), (rank, n))]
    a = (np.round(4 * left) @ np.round(4 * right)).astype(dtype)  # exact
    for sizes in ((m,), (m, 2)):
        b = random_numbers(sizes, dtype).astype(dtype)
        found = linalg.lstsq(dml_vk.asarray(a), dml_vk.asarray(b))
        x, residuals, expected, s = np.linalg.lstsq(a, b, rcond=None)
        assert found.rank == expected == rank
        near = {"rtol": 2e3 * np.finfo(dtype).eps, "atol": 2e3 * np.finfo(dtype).eps}
        np.testing.assert_allclose(found.x.numpy(), x, **near)
        np.testing.assert_allclose(found.s.numpy(), s, **near)
        assert found.residuals.shape == residuals.shape
        assert found.residuals.dtype is found.s.dtype is found.x.dtype.part
        np.testing.assert_allclose(found.residuals.numpy(), residuals, **near)
    if rank == 5:
        assert linalg.lstsq(dml_vk.asarray(a), dml_vk.asarray(b), rcond=0.9).rank < rank


@of_each_type
def test_powers(dtype):
    a = np.array([[1, 1], [0.5, 2]], dtype) * phases(2, dtype).astype(dtype)
    x = dml_vk.asarray(np.stack([a, a.T]))
    for n in (0, 1, 2, 5, -3):
        expected = np.linalg.matrix_power(exact(x.numpy()), n)
        found = linalg.matrix_power(x, n)
        np.testing.assert_allclose(found.numpy(), expected, **tolerance(dtype))
        assert found.allocation is not x.allocation
    whole = dml_vk.asarray(np.array([[1, 1], [1, 0]]))
    assert linalg.matrix_power(whole, 30).tolist() == [[1346269, 832040], [832040, 514229]]
    assert linalg.matrix_power(dml_vk.asarray(np.array([[2]])), -1).tolist() == [[0.5]]


@of_each_type
def test_norms_of_singular_values(dtype):
    a = general(4, 6, dtype)[[0, 4, 5]]
    for order, keepdims in tier.crossed((2, -2, "nuc"), (False, True)):
        found = linalg.matrix_norm(dml_vk.asarray(a), ord=order, keepdims=keepdims).numpy()
        expected = np.linalg.norm(exact(a), order, (1, 2), keepdims)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e2 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_results_are_written_to_out(dtype):
    x = dml_vk.asarray(np.array([[4.0, 1.0], [1.0, 3.0]], dtype))
    for name, sizes, more in (
        ("cholesky", (2, 2), ()),
        ("solve", (2, 2), (x,)),
        ("inv", (2, 2), ()),
        ("pinv", (2, 2), ()),
        ("matrix_power", (2, 2), (3,)),
        ("matrix_power", (2, 2), (0,)),
        ("det", (), ()),
        ("eigvalsh", (2,), ()),
        ("svdvals", (2,), ()),
    ):
        kind = x.dtype.part if "vals" in name else x.dtype
        call, out = getattr(linalg, name), dml_vk.empty(sizes, dtype=kind)
        assert call(x, *more, out=out) is out
        assert same_bits(out.numpy(), call(x, *more).numpy()), name
        with pytest.raises(LayoutError, match=f"{name}: out must have the shape"):
            call(x, *more, out=dml_vk.empty((3,), dtype=kind))
        same = x.clone()
        if sizes == (2, 2):
            call(same, *more, out=same)
            assert same_bits(same.numpy(), out.numpy()), name
    out = dml_vk.empty((), int64)
    assert linalg.matrix_rank(x, out=out).item() == 2
    none = dml_vk.empty((0,))
    assert linalg.eigvalsh(dml_vk.empty((0, 0)), out=none) is none


def test_a_matrix_without_what_is_asked_for():
    singular = np.stack([np.eye(3), np.ones((3, 3))]).astype(np.float32)
    infinite = np.array([[1, np.inf], [np.inf, 1]], np.float32)
    for call, a, said in (
        (linalg.cholesky, -np.eye(3), "cholesky: matrices must be positive definite; got shape="),
        (linalg.cholesky, singular, r"definite; got shape=\(2, 3, 3\), matrix=\(1,\)"),
        (linalg.cholesky, infinite * np.nan, "cholesky: matrices must be positive definite"),
        (linalg.inv, singular, r"inv: matrices must not be singular.*matrix=\(1,\)"),
        (lambda x: linalg.solve(x, x), singular, "solve: matrices must not be singular"),
        (lambda x: linalg.matrix_power(x, -2), singular, "inv: matrices must not be singular"),
        (linalg.eigh, infinite, "eigh: matrices must be finite, and their iterations converge"),
        (linalg.eigvalsh, np.full((1, 1), np.nan), "eigvalsh: matrices must be finite"),
        (linalg.svd, infinite, "svd: matrices must be finite"),
        (linalg.svdvals, np.full((40, 9), np.nan), "svdvals: matrices must be finite"),
        (linalg.pinv, infinite[:1], "matrices must be finite"),
        (linalg.cholesky, -1j * np.eye(2), "cholesky: matrices must be positive definite"),
        (linalg.inv, singular * 1j, r"inv: matrices must not be singular.*matrix=\(1,\)"),
        (
            linalg.eigh,
            np.array([[1, 0], [complex(0, np.inf), 1]]),
            "eigh: matrices must be finite, and",
        ),
        (linalg.svdvals, np.full((1, 1), complex(0, np.nan)), "svdvals: matrices must be fin"),
    ):
        for error in (dml_vk.LinAlgError, np.linalg.LinAlgError):
            with pytest.raises(error, match=said):
                call(dml_vk.asarray(a))


def test_wrong_arguments():
    x = dml_vk.zeros((2, 3))
    square, vector = dml_vk.zeros((3, 3)), dml_vk.zeros((3,))
    for name in ("cholesky", "inv", "det", "slogdet", "eigh", "eigvalsh"):
        with pytest.raises(LayoutError, match=f"{name}: x must have square matrices; got shape="):
            getattr(linalg, name)(x)
    for name in ("qr", "svd", "svdvals", "pinv", "matrix_rank", "eigh"):
        with pytest.raises(LayoutError, match=f"{name}: x must have at least two dims"):
            getattr(linalg, name)(vector)
    for call, error, said in (
        (lambda: linalg.solve(x, x), LayoutError, "solve: x1 must have square matrices"),
        (lambda: linalg.solve(square, x), LayoutError, "solve: x2 must have as many rows as x1"),
        (lambda: linalg.qr(x, mode="raw"), RangeError, 'qr: mode must be "reduced" or "complete"'),
        (lambda: linalg.qr(x, mode=1), RangeError, "qr: mode must be"),
        (lambda: linalg.lstsq(x, vector), LayoutError, "lstsq: a must be a matrix, and b a vec"),
        (lambda: linalg.lstsq(x[0], vector), LayoutError, "lstsq: a must have at least two dims"),
        (lambda: linalg.matrix_rank(x, rtol="1"), DTypeError, "matrix_rank: rtol must be a real"),
        (lambda: linalg.lstsq(square, vector, "1"), DTypeError, "lstsq: rcond must be a real"),
        (lambda: linalg.inv(np.eye(3)), DTypeError, "inv: x must be a Tensor"),
    ):
        with pytest.raises(error, match=said):
            call()
