"""Plan matrix products, by tiles of dst or element by element.

Kernels see both sources broadcast over the dims of dst, with stride 0 along those that a source
lacks, and over the depth: the dim that is summed over.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, float32, float64
from dml_vk.kernels.kernel import (
    INDEX_SPEC,
    SUMS,
    WORDS_SPEC,
    WRITES,
    Kernel,
    by_name,
    index_push,
    is_not,
    is_set,
    native,
)
from dml_vk.kernels.operators import opcodes_of
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan, Rate
from dml_vk.kernels.plan.dims import Dim, ascending, offsets, split
from dml_vk.kernels.plan.linear import LINEAR_SPEC, Linear, is_by_rows, linear_path, storing_rounds
from dml_vk.kernels.plan.matmul_row import KERNEL as ROW
from dml_vk.kernels.plan.matmul_row import PARAMS, row_path
from dml_vk.kernels.plan.matmul_tile import (
    ALL_ONES,
    RANK,
    RUN,
    exchange,
    exchange_dims,
    tile_path,
)
from dml_vk.kernels.plan.paths import Path, plan_of, rows
from dml_vk.kernels.plan.tasks import Operand, Task, columns_of, in_bytes
from dml_vk.kernels.plan.team_tiles import BUSY, TeamTile
from dml_vk.limits import Profile

MAX_DEPTH = RUN**2  # of one plan
_INT64_NS, _FLOAT64_NS = 10.0, 60.0  # one multiply-add on one slow core
# Where each work item would stride across a whole source, the depth is split until there are this
# many, so that each reads a smaller range.
_SWEEP_UNITS = 1024
# Elements of temporary memory for partial sums, and how many times as many a GPU may have.
_MOST_PARTIAL, _TIMES_OF_GPU = 2**22, 4
# A depth is not split if that saves an invocation less than this, and all of them less than the two
# launches more take: estimates of a slow core.
_SHORT_NS, _LITTLE_NS = 2e3, 40e3


_TILE = "ROWS", "COLUMNS"


_SOURCES = {"a_words": is_not("A_READ", ALL_ONES), "b_words": is_not("B_READ", ALL_ONES)}


def _kernel(name: str, spec: tuple[str, ...], variants: dict[str, dict[str, str]]) -> Kernel:
    return Kernel(
        name,
        by_position=True,
        inlines=(WRITES,),
        rests={name: SUMS if "FLOAT" in macros else () for name, macros in variants.items()},
        tile=_TILE if "ROWS" in spec else None,
        bindings=("a_words", "b_words", "Dst"),
        optional=_SOURCES if "A_READ" in spec else {"a_words": is_not("ONES", 1)},
        spec=spec,
        push=index_push(("a_base", "b_base", "dst_base"), RANK, PARAMS, 2),
        variants=variants,
    )


_TILE_SPEC = (
    *INDEX_SPEC,
    *("BLOCK_ACROSS", "BLOCK_DOWN", "ROWS", "COLUMNS", "RAGGED", "DEEP", "LEVELS"),
    *("DST_QUADS", "A_READ", "B_READ", "A_TYPE", "B_TYPE", "MORE"),
)
_WORDS_SPEC = (*WORDS_SPEC, "ONES", "A_TYPE", "B_TYPE", "MORE")
KERNELS = (
    _kernel(
        "matmul_tile",
        (*_TILE_SPEC, "BY_ROWS"),
        {
            "float32": {"FLOAT": "1"},
            "int32": {},
            "shared_float32": {"FLOAT": "1", "SHARED": "1"},
            "shared_int32": {"SHARED": "1"},
            "team_float32": {"FLOAT": "1", "TEAM": "1"},
            "team_int32": {"TEAM": "1"},
        },
    ),
    _kernel(
        "matmul_words",
        _WORDS_SPEC,
        {"float64": {"FLOAT": "1", **native(_WORDS_SPEC)}, "int64": {}},
    ),
    ROW,
    Kernel(
        "matmul_linear",
        by_position=True,
        inlines=(WRITES,),
        rests=SUMS,
        tile=_TILE,
        body="matmul_tile",
        bindings=("a_words", "b_words", "bias_words", "Dst"),
        optional={**_SOURCES, "bias_words": is_set("BIAS")},
        spec=(*_TILE_SPEC, *LINEAR_SPEC),
        push=index_push(("a_base", "b_base", "bias_base", "dst_base"), RANK, PARAMS, 2),
        variants={
            f"{way}_float32": {
                **opcodes_of("float_activation"),
                **macros,
                "FLOAT": "1",
                "EPILOGUE": "1",
            }
            for way, macros in (
                ("tile", {}),
                ("tile_shared", {"SHARED": "1"}),
                ("tile_team", {"TEAM": "1"}),
            )
        },
    ),
)


_BY_NAME = by_name(KERNELS)


class Product(NamedTuple):
    """A plan, and what its caller must know of it."""

    plan: Plan
    swapped: bool  # b is the kernel's first source, a its second
    strides_far: bool  # work items stride across a whole source and use little of each cache line
    by_row: bool = False  # invocations share the runs of a sum


def plan_matmul(
    sizes: Ints,
    depth: int,
    operands: tuple[Operand | None, Operand, Operand],
    dtypes: tuple[DType, DType, DType],
    profile: Profile,
    *,
    more: bool = False,
    fma: bool = False,
    linear: Linear | None = None,
    tile: TeamTile | None = None,
) -> Product:
    """Plan a product with a depth from 1 to MAX_DEPTH, of a and b into dst.

    Sources have strides over the dims of dst, and along the depth; a may be None, for ones. With
    `more` the product is added to dst. With `fma` each product and sum of float32 are rounded once.
    With `linear`, for floats of up to 32 bits, sums have an epilogue. With `tile` workgroups do
    such tiles, whatever suits the device.
    """
    a, b, dst = operands
    is_of_ones = a is None
    fma = fma and dtypes[2] is float32 and not is_of_ones
    a = Operand((0,) * len(b.strides), b.offset, b.itemsize) if a is None else a
    residues = a.residue(), b.residue(), dst.residue()
    return _plan(sizes, depth, residues, dtypes, is_of_ones, more, fma, linear, tile, profile)


def partial_run(product: Product, numel: int, depth: int, profile: Profile) -> int:
    """The terms per partial sum if the depth should be split for parallelism (split-K), else 0."""
    wanted = profile.units_wanted
    if product.strides_far:
        wanted = max(wanted, _SWEEP_UNITS)
    most = _MOST_PARTIAL * (_TIMES_OF_GPU if profile.coalesces else 1)
    plan = product.plan
    units = plan.units * (plan.spec[0] if plan.by_teams else 1)  # as invocations
    if plan.unit_ns < _SHORT_NS and plan.units * plan.unit_ns < _LITTLE_NS and depth <= MAX_DEPTH:
        return 0
    for run in (RUN**2,) if product.by_row else (RUN**2, RUN):
        parts = -(-depth // run)
        busy = max(wanted, BUSY * profile.processors if plan.by_teams else 0)
        enough = units * parts >= busy or run == RUN or product.by_row
        if units < wanted and parts > 1 and numel * parts <= most and enough:
            return run
    parts = -(-depth // MAX_DEPTH)
    return MAX_DEPTH if parts > 1 and numel * parts <= most else 0


@lru_cache(maxsize=1024)
def _plan(
    sizes: Ints,
    depth: int,
    operands: tuple[Operand, Operand, Operand],
    dtypes: tuple[DType, DType, DType],
    is_of_ones: bool,
    more: bool,
    fma: bool,
    linear: Linear | None,
    tile: TeamTile | None,
    profile: Profile,
) -> Product:
    strides, bases, itemsizes = columns_of(operands)
    dims, starts = ascending(sizes, strides)
    terms = Dim((strides[0][-1], strides[1][-1], 0), depth)
    byte_starts = in_bytes(bases, starts, itemsizes)
    first, second, dtype = dtypes
    ones = 0 if is_of_ones else None  # the number of that source
    tiles = dtype.itemsize == 4 or linear is not None
    swapped = tiles and dims[0].strides[1] == 0 and dims[0].strides[0] != 0
    if swapped:
        first, second, ones = second, first, 1 if is_of_ones else None
        itemsizes, byte_starts, starts = map(exchange, (itemsizes, byte_starts, starts))
        terms, *dims = exchange_dims([terms, *dims])
    whole = Task([], [], itemsizes, byte_starts, profile)
    by_row = None
    loads: tuple[Load, ...]
    if dtype is float32 and linear is None and tile is None and not is_of_ones:
        by_row = row_path(dims, whole, terms)
    if by_row:
        task, path = by_row
        name, own, far, team, fma = path.name, {}, False, path.lanes or 1, False
        loads = (Load(path.elements * depth / team, 4),) * 2
    elif tiles:
        task, path, loads, exchanged = tile_path(dims, whole, terms, ones=ones, fma=fma, tile=tile)
        if exchanged:
            swapped, starts, itemsizes = not swapped, exchange(starts), task.itemsizes
            first, second, (terms,) = second, first, exchange_dims([terms])
        far = _strides_far(path, terms, itemsizes, ones)
        name = path.name
        spans = path.constants["ROWS"], path.constants["COLUMNS"]
        team = path.elements // math.prod(spans)
        by_rows = linear is None and is_by_rows(*spans, depth)
        own = {"BY_ROWS": int(by_rows)}
        if by_rows:
            path = path._replace(unit_rounds=path.unit_rounds + storing_rounds(*spans))
    else:
        task = Task(*split(dims, RANK), itemsizes, byte_starts, profile)
        term_ns = _FLOAT64_NS if dtype.kind == "f" else _INT64_NS
        # Few elements per work item, since each loops over the depth.
        path = rows(task, quads=1)
        path = path.costing(term_ns * depth, rounds.matmul_element(depth, RUN))
        own = {"ONES": int(is_of_ones)}
        loads = (Load(path.elements * depth, path.elements),) * 2
        name = "words"
        far, team = False, 1
    family, _, way = name.partition(" ")
    kernel, variant = f"matmul_{family}", f"{_FAMILY[dtype.kind]}{8 * dtype.itemsize}"
    sources, launches = itemsizes[:-1], offsets(task.outer, starts)
    if linear is not None:
        kernel, variant, way = "matmul_linear", "float32", name.replace(" ", "_")
        path, own = linear_path(path, task, depth, linear, dtype, 0 if swapped else 1)
        sources += ((linear.bias or (0, dtype))[1].itemsize,)
        launches = [(*of_sources, 0, of_dst) for *of_sources, of_dst in launches]
    plan = plan_of(
        *(_BY_NAME[kernel], f"{way}_{variant}" if way else variant, task, path, launches),
        sources=sources,
        constants={"MORE": int(more), "A_TYPE": first.code, "B_TYPE": second.code, **own},
        inside=(depth,),
        push={"depth": depth, "a_step": terms.strides[0], "b_step": terms.strides[1]},
        lanes=team if team > 1 else None,
        by_teams=team > 1,
        loads=loads,
    )
    rate: Rate = "bytes" if by_row else "float64" if dtype is float64 else "float32"
    plan = replace(plan, rate=rate)
    if fma:
        plan = replace(plan, fma=True, path=f"{plan.path}, fused multiply-add")
    return Product(plan, swapped, far, by_row is not None)


def _strides_far(path: Path, terms: Dim, itemsizes: Ints, ones: int | None) -> bool:
    """Whether a product with a single row or column reads the other source with long strides."""
    column, row, *_ = path.dims
    return any(
        other.size == 1 and k != ones and abs(terms.strides[k]) * itemsizes[k] >= 1024
        for k, other in enumerate((column, row))
    )


_FAMILY = {"f": "float", "i": "int", "u": "int"}
