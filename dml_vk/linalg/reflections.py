"""Products of reflections as blocks I - V T V^H, which matrix products apply."""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.array import elementwise
from dml_vk.array.creation import filled
from dml_vk.array.grids import tril, triu
from dml_vk.array.products import matmul
from dml_vk.linalg.batches import adjoint, made
from dml_vk.linalg.triangles import blocks
from dml_vk.ops.reflections import join_reflections, qr_columns
from dml_vk.tensor.core import Tensor


class Reflections(NamedTuple):
    """Reflections of the rows from `start` on."""

    start: int
    vectors: Tensor
    triangle: Tensor

    def apply(self, target: Tensor, *, turned: bool = False) -> None:
        """Multiply with the product of the reflections from the left, or with its adjoint."""
        if not target.size:
            return
        triangle = adjoint(self.triangle) if turned else self.triangle
        inner = matmul(triangle, matmul(adjoint(self.vectors), target))
        elementwise.subtract(target, matmul(self.vectors, inner), out=target)


def joined(what: str, start: int, columns: Tensor, factors: Tensor) -> Reflections:
    """Join reflections whose vectors are below the diagonal of these columns."""
    vectors = tril(columns, k=-1)
    filled(vectors.diagonal(0, 1, 2), what, 1)
    triangle = matmul(adjoint(vectors), vectors)
    join_reflections(triangle, factors)
    return Reflections(start, vectors, triu(triangle))


def all_joined(what: str, work: Tensor, factors: Tensor) -> list[Reflections]:
    """Join the reflections of each block of columns."""
    _, m, n = work.shape
    found = []
    for start, end in blocks(n, min(m, n)) if work.size else []:
        columns = work.narrow(1, start, m - start).narrow(2, start, end - start)
        found.append(joined(what, start, columns, factors.narrow(1, start, end - start)))
    return found


def decomposed(what: str, work: Tensor) -> list[Reflections]:
    """Decompose packed matrices in place: R above, and the vectors of reflections below."""
    count, m, n = work.shape
    factors = made(what, (count, min(m, n)), work.dtype, work)
    found = []
    for start, end in blocks(n, min(m, n)) if work.size else []:
        qr_columns(work, factors, start, end)
        below = work.narrow(1, start, m - start)
        columns = below.narrow(2, start, end - start)
        found.append(joined(what, start, columns, factors.narrow(1, start, end - start)))
        found[-1].apply(below.narrow(2, end, n - end), turned=True)
    return found


def multiply(reflections: list[Reflections], target: Tensor, offset: int = 0) -> None:
    """Multiply with all reflections from the left; `target` is 0 left of its block diagonal."""
    for one in reversed(reflections):
        start = one.start + offset
        _, m, n = target.shape
        one.apply(target.narrow(1, start, m - start).narrow(2, start, n - start))
