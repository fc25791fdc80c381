"""Eigenvalues and eigenvectors of matrices that need not be symmetric.

They are computed in complex128 for all dtypes: reflections reduce a matrix to Hessenberg form, QR
iterations reduce that to a Schur form, and the eigenvectors of a triangle follow by back
substitution. All steps are the same on every device.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

from dml_vk.arguments import Ints
from dml_vk.array.calls import whole
from dml_vk.array.creation.arrays import filled
from dml_vk.array.creation.grids import arange, triu
from dml_vk.array.data_types import imag, real
from dml_vk.array.indexing.take import along_axis
from dml_vk.array.math import elementwise
from dml_vk.array.math.elementwise import (
    add,
    astype,
    conj,
    divide,
    equal,
    greater,
    isfinite,
    less,
    multiply,
    subtract,
    where,
)
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import DType, complex128, uint32
from dml_vk.kernels.plan.linalg import SCHUR_WORDS
from dml_vk.linalg.batches import (
    allocate,
    batched,
    check_result,
    identities,
    result_dtype,
    to_square,
    unbatched,
    zeros,
)
from dml_vk.linalg.failures import check_marks
from dml_vk.linalg.iterations import scale_down
from dml_vk.ops.linalg import schur, schur_rounds
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor

# Words of the state that do not start as 0, and modes, as in glsl/linalg_schur.comp.
_HIGH, _AT = 1, 3
_DONE, _FAILED = 2, 3
_ROUNDS = 4  # for each element of a matrix, after which most are done
_GROWTH = 8  # rows of an eigenvector between those at which it is scaled
_EPSILON = 2.0**-52


class EigResult(NamedTuple):
    """Eigenvalues, and the eigenvectors, as columns; both are complex."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eig(x: Tensor, /) -> EigResult:
    """Return the complex eigenvalues of square matrices, and eigenvectors of length 1 as columns.

    The largest element of a vector is real and positive. Eigenvalues are in the order in which the
    iterations leave them: the same on every device. Those of real matrices are real where they are
    that within rounding, and so are their vectors. This waits for the iterations to converge.

    >>> import dml_vk
    >>> found = dml_vk.linalg.eig(dml_vk.asarray([[2.0, 1.0], [0.0, 3.0]]))
    >>> sorted(found.eigenvalues.tolist(), key=abs)
    [(2+0j), (3+0j)]
    """
    return EigResult(*whole(_eig, (to_square("eig", x),), None, True))


def _eig(
    operands: Sequence[Tensor], out: Tensor | None, with_vectors: bool
) -> Tensor | tuple[Tensor, ...]:
    (matrices,) = operands
    return _both(matrices) if with_vectors else (_alone(matrices, out),)


def _both(matrices: Tensor) -> tuple[Tensor, Tensor]:
    what = "eig"
    batch, dtype = matrices.shape[:-2], _complex(what, matrices)
    if not matrices.size:
        none = allocate(what, matrices.shape[:-1], dtype, matrices)
        return none, allocate(what, matrices.shape, dtype, matrices)
    work = batched(what, matrices, complex128)
    count, n, _ = work.shape
    scale, basis = scale_down(what, work), identities(what, count, n, n, work)
    triangle = _triangle(what, work, basis, matrices.shape)
    values, is_real = _values(matrices, triangle)
    vectors = _normalized(matmul(basis, _triangle_vectors(what, triangle)))
    if is_real is not None:
        # The real part is an eigenvector too, and at least as long as its largest element.
        real_vectors = _normalized(astype(real(vectors), complex128))
        vectors = where(is_real[:, None, :], real_vectors, vectors)
    values = unbatched(multiply(values, scale), batch, dtype)
    return values, unbatched(vectors, batch, dtype)


def eigvals(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the complex eigenvalues of square matrices: the same bits as those of `eig`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[0.0, 1.0], [-1.0, 0.0]])
    >>> sorted(dml_vk.linalg.eigvals(x).tolist(), key=lambda z: z.imag)
    [-1j, 1j]
    """
    what = "eigvals"
    matrices = to_square(what, x)
    check_result(what, out, matrices.shape[:-1], _complex(what, matrices), matrices)
    (values,) = whole(_eig, (matrices,), out, False)
    return cast(Tensor, values)


def _alone(matrices: Tensor, out: Tensor | None) -> Tensor:
    what, dtype = "eigvals", _complex("eigvals", matrices)
    if not matrices.size:
        return allocate(what, matrices.shape[:-1], dtype, matrices) if out is None else out
    work = batched(what, matrices, complex128)
    scale = scale_down(what, work)
    values, _ = _values(matrices, _triangle(what, work, None, matrices.shape))
    return unbatched(multiply(values, scale), matrices.shape[:-2], dtype, out)


def _complex(what: str, x: Tensor) -> DType:
    """The dtype of results: complex128 for float64 and complex128, else complex64."""
    return common_dtype(what, [result_dtype(x)], [1j])


def _triangle(what: str, work: Tensor, basis: Tensor | None, shape: Ints) -> Tensor:
    """Return the Schur forms, and replace identities by the Schur vectors, if there is a basis.

    A matrix is basis @ triangle @ basis^H. `shape` is that of the whole batch, for errors.
    """
    count, n, _ = work.shape
    _to_hessenberg(work, basis)
    states = zeros(what, (count, SCHUR_WORDS), uint32, work)
    for word in (_HIGH, _AT):
        filled(states.narrow(1, word, 1), what, n - 1)
    whole = reductions.all(isfinite(work), axis=(1, 2))
    modes = states.select(1, 0)
    modes[...] = astype(where(whole, 0, _FAILED), uint32)
    most = schur_rounds(work)
    launches = 1 + _ROUNDS * n * n // most
    while True:
        for _ in range(launches):
            schur(work, basis, states, most)
        ended = modes.numpy()
        if (ended >= _DONE).all():
            break
        launches = 1 + n * n // most
    rule = "matrices must be finite, and their iterations converge"
    check_marks(what, rule, ended > _DONE, shape)
    return triu(work)


def _to_hessenberg(work: Tensor, basis: Tensor | None) -> None:
    """Reduce to Hessenberg form in place, by reflections of rows and columns."""
    n = work.shape[1]
    index = arange(n, device=work.device)
    for k in range(n - 2):
        column = where(greater(index, k), work.select(2, k), 0)
        head = column.narrow(1, k + 1, 1)
        length = elementwise.sqrt(_squares(column, 1))[:, None]
        size = elementwise.abs(head)
        phase = where(greater(size, 0), divide(head, where(greater(size, 0), size, 1)), 1)
        add(head, multiply(phase, length), out=head)
        square = _squares(column, 1)[:, None]
        factor = where(greater(square, 0), divide(2.0, where(greater(square, 0), square, 1)), 0)
        across, scaled = conj(column), multiply(column, astype(factor, complex128))
        rows = matmul(across[:, None, :], work)
        subtract(work, multiply(scaled[:, :, None], rows), out=work)
        scaled_adjoint = conj(scaled)[:, None, :]
        for matrix in (work,) if basis is None else (work, basis):
            subtract(
                matrix, multiply(matmul(matrix, column[:, :, None]), scaled_adjoint), out=matrix
            )


def _squares(x: Tensor, axis: int) -> Tensor:
    """Return the sums of squared magnitudes."""
    parts = add(elementwise.square(real(x)), elementwise.square(imag(x)))
    return reductions.sum(parts, axis=axis)


def _values(x: Tensor, triangle: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return the diagonals and, for real matrices, where values are real within rounding."""
    values = triangle.diagonal(0, 1, 2).clone()
    if x.dtype.kind == "c":
        return values, None
    n = x.shape[-1]
    # The scaled matrix has elements of 1 to 2.
    is_real = less(elementwise.abs(imag(values)), 4 * n * _EPSILON)
    return where(is_real, astype(real(values), complex128), values), is_real


def _triangle_vectors(what: str, triangle: Tensor) -> Tensor:
    """Return the eigenvectors of upper triangles as columns of upper triangles."""
    count, n, _ = triangle.shape
    vectors = identities(what, count, n, n, triangle)
    own = triangle.diagonal(0, 1, 2)
    index = arange(n, device=triangle.device)
    least = _EPSILON * math.sqrt(n)
    for j in reversed(range(n - 1)):
        rest = n - j - 1
        row = triangle.select(1, j).narrow(1, j + 1, rest)
        below = vectors.narrow(1, j + 1, rest)
        sums = matmul(row[:, None, :], below)[:, 0, :]
        apart = subtract(own, own.narrow(1, j, 1))
        is_close = less(elementwise.abs(apart), least)
        apart = where(is_close, least, apart)
        vectors.select(1, j)[...] = where(
            greater(index, j), divide(sums, apart), vectors.select(1, j)
        )
        if j % _GROWTH == 0 and j:
            vectors = _scaled(vectors)
    return vectors


def _scaled(vectors: Tensor) -> Tensor:
    """Return columns whose largest part of an element is 1."""
    parts = elementwise.maximum(elementwise.abs(real(vectors)), elementwise.abs(imag(vectors)))
    largest = reductions.max(parts, axis=1, keepdims=True)
    return multiply(vectors, astype(divide(1.0, largest), complex128))


def _normalized(vectors: Tensor) -> Tensor:
    """Return vectors of length 1, of which the largest element is real and positive."""
    vectors = _scaled(vectors)
    length = elementwise.sqrt(_squares(vectors, 1))[:, None, :]
    sizes = add(elementwise.square(real(vectors)), elementwise.square(imag(vectors)))
    position = reductions.argmax(sizes, axis=1, keepdims=True)
    head = along_axis(vectors, position, 1)
    phase = divide(conj(head), multiply(elementwise.abs(head), length))
    vectors = multiply(vectors, phase)
    index = arange(vectors.shape[1], device=vectors.device)[None, :, None]
    return where(equal(index, position), astype(real(vectors), complex128), vectors)
