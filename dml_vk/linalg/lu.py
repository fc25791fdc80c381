"""The LU decomposition with row exchanges, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from dml_vk.arguments import Ints, to_int
from dml_vk.array.calls import whole
from dml_vk.array.creation.arrays import filled
from dml_vk.array.data_types import real
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import DType, uint32
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout
from dml_vk.linalg.batches import (
    allocate,
    batched,
    check_result,
    identities,
    result_dtype,
    to_matrices,
    to_square,
    unbatched,
    work_dtype,
)
from dml_vk.linalg.failures import check_none
from dml_vk.linalg.triangles import blocks, solve_triangular, subtract_product
from dml_vk.ops.linalg import determinants, lu_columns, swap_rows
from dml_vk.ops.view import check_devices
from dml_vk.promotion import common_dtype
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its magnitude."""

    sign: Tensor
    logabsdet: Tensor


class _LU(NamedTuple):
    """Unit lower and upper triangles in one, and the row that was exchanged with each."""

    work: Tensor
    pivots: Tensor


def solve(x1: Tensor, x2: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the x for which x1 @ x is x2: matrices, or one vector if x2 is 1-D.

    A singular matrix raises an error, for which this waits.

    >>> import dml_vk
    >>> a, b = dml_vk.asarray([[2.0, 1.0], [1.0, 3.0]]), dml_vk.asarray([4.0, 7.0])
    >>> dml_vk.linalg.solve(a, b).tolist()
    [1.0, 2.0]
    """
    what = "solve"
    x1, x2 = upload_operands(what, x1, x2)
    to_square(what, x1, "x1")
    to_tensor(what, "x2", x2)
    check_devices(what, x1=x1, x2=x2)
    vector = x2.ndim == 1
    right = to_matrices(what, x2.unsqueeze(1) if vector else x2, "x2")
    if right.shape[-2] != x1.shape[-1]:
        rule = "x2 must have as many rows as x1"
        raise LayoutError(what, rule, x1=x1.shape, x2=x2.shape)
    batch = broadcast_sizes(what, (x1.shape[:-2], right.shape[:-2]))
    dtype = common_dtype(what, [result_dtype(x1), result_dtype(right)])
    rows = x1.shape[-1:] if vector else right.shape[-2:]
    check_result(what, out, (*batch, *rows), dtype, x1)
    solution: Tensor = whole(_solve, (x1, x2), out, batch, dtype)
    return solution


def _solve(operands: Sequence[Tensor], out: Tensor | None, batch: Ints, dtype: DType) -> Tensor:
    what, (x1, x2) = "solve", operands
    vector = x2.ndim == 1
    right = x2.unsqueeze(1) if vector else x2
    factors = _factors(batched(what, x1, work_dtype(dtype), batch), what)
    solution = batched(what, right, work_dtype(dtype), batch)
    _substitute(factors, solution)
    _check_regular(what, factors, batch)
    return unbatched(solution.squeeze(2) if vector else solution, batch, dtype, out)


def inv(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the inverses of matrices. A singular one raises an error, for which this waits.

    >>> import dml_vk
    >>> dml_vk.linalg.inv(dml_vk.asarray([[2.0, 1.0], [0.0, 4.0]])).tolist()
    [[0.5, -0.125], [0.0, 0.25]]
    """
    what = "inv"
    to_square(what, x)
    check_result(what, out, x.shape, result_dtype(x), x)
    inverse: Tensor = whole(_inverse, (x,), out)
    return inverse


def _inverse(operands: Sequence[Tensor], out: Tensor | None) -> Tensor:
    what, (x,) = "inv", operands
    factors = _factors(batched(what, x), what)
    count, n, _ = factors.work.shape
    inverse = identities(what, count, n, n, factors.work)
    _substitute(factors, inverse)
    _check_regular(what, factors, x.shape[:-2])
    return unbatched(inverse, x.shape[:-2], result_dtype(x), out)


def det(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the determinants of matrices; that of a singular one is 0.

    >>> import dml_vk
    >>> dml_vk.linalg.det(dml_vk.asarray([[2.0, 1.0], [1.0, 3.0]])).tolist()
    5.0
    """
    what = "det"
    to_square(what, x)
    check_result(what, out, x.shape[:-2], result_dtype(x), x)
    (result,) = whole(_determinants, (x,), out, what, (0,))
    return cast(Tensor, result)


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Return the signs of determinants, and the logarithms of their magnitudes.

    A complex sign is the determinant divided by its magnitude, whose logarithm is real. For a
    singular matrix they are 0 and -inf.

    >>> import dml_vk
    >>> found = dml_vk.linalg.slogdet(dml_vk.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> found.sign.tolist(), found.logabsdet.tolist()
    (-1.0, 0.0)
    """
    what = "slogdet"
    sign, size = whole(_determinants, (to_square(what, x),), None, what, (1, 2))
    return SlogdetResult(sign, real(size).contiguous())


def matrix_power(x: Tensor, n: int, /, *, out: Tensor | None = None) -> Tensor:
    """Return powers of matrices, by squaring. Negative ones are those of the inverse.

    >>> import dml_vk
    >>> dml_vk.linalg.matrix_power(dml_vk.asarray([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
    [[1.0, 5.0], [0.0, 1.0]]
    """
    what = "matrix_power"
    to_square(what, x)
    n = to_int(what, "n", n)
    dtype = result_dtype(x) if n < 0 else x.dtype
    check_result(what, out, x.shape, dtype, x)
    square = inv(x) if n < 0 else x
    n, power = abs(n), None
    while n:
        if n % 2:
            power = square if power is None else matmul(power, square)
        n //= 2
        square = matmul(square, square) if n else square
    if power is None:
        ones = identities(what, 1, x.shape[-1], x.shape[-1], x)
        power = ones.over(ones.layout.squeeze(0).expand(x.shape))
    return elementwise.astype(power, dtype, out=out)


def _factors(work: Tensor, what: str) -> _LU:
    """Decompose packed matrices in place."""
    count, m, n = work.shape
    most = min(m, n)
    pivots = allocate(what, (count, most), uint32, work)
    for start, end in blocks(n, most) if work.size else []:
        lu_columns(work, pivots, start, end)
        swap_rows(work, pivots, start, end, 0, start)
        swap_rows(work, pivots, start, end, end, n)
        size, rest = end - start, n - end
        right = work.narrow(2, end, rest)
        own, panel = right.narrow(1, start, size), work.narrow(2, start, size)
        solve_triangular(panel.narrow(1, start, size), own, lower=True, unit=True)
        subtract_product(right.narrow(1, end, m - end), panel.narrow(1, end, m - end), own)
    return _LU(work, pivots)


def _substitute(factors: _LU, solution: Tensor) -> None:
    """Replace right sides by solutions."""
    if solution.size:
        _, n, columns = solution.shape
        swap_rows(solution, factors.pivots, 0, n, 0, columns)
        solve_triangular(factors.work, solution, lower=True, unit=True)
        solve_triangular(factors.work, solution, lower=False)


def _check_regular(what: str, factors: _LU, batch: Ints) -> None:
    zeros = elementwise.equal(factors.work.diagonal(0, 1, 2), 0)
    marks = reductions.any(zeros, axis=1)
    shape = (*batch, *factors.work.shape[1:])
    check_none(what, "matrices must not be singular", marks, shape)


def _determinants(
    operands: Sequence[Tensor], out: Tensor | None, what: str, which: Sequence[int]
) -> tuple[Tensor, ...]:
    (x,) = operands
    factors = _factors(batched(what, x), what)
    count, batch, dtype = factors.work.shape[0], x.shape[:-2], result_dtype(x)
    results = filled(allocate(what, (count, 3), factors.work.dtype, x), what, 1)
    filled(results.narrow(1, 2, 1), what, 0)
    if factors.work.size:
        determinants(factors.work, factors.pivots, results)
    columns = [results.over(Layout((count,), (3,), k)) for k in which]
    return tuple([unbatched(column.clone(), batch, dtype, out) for column in columns])
