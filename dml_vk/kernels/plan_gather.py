"""How elements are read from where indexes tell, and written there: which kernel, told what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from dml_vk.kernels import rounds
from dml_vk.kernels.dims import Dim, ascending, offsets, split, widened
from dml_vk.kernels.kernel import MAX_RANK, PACKED_SPEC, ROW_SPEC, WORDS_SPEC, Kernel, index_push
from dml_vk.kernels.paths import ANY, Path, plan_of, rows
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.tasks import QUAD_BYTES, Task, quads_a_unit, seen_by_plans, starts_of
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints

GATHER_RANK, CHECK_RANK, SCATTER_RANK = 5, 7, 5
UNIT = 8  # elements that an invocation takes at a time where it goes one by one
# What an element takes one slow core, besides its move.
_INDEX_NS, _QUAD_INDEX_NS, _PLACE_NS, _SCATTER_NS = 10.0, 2.0, 3.0, 30.0

_BY_WORDS = {
    "32": {"BITS": "32", "T": "uint", "WORDS": "1"},
    "64": {"BITS": "64", "T": "uvec2", "WORDS": "2"},
    "128": {"BITS": "128", "T": "uvec4", "WORDS": "4"},
}
_BY_BITS = {"8": {"BITS": "8"}, "16": {"BITS": "16"}}
_GATHER_PUSH = index_push(
    ("index_base", "src_base", "dst_base"), GATHER_RANK, (("scalars", 4),), sources=2
)
_INDEX_SPEC = ("INDEX_TYPE", "SPLIT")

KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "gather_words",
        bindings=("index_words", "Src", "Dst"),
        writes=("Dst",),
        spec=(*WORDS_SPEC, *_INDEX_SPEC),
        push=_GATHER_PUSH,
        variants={**_BY_WORDS, "places": {**_BY_WORDS["32"], "PLACES": "1"}},
        body="gather",
    ),
    Kernel(
        "gather_packed",
        bindings=("index_words", "Src", "Dst"),
        writes=("Dst",),
        spec=(*PACKED_SPEC, *_INDEX_SPEC),
        push=_GATHER_PUSH,
        variants=_BY_BITS,
        body="gather",
    ),
    Kernel(
        "gather_check",
        bindings=("Index", "Dst"),
        writes=("Dst",),
        spec=(*ROW_SPEC, "INDEX_TYPE", "QUADS"),
        push=index_push(("index_base", "dst_base"), CHECK_RANK, (("size", 1),)),
        variants={"index": {}},
    ),
    Kernel(
        "scatter_claim",
        bindings=("Index", "Dst"),
        writes=("Dst",),
        spec=ROW_SPEC,
        push=index_push(("index_base", "dst_base"), MAX_RANK),
        variants={"index": {}},
    ),
    Kernel(
        "scatter",
        bindings=("Index", "Src", "Owner", "Dst"),
        writes=("Dst",),
        spec=(*ROW_SPEC, "CLAIMED"),
        push=index_push(
            ("index_base", "src_base", "owner_base", "dst_base"),
            SCATTER_RANK,
            (("stride", 1), ("claims_at", 1)),
            sources=2,
        ),
        variants={**_BY_BITS, **_BY_WORDS},
    ),
)


class Step(NamedTuple):
    """What an index means: how far it leads in elements, and the size that it counts in.

    Size 0: it is a place already, that nothing need be done to. Where the index is one of several
    dims in row-major order, `inner` are the indexes inside each of those that count, `length`
    of them; else both are 0.
    """

    stride: int
    size: int = 0
    inner: int = 0
    length: int = 0


def plan_gather(
    sizes: Ints,
    operands: Sequence[tuple[Ints, int, int]],
    code: int,
    step: Step,
    limits: Limits,
    *,
    places: bool = False,
) -> Plan:
    """The plan of a gather over operands of these strides, offsets and item sizes.

    They are the index, whose dtype has this code, the source and the target. With `places` no
    elements are gathered, but the words of the source are added to what the indexes tell.
    """
    return _gather(
        sizes,
        *seen_by_plans(operands),
        code,
        step,
        places,
        limits.max_invocations,
        quads_a_unit(limits),
    )


@lru_cache(maxsize=2048)
def _gather(
    sizes: Ints,
    strides: tuple[Ints, ...],
    bases: Ints,
    itemsizes: Ints,
    code: int,
    step: Step,
    places: bool,
    invocations: int,
    quads: int,
) -> Plan:
    """`plan_gather` in what matters: bases are residues, in bytes modulo QUAD_BYTES."""
    dims, starts = ascending(sizes, strides)
    task, starts, times = _task(dims, starts, bases, itemsizes, quads, 0 if places else step.stride)
    path = rows(task).costing(_PLACE_NS if places else _INDEX_NS)
    return plan_of(
        "gather_words_places" if places else f"gather_{path.name}_{8 * task.itemsize}",
        task,
        path,
        GATHER_RANK,
        offsets(task.outer, starts),
        invocations,
        sources=task.itemsizes[:2],
        tail=(step.stride // times & 0xFFFFFFFF, step.size, step.inner, step.length),
        spec=(code, int(step.inner > 0)),
    )


def plan_scatter(
    sizes: Ints,
    operands: Sequence[tuple[Ints, int, int]],
    led: Sequence[int],
    stride: int,
    claims_at: int,
    claimed: bool,
    limits: Limits,
) -> Plan:
    """The plan of a scatter over operands of these strides, offsets and item sizes.

    They are the words that tell places in so many elements of the target, the source and the
    target, which does not move along the dims that are `led`. If it is claimed, the words
    that claim lie `claims_at` behind those, and the owners are its operand before the target.
    """
    return _scatter(
        sizes,
        *seen_by_plans(operands),
        tuple(led),
        stride,
        claims_at,
        claimed,
        limits.max_invocations,
        quads_a_unit(limits),
    )


@lru_cache(maxsize=1024)
def _scatter(
    sizes: Ints,
    strides: tuple[Ints, ...],
    bases: Ints,
    itemsizes: Ints,
    led: Ints,
    stride: int,
    claims_at: int,
    claimed: bool,
    invocations: int,
    quads: int,
) -> Plan:
    """`plan_scatter` in what matters: bases are residues, in bytes modulo QUAD_BYTES."""
    # Dims that are led lie outside, in their order, and the others as they do in the target.
    nesting = list(map(abs, strides[2]))
    outside = 1 + sum([size * step for size, step in zip(sizes, nesting)])
    for dim in reversed(led):
        nesting[dim] = outside
        outside *= max(1, sizes[dim])
    found, starts = ascending(sizes, (*strides, tuple(nesting)))
    dims = [Dim(dim.strides[:3], dim.size) for dim in found]
    task, starts, times = _task(dims, starts[:3], bases, itemsizes, quads, stride)
    launches = [(index, source, 0, target) for index, source, target in offsets(task.outer, starts)]
    return plan_of(
        f"scatter_{8 * task.itemsize}",
        task,
        _one_by_one(task.dims, _SCATTER_NS),
        SCATTER_RANK,
        launches,
        invocations,
        sources=(*task.itemsizes[:2], 4),
        tail=(stride // times & 0xFFFFFFFF, claims_at),
        spec=(0 if not claimed else 2 if claims_at else 1,),
    )


def _task(
    dims: list[Dim], starts: Ints, bases: Ints, itemsizes: Ints, quads: int, stride: int
) -> tuple[Task, Ints, int]:
    """(what is to be done, where it starts in each operand, how many elements move as one).

    Operands are an index that leads so many elements a step, a source and a target. Stride 0 does
    not mean that it leads nowhere, but that elements must stay what they are.
    """
    at = tuple([base + start * size for base, start, size in zip(bases, starts, itemsizes)])
    task = Task(*split(dims, GATHER_RANK), itemsizes, at, quads)
    times = _times(task, stride) if stride else 1
    if times > 1:
        # The index's stay as they are.
        itemsize = task.itemsize * times
        task = task._replace(
            dims=widened(task.dims, times, 1),
            outer=[dim.narrowed(times, 1) for dim in task.outer],
            itemsizes=(itemsizes[0], itemsize, itemsize),
        )
    return task, starts_of(task, bases), times


def _times(task: Task, stride: int) -> int:
    """How many elements can move as one: those of rows of one index, in one piece on both sides."""
    inner, *others = task.dims
    if inner.strides != (0, 1, 1):
        return 1
    nbytes = math.gcd(inner.size * task.itemsize, stride * task.itemsize, QUAD_BYTES)
    while not all(task.aligned(k, nbytes, others) for k in (1, 2)):
        nbytes //= 2
    return max(1, nbytes // task.itemsize)


def plan_check(
    sizes: Ints,
    strides: Ints,
    offset: int,
    itemsize: int,
    code: int,
    size: int,
    limits: Limits,
) -> Plan:
    """Whether any of these indexes is outside of a dim of so many: sets a word to 1."""
    return _check(
        *(sizes, strides, offset * itemsize % QUAD_BYTES, itemsize, code, size),
        *(limits.max_invocations, quads_a_unit(limits)),
    )


@lru_cache(maxsize=1024)
def _check(
    sizes: Ints,
    strides: Ints,
    base: int,
    itemsize: int,
    code: int,
    size: int,
    invocations: int,
    quads: int,
) -> Plan:
    """`plan_check` in what matters: the base is a residue, in bytes modulo QUAD_BYTES."""
    once = tuple([1 if stride == 0 and n else n for n, stride in zip(sizes, strides)])
    dims, (start,) = ascending(once, (strides,))
    inner, outer = split([Dim((*dim.strides, 0), dim.size) for dim in dims], CHECK_RANK)
    task = Task(inner, outer, (itemsize, 4), (base + start * itemsize, 0), quads)
    path = _one_by_one(inner, _INDEX_NS)
    dense = len(inner) == 1 and inner[0].strides == (1, 0) and itemsize >= 4
    in_quads = dense and task.aligned(0, QUAD_BYTES, ())
    if in_quads:
        whole, left = divmod(path.extent, UNIT)
        path = path._replace(whole=whole, edges=int(left > 0), unit_ns=UNIT * _QUAD_INDEX_NS)
        path = path._replace(by="quads")
    return plan_of(
        "gather_check_index",
        task,
        path,
        CHECK_RANK,
        offsets(task.outer, (start, 0)),
        invocations,
        sources=(itemsize,),
        tail=(size,),
        spec=(code, int(in_quads)),
    )


def _one_by_one(dims: list[Dim], element_ns: float) -> Path:
    """All dims taken together, element by element."""
    extent = math.prod([dim.size for dim in dims])
    sources = range(len(dims[0].strides) - 1)
    steps = sum([ANY << 2 * source for source in sources])
    return Path(
        "elements",
        dims,
        (len(dims), UNIT, steps, 0),
        whole=-(-extent // UNIT),
        edges=0,
        groups=1,
        extent=extent,
        unit_ns=UNIT * element_ns,
        unit_rounds=rounds.one_by_one(UNIT),
        elements=UNIT,
    )


def plan_claim(count: int, limits: Limits) -> Plan:
    """So many words claim other words, each the one that it leads to."""
    invocations, quads = limits.max_invocations, quads_a_unit(limits)
    dims = [Dim((1, 0), count)]
    return plan_of(
        "scatter_claim_index",
        Task(dims, [], (4, 4), (0, 0), quads),
        _one_by_one(dims, _INDEX_NS),
        MAX_RANK,
        [(0, 0)],
        invocations,
        sources=(4,),
    )
