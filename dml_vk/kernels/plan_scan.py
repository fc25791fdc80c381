"""How rows are scanned, in any layout: which kernel, told what, and in how many passes.

A row that is long is cut into spans. One pass finds what each span comes to, those are scanned as
rows of their own, and a last pass scans each span from what came before it. What is combined with
what depends on the row alone, so that one pass gives the same bits as three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from dml_vk.kernels.dims import Dim, Ints, ascending, offsets, split
from dml_vk.kernels.kernel import INDEX_SPEC, MADE_RANK, MAX_RANK, ROW_SPEC, Kernel, index_push
from dml_vk.kernels.paths import CPU_LANES, GPU_LANES, LOCAL_SIZE, QUAD_BYTES
from dml_vk.kernels.plan import Plan
from dml_vk.limits import Limits

BLOCK = 64  # elements, on every level
TOTALS, INCLUSIVE, EXCLUSIVE = 0, 1, 2  # forms
SUM, PRODUCT = 0, 1

_SCAN_SPEC = (
    *(*INDEX_SPEC, "OP", "FORM", "TYPE", "LEVELS", "SPAN_DIM", "CARRIED"),
    *("SRC_RUNS", "DST_QUADS"),
)
_BASES = ("src_base", "carry_base", "dst_base")
KERNELS = (
    *(
        Kernel(
            f"scan_{kind}",
            bindings=("Src", "Carry", "Dst"),
            writes=("Dst",),
            spec=_SCAN_SPEC,
            push=index_push(_BASES, MADE_RANK, (("span", 1), ("src_step", 1), ("dst_step", 1))),
            variants={"row": {"COLUMNS": "1"}, "columns": {"COLUMNS": str(columns)}},
        )
        for kind, columns in (("float", 4), ("int", 4), ("long", 2), ("double", 2))
    ),
    Kernel(
        "nonzero",
        bindings=("Src", "Carry", "Dst"),
        writes=("Dst",),
        spec=(*ROW_SPEC, "TYPE", "COUNTS", "SRC_QUADS"),
        push=index_push(_BASES, MAX_RANK),
        variants={"uint32": {}},
    ),
)
_ITEMSIZE = {"float": 4, "int": 4, "long": 8, "double": 8}
# What it takes one slow core to combine two elements, besides reading and writing them.
_COMBINE_NS = {"float": 1.0, "int": 1.0, "long": 3.0, "double": 60.0}


class Passes(NamedTuple):
    """A scan: all at once, or in three."""

    last: Plan
    totals: Plan | None  # what each span comes to, without gaps, in dims of these sizes,
    sizes: Ints  # of which 1 counts spans


def plan_scan(
    kind: str,
    operator: int,
    form: int,
    sizes: Ints,
    operands: Sequence[tuple[Ints, int, int]],
    dim: int,
    type_code: int,
    limits: Limits,
) -> Passes:
    """A scan along `dim`, of operands of these strides, offsets and item sizes, dst the second."""
    return _scan(
        *(kind, operator, form, sizes),
        tuple([strides for strides, _, _ in operands]),
        tuple([offset * itemsize % QUAD_BYTES for _, offset, itemsize in operands]),
        tuple([itemsize for _, _, itemsize in operands]),
        *(dim, type_code, limits.max_invocations, limits.groups_wanted, limits.wants_few_groups),
    )


@lru_cache(maxsize=1024)
def _scan(
    kind: str,
    operator: int,
    form: int,
    sizes: Ints,
    strides: tuple[Ints, Ints],
    bases: Ints,
    itemsizes: Ints,
    dim: int,
    type_code: int,
    invocations: int,
    groups_wanted: int,
    is_cpu: bool,
) -> Passes:
    """`plan_scan` in what matters: bases are places, in bytes modulo QUAD_BYTES."""
    length, steps = sizes[dim], tuple([each[dim] for each in strides])
    others = [each[:dim] + each[dim + 1 :] for each in (sizes, *strides)]
    dims, starts = ascending(others[0], others[1:])
    itemsize = _ITEMSIZE[kind]
    per = QUAD_BYTES // itemsize
    places = [base + at * size for base, at, size in zip(bases, starts, itemsizes)]

    def aligned(operand: int, nbytes: int, along: Sequence[Dim]) -> bool:
        apart = [each.strides[operand] * itemsizes[operand] for each in along]
        return math.gcd(places[operand], *apart) % nbytes == 0

    columns, runs, quads = 1, False, False
    row = Dim(steps, length)
    if dims[0].strides == (1, 1) and itemsizes == (itemsize, itemsize):
        if dims[0].size % per == 0 and all(
            aligned(k, QUAD_BYTES, (row, *dims[1:])) for k in range(2)
        ):
            columns = per
            dims[0] = Dim((per, per), dims[0].size // per)
    if columns == 1:
        run_bytes = per * itemsizes[0]
        runs = steps[0] == 1 and run_bytes <= QUAD_BYTES and aligned(0, run_bytes, dims)
        quads = steps[1] == 1 and aligned(1, QUAD_BYTES, dims)
    inner, outer = split(dims, MADE_RANK - 1)
    launches = offsets(outer, starts)
    rows = math.prod([each.size for each in dims])

    span = _span(length, rows, groups_wanted, is_cpu)
    spans = -(-length // span)
    levels = 1
    while BLOCK**levels < min(span, length):
        levels += 1
    span_dim = Dim(tuple([step * span for step in steps]), spans)
    # Spans that follow one another are neighbours, like columns.
    along = steps[1] == 1
    all_dims = [span_dim, *inner] if along else [*inner, span_dim]
    units = math.prod([each.size for each in all_dims])
    unit_ns = span * columns * (_COMBINE_NS[kind] + (2.0 if columns > 1 or runs else 4.0))

    def plan(form: int, carried: bool) -> Plan:
        lanes = CPU_LANES if is_cpu else GPU_LANES
        words = [
            value & 0xFFFFFFFF
            for column in ([each.size for each in all_dims], *zip(*[e.strides for e in all_dims]))
            for value in (*column, *[0] * (MADE_RANK - len(column)))
        ]
        shift = units * columns  # of what lies without gaps, from launch to launch
        return Plan(
            module=f"scan_{kind}_{'row' if columns == 1 else 'columns'}",
            spec=(
                *(min(LOCAL_SIZE, invocations // lanes * lanes), lanes, len(all_dims), 0),
                *(operator, form, type_code, levels, 0 if along else len(inner)),
                *(int(carried), int(runs), int(quads and form != TOTALS)),
            ),
            push=(
                *(0, units, 0, 0, 0, units, 1, length),
                *words,
                *(span, steps[0] & 0xFFFFFFFF, steps[1] & 0xFFFFFFFF),
            ),
            units=units,
            unit_ns=unit_ns,
            base_bytes=(itemsizes[0], itemsize, itemsize),
            launches=tuple(
                [
                    (src, k * shift if carried else 0, k * shift if form == TOTALS else dst)
                    for k, (src, dst) in enumerate(launches)
                ]
            ),
        )

    if spans == 1:
        return Passes(plan(form, False), None, ())
    totals = (rows, spans, 1) if along else (len(launches), spans, units // spans * columns)
    return Passes(plan(form, True), plan(TOTALS, False), totals)


def _span(length: int, rows: int, groups_wanted: int, is_cpu: bool) -> int:
    """How many elements of a row to do at once: all, or a block on some level."""
    # A pass takes as long as so many elements one after the other, or keeps so many rows busy.
    few, wanted = (4096, 8 * groups_wanted) if is_cpu else (256, 2**15)
    if length <= few or rows >= wanted:
        return max(1, length)
    span = BLOCK
    while span * BLOCK <= few and rows * length >= wanted * span * BLOCK:
        span *= BLOCK
    return span


class Found(NamedTuple):
    """How what is not 0 is found: counted by units, and written by those."""

    counts: Plan
    indexes: Plan


def plan_nonzero(
    sizes: Ints, strides: Ints, offset: int, itemsize: int, type_code: int, limits: Limits
) -> Found | None:
    """None where there are too many dims. The last of the units that count has no elements."""
    place = offset * itemsize % QUAD_BYTES
    return _nonzero(
        *(sizes, strides, place, itemsize, type_code),
        *(limits.max_invocations, limits.groups_wanted, limits.wants_few_groups),
    )


@lru_cache(maxsize=1024)
def _nonzero(
    sizes: Ints,
    strides: Ints,
    place: int,
    itemsize: int,
    type_code: int,
    invocations: int,
    groups_wanted: int,
    is_cpu: bool,
) -> Found | None:
    dims = _in_order(sizes, strides)
    if len(dims) > MAX_RANK:
        return None
    numel = math.prod(sizes)
    (step,), run = dims[0].strides, len(dims)
    code = step if run == 1 and step in (0, 1) else 2
    quads = run == 1 and step == 1 and place == 0
    unit, wanted = 32, 8 * groups_wanted if is_cpu else 2**15
    while unit < 4096 and numel >= 2 * unit * wanted:
        unit *= 2
    units = -(-numel // unit)
    lanes = CPU_LANES if is_cpu else GPU_LANES
    words = [
        value & 0xFFFFFFFF
        for column in ([dim.size for dim in dims], [dim.strides[0] for dim in dims], [])
        for value in (*column, *[0] * (MAX_RANK - len(column)))
    ]

    def plan(counts: bool) -> Plan:
        todo = units + int(counts)
        return Plan(
            module="nonzero_uint32",
            spec=(
                *(min(LOCAL_SIZE, invocations // lanes * lanes), lanes, run, 0),
                *(run, unit, code, 0, type_code, int(counts), int(quads)),
            ),
            push=(0, todo, 0, 0, 0, todo, 1, numel, *words),
            units=todo,
            unit_ns=unit * (1.0 if quads else 5.0) * (1 if counts else 3),
            base_bytes=(itemsize, 4, 4),
            launches=((0, 0, 0),),
        )

    return Found(plan(True), plan(False))


def _in_order(sizes: Ints, strides: Ints) -> list[Dim]:
    """Dims innermost first, in logical order, merged."""
    merged: list[Dim] = []
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size == 1:
            continue
        if merged and stride == merged[-1].strides[0] * merged[-1].size:
            merged[-1] = Dim(merged[-1].strides, merged[-1].size * size)
        else:
            merged.append(Dim((stride,), size))
    return merged or [Dim((1,), 1)]
