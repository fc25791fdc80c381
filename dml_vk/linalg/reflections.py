"""Block reflectors: products of reflections in the form I - V T V^H, applied by matrix products."""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.array.creation.arrays import filled
from dml_vk.array.creation.grids import tril, triu
from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import matmul
from dml_vk.linalg.batches import adjoint, allocate
from dml_vk.linalg.triangles import blocks
from dml_vk.ops.linalg_reflections import join_reflections, qr_columns
from dml_vk.tensor.core import Tensor


class BlockReflector(NamedTuple):
    """A product of reflections of the rows from `start` on."""

    start: int
    vectors: Tensor
    triangle: Tensor

    def apply(self, target: Tensor, *, is_adjoint: bool = False) -> None:
        """Multiply the target from the left, by the adjoint if `is_adjoint`."""
        if not target.size:
            return
        triangle = adjoint(self.triangle) if is_adjoint else self.triangle
        inner = matmul(triangle, matmul(adjoint(self.vectors), target))
        elementwise.subtract(target, matmul(self.vectors, inner), out=target)


def block_reflector(what: str, start: int, columns: Tensor, factors: Tensor) -> BlockReflector:
    """Combine reflections whose vectors are below the diagonal of these columns."""
    vectors = tril(columns, k=-1)
    filled(vectors.diagonal(0, 1, 2), what, 1)
    triangle = matmul(adjoint(vectors), vectors)
    join_reflections(triangle, factors)
    return BlockReflector(start, vectors, triu(triangle))


def block_reflectors(what: str, work: Tensor, factors: Tensor) -> list[BlockReflector]:
    """Combine the reflections of each block of columns."""
    _, m, n = work.shape
    reflectors = []
    for start, end in blocks(n, min(m, n)) if work.size else []:
        columns = work.narrow(1, start, m - start).narrow(2, start, end - start)
        reflectors.append(
            block_reflector(what, start, columns, factors.narrow(1, start, end - start))
        )
    return reflectors


def qr_in_place(what: str, work: Tensor) -> list[BlockReflector]:
    """Decompose packed matrices in place: R above, and the vectors of reflections below."""
    count, m, n = work.shape
    factors = allocate(what, (count, min(m, n)), work.dtype, work)
    reflectors = []
    for start, end in blocks(n, min(m, n)) if work.size else []:
        qr_columns(work, factors, start, end)
        below = work.narrow(1, start, m - start)
        columns = below.narrow(2, start, end - start)
        reflectors.append(
            block_reflector(what, start, columns, factors.narrow(1, start, end - start))
        )
        reflectors[-1].apply(below.narrow(2, end, n - end), is_adjoint=True)
    return reflectors


def apply_all(reflections: list[BlockReflector], target: Tensor, offset: int = 0) -> None:
    """Multiply by all of them from the left; the target is 0 left of its block diagonal."""
    for reflector in reversed(reflections):
        start = reflector.start + offset
        _, m, n = target.shape
        reflector.apply(target.narrow(1, start, m - start).narrow(2, start, n - start))
