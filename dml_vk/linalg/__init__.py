"""Linear algebra, named as in the array API standard, and as in NumPy where that has no name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dml_vk.aliases import not_there
from dml_vk.array.products.matrix_products import matmul, matrix_transpose, tensordot, vecdot
from dml_vk.linalg.cholesky import cholesky
from dml_vk.linalg.eigen import eigh, eigvalsh
from dml_vk.linalg.general import eig, eigvals
from dml_vk.linalg.least_squares import lstsq, matrix_rank, pinv
from dml_vk.linalg.lu import det, inv, matrix_power, slogdet, solve
from dml_vk.linalg.norms import matrix_norm, norm, vector_norm
from dml_vk.linalg.qr import qr
from dml_vk.linalg.singular import svd, svdvals
from dml_vk.linalg.tensor_equations import tensorinv, tensorsolve
from dml_vk.linalg.vectors import cross, diagonal, outer, trace

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

if not TYPE_CHECKING:  # It would make type checkers accept all names.

    def __getattr__(name: str) -> Any:
        raise AttributeError(not_there("module 'dml_vk.linalg'", name))


def __dir__() -> list[str]:
    return __all__
