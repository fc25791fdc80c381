"""Plan scatters by advanced indexes, of which the last writer of an element wins."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import (
    BY_BITS,
    BY_WORDS,
    INDEX_SPEC,
    MAX_RANK,
    ROW_SPEC,
    Kernel,
    by_name,
    index_push,
)
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets
from dml_vk.kernels.plan.gather import INDEX_NS, by_quads, indexed_task, one_by_one
from dml_vk.kernels.plan.paths import NOTHING, Path, plan_of
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task, columns_of
from dml_vk.limits import Profile

RANK = 5
_SCATTER_NS = 30.0  # per element on one slow core, without moving it
_WORDS = {bits: {"BITS": bits, **words} for bits, words in BY_WORDS.items()}
_MANY = "several indexes may name an element"

KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "scatter_claim",
        inlines=_MANY,
        rests=(),
        bindings=("Index", "Dst"),
        spec=(*ROW_SPEC, "QUADS"),
        push=index_push(("index_base", "dst_base"), MAX_RANK),
        variants={"index": {}},
    ),
    Kernel(
        "scatter_elect",
        inlines=_MANY,
        rests=(),
        bindings=("Index", "Flag", "Dst"),
        writes=("Flag", "Dst"),
        spec=(*INDEX_SPEC, "INDEX_TYPE"),
        push=index_push(("index_base", "flag_base", "dst_base"), 1, (("size", 1),)),
        variants={"index": {}},
    ),
    Kernel(
        "pick",
        inlines=_MANY,
        rests=(),
        bindings=("Owner", "Index", "Src", "Dst"),
        spec=INDEX_SPEC,
        push=index_push(
            ("owner_base", "index_base", "src_base", "dst_base"), 1, (("src_step", 1),), sources=2
        ),
        params=("src_step",),
        variants={**BY_BITS, **_WORDS},
    ),
    Kernel(
        "scatter",
        inlines=_MANY,
        rests=(),
        bindings=("Index", "Src", "Owner", "Dst"),
        spec=(*ROW_SPEC, "CLAIMED"),
        push=index_push(
            ("index_base", "src_base", "owner_base", "dst_base"),
            RANK,
            (("stride", 1), ("claims_at", 1)),
            sources=2,
        ),
        variants={**BY_BITS, **_WORDS},
    ),
)
_BY_NAME = by_name(KERNELS)


@cached_plan()
def plan_scatter(
    sizes: Ints,
    operands: Sequence[Operand],
    indexed: Ints,
    stride: int,
    claims_offset: int,
    elects: bool,
    profile: Profile,
) -> Plan:
    """Plan a scatter over operands: index, source and target.

    Index words count in `stride` elements of the target. The target has stride 0 along `indexed`,
    the dims of the advanced index. With `elects` only the last writer of each cell writes, as
    elected by `plan_claim`. The cell of an index is in the word `claims_offset` after it, and the
    operand before the target has the winner of each cell.
    """
    strides, bases, itemsizes = columns_of(operands)
    # Dims of the index are outermost, in their order, and the others ordered as in the target.
    nesting = list(map(abs, strides[2]))
    outside = 1 + sum([size * step for size, step in zip(sizes, nesting)])
    for dim in reversed(indexed):
        nesting[dim] = outside
        outside *= max(1, sizes[dim])
    merged, starts = ascending(sizes, (*strides, tuple(nesting)))
    dims = [Dim(dim.strides[:3], dim.size) for dim in merged]
    task, starts, times = indexed_task(dims, starts[:3], bases, itemsizes, profile, stride)
    launches = [(index, source, 0, target) for index, source, target in offsets(task.outer, starts)]
    return plan_of(
        *(_BY_NAME["scatter"], str(8 * task.itemsize), task),
        one_by_one(task.dims, _SCATTER_NS, profile),
        launches,
        sources=(*task.itemsizes[:2], 4),
        push={"stride": stride // times, "claims_at": claims_offset},
        constants={"CLAIMED": 0 if not elects else 2 if claims_offset else 1},
    )


@cached_plan(offset="itemsize")
def plan_claim(count: int, offset: int, itemsize: int, profile: Profile) -> Plan:
    """Plan the election of last writers: each of `count` index words claims the cell it names.

    Each cell gets the highest position of a word that claims it, plus 1.
    """
    dims = [Dim((1, 0), count)]
    in_quads = offset * itemsize % QUAD_BYTES == 0
    path = (by_quads if in_quads else one_by_one)(dims, INDEX_NS, profile)
    return plan_of(
        *(_BY_NAME["scatter_claim"], "index", Task(dims, [], (4, 4), (0, 0), profile), path),
        [(0, 0)],
        sources=(4,),
        constants={"QUADS": int(in_quads)},
    )


@cached_plan()
def plan_elect(
    count: int, stride: int, itemsize: int, code: int, size: int, profile: Profile
) -> Plan:
    """Plan the election by indexes of any type, which it checks to be within `size`.

    Each cell gets the highest number of an index that claims it, plus 1 and the cells' own base.
    """
    dims = [Dim((stride, 0), count)]
    path = Path(
        "elements",
        dims,
        NOTHING,
        whole=count,
        edges=0,
        groups=1,
        extent=count,
        unit_ns=INDEX_NS,
        unit_rounds=0,
        elements=1,
    )
    return plan_of(
        *(_BY_NAME["scatter_elect"], "index", Task(dims, [], (itemsize, 4), (0, 0), profile)),
        *(path, [(0, 0, 0)]),
        sources=(itemsize, 4),
        push={"size": size},
        constants={"INDEX_TYPE": code},
    )


@cached_plan()
def plan_pick(count: int, itemsize: int, profile: Profile) -> Plan:
    """Plan writing to each of `count` adjacent cells the element of its elected writer, if any.

    The cells start at a quad. The elements of writers are a 1-D view, whose stride is a parameter.
    """
    words, whole = -(-count * itemsize // 4), count * itemsize // QUAD_BYTES
    dims = [Dim((1, 1, 1), 1)]
    path = Path(
        "pick",
        dims,
        NOTHING,
        whole=whole,
        edges=int(whole * 4 < words),
        groups=1,
        extent=words,
        unit_ns=QUAD_BYTES // itemsize * INDEX_NS,
        unit_rounds=0,
        elements=QUAD_BYTES // itemsize,
    )
    task = Task(dims, [], (QUAD_BYTES, 4, itemsize, QUAD_BYTES), (0,) * 4, profile)
    return plan_of(
        *(_BY_NAME["pick"], str(8 * itemsize), task, path, [(0,) * 4]),
        sources=(QUAD_BYTES, 4, itemsize),
    )
