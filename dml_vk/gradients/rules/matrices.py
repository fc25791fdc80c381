"""Gradients of inverses, determinants, solutions of equations, and norms.

Conventions are PyTorch's. A rule that needs the inverse of a singular matrix raises the error of
`inv`: so the determinant of one has no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from dml_vk.array.creation.arrays import zeros_like
from dml_vk.array.creation.grids import eye
from dml_vk.array.data_types import imag, real
from dml_vk.array.manipulation.shapes import expand_dims, reshape
from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    conj,
    divide,
    equal,
    logical_or,
    multiply,
    negative,
    pow,
    sign,
    subtract,
    where,
)
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics.reductions import sum
from dml_vk.gradients.rules.fitting import like, wide
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import summed_to
from dml_vk.linalg.least_squares import _pseudo_inverse, _solution, pinv
from dml_vk.linalg.lu import _determinants, _inverse, _solve, inv, solve
from dml_vk.linalg.norms import _norm, _root
from dml_vk.linalg.vectors import _cross, cross
from dml_vk.tensor.core import Tensor


def adjoint(x: Tensor) -> Tensor:
    return conj(x).mT


@rule(_solve)
def solved(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    a, b = noted.operands
    g, x = wide(cotangent), wide(noted.result)
    if b.ndim == 1:
        g, x = expand_dims(g, axis=-1), expand_dims(x, axis=-1)
    right = solve(adjoint(wide(a)), g)
    matrix = negative(matmul(right, adjoint(x)))
    right = right[..., 0] if b.ndim == 1 else right
    gradients = (summed_to(matrix, a.shape), a), (summed_to(right, b.shape), b)
    return [like(gradient, operand) for gradient, operand in gradients]


@rule(_inverse)
def inverted(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,) = noted.operands
    y = adjoint(wide(noted.result))
    return [like(negative(matmul(matmul(y, wide(cotangent)), y)), x)]


@rule(_determinants)
def determinants(noted: Any, cotangents: Any) -> Sequence[Tensor | None]:
    (x,) = noted.operands
    _, which = noted.params
    inverse = adjoint(inv(wide(x)))
    total = None
    for number, result, g in zip(which, noted.result, cotangents):
        if g is None or (number == 1 and x.dtype.kind != "c"):
            continue  # The sign of a real determinant does not vary.
        result, g = wide(result), wide(g)
        if number == 0:
            factor = multiply(g, conj(result))
        elif number == 1:
            turned = astype(imag(multiply(conj(g), result)), x.dtype)
            factor = multiply(turned, -1j)
        else:
            factor = astype(real(g), x.dtype) if x.dtype.kind == "c" else g
        total = factor if total is None else add(total, factor)
    if total is None:
        return [zeros_like(x)]
    return [like(multiply(total[..., None, None], inverse), x)]


@rule(_pseudo_inverse)
def pseudo_inverted(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x,) = noted.operands
    gradient = _of_pseudo_inverse(wide(x), wide(noted.result), wide(cotangent))
    return [like(gradient, x)]


@rule(_solution)
def least_squares(noted: Any, cotangents: Any) -> Sequence[Tensor | None]:
    """Of pinv(a) @ b. The singular values are for information: a gradient does not flow there."""
    (rcond,), (a, b) = noted.params, noted.operands
    g, of_values = cotangents
    if of_values is not None:
        from dml_vk.linalg.singular import svd

        u, _, vh = svd(a, full_matrices=False)
        spectral = matmul(multiply(u, of_values[..., None, :]), vh)
    if g is None:
        return [like(spectral, a), None]
    inverse = pinv(a, rtol=rcond)
    of_inverse = matmul(g, adjoint(b))
    of_a = _of_pseudo_inverse(a, inverse, of_inverse)
    if of_values is not None:
        of_a = add(of_a, spectral)
    return [like(of_a, a), like(matmul(adjoint(inverse), g), b)]


def _of_pseudo_inverse(x: Tensor, inverse: Tensor, g: Tensor) -> Tensor:
    """By Golub and Pereyra: of matrices of constant rank."""
    turned, own = adjoint(g), adjoint(inverse)
    rows, columns = x.shape[-2:]
    if rows <= columns:
        k = matmul(turned, inverse)
        near = matmul(k, own)
        first = subtract(near, adjoint(matmul(inverse, k)))
        second = matmul(matmul(own, inverse), subtract(turned, matmul(k, x)))
        return add(subtract(first, matmul(matmul(x, inverse), near)), second)
    k = matmul(inverse, turned)
    near = matmul(own, k)
    first = subtract(near, adjoint(matmul(k, inverse)))
    second = matmul(matmul(subtract(turned, matmul(x, k)), inverse), own)
    return add(subtract(first, matmul(matmul(near, inverse), x)), second)


@rule(_cross)
def crossed(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    axis, _, _ = noted.params
    a, b = noted.operands
    pair = (conj(b), cotangent, a), (cotangent, conj(a), b)
    return [like(summed_to(cross(left, right, axis=axis), x.shape), x) for left, right, x in pair]


@rule(_norm)
def normed(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Where a norm has no slope, that is 0; the largest elements share it evenly."""
    _, dims, _, order, _ = noted.params
    (x,) = noted.operands
    shape = [1 if dim in dims else size for dim, size in enumerate(x.shape)]
    g, y = reshape(wide(cotangent), shape), reshape(wide(noted.result), shape)
    near = wide(x)
    if order == 0:
        return [zeros_like(x)]
    if order == 2:
        # Of real numbers, x / norm; of complex ones too.
        is_none = equal(y, 0.0)
        slope = where(is_none, 0.0, divide(g, where(is_none, 1.0, y)))
        return [like(_scaled(near, slope), x)]
    size = abs(near)
    is_none = equal(size, 0.0)
    if order == 1:
        factor = where(is_none, 0.0, g)
    elif order in (inf, -inf):
        is_most = astype(equal(size, y), y.dtype)
        factor = multiply(is_most, divide(g, sum(is_most, axis=dims, keepdims=True)))
    else:
        ratio = divide(where(is_none, 1.0, size), where(equal(y, 0.0), 1.0, y))
        # A negative power of 0 is infinite, and the norm 0, whatever the other elements are.
        is_flat = logical_or(is_none, equal(y, 0.0))
        factor = where(is_flat, 0.0, multiply(pow(ratio, order - 1), g))
    if x.dtype.kind != "c":
        return [like(multiply(sign(near), factor), x)]
    return [like(_scaled(near, divide(factor, where(is_none, 1.0, size))), x)]


@rule(_root)
def root_of_squares(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    is_none = equal(noted.result, 0.0)
    return [
        where(is_none, 0.0, divide(multiply(cotangent, 0.5), where(is_none, 1.0, noted.result)))
    ]


def _scaled(x: Tensor, factor: Tensor) -> Tensor:
    """Multiply by real numbers."""
    return multiply(x, astype(factor, x.dtype, copy=False))


def identity_like(x: Tensor) -> Tensor:
    """Return where the diagonals of matrices are, as bools."""
    return equal(eye(x.shape[-2], x.shape[-1], device=x.device), 1.0)
