"""What each tile of workgroups does on a device, and which of them plans choose there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dml_vk.commands.figures import rounded
from dml_vk.commands.progress import Progress
from dml_vk.kernels.plan.team_tiles import TILES, TeamTile, team_tile
from dml_vk.observe.text_table import table
from dml_vk.runtime.device import Device

SIZES = 512, 1024, 2048, 4096  # rows of square matrices
SIZES_OF_CPU = 64, 128  # which takes a second to compile each tile
_ROUNDS = 5


@dataclass(frozen=True)
class Row:
    """What products of square matrices do by a tile, in GFLOP/s by their rows."""

    tile: str
    fused: bool
    lanes: int
    shared_bytes: int
    rates: dict[int, float]
    chosen: tuple[int, ...]  # the sizes that have this tile without being told


def measured(device: Device, progress: Progress, sizes: Sequence[int] = ()) -> list[Row]:
    """Time all tiles that fit the device, for exact results and for fused ones."""
    sizes = sizes or (SIZES_OF_CPU if device.info.type == "cpu" else SIZES)
    return [
        _row(device, tile, sizes, progress, fused=fused)
        for fused in (False, True)
        for tile in TILES
        if tile.fits(device.profile)
    ]


def _row(
    device: Device, tile: TeamTile, sizes: Sequence[int], progress: Progress, *, fused: bool
) -> Row:
    rates, chosen = {}, []
    for rows in sizes:
        progress.step(f"{tile}, {rows}{', fused' if fused else ''}")
        with device.queue.enter():
            time = device.queue.rate_check().product_time(rows, tile, _ROUNDS, fma=fused)
        rates[rows] = rounded(2 * rows**3 / time.microseconds / 1e3)
        if team_tile(rows, rows, 1, rows, device.profile, fma=fused) is tile:
            chosen.append(rows)
    return Row(str(tile), fused, tile.lanes, tile.shared_bytes, rates, tuple(chosen))


def as_table(rows: Sequence[Row]) -> str:
    """A table with a line for each tile; a star marks what plans choose."""
    sizes = list(rows[0].rates)
    lines = [("tile", "lanes", "shared", "", *map(str, sizes), "GFLOP/s")]
    for row in rows:
        rates = [f"{row.rates[n]:.4g}{'*' if n in row.chosen else ' '}" for n in sizes]
        how = "fused" if row.fused else "exact"
        lines.append((row.tile, str(row.lanes), str(row.shared_bytes), how, *rates, ""))
    return table(lines, right={1, 2, *range(4, 4 + len(sizes))})


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{**vars(row), "chosen": list(row.chosen)} for row in rows]
