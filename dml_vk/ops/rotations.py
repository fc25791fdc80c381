"""QR iterations on tridiagonal and bidiagonal matrices, by rotations: see `ops.linalg`."""

from __future__ import annotations

from dml_vk.dtypes import DType
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.linalg import (
    divide_rounds,
    root_rounds,
    team_size,
    teams_for,
)
from dml_vk.ops.linalg import launch_teams
from dml_vk.ops.view import View

SLOTS = {"tridiagonal": 2, "bidiagonal": 4}  # numbers for each rotation


def rounds_at_once(kind: str, dtype: DType) -> int:
    """How many rounds of the iterations a launch does."""
    return rounds.MOST // (1 + _round(kind, dtype)) - 4


def _round(kind: str, dtype: DType) -> int:
    root, quotient = root_rounds(dtype.name), divide_rounds(dtype.name)
    # Members that run in lockstep may test elements and do steps of a sweep in one round.
    return (1 + SLOTS[kind] // 2) * (root + 2 * quotient) + quotient


def iterate(kind: str, numbers: View, states: View, rotations: View, budget: int) -> None:
    """Do so many rounds, in place of the numbers, and leave the rotations of this launch.

    Numbers are those that `reduce_matrices` writes; a matrix in states has `STATE_WORDS`, and then
    the place of each rotation.
    """
    (count, _, n), profile = numbers.layout.sizes, numbers.device.profile
    each = rounds.loop(1, rounds.loop(budget, _round(kind, numbers.dtype)))
    teams = teams_for(count, profile)
    params = (count, n, budget, states.layout.strides[0])
    terms = 10 * budget * team_size(profile)
    others, writes = (states, rotations), (True, True, True)
    name = f"chase_{kind}"
    launch_teams(name, numbers, others, params, each, terms, teams, 1, writes=writes)


def rotate(kind: str, work: View, states: View, rotations: View, side: int, budget: int) -> None:
    """Apply the rotations of one launch of `iterate` to rows; `side` 0 is the right, 1 the left."""
    (_, _, columns), (pitch, row, _) = work.layout.sizes, work.layout.strides
    profile, slots = work.device.profile, SLOTS[kind]
    at_once = _columns_at_once(columns, team_size(profile))
    teams = teams_for(columns // at_once, profile)
    each = rounds.loop(1, rounds.loop(budget))
    pitches = states.layout.strides[0], rotations.layout.strides[0]
    params = (columns, row, pitch, *pitches, 2 * side, slots)
    terms = 2 * at_once * budget * team_size(profile)
    others, writes, spec = (states, rotations), (True, False, False), (at_once,)
    launch_teams("rotate", work, others, params, each, terms, teams, writes=writes, spec=spec)


def _columns_at_once(columns: int, members: int) -> int:
    """How many columns a member takes, where that leaves a whole team busy."""
    for many in (4, 2):
        if columns % many == 0 and columns // many >= members:
            return many
    return 1
