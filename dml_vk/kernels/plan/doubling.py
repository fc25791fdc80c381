"""Plan scans by doubling: rounds that combine each element with the one 1, 2, 4, ... before it.

Elements of a row after 2**k rounds are a matrix of 2**k columns, down which rounds go on as from
the first one. So a launch does several rounds in tiles of such a matrix, whose first rows overlap
the tile above: see glsl/include/families/doubling.glsl.
"""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.kernels.kernel import INDEX_SPEC, Kernel, by_name, index_push
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.passes import team_lanes
from dml_vk.kernels.plan.paths import NOTHING, Path, plan_of, power_of_two
from dml_vk.kernels.plan.scan import RESTS
from dml_vk.kernels.plan.tasks import Task
from dml_vk.limits import Profile

_CELLS = {"float": 4096, "double": 2048}  # elements of a tile, in 16 KiB of shared memory
_SIDE_BYTES = 32  # of elements that lie side by side in a tile
_ITEMSIZE = {"float": 4, "double": 8}
_COMBINE_NS = {"float": 60.0, "double": 600.0}
_SPEC = (*INDEX_SPEC, "LEVELS", "WIDE", "HALO")
KERNELS = tuple(
    [
        Kernel(
            f"doubling_{kind}",
            by_position=True,
            inlines="elements of tiles are read several times",
            rests=RESTS[kind],
            bindings=("Src", "Dst"),
            spec=_SPEC,
            push=index_push(
                ("src_base", "dst_base"), 1, (("columns", 1), ("across", 1), ("tiles", 1))
            ),
            variants={"team": {}},
        )
        for kind in _ITEMSIZE
    ]
)
_BY_NAME = by_name(KERNELS)


class Tiles(NamedTuple):
    """How a launch does some rounds down the columns of a matrix."""

    levels: int
    columns: int
    wide: int  # columns of a tile
    halo: int  # rows that overlap the tile above


def stages_of(kind: str, length: int, inner: int) -> list[Tiles]:
    """Split the rounds for rows of a length, which lie side by side, into those of launches."""
    left, columns = (length - 1).bit_length(), inner
    stages = []
    while left:
        side, rows = power_of_two(columns), -(-length * inner // columns)
        least = min(side, _SIDE_BYTES // _ITEMSIZE[kind])
        height = _CELLS[kind] // least
        alone = rows <= height
        wide = min(side, _CELLS[kind] // power_of_two(rows)) if alone else least
        # A quarter of a tile overlaps unless it has all rows.
        levels = left if alone else min(left, height.bit_length() - 3)
        stages.append(Tiles(levels, columns, wide, 0 if alone else (1 << levels) - 1))
        left, columns = left - levels, columns << levels
    return stages


@cached_plan()
def plan_doubling(kind: str, matrices: int, count: int, stage: Tiles, profile: Profile) -> Plan:
    """Plan the rounds of a stage for matrices of `count` elements each, one after the other."""
    lanes = team_lanes(profile)
    cells, itemsize = _CELLS[kind], _ITEMSIZE[kind]
    rows = -(-count // stage.columns)
    tiles = -(-rows // (cells // stage.wide - stage.halo))
    across = -(-stage.columns // stage.wide)
    dims, turns = [Dim((1, 1), 1)], rounds.loop(cells // lanes)
    path = Path(
        "tiles by teams",
        dims,
        NOTHING,
        whole=matrices * tiles * across,
        edges=0,
        groups=1,
        extent=count,
        unit_ns=cells * (stage.levels * _COMBINE_NS[kind] + 4.0),
        unit_rounds=2 * turns + rounds.loop(stage.levels, turns),
        elements=cells,
    )
    return plan_of(
        _BY_NAME[f"doubling_{kind}"],
        "team",
        Task(dims, [], (itemsize, itemsize), (0, 0), profile),
        path,
        [(0, 0)],
        sources=(itemsize,),
        push={"columns": stage.columns, "across": across, "tiles": tiles},
        constants={"LEVELS": stage.levels, "WIDE": stage.wide, "HALO": stage.halo},
        inside=(matrices, rows, stage.columns),
        lanes=lanes,
        by_teams=True,
    )
