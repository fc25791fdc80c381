"""Eigenvalues and singular values by QR iterations, with the rotations applied to vectors."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.array.creation.arrays import filled
from dml_vk.array.data_types import real
from dml_vk.array.indexing.take import along_axis
from dml_vk.array.math import clipping, elementwise
from dml_vk.array.sorting.sorts import argsort
from dml_vk.array.statistics import reductions
from dml_vk.dtypes import float32, int32, int64, uint32
from dml_vk.linalg.batches import allocate, zeros
from dml_vk.linalg.failures import check_marks
from dml_vk.ops.linalg_rotations import MOST_AT_ONCE, SLOTS, WHOLE, iterate, rotate, state_words
from dml_vk.tensor.core import Tensor

# Words of the state that are not 0 at first, as in glsl/include/families/chase_state.glsl, and the
# mode that says that iterations are done.
_HIGH, _AT, _SPLIT, _DONE = 1, 3, 12, 3
_MORE = 0.4  # rounds for each element of a matrix between later checks


def scale_down(work: Tensor) -> Tensor:
    """Scale each matrix in place, so that its largest element, or part of one, is from 1 to 2.

    Returns the powers of two to multiply results with. Scaling is exact unless it underflows.
    """
    parts = work.view(dtype=work.dtype.part)
    is_single = parts.dtype is float32
    bits, bias = (23, 127) if is_single else (52, 1023)
    largest = reductions.max(elementwise.abs(parts), axis=(1, 2))
    exponents = largest.view(dtype=int32 if is_single else int64) >> bits
    exponents = clipping.clip(exponents, 1, 2 * bias - 1)
    up = (exponents << bits).view(dtype=parts.dtype)
    down = ((2 * bias - exponents) << bits).view(dtype=parts.dtype)
    elementwise.multiply(parts, down.view(-1, 1, 1), out=parts)
    return up.view(-1, 1)


def to_rows(what: str, columns: Tensor) -> Tensor:
    """Copy the columns of vectors to rows, padded with zeros."""
    count, length, many = columns.shape
    rows = zeros(what, (count, many, -(-length // WHOLE) * WHOLE), columns.dtype, columns)
    rows.narrow(2, 0, length)[...] = columns.mT
    return rows


def converge(
    what: str, kind: str, numbers: Tensor, vectors: Sequence[Tensor], shape: Ints
) -> Tensor:
    """Do QR iterations until the off-diagonals are 0, wait for that, and return the diagonals.

    The rotations are applied to the rows of `vectors`: right singular vectors, then left ones. They
    are real, also for complex vectors. `shape` is that of the matrices, for errors.
    """
    numbers = real(numbers).contiguous()
    count, _, n = numbers.shape
    expected = _expected(n)
    budget = min(MOST_AT_ONCE, expected)
    states = zeros(what, (count, state_words(budget)), uint32, numbers)
    for word in (_HIGH, _AT, _SPLIT):
        filled(states.narrow(1, word, 1), what, n - 1)
    rotations = allocate(what, (count, SLOTS[kind] * budget), numbers.dtype, numbers)
    launches = -(-expected // budget)
    while True:
        for _ in range(launches):
            iterate(kind, numbers, states, rotations, budget)
            for side, rows in enumerate(vectors):
                rotate(kind, rows.view(dtype=numbers.dtype), states, rotations, side, budget)
        modes = states.select(1, 0)
        reached = modes.numpy()
        if (reached >= _DONE).all():
            break
        launches = 1 + int(_MORE * n * n) // budget
    rule = "matrices must be finite, and their iterations converge"
    check_marks(what, rule, reached > _DONE, shape)
    return numbers.select(1, 0)


def _expected(n: int) -> int:
    """Rounds after which most matrices have converged: those of sweeps, and between them."""
    return int(1.3 * n * n) + 6 * n + 8


def sort_with_vectors(
    values: Tensor, vectors: Sequence[Tensor], *, descending: bool
) -> tuple[Tensor, list[Tensor]]:
    """Sort values, and with them the rows of square matrices; equal values keep their order."""
    order = argsort(values, axis=1, descending=descending)
    vectors = [rows.narrow(2, 0, rows.shape[1]) for rows in vectors]
    ordered = [along_axis(rows, order.unsqueeze(2).expand(rows.shape), 1) for rows in vectors]
    return along_axis(values, order, 1), ordered
