"""NumPy's functions of matrices whose parameters differ from ours."""

from __future__ import annotations

from typing import Any

from dml_vk.errors import DTypeError
from dml_vk.numpy_protocols.calls import ours


def matrix_rank(a: Any, tol: Any = None, hermitian: bool = False, rtol: Any = None) -> Any:
    """NumPy has a threshold itself as the second parameter."""
    if tol is None:
        return ours.linalg.matrix_rank(a, rtol=rtol)
    if rtol is not None:
        raise DTypeError("matrix_rank", "tol and rtol exclude each other", tol=tol, rtol=rtol)
    return ours.count_nonzero(ours.greater(ours.linalg.svdvals(a), tol), axis=-1)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, rtol: Any = None) -> Any:
    """By the singular values, also of Hermitian matrices."""
    return ours.linalg.pinv(a, rtol=rtol if rcond is None else rcond)


def qr(a: Any, mode: str = "reduced") -> Any:
    return ours.linalg.qr(a, mode="reduced").R if mode == "r" else ours.linalg.qr(a, mode=mode)


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """By the same steps also for Hermitian matrices."""
    if not compute_uv:
        return ours.linalg.svdvals(a)
    return ours.linalg.svd(a, full_matrices=full_matrices)
