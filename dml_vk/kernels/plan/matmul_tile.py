"""Choose the tiles of a matrix product: which dims they go over, and how they read its sources."""

from __future__ import annotations

import math

from dml_vk.arguments import Ints
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load
from dml_vk.kernels.plan.dims import Dim, split
from dml_vk.kernels.plan.paths import Path
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Task
from dml_vk.kernels.plan.team_tiles import TeamTile, team_tile
from dml_vk.kernels.plan.tiles import (
    LEAST_SHARED,
    READ_NS,
    SHARED_TERM_NS,
    block_of,
    load_of,
    shared_load,
    shared_spans,
    span_of,
)

RUN = 64  # terms that are added sequentially: RUN_OF_SUM in families/matmul.glsl
RANK = 5  # dims in one launch, of which two are a tile's
_BY_ELEMENTS, _BY_DEPTH, _BY_SPAN, ALL_ONES = range(4)  # how a tile reads a source
_TERM_NS = 0.1  # one multiply-add on one slow core


def exchange(operands: Ints) -> Ints:
    """Swap the two sources."""
    a, b, dst = operands
    return b, a, dst


def exchange_dims(dims: list[Dim]) -> list[Dim]:
    """Swap the two sources in each dim."""
    return [Dim(exchange(dim.strides), dim.size) for dim in dims]


def tile_path(
    dims: list[Dim],
    task: Task,
    terms: Dim,
    *,
    ones: int | None,
    fma: bool,
    tile: TeamTile | None = None,
) -> tuple[Task, Path, tuple[Load, ...], bool]:
    """Choose a dim that a lacks as columns and one that b lacks as rows; loop over the others.

    Of the source by the number `ones` nothing is read, so its layout does not matter. The last
    results are what a work item reads, and whether the sources were exchanged. With `tile` a
    workgroup does tiles together whether that suits or not.
    """
    depth = terms.size
    single = Dim((0, 0, 0), 1)
    left = list(dims)
    column = _take_dim(left, 0) or single
    row = _take_dim(left, 1) or single
    lanes = task.profile.lanes
    both = ones is None
    times = math.prod([dim.size for dim in left])
    team = tile
    if both and not team:
        team = team_tile(row.size, column.size, times, depth, task.profile, fma=fma)
    shared = task.profile.shuffles and both and not team
    exchanged = shared and column.size < 4 * lanes <= row.size
    if exchanged:
        row, column, terms, *left = exchange_dims([column, row, terms, *left])
        task = task._replace(
            itemsizes=exchange(task.itemsizes), byte_starts=exchange(task.byte_starts)
        )
    shared = shared and row.size >= LEAST_SHARED and column.size >= 2 * lanes
    inside, outer = split(left, RANK - 2)
    task = task._replace(dims=[column, row, *inside], outer=outer)
    if team:
        down, across = team.spans
    elif shared:
        down, across = shared_spans(row.size, column.size, times, depth, task.profile)
    else:
        down, across = span_of(row.size), span_of(column.size)
    reads = [
        ALL_ONES if k == ones else _read(task, k, terms, span)
        for k, span in enumerate((down, across))
    ]
    deep = team.terms if team else 4 if _BY_DEPTH in reads or (shared and depth % 4 == 0) else 1
    others = [row, *inside]
    dst_quads = task.itemsize == 4 and column.dst == 1 and column.size % 4 == 0
    dst_quads = dst_quads and task.aligned(-1, QUAD_BYTES, others)
    tiles_down, tiles_across = -(-row.size // down), -(-column.size // across)
    if team:
        block_down, block_across = team.block
    elif shared:
        block_down, block_across = 1, lanes
    else:
        block_down, block_across = block_of(tiles_down, tiles_across, lanes)
    block = block_down * block_across
    groups, extent = -(-tiles_down // block_down), -(-tiles_across // block_across)
    ragged = row.size % (down * block_down) or column.size % (across * block_across)
    read_ns = sum(
        [
            READ_NS * span * (2 if read == _BY_ELEMENTS else read != ALL_ONES)
            for read, span in zip(reads, (down / lanes if shared else down, across))
        ]
    )
    term_ns = SHARED_TERM_NS if shared else _TERM_NS
    members = team.lanes if team else 1
    # A fused product of a workgroup is a single chain.
    levels = 1 if depth <= RUN or (team and fma) else 2
    unit_ns = 20.0 + (term_ns * down * across + read_ns / 4) * depth
    path = Path(
        "tile team" if team else "tile shared" if shared else "tile",
        task.dims,
        {
            "BLOCK_ACROSS": block_across,
            "BLOCK_DOWN": block_down,
            "ROWS": down,
            "COLUMNS": across,
            "RAGGED": int(ragged > 0),
            "DEEP": deep,
            "LEVELS": levels,
            "DST_QUADS": int(dst_quads),
            "A_READ": reads[0],
            "B_READ": reads[1],
        },
        whole=groups * extent * (1 if team else block) * math.prod([dim.size for dim in inside]),
        edges=0,
        groups=groups,
        extent=extent,
        unit_ns=unit_ns * members,
        unit_rounds=(
            rounds.matmul_team(depth, RUN, deep) if team else rounds.matmul_tile(depth, RUN, deep)
        ),
        elements=down * across * members,
        by=str(team or ""),
        together=lanes if shared else 1,
    )
    if team:  # A block is read once.
        spans = block_down * down, block_across * across
        loads = [Load(span * depth, span * deep / members) for span in spans]
    else:
        loads = [load_of(span, deep, depth) for span in (down, across)]
        if shared:
            piece = 1 if reads[0] == _BY_ELEMENTS else 4
            loads[0] = shared_load(down, deep, depth, piece, lanes)
    return task, path, tuple(loads), exchanged


def _take_dim(dims: list[Dim], lacking: int) -> Dim | None:
    """Remove and return a dim that this source lacks: preferably the innermost, or the largest."""
    fit = [dim for dim in dims if dim.strides[lacking] == 0]
    if not fit:
        return None
    dim = fit[0] if fit[0] is dims[0] else max(fit, key=lambda dim: dim.size)
    dims.remove(dim)
    return dim


def _read(task: Task, number: int, terms: Dim, span: int) -> int:
    nbytes = 4 * task.itemsizes[number]
    own = task.dims[1 - number]
    others = [dim for dim in task.dims if dim is not own]
    step = terms.strides[number]
    if step == 1 and terms.size % 4 == 0 and task.aligned(number, nbytes, task.dims):
        return _BY_DEPTH
    adjacent = own.strides[number] == 1 and own.size % 4 == 0 and span % 4 == 0
    is_by_span = adjacent and task.aligned(number, nbytes, [*others, terms])
    return _BY_SPAN if is_by_span else _BY_ELEMENTS
