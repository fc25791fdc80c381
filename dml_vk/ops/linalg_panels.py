"""Panels of the reduction of large matrices by reflections: see `ops.linalg`.

The rows of a matrix are padded with zeros to a multiple of `WHOLE` numbers, like the lines of the
scratch: sets of vectors, which update the rest of the matrix after a panel, and intermediates of a
step. All lines start as 0.
"""

from __future__ import annotations

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.linalg import team_rounds, team_size, teams_for
from dml_vk.ops.linalg import launch_teams
from dml_vk.ops.linalg_reflections import reflector_rounds, sum_rounds
from dml_vk.ops.view import View

WHOLE = 4
BLOCK = 32  # columns of a panel, as in glsl/include/families/panel.glsl
SETS = {"tridiagonal": 2, "bidiagonal": 4}  # of vectors in a panel
_RUN, _CELL_BYTES, _CELLS, _ROWS = 64, 16, 2, 4  # as in glsl/linalg_panel_product.comp
_REFLECT, _FINISH, _CORRECT = range(3)  # phases, as in glsl/linalg_panel.comp


def panel_lines(kind: str, n: int) -> int:
    """The lines of scratch: sets, a vector, products of vectors, and runs of products."""
    return SETS[kind] * BLOCK + 3 + -(-n // _RUN)


def reduce_panel(kind: str, work: View, scratch: View, target: View, start: int, end: int) -> None:
    """Reflect these columns of square matrices, and in bidiagonal ones these rows.

    The trailing matrix stays as it was. The target is that of `reduce_matrices`.
    """
    for k in range(start, end):
        step = _Step(kind, work, scratch, target, k, start, end)
        if kind == "tridiagonal":
            step.reflect(0)
            if step.rest:
                step.multiply(0)
                step.finish(0)
                step.correct()
        else:
            for right in (0, 1):
                step.reflect(right)
                if step.rest:
                    step.multiply(right)
                    step.finish(right)


class _Step:
    """One column, and in a bidiagonal matrix the row that follows."""

    def __init__(
        self, kind: str, work: View, scratch: View, target: View, k: int, start: int, end: int
    ) -> None:
        self._kind, self._work, self._scratch, self._target = kind, work, scratch, target
        (_, n, _), (_, pitch, _) = work.layout.sizes, work.layout.strides
        self._profile, self._n, self._pitch = work.device.profile, n, pitch
        self._size = team_size(self._profile)
        self._k, self._i, self._last = k, k - start, k + 1 == end
        self.rest = n - k - 1

    def reflect(self, right: int) -> None:
        unit_rounds = reflector_rounds(self._n, self._work) + team_rounds(self._n, self._size)
        self._launch(_REFLECT, right, unit_rounds, 8 * self._n, 1)

    def multiply(self, right: int) -> None:
        """Multiply the vector with the trailing matrix, and with the panel's vectors."""
        runs = -(-self._n // _RUN) - (self._k + 1) // _RUN + 1
        width = max(1, _CELL_BYTES // self._work.dtype.itemsize)
        groups = -(-self.rest // _ROWS) if right else 2 + self.rest // (_CELLS * width)
        tasks = (groups + 2 * BLOCK) * runs
        unit_rounds = rounds.loop(1, rounds.loop(1, 3 * rounds.loop(_RUN)))
        params = (*self._sizes(), right)
        launch_teams(
            *(f"{self._kind}_panel_product", self._work, (self._scratch,), params, unit_rounds),
            *(self._size * _RUN * _CELLS * width, teams_for(tasks, self._profile)),
            writes=(False, True),
            together=(width, 1),
        )

    def finish(self, right: int) -> None:
        """Compute the vector of the update, and in a bidiagonal matrix the next row."""
        runs = rounds.loop(-(-self._n // _RUN))
        unit_rounds = team_rounds(2 * BLOCK, self._size, runs) + rounds.loop(
            1, runs + 4 * rounds.loop(BLOCK)
        )
        teams = teams_for(self.rest, self._profile)
        # In a bidiagonal matrix, a column is followed by its row.
        is_last = self._last and (right or self._kind == "tridiagonal")
        self._launch(_FINISH, right, unit_rounds, 4 * BLOCK * self._size, teams, last=bool(is_last))

    def correct(self) -> None:
        """Compute the vector of a two-sided update, and update the next column of the panel."""
        unit_rounds = sum_rounds(self._n, self._size) + rounds.loop(1, 2 * rounds.loop(BLOCK))
        teams = teams_for(self.rest, self._profile)
        terms = 2 * BLOCK * self._size + 2 * self._n
        self._launch(_CORRECT, 0, unit_rounds, terms, teams, last=self._last)

    def _sizes(self) -> tuple[int, ...]:
        lines = self._scratch.layout.sizes[1]
        return self._n, self._pitch, lines, self._k, self._i

    def _launch(
        self,
        phase: int,
        right: int,
        unit_rounds: int,
        terms: int,
        teams: int,
        *,
        last: bool = False,
    ) -> None:
        params = (*self._sizes(), right, phase, int(last))
        others, writes = (self._scratch, self._target), (True, True, True)
        name, unit_rounds = f"{self._kind}_panel", rounds.loop(1, unit_rounds)
        launch_teams(name, self._work, others, params, unit_rounds, terms, teams, writes=writes)
