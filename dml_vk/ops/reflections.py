"""Decompositions by Householder's reflections, on batches of packed matrices: see `ops.linalg`."""

from __future__ import annotations

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.linalg import divide_rounds, root_rounds, team_size, teams_for, turns
from dml_vk.ops.linalg import launch_teams, split_steps
from dml_vk.ops.view import View

_RUN, _MOST_RUNS = 64, 128  # as in glsl/include/families/sums.glsl
# Rounds of the loops in other phases: a driver that masks branches enters each of them.
_OTHER_PHASES = 80
_BY_ONE_TEAM = 128  # rows of the largest matrix that one team reduces alone
# Phases of a step, and whether one team does them, which must meet.
_PHASES = {
    "tridiagonal": (True, False, True, False),
    "bidiagonal": (True, False, False, True, False, False),
}


def qr_columns(work: View, factors: View, left: int, right: int) -> None:
    """Reflect these columns, from row `left` on; each reflection is applied to them alone."""
    (_, m, _), (pitch, row, _) = work.layout.sizes, work.layout.strides
    size = team_size(work.device.profile)
    height, width = m - left, right - left
    step = (
        _reflector(height, work) + turns(width, size, _sum(height)),
        turns(height, size, rounds.loop(width)),
    )
    for start, end, each in split_steps(left, min(right, m), sum(step)):
        params = (m, row, pitch, factors.layout.strides[0], right, start, end)
        terms = 2 * (end - start) * height * (width + 2)
        launch_teams("qr", work, (factors,), params, each, terms, writes=(True, True))


def join_reflections(products: View, factors: View) -> None:
    """Write the upper triangle T of I - V T V^H in place of that of the products V^H V."""
    n = products.layout.sizes[1]
    teams = teams_for(n, products.device.profile)
    each = rounds.loop(1, rounds.loop(n, rounds.loop(n)))
    params = (n, factors.layout.strides[0])
    writes = (True, False)
    launch_teams("wy", products, (factors,), params, each, n**3 // 3, teams, writes=writes)


def reduce_matrices(kind: str, work: View, scratch: View, target: View) -> None:
    """Make matrices "tridiagonal" or "bidiagonal" by reflections, which are left in them.

    The target has rows for the diagonal, for what is beside it, and for the factors of the
    reflections: from the left, and then from the right. The scratch has two rows.
    """
    n, profile = work.layout.sizes[1], work.device.profile
    phases, size = _PHASES[kind], team_size(profile)

    def bound(by_team: bool, members: int) -> int:
        if by_team:
            return _OTHER_PHASES + _reflector(n, work) + 3 * turns(n, members)
        return _OTHER_PHASES + turns(n, members, max(_sum(n), rounds.loop(n)))

    def launch(first: int, end: int, start: int, stop: int, each: int, teams: int) -> None:
        terms = (end - first) * n * (n if stop - start > 1 else n // teams + 8)
        params = (n, first, end, start, stop)
        others, writes = (scratch, target), (True, True, True)
        launch_teams(kind, work, others, params, each, terms, teams, writes=writes)

    if n <= _BY_ONE_TEAM:
        step = rounds.loop(len(phases)) + sum([bound(by_team, size) for by_team in phases])
        for first, end, each in split_steps(0, n, step):
            launch(first, end, 0, len(phases), each, 1)
        return
    many = teams_for(n, profile)
    for k in range(n):
        for phase, by_team in enumerate(phases):
            teams = 1 if by_team else many
            each = rounds.loop(1, rounds.loop(1, bound(by_team, teams * size)))
            launch(k, k + 1, phase, phase + 1, each, teams)


def _sum(count: int) -> int:
    """Bound a sum in runs."""
    return rounds.loop(-(-count // _RUN), rounds.loop(min(count, _RUN)))


def _reflector(count: int, work: View) -> int:
    """Bound one reflection: the largest element, the sum of squares, and the vector."""
    size, dtype = team_size(work.device.profile), work.dtype.name
    run = max(_RUN, -(-count // _MOST_RUNS))
    runs = -(-count // run)
    return sum(
        (
            turns(count, size) + rounds.loop(size),
            turns(runs, size, rounds.loop(run)) + rounds.loop(runs),
            turns(count, size, divide_rounds(dtype)),
            root_rounds(dtype) + 2 * divide_rounds(dtype),
        )
    )
