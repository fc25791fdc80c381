"""Panels of the reduction of large matrices by reflections: see `ops.linalg`.

A matrix has rows of a multiple of `WHOLE` numbers, filled up with zeros. The scratch has lines of
as many: the sets of vectors of a panel, by which the rest of the matrix is updated, and what a step
needs, all of them 0 at first.
"""

from __future__ import annotations

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.linalg import team_size, teams_for, turns
from dml_vk.ops.linalg import launch_teams
from dml_vk.ops.reflections import reflector_rounds, sum_rounds
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

    What is right of them and below is left as it was. The target gets what that of
    `reduce_matrices` does.
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
        each = reflector_rounds(self._n, self._work) + turns(self._n, self._size)
        self._launch(_REFLECT, right, each, 8 * self._n, 1)

    def multiply(self, right: int) -> None:
        """Multiply the vector with what is left of the matrix, and with the panel's vectors."""
        runs = -(-self._n // _RUN) - (self._k + 1) // _RUN + 1
        width = max(1, _CELL_BYTES // self._work.dtype.itemsize)
        groups = -(-self.rest // _ROWS) if right else 2 + self.rest // (_CELLS * width)
        tasks = (groups + 2 * BLOCK) * runs
        each = rounds.loop(1, rounds.loop(1, 3 * rounds.loop(_RUN)))
        params = (*self._sizes(), right)
        launch_teams(
            *(f"{self._kind}_panel_product", self._work, (self._scratch,), params, each),
            *(self._size * _RUN * _CELLS * width, teams_for(tasks, self._profile)),
            writes=(False, True),
            together=(width, 1),
        )

    def finish(self, right: int) -> None:
        """Make the vector of the update, and in a bidiagonal matrix what comes next."""
        runs = rounds.loop(-(-self._n // _RUN))
        each = turns(2 * BLOCK, self._size, runs) + rounds.loop(1, runs + 4 * rounds.loop(BLOCK))
        teams = teams_for(self.rest, self._profile)
        # In a bidiagonal matrix, the row of the last column comes next too.
        is_last = self._last and (right or self._kind == "tridiagonal")
        self._launch(_FINISH, right, each, 4 * BLOCK * self._size, teams, last=bool(is_last))

    def correct(self) -> None:
        """Make the vector of a two-sided update, and update the next column of the panel."""
        each = sum_rounds(self._n, self._size) + rounds.loop(1, 2 * rounds.loop(BLOCK))
        teams = teams_for(self.rest, self._profile)
        terms = 2 * BLOCK * self._size + 2 * self._n
        self._launch(_CORRECT, 0, each, terms, teams, last=self._last)

    def _sizes(self) -> tuple[int, ...]:
        lines = self._scratch.layout.sizes[1]
        return self._n, self._pitch, lines, self._k, self._i

    def _launch(
        self, phase: int, right: int, each: int, terms: int, teams: int, *, last: bool = False
    ) -> None:
        params = (*self._sizes(), right, phase, int(last))
        others, writes = (self._scratch, self._target), (True, True, True)
        name, each = f"{self._kind}_panel", rounds.loop(1, each)
        launch_teams(name, self._work, others, params, each, terms, teams, writes=writes)
