"""Block reflectors: products of reflections in the form I - V T V^H, applied by matrix products."""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.array.creation.arrays import filled
from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import matmul
from dml_vk.linalg.batches import adjoint, allocate, identities, zeros
from dml_vk.linalg.triangles import blocks
from dml_vk.ops.linalg_reflections import copy_vectors, join_reflections, qr_columns
from dml_vk.ops.linalg_rotations import WHOLE
from dml_vk.tensor.core import Tensor


class BlockReflector(NamedTuple):
    """A product of reflections of the rows from `start` on.

    The vectors are there by rows and by columns: so each factor of a product that is an adjoint, or
    is none, is read along its columns, and all products have one kernel.
    """

    start: int
    by_rows: Tensor
    by_columns: Tensor
    triangle: Tensor

    def apply(self, target: Tensor, *, is_adjoint: bool = False) -> None:
        """Multiply the target from the left, by the adjoint if `is_adjoint`."""
        if not target.size:
            return
        triangle = adjoint(self.triangle) if is_adjoint else self.triangle
        inner = matmul(triangle, matmul(adjoint(self.by_rows), target))
        elementwise.subtract(target, matmul(self.by_columns, inner), out=target)


def block_reflector(
    what: str, start: int, columns: Tensor, factors: Tensor, height: int, width: int
) -> BlockReflector:
    """Combine reflections whose vectors are below the diagonal of these columns.

    They may be padded with zeros to more rows and more columns.
    """
    count = columns.shape[0]
    both = allocate(what, (count, 2, height * width), columns.dtype, columns)
    copy_vectors(columns, both, height, width)
    by_rows = both.select(1, 0).view(count, height, width)
    by_columns = both.select(1, 1).view(count, width, height).mT
    triangle = allocate(what, (count, width, width), columns.dtype, columns)
    join_reflections(matmul(adjoint(by_rows), by_rows), factors, triangle)
    return BlockReflector(start, by_rows, by_columns, triangle.mT)


def block_reflectors(what: str, work: Tensor, factors: Tensor, height: int) -> list[BlockReflector]:
    """Combine the reflections of each block of columns, padded with zeros to `height` rows."""
    _, m, n = work.shape
    reflectors = []
    for start, end in blocks(n, min(m, n)) if work.size else []:
        columns = work.narrow(1, start, m - start).narrow(2, start, end - start)
        width = min(_whole(end - start), height - start)
        own = factors.narrow(1, start, end - start)
        reflectors.append(block_reflector(what, start, columns, own, height - start, width))
    return reflectors


def product_rows(what: str, work: Tensor, factors: Tensor, n: int) -> Tensor:
    """The transpose of a product of reflections of the last of n rows, padded for rotations.

    Padding with zeros does not change a sum, and its kernels are those of any other size.
    """
    count, m, _ = work.shape
    side, first = _whole(m), n - m
    product = identities(what, count, side, side, work)
    apply_all(block_reflectors(what, work, factors, side), product)
    rows = zeros(what, (count, n, _whole(n)), work.dtype, work)
    filled(rows.narrow(1, 0, first).narrow(2, 0, first), what, 1)
    rows.narrow(1, first, m).narrow(2, first, m)[...] = product.narrow(1, 0, m).narrow(2, 0, m).mT
    return rows


def _whole(size: int) -> int:
    return -(-size // WHOLE) * WHOLE


def qr_in_place(what: str, work: Tensor) -> list[BlockReflector]:
    """Decompose packed matrices in place: R above, and the vectors of reflections below."""
    count, m, n = work.shape
    factors = allocate(what, (count, min(m, n)), work.dtype, work)
    reflectors = []
    for start, end in blocks(n, min(m, n)) if work.size else []:
        qr_columns(work, factors, start, end)
        below = work.narrow(1, start, m - start)
        columns = below.narrow(2, start, end - start)
        own = factors.narrow(1, start, end - start)
        reflectors.append(block_reflector(what, start, columns, own, m - start, end - start))
        reflectors[-1].apply(below.narrow(2, end, n - end), is_adjoint=True)
    return reflectors


def apply_all(reflections: list[BlockReflector], target: Tensor) -> None:
    """Multiply by all of them from the left; the target is 0 left of its block diagonal."""
    _, m, n = target.shape
    for reflector in reversed(reflections):
        start = reflector.start
        reflector.apply(target.narrow(1, start, m - start).narrow(2, start, n - start))
