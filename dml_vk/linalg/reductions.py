"""The reduction of square matrices to tridiagonal and bidiagonal ones, by reflections.

Small ones are reduced by one launch. Large ones are reduced by panels of columns: the rest of the
matrix is only read while a panel is reduced, and updated by matrix products afterwards.
"""

from __future__ import annotations

from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import matmul
from dml_vk.linalg.batches import adjoint, allocate, zeros
from dml_vk.linalg.triangles import subtract_product
from dml_vk.ops.linalg_panels import BLOCK, SETS, WHOLE, panel_lines, reduce_panel
from dml_vk.ops.linalg_reflections import reduce_matrices
from dml_vk.tensor.core import Tensor

BY_ONE_TEAM = 128  # rows of the largest matrix that one team reduces alone
_ROWS = {"tridiagonal": 3, "bidiagonal": 4}  # of the numbers of a matrix


def reduce_to(what: str, kind: str, work: Tensor) -> Tensor:
    """Make packed square matrices tridiagonal or bidiagonal in place, and return the numbers.

    These are rows: the diagonal, the off-diagonal, and the factors of the reflections.
    """
    count, n, _ = work.shape
    numbers = allocate(what, (count, _ROWS[kind], n), work.dtype, work)
    if n <= BY_ONE_TEAM:
        scratch = allocate(what, (count, 2, n), work.dtype, work)
        reduce_matrices(kind, work, scratch, numbers)
        return numbers
    pitch = -(-n // WHOLE) * WHOLE
    wide = work
    if pitch > n:
        wide = zeros(what, (count, n, pitch), work.dtype, work)
        wide.narrow(2, 0, n)[...] = work
    scratch = zeros(what, (count, panel_lines(kind, n), pitch), work.dtype, work)
    for start in range(0, n, BLOCK):
        end = min(n, start + BLOCK)
        reduce_panel(kind, wide, scratch, numbers, start, end)
        _update(kind, wide.narrow(2, 0, n), scratch.narrow(2, 0, n), end)
    if wide is not work:
        work[...] = wide.narrow(2, 0, n)
    return numbers


def _update(kind: str, work: Tensor, scratch: Tensor, end: int) -> None:
    """Update the trailing matrix with the vectors of a panel."""
    rest = work.shape[1] - end
    if not rest:
        return
    target = work.narrow(1, end, rest).narrow(2, end, rest)
    size = SETS[kind] * BLOCK // 2
    lines = scratch.narrow(2, end, rest)
    columns, rows = lines.narrow(1, 0, size).mT, elementwise.conj(lines.narrow(1, size, size))
    if kind == "bidiagonal":
        subtract_product(target, columns, rows)
        return
    # Adding the adjoint keeps the matrix Hermitian, to the last bit.
    product = matmul(columns, rows)
    elementwise.subtract(target, elementwise.add(product, adjoint(product)), out=target)
