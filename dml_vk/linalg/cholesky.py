"""The Cholesky decomposition."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_bool
from dml_vk.array.calls import whole
from dml_vk.array.creation.grids import tril
from dml_vk.dtypes import uint32
from dml_vk.linalg.batches import (
    adjoint,
    batched,
    check_result,
    result_dtype,
    to_square,
    unbatched,
    zeros,
)
from dml_vk.linalg.failures import check_none
from dml_vk.linalg.triangles import blocks, subtract_product
from dml_vk.ops.linalg import cholesky_columns
from dml_vk.tensor.core import Tensor


def cholesky(x: Tensor, /, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """Return the lower triangular L for which L @ conj(L).mT is x, or the upper conj(L).mT.

    Only that triangle of x is read, and the real part of its diagonal. A matrix that is not
    positive definite raises an error, for which this waits.

    >>> import dml_vk
    >>> dml_vk.linalg.cholesky(dml_vk.asarray([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    what = "cholesky"
    upper = to_bool(what, "upper", upper)
    to_square(what, x)
    check_result(what, out, x.shape, result_dtype(x), x)
    factor: Tensor = whole(_cholesky, (x,), out, upper)
    return factor


def _cholesky(operands: Sequence[Tensor], out: Tensor | None, upper: bool) -> Tensor:
    what, (x,) = "cholesky", operands
    # The transpose of a Hermitian matrix is its conjugate, whose factors are the conjugates.
    work = batched(what, x.mT if upper else x)
    marks = zeros(what, work.shape[:1], uint32, work)
    n = work.shape[1]
    for start, end in blocks(n) if work.size else []:
        cholesky_columns(work, marks, start, end)
        below = work.narrow(1, end, n - end)
        left = below.narrow(2, start, end - start)
        subtract_product(below.narrow(2, end, n - end), left, adjoint(left))
    factor = tril(work)
    check_none(what, "matrices must be positive definite", marks, x.shape)
    return unbatched(factor.mT if upper else factor, x.shape[:-2], result_dtype(x), out)
