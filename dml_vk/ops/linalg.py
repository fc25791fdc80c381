"""The steps of decompositions, on batches of matrices in device memory.

Matrices are views of three dims: the batch, rows and columns. Those that are decomposed are
temporaries, packed by rows. Each function launches kernels and waits for nothing.
"""

from __future__ import annotations

import math

from dml_vk.arguments import Ints
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.linalg import (
    divide_rounds,
    plan_teams,
    root_rounds,
    steps_at_once,
    team_rounds,
    team_size,
    teams_for,
)
from dml_vk.ops.view import View, access

PER_MEMBER = 64  # numbers of a matrix that a member of one of many teams takes


def lu_columns(work: View, pivots: View, left: int, right: int) -> None:
    """Decompose these columns from row `left` on, and exchange rows in no others.

    `pivots` gets, for each of these columns, the row that was exchanged with the row of its number.
    """
    (_, m, _), (pitch, row, _) = work.layout.sizes, work.layout.strides
    dtype, size = work.dtype.name, team_size(work.device.profile)
    height, width = m - left, right - left
    step = (
        *(team_rounds(height, size), team_rounds(size, 1), team_rounds(width, size)),
        team_rounds(height, size, divide_rounds(dtype) + rounds.loop(width)),
    )
    stop = min(right, m)
    for start, end, unit_rounds in split_steps(left, stop, sum(step)):
        params = (m, row, pitch, pivots.layout.strides[0], left, right, start, end)
        terms = (end - start) * height * (width + 2)
        launch_teams("lu", work, (pivots,), params, unit_rounds, terms, writes=(True, True))


def swap_rows(work: View, pivots: View, start: int, end: int, left: int, right: int) -> None:
    """Exchange the rows `start` to `end` with those that pivots name, in these columns."""
    width, most = right - left, rounds.MOST // 2
    if not width:
        return
    teams = teams_for(width, work.device.profile)
    for first in range(start, end, most):
        last = min(end, first + most)
        pitch, row, _ = work.layout.strides
        params = (row, pitch, pivots.layout.strides[0], left, right, first, last)
        unit_rounds = rounds.loop(1, rounds.loop(last - first))
        terms = (last - first) * team_size(work.device.profile)
        launch_teams(
            "swap", work, (pivots,), params, unit_rounds, terms, teams, writes=(True, False)
        )


def cholesky_columns(work: View, marks: View, left: int, right: int) -> None:
    """Decompose the lower triangle of these columns, and mark matrices that are not positive."""
    (_, n, _), (pitch, row, _) = work.layout.sizes, work.layout.strides
    dtype, size = work.dtype.name, team_size(work.device.profile)
    height, width = n - left, right - left
    step = (
        *(root_rounds(dtype), team_rounds(height, size, divide_rounds(dtype))),
        team_rounds(height, size, rounds.loop(width)),
    )
    for start, end, unit_rounds in split_steps(left, right, sum(step)):
        params = (n, row, pitch, right, start, end)
        terms = (end - start) * height * (width + 2)
        launch_teams("cholesky", work, (marks,), params, unit_rounds, terms, writes=(True, True))


def solve_lower(a: View, b: View, *, unit: bool) -> None:
    """Replace right sides by solutions of lower triangular systems; `unit`: the diagonal is ones.

    Both views may have any strides. An upper triangle that is flipped in both dims is a lower one.
    """
    (_, n, columns), profile = b.layout.sizes, b.device.profile
    teams = teams_for(columns, profile)
    unit_rounds = rounds.loop(1, rounds.loop(n, rounds.loop(n) + divide_rounds(b.dtype.name)))
    (a_pitch, *a_steps), (pitch, *steps) = a.layout.strides, b.layout.strides
    params = (n, columns, *a_steps, a_pitch, *steps, pitch, int(unit))
    terms = n * n // 2 * team_size(profile)
    launch_teams("solve", a, (b,), params, unit_rounds, terms, teams, writes=(False, True))


def schur_rounds(work: View) -> int:
    """How many rounds of `schur` a launch may do."""
    return steps_at_once(_schur_step(work))


def schur(work: View, vectors: View | None, states: View, budget: int) -> None:
    """Do `budget` rounds of QR iterations on Hessenberg matrices, and on Schur vectors if passed.

    Both are changed in place, and packed. A matrix has SCHUR_WORDS in `states`.
    """
    n = work.layout.sizes[1]
    params = (n, 0 if vectors is None else n, budget, states.layout.strides[0])
    unit_rounds = rounds.loop(budget, _schur_step(work))
    others = (work if vectors is None else vectors, states)
    writes = (True, True, True)
    launch_teams("schur", work, others, params, unit_rounds, budget * 4 * n, writes=writes)


def _schur_step(work: View) -> int:
    return 3 * team_rounds(work.layout.sizes[1], team_size(work.device.profile))


def determinants(work: View, pivots: View, target: View) -> None:
    """Write the determinant of each decomposed matrix, its sign, and the log of its magnitude."""
    (count, n, _), (pitch, row, _) = work.layout.sizes, work.layout.strides
    teams, quotient = teams_for(count, work.device.profile), divide_rounds(work.dtype.name)
    unit_rounds = rounds.loop(1, rounds.loop(n) + rounds.loop(13, quotient) + quotient)
    params = (count, n, row, pitch, pivots.layout.strides[0])
    others, writes = (pivots, target), (False, False, True)
    terms = 4 * n * team_size(work.device.profile)
    launch_teams("determinant", work, others, params, unit_rounds, terms, teams, 1, writes=writes)


def largest_parts(work: View, target: View, size: int) -> None:
    """Write the largest magnitudes of parts of each matrix, which has `size` real numbers."""
    parts = target.layout.sizes[1]
    teams = teams_for(parts, work.device.profile)
    unit_rounds = rounds.loop(1, rounds.loop(PER_MEMBER))
    terms, writes = PER_MEMBER * team_size(work.device.profile), (False, True)
    params = (size, parts)
    launch_teams("largest", work, (target,), params, unit_rounds, terms, teams, writes=writes)


def scale_matrices(work: View, largest: View, powers: View) -> None:
    """Scale matrices of real numbers in place by their largest magnitudes."""
    size = math.prod(work.layout.sizes[1:])
    teams = teams_for(-(-size // PER_MEMBER), work.device.profile)
    unit_rounds = rounds.loop(PER_MEMBER)
    terms = PER_MEMBER * team_size(work.device.profile)
    others, writes = (largest, powers), (True, False, True)
    launch_teams("scale", work, others, (size,), unit_rounds, terms, teams, writes=writes)


def order_rows(
    values: View,
    sorted_values: View,
    rows: View,
    target: View,
    *,
    columns: int,
    signs: int,
    descending: bool,
) -> None:
    """Sort the values of each matrix, and with them rows of real numbers, or `columns` of these."""
    n, profile = values.layout.sizes[1], values.device.profile
    unit_rounds = rounds.loop(1, rounds.loop(n) + rounds.loop(columns))
    step, pitch = rows.layout.strides[1], values.layout.strides[0]
    params = (n, columns, step, pitch, int(descending), signs)
    others = (rows, target, sorted_values)
    terms, writes = (n + columns) * team_size(profile), (False, False, True, True)
    teams = teams_for(n, profile)
    launch_teams("order", values, others, params, unit_rounds, terms, teams, writes=writes)


def split_steps(start: int, stop: int, step_rounds: int) -> list[tuple[int, int, int]]:
    """Split steps into launches, as (first, end, bound of the rounds)."""
    many = steps_at_once(step_rounds)
    return [
        (first, min(stop, first + many), rounds.loop(min(many, stop - start), step_rounds))
        for first in range(start, stop, many)
    ]


def launch_teams(
    name: str,
    work: View,
    others: tuple[View, ...],
    params: Ints,
    unit_rounds: int,
    terms: int,
    teams: int = 1,
    matrices: int | None = None,
    *,
    writes: tuple[bool, ...],
    constants: tuple[tuple[str, int], ...] = (),
    together: Ints = (1, 1, 1, 1),
) -> None:
    """Launch a kernel on the matrices of `work`, or on all of them together as one.

    Kernels see `together` elements of each operand as one.
    """
    views = (work, *others)
    plan = plan_teams(
        f"linalg_{name}_{work.dtype.name}",
        *(matrices or work.layout.sizes[0], teams, unit_rounds, terms),
        tuple([many * view.dtype.itemsize for view, many in zip(views, together)]),
        constants,
        work.device.profile,
    )
    accesses = [access(view, written) for view, written in zip(views, writes)]
    work.device.launch(plan, accesses, tuple([word & 0xFFFFFFFF for word in params]))
