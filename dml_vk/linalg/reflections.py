"""Block reflectors: products of reflections in the form I - V T V^H, applied by matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from dml_vk.array.creation.arrays import filled
from dml_vk.array.creation.grids import triu
from dml_vk.array.math import elementwise
from dml_vk.array.products.matrix_products import matmul
from dml_vk.linalg.batches import adjoint, allocate, identities, zeros
from dml_vk.linalg.triangles import blocks
from dml_vk.ops.linalg_reflections import copy_vectors, join_reflections, qr_columns
from dml_vk.ops.linalg_rotations import WHOLE
from dml_vk.tensor.core import Tensor

# A reflection of so many rows times its columns, and what a reflection itself takes in columns, is
# as much as a team of few members does on a device that ends long loops.
_MOST_TERMS, _REFLECTION = 2**16, 8
_ROWS = 512  # of the blocks of a panel that has more


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


class TallReflector(NamedTuple):
    """A product of reflections of each block of rows, and of those of the blocks' first rows."""

    start: int
    blocks: BlockReflector  # of a batch of blocks
    tops: Reflector

    def apply(self, target: Tensor, *, is_adjoint: bool = False) -> None:
        """Multiply the target from the left, by the adjoint if `is_adjoint`."""
        if not target.size:
            return
        width = self.blocks.by_rows.shape[2]
        blocks = _row_blocks("qr", target)
        tops = blocks.narrow(2, 0, width)
        if is_adjoint:
            self.blocks.apply(_as_batch(blocks), is_adjoint=True)
        rows = tops.contiguous()
        self.tops.apply(_joined(rows), is_adjoint=is_adjoint)
        tops[...] = rows
        if not is_adjoint:
            self.blocks.apply(_as_batch(blocks))
        target[...] = _joined(blocks).narrow(1, 0, target.shape[1])


Reflector: TypeAlias = BlockReflector | TallReflector


def _row_blocks(what: str, rows: Tensor) -> Tensor:
    """Copy rows into blocks, the last one padded with zeros, which reflections leave alone."""
    count, m, columns = rows.shape
    blocks = zeros(what, (count, -(-m // _ROWS), _ROWS, columns), rows.dtype, rows)
    _joined(blocks).narrow(1, 0, m)[...] = rows
    return blocks


def _as_batch(blocks: Tensor) -> Tensor:
    count, many, rows, columns = blocks.shape
    return blocks.view(count * many, rows, columns)


def _joined(blocks: Tensor) -> Tensor:
    count, many, rows, columns = blocks.shape
    return blocks.view(count, many * rows, columns)


def _panel_reflector(what: str, start: int, panel: Tensor, factors: Tensor) -> Reflector:
    """Decompose the columns of a panel in place; one that is too tall only above the diagonal."""
    _, height, width = panel.shape
    if height * (width + _REFLECTION) <= _MOST_TERMS:
        qr_columns(panel, factors, 0, width)
        return block_reflector(what, start, panel, factors, height, width)
    blocks = _row_blocks(what, panel)
    batch = _as_batch(blocks)
    own = allocate(what, (batch.shape[0], width), panel.dtype, panel)
    qr_columns(batch, own, 0, width)
    reflector = block_reflector(what, 0, batch, own, _ROWS, width)
    rows = triu(blocks.narrow(2, 0, width)).contiguous()
    tops = _panel_reflector(what, 0, _joined(rows), factors)
    panel.narrow(1, 0, width)[...] = _joined(rows).narrow(1, 0, width)
    return TallReflector(start, reflector, tops)


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


def qr_in_place(what: str, work: Tensor) -> list[Reflector]:
    """Decompose packed matrices in place: R is above, and what is below counts no more."""
    count, m, n = work.shape
    factors = allocate(what, (count, min(m, n)), work.dtype, work)
    reflectors: list[Reflector] = []
    for start, end in blocks(n, min(m, n)) if work.size else []:
        below = work.narrow(1, start, m - start)
        panel, own = [x.narrow(x.ndim - 1, start, end - start) for x in (below, factors)]
        reflectors.append(_panel_reflector(what, start, panel, own))
        reflectors[-1].apply(below.narrow(2, end, n - end), is_adjoint=True)
    return reflectors


def apply_all(reflections: Sequence[Reflector], target: Tensor) -> None:
    """Multiply by all of them from the left; the target is 0 left of its block diagonal."""
    _, m, n = target.shape
    for reflector in reversed(reflections):
        start = reflector.start
        reflector.apply(target.narrow(1, start, m - start).narrow(2, start, n - start))
