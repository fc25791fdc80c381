"""Decompositions by Householder's reflections, on batches of packed matrices: see `ops.linalg`."""

from __future__ import annotations

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.linalg import divide_rounds, root_rounds, team_rounds, team_size, teams_for
from dml_vk.ops.linalg import launch_teams, split_steps
from dml_vk.ops.view import View

_RUN, _MOST_RUNS = 64, 128  # as in glsl/include/families/sums.glsl
# Rounds of the loops in other phases: a driver that masks branches enters each of them.
_OTHER_PHASES = 80
# Phases of a step: whether each has a reflection or a sum of the team.
_PHASES = {
    "tridiagonal": (True, False, True, False),
    "bidiagonal": (True, False, False, True, False, False),
}


def qr_columns(work: View, factors: View, left: int, right: int) -> None:
    """Reflect these columns from row `left` on; no others are updated."""
    (_, m, _), (pitch, row, _) = work.layout.sizes, work.layout.strides
    height, width = m - left, right - left
    step = qr_step_rounds(height, width, work)
    for start, end, unit_rounds in split_steps(left, min(right, m), step):
        params = (m, row, pitch, factors.layout.strides[0], right, start, end)
        terms = 2 * (end - start) * height * (width + 2)
        launch_teams("qr", work, (factors,), params, unit_rounds, terms, writes=(True, True))


def qr_step_rounds(height: int, width: int, work: View) -> int:
    """Bound the rounds of a reflection, of the sums for it, and of the rows that it changes."""
    size = team_size(work.device.profile)
    sums = team_rounds(width, size, _sum(height))
    return reflector_rounds(height, work) + sums + team_rounds(height, size, rounds.loop(width))


def copy_vectors(columns: View, target: View, height: int, width: int) -> None:
    """Write the vectors of reflections, which are below the diagonal of columns of any strides.

    As the columns of a matrix of this height and width, with zeros where there are none: the target
    gets it by rows, and then by columns.
    """
    profile, (count, *sizes) = columns.device.profile, columns.layout.sizes
    pitch, *steps = columns.layout.strides
    teams = teams_for(height * width, profile)
    params = (*sizes, *steps, pitch, height, width)
    unit_rounds, terms, writes = rounds.loop(1), 2 * team_size(profile), (False, True)
    launch_teams(
        "vectors", columns, (target,), params, unit_rounds, terms, teams, count, writes=writes
    )


def join_reflections(products: View, factors: View, target: View) -> None:
    """Write the upper triangle T of I - V T V^H, from the products V^H V, by columns."""
    n, columns = products.layout.sizes[1], factors.layout.sizes[1]
    teams = teams_for(n, products.device.profile)
    unit_rounds = rounds.loop(1, rounds.loop(n, rounds.loop(n)))
    params = (n, columns, factors.layout.strides[0])
    others, writes = (factors, target), (False, False, True)
    launch_teams("wy", products, others, params, unit_rounds, n**3 // 3, teams, writes=writes)


def reduce_matrices(kind: str, work: View, scratch: View, target: View) -> None:
    """Make small matrices "tridiagonal" or "bidiagonal" by reflections, and store their vectors.

    The target has rows for the diagonal, the off-diagonal, and the factors of reflections from the
    left, then from the right. The scratch has two rows.
    """
    n, size = work.layout.sizes[1], team_size(work.device.profile)
    phases = _PHASES[kind]

    def bound(by_team: bool) -> int:
        if by_team:
            return _OTHER_PHASES + reflector_rounds(n, work) + 3 * team_rounds(n, size)
        return _OTHER_PHASES + team_rounds(n, size, max(_sum(n), rounds.loop(n)))

    step = rounds.loop(len(phases)) + sum([bound(by_team) for by_team in phases])
    for first, end, unit_rounds in split_steps(0, n, step):
        params = (n, first, end)
        terms = (end - first) * n * n
        others, writes = (scratch, target), (True, True, True)
        launch_teams(kind, work, others, params, unit_rounds, terms, writes=writes)


def _sum(count: int) -> int:
    """Bound the rounds of a sum in runs."""
    return rounds.loop(-(-count // _RUN), rounds.loop(min(count, _RUN)))


def reflector_rounds(count: int, work: View) -> int:
    """Bound the rounds of a reflection: largest element, sum of squares, vector."""
    size, dtype = team_size(work.device.profile), work.dtype.name
    return sum(
        (
            team_rounds(count, size) + rounds.loop(size),
            sum_rounds(count, size),
            team_rounds(count, size, divide_rounds(dtype)),
            root_rounds(dtype) + 2 * divide_rounds(dtype),
        )
    )


def sum_rounds(count: int, size: int) -> int:
    """Bound the rounds of a team's sum."""
    run = max(_RUN, -(-count // _MOST_RUNS))
    runs = -(-count // run)
    return team_rounds(runs, size, rounds.loop(run)) + rounds.loop(runs)
