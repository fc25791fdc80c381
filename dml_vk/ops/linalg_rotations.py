"""QR iterations on tridiagonal and bidiagonal matrices, by rotations: see `ops.linalg`."""

from __future__ import annotations

from dml_vk.dtypes import DType
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.linalg import STATE_WORDS, team_size, teams_for
from dml_vk.ops.linalg import launch_teams
from dml_vk.ops.view import View

SLOTS = {"tridiagonal": 2, "bidiagonal": 4}  # numbers for each rotation
# The most iterations of a launch, and runs of rotations. Applying a group of runs takes at most as
# many rounds as it has rotations, and a few more.
MOST_AT_ONCE, _MOST_RUNS = 2**13, 768
_LEAST_TOGETHER = 24  # rows of matrices whose runs are applied by four
WHOLE = 4  # columns that may be moved together: matrices have a multiple of them


def state_words(budget: int) -> int:
    """The words of a matrix's state: those of the iterations, and two for each run of rotations."""
    return STATE_WORDS + 2 * _runs(budget)


def _runs(budget: int) -> int:
    """The most runs of a launch, which ends early if its runs are short."""
    return min(8 + budget // 8, _MOST_RUNS)


def iterate(kind: str, numbers: View, states: View, rotations: View, budget: int) -> None:
    """Do `budget` rounds on the numbers, in place, and store the rotations of this launch.

    Numbers are those that `reduce_matrices` writes; a matrix in states has `state_words`.
    """
    (count, _, n), profile = numbers.layout.sizes, numbers.device.profile
    unit_rounds = rounds.loop(1, rounds.loop(budget))
    teams = teams_for(count, profile)
    params = (count, n, budget, _runs(budget), states.layout.strides[0])
    terms = 10 * budget * team_size(profile)
    others, writes = (states, rotations), (True, True, True)
    name = f"chase_{kind}"
    launch_teams(name, numbers, others, params, unit_rounds, terms, teams, 1, writes=writes)


def rotate(kind: str, work: View, states: View, rotations: View, side: int, budget: int) -> None:
    """Apply the rotations of one launch of `iterate` to rows; `side` 0 is the right, 1 the left."""
    (_, n, columns), (pitch, row, _) = work.layout.sizes, work.layout.strides
    profile, sides = work.device.profile, SLOTS[kind] // 2
    width, at_once = _columns_at_once(columns, work.dtype, team_size(profile))
    cells = columns // width
    teams = teams_for(cells // at_once, profile)
    unit_rounds = rounds.loop(1, rounds.loop(_runs(budget), 6) + budget)
    pitches = states.layout.strides[0], rotations.layout.strides[0] // 2
    params = (cells, row // width, pitch // width, *pitches, side, sides)
    terms = 2 * at_once * width * budget * team_size(profile)
    others, writes = (states, rotations), (True, False, False)
    # Short runs take longer together.
    constants = ("CELLS", at_once), ("AT_ONCE", 4 if n >= _LEAST_TOGETHER else 1)
    name = "rotate_wide" if width > 1 else "rotate"
    launch_teams(
        *(name, work, others, params, unit_rounds, terms, teams),
        writes=writes,
        constants=constants,
        together=(width, 1, 2),
    )


def _columns_at_once(columns: int, dtype: DType, members: int) -> tuple[int, int]:
    """Columns of a cell, and cells of an invocation: as many as keep a whole team busy."""
    wide = 16 // dtype.itemsize
    for cells in (2, 1):
        if columns % (wide * cells) == 0 and columns // (wide * cells) >= members:
            return wide, cells
    return 1, 1
