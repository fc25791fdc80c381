"""The singular value decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints, to_bool
from dml_vk.array.calls import whole
from dml_vk.array.creation.grids import triu
from dml_vk.array.math import elementwise
from dml_vk.linalg.batches import (
    allocate,
    batched,
    check_result,
    identities,
    real_dtype,
    result_dtype,
    to_matrices,
    unbatched,
    zeros,
)
from dml_vk.linalg.iterations import converge, scale_down, sort_with_vectors
from dml_vk.linalg.reductions import reduce_to
from dml_vk.linalg.reflections import product_rows, qr_in_place
from dml_vk.tensor.core import Tensor


class SVDResult(NamedTuple):
    """Left singular vectors as columns, singular values, descending, and right ones as rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the U, S and Vh for which U @ diag(S) @ Vh is x, with S descending.

    U and Vh are square, or without `full_matrices` have as many columns and rows as S has elements.
    S is real. The signs or phases of vectors are those which the reflections and rotations give:
    the same on every device. This waits for the iterations to converge.

    >>> import dml_vk
    >>> found = dml_vk.linalg.svd(dml_vk.asarray([[3.0, 0.0], [0.0, -4.0]]))
    >>> found.S.tolist()
    [4.0, 3.0]
    """
    what = "svd"
    full = to_bool(what, "full_matrices", full_matrices)
    to_matrices(what, x)
    return SVDResult(*whole(_vectors, (x,), None, full))


def _vectors(operands: Sequence[Tensor], out: None, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    what, (x,) = "svd", operands
    is_wide = x.shape[-2] < x.shape[-1]
    u, s, vh = _svd(what, x.mT if is_wide else x, full, x.shape)
    batch, dtype = x.shape[:-2], result_dtype(x)
    if is_wide:
        u, vh = vh.mT, u.mT
    u, vh = [unbatched(vectors.contiguous(), batch, dtype) for vectors in (u, vh)]
    return u, unbatched(s, batch, dtype.part), vh


def svdvals(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the singular values of matrices, descending: the same bits as those of `svd`.

    >>> import dml_vk
    >>> dml_vk.linalg.svdvals(dml_vk.asarray([[3.0, 0.0], [0.0, -4.0]])).tolist()
    [4.0, 3.0]
    """
    what = "svdvals"
    sizes = to_matrices(what, x).shape
    check_result(what, out, (*sizes[:-2], min(sizes[-2:])), real_dtype(x), x)
    return singular_values(what, x, out)


def singular_values(what: str, x: Tensor, out: Tensor | None = None) -> Tensor:
    """Do as `svdvals`, for an `x` and an `out` that have been checked."""
    values: Tensor = whole(_values, (x,), out, what)
    return values


def _values(operands: Sequence[Tensor], out: Tensor | None, what: str) -> Tensor:
    (x,) = operands
    tall = x.mT if x.shape[-2] < x.shape[-1] else x
    s = _svd(what, tall, None, x.shape)[1]
    return unbatched(s, x.shape[:-2], real_dtype(x), out)


def _svd(what: str, x: Tensor, full: bool | None, shape: Ints) -> tuple[Tensor, Tensor, Tensor]:
    """Decompose matrices with at least as many rows as columns; `full` None: without vectors."""
    work = batched(what, x)
    count, m, n = work.shape
    columns = m if full else n
    if not work.size:
        values = allocate(what, (count, n), work.dtype.part, work)
        u, vh = identities(what, count, m, columns, work), identities(what, count, n, n, work)
        return u, values, vh
    scale = scale_down(what, work)
    reflectors = qr_in_place(what, work) if m > n else []
    square = triu(work.narrow(1, 0, n)) if m > n else work
    numbers = reduce_to(what, "bidiagonal", square)
    vectors = []
    if full is not None:
        rows = square.mT.narrow(1, 1, n - 1).narrow(2, 0, n - 1)
        vectors = [
            product_rows(what, rows, numbers.select(1, 3), n),
            product_rows(what, square, numbers.select(1, 2), n),
        ]
    values = converge(what, "bidiagonal", numbers, vectors, shape)
    values, vectors = sort_with_vectors(what, values, vectors, is_svd=True)
    values = elementwise.multiply(values, scale)
    if not vectors:
        return values, values, values
    u = vectors[1].mT
    if columns > n or reflectors:
        u = zeros(what, (count, m, columns), work.dtype, work)
        u.narrow(1, 0, n).narrow(2, 0, n)[...] = vectors[1].mT
        u.narrow(1, n, m - n).narrow(2, n, columns - n).diagonal(0, 1, 2)[...] = 1
        for reflector in reversed(reflectors):
            reflector.apply(u.narrow(1, reflector.start, m - reflector.start))
    return u, values, elementwise.conj(vectors[0])
