"""Gradients of decompositions, by PyTorch's conventions.

That of a symmetric matrix is symmetric for `cholesky`. Vectors of equal eigenvalues or singular
values are not unique, and have no finite gradient. The signs or phases of vectors are not part of
what is differentiated: a loss should not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.array.creation.grids import arange, tril, triu
from dml_vk.array.data_types import imag, real
from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    conj,
    divide,
    equal,
    multiply,
    square,
    subtract,
    where,
)
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics.reductions import argmax, sum
from dml_vk.errors import GradientError
from dml_vk.gradients.rules.fitting import like, wide
from dml_vk.gradients.rules.matrices import adjoint, identity_like
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.linalg.cholesky import _cholesky
from dml_vk.linalg.eigen import _eigh, eigh
from dml_vk.linalg.general import _eig, eig
from dml_vk.linalg.lu import solve
from dml_vk.linalg.qr import _qr
from dml_vk.linalg.singular import _values, _vectors, svd
from dml_vk.tensor.core import Tensor


@rule(_cholesky)
def of_cholesky(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (upper,), (x,) = noted.params, noted.operands
    factor, g = wide(noted.result), wide(cotangent)
    if upper:
        factor, g = adjoint(factor), adjoint(g)
    inner = tril(matmul(adjoint(factor), g))
    symmetric = multiply(add(inner, adjoint(tril(inner, k=-1))), 0.5)
    half = solve(adjoint(factor), symmetric)
    return [like(adjoint(solve(adjoint(factor), adjoint(half))), x)]


@rule(_qr)
def of_qr(noted: Any, cotangents: Any) -> Sequence[Tensor | None]:
    (mode,), (x,) = noted.params, noted.operands
    q, r = map(wide, noted.result)
    of_q, of_r = [None if g is None else wide(g) for g in cotangents]
    rows, columns = x.shape[-2:]
    if mode == "complete" and rows > columns:
        rule = "the complete decomposition of a tall matrix has no gradient: use mode='reduced'"
        raise GradientError("qr", rule, shape=x.shape)
    if rows < columns:
        # The other columns are q @ r too: their share in q is that of r times them.
        own, others = r[..., :rows], wide(x)[..., rows:]
        last = None
        if of_r is not None:
            last, of_r = of_r[..., rows:], of_r[..., :rows]
            more = matmul(others, adjoint(last))
            of_q = more if of_q is None else add(of_q, more)
        square_part = _of_tall(q, own, of_q, of_r)
        from dml_vk.array.creation.arrays import zeros_like
        from dml_vk.array.manipulation.shapes import concat

        rest = zeros_like(others) if last is None else matmul(q, last)
        return [like(concat([square_part, rest], axis=-1), x)]
    return [like(_of_tall(q, r, of_q, of_r), x)]


def _of_tall(q: Tensor, r: Tensor, of_q: Tensor | None, of_r: Tensor | None) -> Tensor:
    parts = []
    if of_r is not None:
        parts.append(matmul(of_r, adjoint(r)))
    if of_q is not None:
        parts.append(multiply(matmul(adjoint(q), of_q), -1.0))
    inner = triu(parts[0] if len(parts) == 1 else add(*parts))
    # Symmetric, with the upper triangle of `inner`, whose diagonal is real.
    above = triu(inner, k=1)
    diagonal = where(identity_like(inner), inner, 0.0)
    if inner.dtype.kind == "c":
        diagonal = astype(real(diagonal), inner.dtype)
    whole = matmul(q, add(add(above, adjoint(above)), diagonal))
    if of_q is not None:
        whole = add(whole, of_q)
    return adjoint(solve(r, adjoint(whole)))


@rule(_eigh)
def of_eigh(noted: Any, cotangents: Any) -> Sequence[Tensor | None]:
    (_, has_vectors), (x,) = noted.params, noted.operands
    of_values, of_vectors = (*cotangents, None)[:2]
    values, vectors = map(wide, noted.result if has_vectors else eigh(x))
    return [like(_of_eigh(values, vectors, of_values, of_vectors), x)]


def _of_eigh(
    values: Tensor, vectors: Tensor, of_values: Tensor | None, of_vectors: Tensor | None
) -> Tensor:
    inner = None
    if of_vectors is not None:
        share = matmul(adjoint(vectors), wide(of_vectors))
        skew = multiply(subtract(share, adjoint(share)), 0.5)
        inner = _divided(skew, values)
    if of_values is not None:
        own = astype(wide(of_values), vectors.dtype, copy=False)[..., None, :]
        if inner is None:
            return matmul(multiply(vectors, own), adjoint(vectors))
        inner = where(identity_like(inner), own, inner)
    assert inner is not None
    return matmul(matmul(vectors, inner), adjoint(vectors))


def _divided(x: Tensor, values: Tensor) -> Tensor:
    """Divide by the differences of values, those of columns less those of rows; 0 on diagonals."""
    apart = subtract(values[..., None, :], values[..., :, None])
    is_own = identity_like(x)
    apart = where(is_own, 1.0, apart)
    return where(is_own, 0.0, divide(x, astype(apart, x.dtype, copy=False)))


@rule(_vectors)
def of_svd(noted: Any, cotangents: Any) -> Sequence[Tensor | None]:
    (x,) = noted.operands
    return [like(_of_svd(x, list(map(wide, noted.result)), list(cotangents)), x)]


@rule(_values)
def of_singular_values(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,) = noted.operands
    u, _, vh = map(wide, svd(x, full_matrices=False))
    scaled = multiply(u, astype(wide(cotangent), u.dtype, copy=False)[..., None, :])
    return [like(matmul(scaled, vh), x)]


def _of_svd(x: Tensor, parts: list[Tensor], cotangents: list[Tensor | None]) -> Tensor:
    u, s, vh = parts
    rows, columns = x.shape[-2:]
    count = min(rows, columns)
    # Of further vectors, which are not unique, nothing flows.
    u, vh = u[..., :count], vh[..., :count, :]
    of_u, of_s, of_vh = [None if g is None else wide(g) for g in cotangents]
    inverse = astype(divide(1.0, s), x.dtype if x.dtype.kind == "c" else s.dtype, copy=False)
    own = astype(s, inverse.dtype, copy=False)
    squares, inner = square(s), None
    if of_u is not None:
        of_u = of_u[..., :count]
        share = matmul(adjoint(u), of_u)
        skew = subtract(share, adjoint(share))
        inner = multiply(_divided(skew, squares), own[..., None, :])
        if skew.dtype.kind == "c":
            half = multiply(skew, multiply(inverse, 0.5)[..., None, :])
            inner = where(identity_like(skew), half, inner)
    if of_vh is not None:
        of_vh = of_vh[..., :count, :]
        share = matmul(vh, adjoint(of_vh))
        term = multiply(own[..., :, None], _divided(subtract(share, adjoint(share)), squares))
        inner = term if inner is None else add(inner, term)
    if of_s is not None:
        along = astype(of_s, own.dtype, copy=False)[..., None, :]
        if inner is None:
            return matmul(multiply(u, along), vh)
        inner = add(inner, where(identity_like(inner), along, 0.0))
    assert inner is not None
    left = matmul(u, inner)
    if rows > count and of_u is not None:
        scaled = multiply(of_u, inverse[..., None, :])
        left = add(left, subtract(scaled, matmul(u, matmul(adjoint(u), scaled))))
    whole = matmul(left, vh)
    if columns > count and of_vh is not None:
        scaled = multiply(inverse[..., :, None], of_vh)
        rest = subtract(scaled, matmul(matmul(scaled, adjoint(vh)), vh))
        whole = add(whole, matmul(u, rest))
    return whole


@rule(_eig)
def of_eig(noted: Any, cotangents: Any) -> Sequence[Tensor | None]:
    """Of eigenvectors of length 1 whose largest element is real."""
    (has_vectors,), (x,) = noted.params, noted.operands
    of_values, of_vectors = (*cotangents, None)[:2]
    values, vectors = noted.result if has_vectors else eig(x)
    turned = adjoint(vectors)
    inner = None
    if of_vectors is not None:
        of_vectors = _without_phase(vectors, of_vectors)
        share = matmul(turned, of_vectors)
        lengths = where(identity_like(share), astype(real(share), share.dtype), 0.0)
        inner = subtract(share, matmul(matmul(turned, vectors), lengths))
        inner = _divided(inner, conj(values))
    if of_values is not None:
        own = of_values[..., None, :]
        zeros = multiply(turned, 0.0) if inner is None else inner
        inner = where(identity_like(turned), own, zeros)
    assert inner is not None
    return [like(solve(turned, matmul(inner, turned)), x)]


def _without_phase(vectors: Tensor, g: Tensor) -> Tensor:
    """Return the gradient of vectors of any phase, from that of those whose largest is real."""
    sizes = add(square(real(vectors)), square(imag(vectors)))
    largest = argmax(sizes, axis=-2, keepdims=True)
    index = arange(vectors.shape[-2], device=vectors.device)[:, None]
    is_largest = equal(index, largest)
    turn = imag(sum(multiply(conj(g), vectors), axis=-2, keepdims=True))
    length = sum(where(is_largest, abs(vectors), 0.0), axis=-2, keepdims=True)
    share = multiply(astype(divide(turn, length), vectors.dtype), 1j)
    return add(g, where(is_largest, share, 0.0))
