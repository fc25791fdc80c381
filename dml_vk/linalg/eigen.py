"""Eigenvalues and eigenvectors of symmetric matrices, and of Hermitian ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from dml_vk.array.calls import whole
from dml_vk.array.creation.arrays import filled
from dml_vk.array.creation.grids import tril
from dml_vk.array.data_types import imag
from dml_vk.array.math import elementwise
from dml_vk.errors import RangeError
from dml_vk.linalg.batches import (
    adjoint,
    allocate,
    batched,
    check_result,
    real_dtype,
    result_dtype,
    to_square,
    unbatched,
)
from dml_vk.linalg.iterations import converge, scale_down, sort_with_vectors
from dml_vk.linalg.reductions import reduce_to
from dml_vk.linalg.reflections import product_rows
from dml_vk.tensor.core import Tensor


class EighResult(NamedTuple):
    """Eigenvalues in ascending order, and the eigenvectors, as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eigh(x: Tensor, /, UPLO: str = "L") -> EighResult:  # noqa: N803 - NumPy's name
    """Return the eigenvalues of symmetric matrices, ascending, and orthonormal eigenvectors.

    Complex matrices are Hermitian; their eigenvalues are real. Only the lower triangle is read, or
    with "U" the upper one, and the real part of its diagonal. The sign or phase of a vector is that
    which the reflections and rotations give: the same on every device. This waits for the
    iterations to converge.

    >>> import dml_vk
    >>> found = dml_vk.linalg.eigh(dml_vk.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> dml_vk.around(found.eigenvalues, 4).tolist()
    [1.0, 3.0]
    """
    what = "eigh"
    return EighResult(*whole(_eigh, (_lower(what, x, UPLO),), None, what, True))


def eigvalsh(
    x: Tensor,
    /,
    UPLO: str = "L",  # noqa: N803 - NumPy's name
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the eigenvalues of symmetric matrices, ascending: the same bits as those of `eigh`.

    Those of complex matrices, which are Hermitian, are real.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[2.0, 0.0], [0.0, 1.0]])
    >>> dml_vk.linalg.eigvalsh(x).tolist()
    [1.0, 2.0]
    """
    what = "eigvalsh"
    x = _lower(what, x, UPLO)
    check_result(what, out, x.shape[:-1], real_dtype(x), x)
    (values,) = whole(_eigh, (x,), out, what, False)
    return cast(Tensor, values)


def _lower(what: str, x: Tensor, triangle: str) -> Tensor:
    """Return matrices whose lower triangle is the one to read."""
    x = to_square(what, x)
    if not isinstance(triangle, str) or triangle.upper() not in ("L", "U"):
        raise RangeError(what, 'triangle must be "L" or "U"', UPLO=triangle)
    return x if triangle.upper() == "L" else adjoint(x)


def _eigh(
    operands: Sequence[Tensor], out: Tensor | None, what: str, with_vectors: bool
) -> tuple[Tensor, ...]:
    (x,) = operands
    lower = batched(what, x)
    n = lower.shape[1]
    batch, dtype = x.shape[:-2], result_dtype(x)
    if not lower.size:
        none = allocate(what, (*batch, n), dtype.part, lower)
        empty = [allocate(what, x.shape, dtype, lower)] if with_vectors else []
        return none if out is None else out, *empty
    work = allocate(what, lower.shape, lower.dtype, lower)
    elementwise.add(tril(lower), adjoint(tril(lower, k=-1)), out=work)
    if work.dtype.kind == "c":
        filled(imag(work.diagonal(0, 1, 2)), what, 0)
    scale = scale_down(what, work)
    numbers = reduce_to(what, "tridiagonal", work)
    vectors = []
    if with_vectors:
        columns = work.narrow(1, 1, n - 1).narrow(2, 0, n - 1)
        vectors = [product_rows(what, columns, numbers.select(1, 2), n)]
    values = converge(what, "tridiagonal", numbers, vectors, x.shape)
    values, vectors = sort_with_vectors(what, values, vectors)
    values = unbatched(elementwise.multiply(values, scale), batch, dtype.part, out)
    return values, *[unbatched(rows.mT.contiguous(), batch, dtype) for rows in vectors]
