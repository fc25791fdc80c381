"""How rows are scanned, in any layout: which kernel, told what, and in how many passes.

A row that is long is cut into spans. One pass finds what each span comes to, those are scanned as
rows of their own, and a last pass scans each span from what came before it. What is combined with
what depends on the row alone, so that one pass gives the same bits as three.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from dml_vk.kernels import rounds
from dml_vk.kernels.dims import Dim, ascending, offsets, split
from dml_vk.kernels.kernel import INDEX_SPEC, MADE_RANK, Kernel, index_push
from dml_vk.kernels.paths import LOCAL_SIZE, Path, plan_of
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.tasks import QUAD_BYTES, Task, quads_a_unit, seen_by_plans
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints

BLOCK = 64  # elements, on every level
SUM, PRODUCT = 0, 1
TOTALS, INCLUSIVE, EXCLUSIVE = 0, 1, 2  # forms

_MOST_STEPS = 2**13  # of a unit, where it goes one by one: kernels/rounds.py
_ITEMSIZE = {"float": 4, "int": 4, "long": 8, "double": 8}
_COLUMN_BYTES = 2 * QUAD_BYTES  # of the rows side by side that one invocation scans
# What it takes one slow core to combine two elements, besides reading and writing them.
_COMBINE_NS = {"float": 1.0, "int": 1.0, "long": 3.0, "double": 20.0}

KERNELS = tuple(
    [
        Kernel(
            f"scan_{kind}",
            bindings=("Src", "Carry", "Dst"),
            writes=("Dst",),
            spec=(
                *(*INDEX_SPEC, "OP", "FORM", "TYPE", "LEVELS", "SPAN_DIM", "CARRIED"),
                *("SRC_RUNS", "DST_QUADS"),
            ),
            push=index_push(
                ("src_base", "carry_base", "dst_base"),
                MADE_RANK,
                (("span", 1), ("src_step", 1), ("dst_step", 1)),
            ),
            variants={
                "row": {"COLUMNS": "1"},
                "columns": {"COLUMNS": str(_COLUMN_BYTES // itemsize)},
            },
        )
        for kind, itemsize in _ITEMSIZE.items()
    ]
)


class Scan(NamedTuple):
    """What is to be done, but not where."""

    kind: str  # the kernel's, and of its values
    operator: int
    form: int
    type_code: int  # of the source


class Passes(NamedTuple):
    """A scan: all at once, or in three."""

    last: Plan
    totals: Plan | None  # what each span comes to, without gaps, in dims of these sizes,
    sizes: Ints  # of which 1 counts spans


class Rows(NamedTuple):
    """Rows of two operands, src and dst, and the way through them."""

    row: Dim
    dims: list[Dim]  # which row it is, in steps of `columns` rows
    columns: int  # rows side by side that are scanned at once
    src_runs: bool
    dst_quads: bool


def plan_scan(
    scan: Scan, sizes: Ints, operands: Sequence[tuple[Ints, int, int]], dim: int, limits: Limits
) -> Passes:
    """A scan along `dim`, of operands of these strides, offsets and item sizes, dst the second."""
    strides, bases, itemsizes = seen_by_plans(operands)
    return _passes(
        *(scan, sizes, dim, strides, bases, itemsizes[0]),
        *(limits.max_invocations, limits.groups_wanted, quads_a_unit(limits)),
    )


@lru_cache(maxsize=1024)
def _passes(
    scan: Scan,
    sizes: Ints,
    dim: int,
    strides: tuple[Ints, ...],
    bases: Ints,
    src_itemsize: int,
    invocations: int,
    groups_wanted: int,
    quads: int,
) -> Passes:
    """`plan_scan` in what matters: bases are residues, in bytes modulo QUAD_BYTES."""
    itemsizes = (src_itemsize, _ITEMSIZE[scan.kind])
    row = Dim(tuple([each[dim] for each in strides]), sizes[dim])
    others = [each[:dim] + each[dim + 1 :] for each in (sizes, *strides)]
    dims, starts = ascending(others[0], others[1:])
    byte_starts = tuple([base + at * size for base, at, size in zip(bases, starts, itemsizes)])
    rows = _rows(row, Task(dims, [], itemsizes, byte_starts, quads))
    inner, outer = split(rows.dims, MADE_RANK - 1)

    lanes = groups_wanted * min(LOCAL_SIZE, invocations) if quads > 1 else 0
    span = _span(rows, lanes)
    spans = -(-row.size // span)
    span_dim = Dim(tuple([step * span for step in row.strides]), spans)
    # Spans that follow one another are neighbours, as rows are that lie side by side.
    together = row.dst == 1
    inner = [span_dim, *inner] if together else [*inner, span_dim]
    units = math.prod([each.size for each in inner])
    # A CPU's lanes would lie idle in strands that have fewer units.
    task = Task(inner, outer, itemsizes, byte_starts, quads if units >= lanes else 1)
    levels = 1
    while BLOCK**levels < min(span, row.size):
        levels += 1
    quick = rows.columns > 1 or rows.src_runs
    per = QUAD_BYTES // itemsizes[1] if rows.src_runs or rows.dst_quads else 1
    step_ns = rows.columns * (_COMBINE_NS[scan.kind] + (2.0 if quick else 4.0))

    def plan(form: int) -> Plan:
        carried, writes = form != TOTALS and spans > 1, form != TOTALS
        path = Path(
            "row" if rows.columns == 1 else "columns",
            inner,
            (
                *(scan.operator, form, scan.type_code, levels),
                *(0 if together else len(inner) - 1, int(carried)),
                *(int(rows.src_runs), int(rows.dst_quads and writes)),
            ),
            whole=units,
            edges=0,
            groups=1,
            extent=row.size,
            unit_ns=span * step_ns,
            unit_rounds=rounds.scan(min(span, row.size), BLOCK, per),
            elements=span * rows.columns,
        )
        # What has no gaps lies so far from where it does in the launch before.
        pitch = units * rows.columns
        launches = [
            (src, pitch * k if carried else 0, dst if writes else pitch * k)
            for k, (src, dst) in enumerate(offsets(outer, starts))
        ]
        return plan_of(
            *(f"scan_{scan.kind}_{path.name}", task, path, MADE_RANK, launches, invocations),
            sources=itemsizes,
            tail=(span, *[step & 0xFFFFFFFF for step in row.strides]),
            inside=(min(span, row.size),),
        )

    if spans == 1:
        return Passes(plan(scan.form), None, ())
    before = math.prod([each.size for each in (rows.dims if together else outer)])
    after = 1 if together else units // spans * rows.columns
    return Passes(plan(scan.form), plan(TOTALS), (before, spans, after))


def _rows(row: Dim, task: Task) -> Rows:
    """Several rows at once, by quads, where they lie so; else one, by quads where those lie so."""
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


def _span(rows: Rows, lanes: int) -> int:
    """How many elements of a row to do at once: all, or a block on some level.

    `lanes` are those of a CPU, 0 for a GPU. A pass costs as much as a few elements one after the
    other, and rows enough keep all busy. But a CPU's caches hold no more than a few lines of a
    thousand columns.
    """
    length, count = rows.row.size, math.prod([dim.size for dim in rows.dims])
    few, wanted = (BLOCK**2, lanes // 8) if lanes else (BLOCK * 4, 2**15)
    if lanes and rows.columns > 1 and length * count >= 2**18 and length > BLOCK * 8:
        return BLOCK
    if length <= few or (count >= wanted and length <= _MOST_STEPS):
        return length
    span = BLOCK
    while span * BLOCK <= few and count * length >= wanted * span * BLOCK:
        span *= BLOCK
    return span
