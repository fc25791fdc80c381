"""Plan scans (cumulative sums, products and extremes) of rows in any layout, in one pass or three.

A long row is split into spans. The first pass reduces each span to its total, the totals are
scanned as rows of their own, and the last pass scans each span with the totals before it as carry.
The order of operations depends only on the row length, so one pass gives the same bits as three.

A span is an invocation's or, where lanes load together, a workgroup's: see
glsl/include/families/scan_team.glsl. There it is a tile of 64 blocks, and the totals of as many
tiles as a row of 2**30 elements has are scanned in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import (
    INDEX_SPEC,
    MADE_RANK,
    READS,
    SUMS,
    WRITES,
    Kernel,
    by_name,
    index_push,
    is_set,
    native,
)
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets, split
from dml_vk.kernels.plan.passes import team_lanes
from dml_vk.kernels.plan.paths import LOCAL_SIZE, Path, plan_of, power_of_two
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task, columns_of, in_bytes
from dml_vk.limits import Profile

BLOCK = 64  # elements per block, on every level
SUM, PRODUCT, MAXIMUM, MINIMUM = 0, 1, 2, 3
TOTALS, INCLUSIVE, EXCLUSIVE = 0, 1, 2  # forms

_TIMES = 4  # rows that keep a device busy, per work item that the profile wants
_WIDE_LANES = 32  # per lane group, where there are few work items
_MOST_STEPS = 2**13  # sequential steps of a work item: see kernels/plan/rounds.py
_ITEMSIZE = {"float": 4, "int": 4, "long": 8, "double": 8}
RESTS = {"float": (*SUMS, "compares"), "int": (), "long": (), "double": SUMS}
_COLUMN_BYTES = 2 * QUAD_BYTES  # of adjacent rows that one invocation scans together
# Estimated time to combine two elements on one slow core, without reading and writing them.
_COMBINE_NS = {"float": 1.0, "int": 1.0, "long": 3.0, "double": 20.0}

_SHORT = 16  # elements of rows that invocations scan faster than workgroups
_ALONE = 2**10  # workgroups that keep a device busy, so that each does all tiles of its rows
_MOST_TILES = 64  # that it does
_LANES = BLOCK  # of a workgroup that scans along rows: one for each block of a tile
_NEAR_BYTES = 128  # of adjacent rows that a workgroup scans across, where it has a choice

_FORM_SPEC = (*INDEX_SPEC, "OP", "FORM", "TYPE")
_SPEC = (*_FORM_SPEC, "LEVELS", "SPAN_DIM", "CARRIED", "SRC_RUNS", "DST_QUADS")
_TEAM_SPEC = (*_FORM_SPEC, "BLOCKS", "ROWS", "CARRIED", "SRC_RUNS", "DST_QUADS")
_BASES = ("src_base", "carry_base", "dst_base")
_ALONE_KERNELS = tuple(
    [
        Kernel(
            f"scan_{kind}",
            by_position=True,
            inlines=(READS, WRITES),
            rests=RESTS[kind],
            bindings=("Src", "Carry", "Dst"),
            optional={"Carry": is_set("CARRIED")},
            spec=_SPEC,
            push=index_push(_BASES, MADE_RANK, (("span", 1), ("src_step", 1), ("dst_step", 1))),
            variants={
                name: {"COLUMNS": str(columns), **(native(_SPEC) if kind == "double" else {})}
                for name, columns in (("row", 1), ("columns", _COLUMN_BYTES // itemsize))
            },
        )
        for kind, itemsize in _ITEMSIZE.items()
    ]
)
_TEAM_PUSH = ("src_step", "dst_step", "rows", "tops", "turns")
_TEAM_KERNELS = tuple(
    [
        Kernel(
            f"scan_{kind}_team",
            by_position=True,
            inlines=(READS, WRITES),
            rests=RESTS[kind],
            body=f"scan_{kind}",
            bindings=("Src", "Carry", "Dst"),
            optional={"Carry": is_set("CARRIED")},
            spec=_TEAM_SPEC,
            push=index_push(_BASES, MADE_RANK, tuple([(name, 1) for name in _TEAM_PUSH])),
            variants={
                name: {**macros, **(native(_TEAM_SPEC) if kind == "double" else {})}
                for name, macros in (
                    ("rows", {"COLUMNS": "1", "TEAM": "1"}),
                    ("columns", {"COLUMNS": "1", "TEAM": "1", "ACROSS": "1"}),
                )
            },
        )
        for kind in _ITEMSIZE
    ]
)
KERNELS = (*_ALONE_KERNELS, *_TEAM_KERNELS)


_BY_NAME = by_name(KERNELS)


class Scan(NamedTuple):
    """A scan without its operands."""

    kind: str  # of the kernel: how values are computed
    operator: int
    form: int
    type_code: int  # of the source


class Passes(NamedTuple):
    """The passes of a scan: `last` alone, or `totals`, a scan of the totals, and `last`."""

    last: Plan
    totals: Plan | None
    sizes: Ints  # of the totals, which are contiguous
    dim: int = 1  # of these, which counts the spans of a row
    tops: int = 0  # the totals of smaller blocks, after them


class Rows(NamedTuple):
    """How the rows of src and dst are traversed."""

    row: Dim
    dims: list[Dim]  # over rows, in steps of `columns` rows
    columns: int  # adjacent rows that are scanned together
    src_runs: bool
    dst_quads: bool


@cached_plan()
def plan_scan(
    scan: Scan,
    sizes: Ints,
    operands: Sequence[Operand],
    dim: int,
    profile: Profile,
    of_totals: bool = False,
) -> Passes:
    """Plan a scan along `dim` of operands: src and dst.

    `of_totals` of tiles, which workgroups scan in one pass.
    """
    strides, bases, itemsizes = columns_of(operands)
    row = Dim(tuple([each[dim] for each in strides]), sizes[dim])
    others = [each[:dim] + each[dim + 1 :] for each in (sizes, *strides)]
    dims, starts = ascending(others[0], others[1:])
    byte_starts = in_bytes(bases, starts, itemsizes)
    task = Task(dims, [], itemsizes, byte_starts, profile)
    teams = profile.coalesces and profile.max_invocations >= _LANES and row.size > _SHORT
    if teams and len(dims) <= MADE_RANK:
        return _by_teams(scan, row, task, starts, of_totals)
    rows = _rows(row, task)
    inner, outer = split(rows.dims, MADE_RANK - 1)

    span = _span(rows, profile)
    spans = -(-row.size // span)
    span_dim = Dim(tuple([step * span for step in row.strides]), spans)
    # Neighbouring work items should be adjacent in memory: spans of a contiguous row, or else rows.
    together = row.dst == 1
    inner = [span_dim, *inner] if together else [*inner, span_dim]
    units = math.prod([each.size for each in inner])
    task = Task(inner, outer, itemsizes, byte_starts, profile)
    # With a fixed number of workgroups and fewer work items than invocations, each narrow lane
    # group would get fewer work items than it has lanes.
    invocations = (profile.groups_wanted or 0) * min(LOCAL_SIZE, profile.max_invocations)
    lanes = profile.lanes if units >= invocations else max(profile.lanes, _WIDE_LANES)
    levels = 1
    while BLOCK**levels < min(span, row.size):
        levels += 1
    quick = rows.columns > 1 or rows.src_runs
    step_ns = rows.columns * (_COMBINE_NS[scan.kind] + (2.0 if quick else 4.0))

    def plan(form: int) -> Plan:
        carried, writes = form != TOTALS and spans > 1, form != TOTALS
        by_quads = rows.src_runs or (rows.dst_quads and writes)
        per = QUAD_BYTES // itemsizes[1] if by_quads else 1
        path = Path(
            "row" if rows.columns == 1 else "columns",
            inner,
            {
                "OP": scan.operator,
                "FORM": form,
                "TYPE": scan.type_code,
                "LEVELS": levels,
                "SPAN_DIM": 0 if together else len(inner) - 1,
                "CARRIED": int(carried),
                "SRC_RUNS": int(rows.src_runs),
                "DST_QUADS": int(rows.dst_quads and writes),
            },
            whole=units,
            edges=0,
            groups=1,
            extent=row.size,
            unit_ns=span * step_ns,
            unit_rounds=rounds.scan(min(span, row.size), BLOCK, per),
            elements=span * rows.columns,
        )
        # The distance between the totals of two launches.
        pitch = units * rows.columns
        launches = [
            (src, pitch * k if carried else 0, dst if writes else pitch * k)
            for k, (src, dst) in enumerate(offsets(outer, starts))
        ]
        return plan_of(
            *(_BY_NAME[f"scan_{scan.kind}"], path.name, task, path, launches),
            sources=itemsizes,
            push={"span": span, "src_step": row.strides[0], "dst_step": row.strides[1]},
            inside=(min(span, row.size),),
            lanes=lanes,
        )

    if spans == 1:
        return Passes(plan(scan.form), None, ())
    before = math.prod([each.size for each in (rows.dims if together else outer)])
    after = 1 if together else units // spans * rows.columns
    return Passes(plan(scan.form), plan(TOTALS), (before, spans, after))


def _by_teams(scan: Scan, row: Dim, task: Task, starts: Ints, of_totals: bool) -> Passes:
    """Plan a scan by workgroups."""
    profile, itemsizes, count = task.profile, task.itemsizes, math.prod([d.size for d in task.dims])
    blocks = min(BLOCK, power_of_two(-(-row.size // BLOCK)))
    tiles = -(-row.size // BLOCK**2)
    across = 1 not in row.strides and count >= QUAD_BYTES // 2
    if across:
        lanes = team_lanes(profile)
        near = min(power_of_two(count), _NEAR_BYTES // task.itemsize)
        wide = max(lanes // blocks, near)
    else:
        lanes, wide = _LANES, BLOCK // blocks
    groups = -(-count // wide)
    alone = tiles == 1 or (tiles <= _MOST_TILES and (of_totals or groups >= _ALONE))
    turns, spans = (tiles, 1) if alone else (1, tiles)
    run_bytes = task.run_bytes(0)
    src_runs = not across and row.strides[0] == 1 and _aligned(task, 0, run_bytes, task.dims)
    dst_quads = not across and row.dst == 1 and _aligned(task, 1, QUAD_BYTES, task.dims)
    elements = min(row.size, blocks * BLOCK) * wide * turns

    def plan(form: int) -> Plan:
        carried, writes = form != TOTALS and spans > 1, form != TOTALS
        sweeps = 1 if carried or not writes or blocks == 1 else 2
        path = Path(
            "columns by teams" if across else "rows by teams",
            task.dims,
            {
                "OP": scan.operator,
                "FORM": form,
                "TYPE": scan.type_code,
                "BLOCKS": blocks,
                "ROWS": wide,
                "CARRIED": int(carried),
                "SRC_RUNS": int(src_runs),
                "DST_QUADS": int(dst_quads and writes),
            },
            whole=groups * spans,
            edges=0,
            groups=groups if across else spans,
            extent=row.size,
            unit_ns=sweeps * elements * (_COMBINE_NS[scan.kind] + 4.0),
            unit_rounds=rounds.scan_team(
                *(turns, blocks * wide // lanes if across else 0, min(row.size, BLOCK), blocks),
                QUAD_BYTES // task.itemsize,
            ),
            elements=elements,
        )
        start, to = starts
        return plan_of(
            _BY_NAME[f"scan_{scan.kind}_team"],
            *("columns" if across else "rows", task, path, [(start, 0, to if writes else 0)]),
            sources=itemsizes,
            push={
                "src_step": row.strides[0],
                "dst_step": row.strides[1],
                "rows": count,
                "tops": count * tiles,
                "turns": turns,
            },
            inside=(row.size,),
            lanes=lanes,
            by_teams=True,
        )

    if alone:
        return Passes(plan(scan.form), None, ())
    sizes = (tiles, count) if across else (count, tiles)
    return Passes(plan(scan.form), plan(TOTALS), sizes, int(not across), count * tiles * BLOCK)


def _rows(row: Dim, task: Task) -> Rows:
    """Scan several adjacent rows together if they are aligned to quads; else one row at a time."""
    inner, *rest = task.dims
    itemsize = task.itemsize
    columns = _COLUMN_BYTES // itemsize
    if (
        inner.strides == (1, 1)
        and inner.size % columns == 0
        and task.itemsizes == (itemsize, itemsize)
        and all(_aligned(task, k, QUAD_BYTES, (row, *rest)) for k in range(2))
    ):
        wide = Dim((columns, columns), inner.size // columns)
        return Rows(row, [wide, *rest], columns, False, False)
    run_bytes = QUAD_BYTES // itemsize * task.itemsizes[0]
    src_runs = row.strides[0] == 1 and run_bytes <= QUAD_BYTES
    return Rows(
        row,
        task.dims,
        1,
        src_runs and _aligned(task, 0, run_bytes, task.dims),
        row.dst == 1 and _aligned(task, 1, QUAD_BYTES, task.dims),
    )


def _aligned(task: Task, operand: int, nbytes: int, dims: Iterable[Dim]) -> bool:
    return task.aligned(operand, nbytes, [dim for dim in dims if dim.size > 1])


def _span(rows: Rows, profile: Profile) -> int:
    """The elements per span: the whole row, or a block of some level.

    Another pass costs as much as a few sequential elements, and does not pay where rows alone keep
    the device busy. But where rows are columns in memory, a CPU's caches hold only a few lines of
    a thousand of them.
    """
    length, count = rows.row.size, math.prod([dim.size for dim in rows.dims])
    few, wanted = profile.scan_chunk, _TIMES * profile.units_wanted
    far = rows.columns > 1 and not profile.coalesces
    if far and length * count >= 2**18 and length > BLOCK * 8:
        return BLOCK
    if length <= few or (count >= wanted and length <= _MOST_STEPS):
        return length
    span = BLOCK
    while span * BLOCK <= few and count * length >= wanted * span * BLOCK:
        span *= BLOCK
    return span
