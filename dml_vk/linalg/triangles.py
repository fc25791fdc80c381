"""Triangular systems: diagonal blocks by one kernel, and the rest by matrix products."""

from __future__ import annotations

from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import matmul
from dml_vk.ops.linalg import solve_lower
from dml_vk.tensor.core import Tensor

WHOLE = 64  # rows of a matrix that is not split into blocks
BLOCK = 32


def blocks(n: int, most: int | None = None) -> list[tuple[int, int]]:
    """Split n columns into blocks, as (start, end); the first columns up to `most`."""
    width = n if n <= WHOLE else BLOCK
    most = n if most is None else most
    return [(start, min(most, start + width)) for start in range(0, most, width or 1)]


def subtract_product(target: Tensor, a: Tensor, b: Tensor) -> None:
    if target.size:
        elementwise.subtract(target, matmul(a, b), out=target)


def solve_triangular(a: Tensor, b: Tensor, *, lower: bool, unit: bool = False) -> None:
    """Solve systems in place of their right sides, in batches of three dims, not broadcast."""
    if not b.size:
        return
    if not lower:
        a, b = a.flip(1, 2), b.flip(1)
    n = b.shape[1]
    for start, end in blocks(n):
        size = end - start
        own, rest = b.narrow(1, start, size), n - end
        solve_lower(a.narrow(1, start, size).narrow(2, start, size), own, unit=unit)
        below = a.narrow(1, end, rest).narrow(2, start, size)
        subtract_product(b.narrow(1, end, rest), below, own)
