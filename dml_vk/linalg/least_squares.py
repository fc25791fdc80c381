"""What follows from the singular value decomposition: ranks, pseudo-inverses and least squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.array.calls import whole
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import DType, int64
from dml_vk.errors import LayoutError
from dml_vk.linalg.batches import (
    adjoint,
    allocate,
    check_result,
    result_dtype,
    to_matrices,
    work_dtype,
)
from dml_vk.linalg.singular import singular_values, svd
from dml_vk.ops.view import check_devices
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, of_kinds, to_number, to_tensor


class LstsqResult(NamedTuple):
    """As NumPy's: the solution, sums of squared residuals, the rank, and the singular values."""

    x: Tensor
    residuals: Tensor
    rank: int
    s: Tensor


def matrix_rank(
    x: Tensor, /, *, rtol: float | Tensor | None = None, out: Tensor | None = None
) -> Tensor:
    """Return how many singular values of each matrix exceed the largest one times `rtol`.

    `rtol` is a number, or one for each matrix, and by default the larger size of a matrix times the
    distance from 1 to the next number.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 2.0], [2.0, 4.0]])
    >>> dml_vk.linalg.matrix_rank(x).tolist()
    1
    """
    what = "matrix_rank"
    to_matrices(what, x)
    check_result(what, out, x.shape[:-2], int64, x)
    s = singular_values(what, x)
    return reductions.count_nonzero(_significant(what, s, x, rtol, "rtol"), axis=-1, out=out)


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Return the pseudo-inverses of matrices, in which small singular values count as 0.

    Small ones are at most the largest one times `rtol`, as in `matrix_rank`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[2.0, 0.0], [0.0, 0.0]])
    >>> dml_vk.linalg.pinv(x).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    what = "pinv"
    to_matrices(what, x)
    check_result(what, out, x.mT.shape, result_dtype(x), x)
    inverse: Tensor = whole(_pseudo_inverse, (x,), out, rtol)
    return inverse


def _pseudo_inverse(
    operands: Sequence[Tensor], out: Tensor | None, rtol: float | Tensor | None
) -> Tensor:
    what, (x,) = "pinv", operands
    matrices = _converted(x, work_dtype(x.dtype))
    u, s, vh = svd(matrices, full_matrices=False)
    scaled = elementwise.multiply(_reciprocals(what, s, matrices, rtol, "rtol"), vh)
    return elementwise.astype(
        matmul(adjoint(scaled), adjoint(u)), result_dtype(x), copy=False, out=out
    )


def lstsq(a: Tensor, b: Tensor, rcond: float | None = None) -> LstsqResult:
    """Return the x of least norm for which a @ x is closest to b: one vector, or columns.

    Singular values count that exceed the largest one times `rcond`, by default the larger size of
    a times the distance from 1 to the next number. Residuals are empty unless the rank is the
    number of columns, and less than that of rows. This waits for the rank.

    >>> import dml_vk
    >>> a = dml_vk.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> found = dml_vk.linalg.lstsq(a, dml_vk.asarray([1.0, 3.0, 5.0]))
    >>> dml_vk.around(found.x, 4).tolist(), found.rank
    ([1.0, 2.0], 2)
    """
    what = "lstsq"
    a, b = upload_operands(what, a, b)
    to_matrices(what, a, "a")
    to_tensor(what, "b", b)
    check_devices(what, a=a, b=b)
    if a.ndim != 2 or b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
        rule = "a must be a matrix, and b a vector or a matrix with as many rows"
        raise LayoutError(what, rule, a=a.shape, b=b.shape)
    if rcond is not None:
        rcond = to_number(what, "rcond", rcond)
    check_dtype(what, b.dtype, of_kinds("biufc"))
    dtype = common_dtype(what, [result_dtype(a), result_dtype(b)])
    matrix, right = _converted(a, work_dtype(dtype)), _converted(b, work_dtype(dtype))
    columns = right if b.ndim == 2 else right.unsqueeze(1)
    x, s = whole(_solution, (matrix, columns), None, rcond)
    significant = _significant(what, s, matrix, rcond, "rcond")
    rank = int(reductions.count_nonzero(significant).item())
    residuals = allocate(what, (0,), s.dtype, matrix)
    m, n = a.shape
    if rank == n < m:
        rest = elementwise.subtract(columns, matmul(matrix, x))
        residuals = reductions.sum(elementwise.square(elementwise.abs(rest)), axis=0)
    x = x if b.ndim == 2 else x.squeeze(1)
    residuals, s = [elementwise.astype(result, dtype.part, copy=False) for result in (residuals, s)]
    return LstsqResult(elementwise.astype(x, dtype, copy=False), residuals, rank, s)


def _solution(operands: Sequence[Tensor], out: None, rcond: float | None) -> tuple[Tensor, Tensor]:
    what, (matrix, columns) = "lstsq", operands
    u, s, vh = svd(matrix, full_matrices=False)
    scaled = elementwise.multiply(_reciprocals(what, s, matrix, rcond, "rcond"), vh)
    return matmul(adjoint(scaled), matmul(adjoint(u), columns)), s


def _converted(x: Tensor, dtype: DType) -> Tensor:
    return elementwise.astype(x, dtype, copy=False)


def _significant(what: str, s: Tensor, x: Tensor, rtol: float | Tensor | None, name: str) -> Tensor:
    """Return which singular values are above the threshold."""
    if not s.shape[-1]:
        return elementwise.greater(s, 0)
    if rtol is None:
        epsilon = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52}[s.dtype.itemsize]
        rtol = max(x.shape[-2:]) * epsilon
    elif isinstance(rtol, Tensor):
        rtol = rtol.unsqueeze(-1)
    else:
        rtol = to_number(what, name, rtol)
    largest = reductions.max(s, axis=-1, keepdims=True)
    return elementwise.greater(s, elementwise.multiply(largest, rtol))


def _reciprocals(what: str, s: Tensor, x: Tensor, rtol: float | Tensor | None, name: str) -> Tensor:
    """Return reciprocals of singular values, 0 for those below the threshold, as a column."""
    significant = _significant(what, s, x, rtol, name)
    safe = elementwise.where(significant, s, 1.0)
    return elementwise.where(significant, elementwise.divide(1.0, safe), 0.0).unsqueeze(-1)
