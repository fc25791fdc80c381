"""NumPy's arrays and lists beside tensors: uploaded, which the trace tells."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from tests.kernel.numpy_protocols.test_calls import NEW_NUMPY, TRUE, D, M, W


def test_arrays_beside_tensors_are_uploaded_and_the_trace_tells():
    x, sorted_row = dml_vk.asarray(M), dml_vk.asarray(np.sort(W))
    for call, expected in (
        (lambda: np.add(x, M), M + M),
        (lambda: M - x, M - M),
        (lambda: x * M[0], M * M[0]),
        (lambda: operator.add(x, [1, 2, 3]), M + np.float32([1, 2, 3])),
        (lambda: [1.0, 2, 3] - x, np.float32([1, 2, 3]) - M),
        (lambda: x > (0.5, 1, 2), M > np.float32([0.5, 1, 2])),
        (lambda: np.matmul(x, M.T), M @ M.T),
        (lambda: M.T @ x, M.T @ M),
        (lambda: np.concatenate([x, M]), np.concatenate([M, M])),
        (lambda: np.stack([M, x]), np.stack([M, M])),
        (lambda: np.vstack([x, W]), np.vstack([M, W])),
        (lambda: np.where(x > 0, M, 0.5), np.where(M > 0, M, np.float32(0.5))),
        (lambda: np.where(TRUE, x, M[0]), np.where(TRUE, M, M[0])),
        (lambda: np.clip(x, W - 2, None), np.clip(M, W - 2, None)),
        (lambda: np.dot(x, M.T), M @ M.T),
        (lambda: np.inner(x, M), M @ M.T),
        (lambda: np.tensordot(M, x, 2), np.tensordot(M, M, 2)),
        (lambda: np.vecdot(x, M) if NEW_NUMPY else (x * M).sum(1), (M * M).sum(1)),
        (lambda: np.kron(M, x), np.kron(M, M)),
        (lambda: np.append(x, M), np.append(M, M)),
        (lambda: np.einsum("ij,ij", x, M), np.sum(M * M)),
        (lambda: np.einsum("ij,ij", x, M, dtype="float64"), np.sum(D * D)),
        (lambda: np.isin(x, M[0]), np.isin(M, M[0])),
        (lambda: np.searchsorted(sorted_row, M), np.searchsorted(np.sort(W), M)),
        (lambda: np.select([TRUE], [x]), np.select([TRUE], [M])),
        (lambda: np.isclose(M, x), np.isclose(M, M)),
        (lambda: np.average(x, 1, W * W), np.average(M, 1, W * W)),
        (lambda: np.average(M, 1, x * x), np.average(M, 1, M * M)),
        (lambda: np.dot(M, x.T), np.dot(M, M.T)),
        (lambda: np.histogram(x[0], 3, weights=M[0])[0], np.histogram(M[0], 3, weights=M[0])[0]),
        (lambda: np.diff(x, prepend=M[:, :1]), np.diff(M, prepend=M[:, :1])),
        (lambda: np.cross(x, W), np.cross(M, W)),
        (lambda: np.meshgrid(x[0], W)[1], np.meshgrid(M[0], W)[1]),
        (lambda: np.broadcast_arrays(x, W)[1], np.broadcast_arrays(M, W)[1]),
    ):
        with dml_vk.trace() as log:
            found = call()
        assert "host" in [entry.reason for entry in log.entries]
        assert found.dtype.numpy_name == expected.dtype.name
        assert np.allclose(found.numpy(), expected, rtol=1e-6)
        match = r"implicit copy in a strict trace \(host\)"
        with pytest.raises(LayoutError, match=match), dml_vk.trace(strict=True):
            call()
    assert np.array_equal(M, x)
    y = x.clone()
    y += M
    y *= [1, 2, 3]
    assert np.array_equal(y, (M + M) * np.float32([1, 2, 3]))
    with pytest.raises(DTypeError, match="add: cannot cast the in-place result to float32"):
        y += D
    with pytest.raises(DTypeError, match="multiply: elements must be numbers"):
        x * ["a", "b", "c"]


def test_tolerances_of_comparisons_of_arrays_may_be_tensors():
    small = dml_vk.asarray(0.01)
    assert np.isclose(D, D + 0.001, 0, small).all()
    assert not np.isclose(D, D + 0.1, rtol=0, atol=small).any()
    assert np.allclose(np.asarray(2.0), 2.001, rtol=small, equal_nan=True) is True
    np.testing.assert_allclose(D, D + 0.001, atol=small, rtol=small)
    with pytest.raises(DTypeError, match="isclose: atol must be a real number"):
        np.isclose(D, D, atol=dml_vk.asarray([0.1, 0.2]))
