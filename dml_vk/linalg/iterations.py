"""Eigenvalues and singular values by QR iterations, with the rotations applied to vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.array.creation.arrays import filled
from dml_vk.array.data_types import real
from dml_vk.array.math.elementwise import not_equal
from dml_vk.dtypes import uint32
from dml_vk.linalg.batches import allocate, zeros
from dml_vk.linalg.failures import check_marks, check_none
from dml_vk.ops.linalg import PER_MEMBER, largest_parts, order_rows, scale_matrices
from dml_vk.ops.linalg_rotations import MOST_AT_ONCE, SLOTS, iterate, rotate, state_words
from dml_vk.tensor.core import Tensor
from dml_vk.tracing.capture import is_captured

# Words of the state that are not 0 at first, as in glsl/include/families/chase_state.glsl, and the
# mode that says that iterations are done.
_HIGH, _AT, _SPLIT, _DONE = 1, 3, 12, 3
_MORE = 0.4  # rounds for each element of a matrix between later checks
_CAPTURED = 3  # times the expected rounds, in programs, which cannot ask whether these were enough


def scale_down(what: str, work: Tensor) -> Tensor:
    """Scale each matrix in place, so that its largest element, or part of one, is from 1 to 2.

    Returns the powers of two to multiply results with. Scaling is exact unless it underflows.
    """
    parts = work.view(dtype=work.dtype.part)
    count, size = parts.shape[0], math.prod(parts.shape[1:])
    largest = parts
    while largest is parts or size > 1:
        smaller = -(-size // PER_MEMBER)
        target = allocate(what, (count, smaller), parts.dtype, work)
        largest_parts(largest, target, size)
        largest, size = target, smaller
    powers = allocate(what, (count, 1), parts.dtype, work)
    scale_matrices(parts, largest, powers)
    return powers


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
    rule = "matrices must be finite, and their iterations converge"
    if is_captured():  # rounds after the last change nothing
        launches *= _CAPTURED
    while True:
        for _ in range(launches):
            iterate(kind, numbers, states, rotations, budget)
            for side, rows in enumerate(vectors):
                rotate(kind, rows.view(dtype=numbers.dtype), states, rotations, side, budget)
        if is_captured():
            check_none(what, rule, not_equal(states.select(1, 0), _DONE), shape)
            return numbers.select(1, 0)
        modes = states.select(1, 0).numpy()
        if (modes >= _DONE).all():
            break
        launches = 1 + int(_MORE * n * n) // budget
    check_marks(what, rule, modes > _DONE, shape)
    return numbers.select(1, 0)


def _expected(n: int) -> int:
    """Rounds after which most matrices have converged: those of sweeps, and between them."""
    return int(1.3 * n * n) + 6 * n + 8


def sort_with_vectors(
    what: str, values: Tensor, vectors: Sequence[Tensor], *, is_svd: bool = False
) -> tuple[Tensor, list[Tensor]]:
    """Sort values, and with them the rows of square matrices; equal values keep their order.

    Singular values become magnitudes in descending order, and the first rows take their signs.
    """
    count, n = values.shape
    target = allocate(what, (count, n), values.dtype, values)
    ordered = [allocate(what, (count, n, n), rows.dtype, rows) for rows in vectors]
    # Without vectors, there is nothing to read or write but the values.
    for k, pair in enumerate(zip(vectors, ordered)) if vectors else [(1, (values, target))]:
        rows, moved = [tensor.view(dtype=values.dtype) for tensor in pair]
        order_rows(
            *(values, target, rows, moved),
            columns=moved.shape[2] if vectors else 0,
            signs=(1 if k else 2) if is_svd else 0,
            descending=is_svd,
        )
    return target, ordered
