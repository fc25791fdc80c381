"""Choose the tiles of a matrix product: which dims they go over, and how they read its sources."""

from __future__ import annotations

import math
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load
from dml_vk.kernels.plan.dims import Dim, split
from dml_vk.kernels.plan.paths import Path
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task
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


class Reading(NamedTuple):
    """A source's strides over the dims of dst, and its step along the depth.

    Of a source of `ones` nothing is read, so its layout does not matter.
    """

    strides: Ints
    step: int
    offset: int
    dtype: DType
    ones: bool = False

    @property
    def operand(self) -> Operand:
        """The elements over the dims of dst."""
        return Operand(self.strides, self.offset, self.dtype.itemsize)

    def residue(self) -> Reading:
        """Reduce the offset to the position within a quad."""
        return self._replace(offset=self.operand.residue().offset)


def exchange(operands: Ints) -> Ints:
    """Swap the two sources."""
    a, b, dst = operands
    return b, a, dst


def tile_path(
    dims: list[Dim],
    task: Task,
    depth: int,
    a: Reading,
    b: Reading,
    *,
    fused: bool,
    tile: TeamTile | None = None,
) -> tuple[Task, Path, tuple[Load, ...], bool]:
    """Choose a dim that a lacks as columns and one that b lacks as rows; loop over the others.

    The last results are what a work item reads, and whether the sources were exchanged. With `tile`
    a workgroup does tiles together whether that suits or not.
    """
    single = Dim((0, 0, 0), 1)
    left = list(dims)
    column = _take_dim(left, 0) or single
    row = _take_dim(left, 1) or single
    lanes = task.profile.lanes
    both = not (a.ones or b.ones)
    times = math.prod([dim.size for dim in left])
    team = tile
    if both and not team:
        team = team_tile(row.size, column.size, times, depth, task.profile, fused=fused)
    shared = task.profile.shuffles and both and not team
    exchanged = shared and column.size < 4 * lanes <= row.size
    if exchanged:
        a, b = b, a
        column, row, *left = [Dim(exchange(dim.strides), dim.size) for dim in (row, column, *left)]
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
        _read(task, k, source, depth, span)
        for k, (source, span) in enumerate(((a, down), (b, across)))
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
    levels = 1 if depth <= RUN or (team and fused) else 2
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
            "A_TYPE": a.dtype.code,
            "B_TYPE": b.dtype.code,
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


def _read(task: Task, number: int, source: Reading, depth: int, span: int) -> int:
    if source.ones:
        return ALL_ONES
    nbytes = 4 * source.dtype.itemsize
    own = task.dims[1 - number]
    others = [dim for dim in task.dims if dim is not own]
    if source.step == 1 and depth % 4 == 0 and task.aligned(number, nbytes, task.dims):
        return _BY_DEPTH
    if own.strides[number] == 1 and own.size % 4 == 0 and span % 4 == 0:
        steps = Dim((source.step,) * 3, depth)
        if task.aligned(number, nbytes, [*others, steps]):
            return _BY_SPAN
    return _BY_ELEMENTS
