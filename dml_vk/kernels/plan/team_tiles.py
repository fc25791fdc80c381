"""The tiles of a product that a workgroup does together, and which of them suits a product.

A workgroup reads a block of both sources into shared memory, some terms at a time, each element
once and side by side. `python -m dml_vk bench matmul --tiles` times every row of the table.
"""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.limits import Profile

LEAST_TERMS = 16
_LEAST_SPAN = 20  # the fewest rows and columns, so that most of a block is used
_BYTES = 4  # of an element in shared memory


class TeamTile(NamedTuple):
    """A row of the table. The tiles of a block are one for each invocation.

    The rates are the TFLOP/s of large products on an NVIDIA H200; only their ratios matter.
    """

    block: Ints  # tiles down and across
    spans: Ints  # the rows and columns of a tile
    terms: int  # per step, all in shared memory; a divisor of a run
    exact: float
    fma: float

    @property
    def lanes(self) -> int:
        return self.block[0] * self.block[1]

    @property
    def rows(self) -> int:
        return self.block[0] * self.spans[0]

    @property
    def columns(self) -> int:
        return self.block[1] * self.spans[1]

    @property
    def shared_bytes(self) -> int:
        return (self.rows + self.columns) * self.terms * _BYTES

    def fits(self, profile: Profile) -> bool:
        return (
            self.lanes <= profile.max_invocations and self.shared_bytes <= profile.max_shared_bytes
        )

    def __str__(self) -> str:
        down, across = self.spans
        return f"{down}x{across} in {self.rows}x{self.columns}x{self.terms}"


# Of two that would take as long, the first is taken. An invocation of 8 x 8 sums needs up to 240
# registers, or 180 of a fused product, one of 4 x 4 needs 80.
TILES = (
    TeamTile((16, 16), (4, 4), 16, 25.0, 31.3),
    TeamTile((16, 16), (8, 8), 32, 26.5, 44.4),
    TeamTile((16, 8), (8, 8), 16, 25.1, 43.4),
    TeamTile((8, 8), (8, 8), 16, 25.0, 39.6),
    TeamTile((8, 8), (4, 8), 16, 22.0, 33.0),
    TeamTile((8, 8), (8, 4), 16, 22.0, 33.0),
    TeamTile((8, 8), (4, 4), 16, 20.0, 27.0),
)
# The invocations by which a processor is busy. Half as many are enough for fused products of tiles
# with at least so many sums, which do not wait for each other.
BUSY, _MANY_SUMS = 256, 64


def team_tile(
    rows: int, columns: int, times: int, depth: int, profile: Profile, *, fma: bool
) -> TeamTile | None:
    """The tile by which a product takes the least estimated time, if workgroups should do it.

    Large tiles read less, but there are fewer, which may leave processors idle.
    """
    if not profile.coalesces or min(rows, columns) < _LEAST_SPAN or depth < LEAST_TERMS:
        return None

    def cost(tile: TeamTile) -> float:
        blocks = times * -(-rows // tile.rows) * -(-columns // tile.columns)
        sums = tile.spans[0] * tile.spans[1]
        busy = max(tile.lanes, BUSY // 2 if fma and sums >= _MANY_SUMS else BUSY)
        lanes = max(blocks * tile.lanes, profile.processors * busy)
        return lanes * sums / (tile.fma if fma else tile.exact)

    return min([tile for tile in TILES if tile.fits(profile)], key=cost, default=None)
