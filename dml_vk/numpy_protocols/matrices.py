"""NumPy's functions of matrices whose parameters differ from ours."""

from __future__ import annotations

from dml_vk.errors import DTypeError
from dml_vk.numpy_protocols.calls import ours
from dml_vk.tensor.core import Tensor


def matrix_rank(
    a: Tensor, tol: float | None = None, hermitian: bool = False, rtol: float | None = None
) -> Tensor:
    """NumPy's second parameter is an absolute threshold."""
    if tol is None:
        return ours.linalg.matrix_rank(a, rtol=rtol)
    if rtol is not None:
        raise DTypeError("matrix_rank", "tol and rtol exclude each other", tol=tol, rtol=rtol)
    return ours.count_nonzero(ours.greater(ours.linalg.svdvals(a), tol), axis=-1)


def pinv(
    a: Tensor, rcond: float | None = None, hermitian: bool = False, rtol: float | None = None
) -> Tensor:
    """Hermitian matrices are treated as general ones: by singular values."""
    return ours.linalg.pinv(a, rtol=rtol if rcond is None else rcond)


def qr(a: Tensor, mode: str = "reduced") -> object:
    return ours.linalg.qr(a, mode="reduced").R if mode == "r" else ours.linalg.qr(a, mode=mode)


def svd(
    a: Tensor, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> object:
    """Hermitian matrices are treated as general ones."""
    if not compute_uv:
        return ours.linalg.svdvals(a)
    return ours.linalg.svd(a, full_matrices=full_matrices)
