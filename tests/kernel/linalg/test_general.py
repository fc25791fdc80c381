"""Eigenvalues and eigenvectors of matrices that are not symmetric, beside LAPACK's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.errors import DTypeError, LayoutError, LinAlgError
from dml_vk.linalg import general
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms
from tests.kernel.linalg.matrices import BOUND, DTYPES, SIZES, random_numbers
from tests.kernel.linalg.matrices import general as hard


def complex_of(dtype):
    return np.result_type(dtype, np.complex64)


def check(array, values, vectors):
    """Residuals as LAPACK's tests scale them, and vectors of length 1 with one real element."""
    n, eps = array.shape[-1], np.finfo(array.dtype).eps
    wide, values, vectors = (one.astype(np.complex128) for one in (array, values, vectors))
    size = np.maximum(np.abs(wide).sum(axis=-2, keepdims=True).max(axis=-1, keepdims=True), 1e-300)
    rest = (wide / size) @ vectors - vectors * (values[..., None, :] / size)
    assert np.abs(rest).sum(axis=-2).max() <= BOUND * n * eps
    assert np.abs(np.linalg.norm(vectors, axis=-2) - 1).max() <= BOUND * eps
    most = np.abs(vectors).max(axis=-2, keepdims=True)
    largest = np.abs(vectors) >= most * (1 - n * BOUND * eps)
    assert (largest & (vectors.imag == 0) & (vectors.real > 0)).any(axis=-2).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_residuals_of_hard_matrices(dtype):
    turns = [*enumerate(SIZES)]
    for turn, n in turns if tier.is_all() else turns[DTYPES.index(dtype) % 2 :: 2]:
        array = hard(n, n, dtype)
        for x in few_forms(array, turn):
            values, vectors = linalg.eig(x)
            assert values.numpy().dtype == vectors.numpy().dtype == complex_of(dtype)
            check(array, values.numpy(), vectors.numpy())
            assert linalg.eigvals(x).numpy().tobytes() == values.numpy().tobytes()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_values_are_lapacks(dtype):
    for sizes in ((3, 2, 7, 7), (40, 40)):
        array = random_numbers(sizes, dtype).astype(dtype)
        found = linalg.eigvals(dml_vk.asarray(array)).numpy()
        expected = np.linalg.eigvals(array)
        for one, other in zip(found.reshape(-1, sizes[-1]), expected.reshape(-1, sizes[-1])):
            apart = np.abs(one[:, None] - other)
            assert apart.min(axis=0).max() < 1e-11
            assert apart.min(axis=1).max() < 1e-11


def test_real_values_of_real_matrices_are_real():
    array = random_numbers((9, 9), np.float64)
    basis = np.linalg.qr(array)[0] + 0.1 * array
    real = basis @ np.diag(np.arange(1.0, 10)) @ np.linalg.inv(basis)
    values, vectors = linalg.eig(dml_vk.asarray(real))
    assert (values.numpy().imag == 0).all()
    assert (vectors.numpy().imag == 0).all()
    np.testing.assert_allclose(np.sort(values.numpy().real), np.arange(1.0, 10), 1e-9)
    turn = linalg.eigvals(dml_vk.asarray([[0.0, 1.0], [-1.0, 0.0]])).numpy()
    assert sorted(turn.imag.tolist()) == [-1.0, 1.0]


def test_one_batch_is_many_matrices():
    array = chance().normal(size=(4, 6, 6)).astype(np.float32)
    values, vectors = linalg.eig(dml_vk.asarray(array))
    for k in range(4):
        one = linalg.eig(dml_vk.asarray(array[k]))
        assert one.eigenvalues.numpy().tobytes() == values[k].numpy().tobytes()
        assert one.eigenvectors.numpy().tobytes() == vectors[k].numpy().tobytes()


def test_launches_of_few_rounds_give_the_same_bits(monkeypatch):
    x = dml_vk.asarray(chance().normal(size=(2, 12, 12)).astype(np.float32))
    expected = linalg.eig(x)
    for budget in (1, 7):
        monkeypatch.setattr(general, "schur_rounds", lambda work, budget=budget: budget)
        for one, other in zip(linalg.eig(x), expected):
            assert one.numpy().tobytes() == other.numpy().tobytes()


def test_matrices_of_any_size_of_numbers():
    array = random_numbers((5, 5), np.float64)
    for scale in (1e-300, 1e300, 2.0**-1060):
        found = linalg.eigvals(dml_vk.asarray(array * scale)).numpy()
        assert np.isfinite(found).all()
        assert np.abs(found).max() > scale / 10
    assert linalg.eigvals(dml_vk.zeros((3, 3))).tolist() == [0, 0, 0]
    assert linalg.eig(dml_vk.zeros((2, 0, 0))).eigenvectors.shape == (2, 0, 0)
    assert linalg.eigvals(dml_vk.zeros((0, 3, 3))).shape == (0, 3)
    integers = linalg.eigvals(dml_vk.asarray([[2, 0], [0, 3]]))
    assert (integers.dtype, integers.tolist()) == (dml_vk.complex64, [2, 3])


def test_refusals():
    for wrong in (math.nan, math.inf):
        x = dml_vk.asarray([[[1.0, 2.0], [3.0, 4.0]], [[1.0, wrong], [3.0, 4.0]]])
        with pytest.raises(LinAlgError, match=r"^eig: matrices must be finite.*matrix=\(1,\)"):
            linalg.eig(x)
    with pytest.raises(LayoutError, match="eigvals: x must have square matrices"):
        linalg.eigvals(dml_vk.zeros((2, 3)))
    with pytest.raises(DTypeError, match="eigvals: out must have the dtype complex64"):
        linalg.eigvals(dml_vk.zeros((2, 2)), out=dml_vk.zeros(2))
    out = dml_vk.empty(2, dtype="complex64")
    assert linalg.eigvals(dml_vk.eye(2), out=out) is out
    assert out.tolist() == [1, 1]
