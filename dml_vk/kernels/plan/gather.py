"""Plan gathers by advanced indexes, and checks of these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import (
    BY_BITS,
    BY_WORDS,
    PACKED_SPEC,
    ROW_SPEC,
    WORDS_SPEC,
    WRITES,
    Kernel,
    by_name,
    index_push,
)
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets, split, widened
from dml_vk.kernels.plan.flat import apart
from dml_vk.kernels.plan.paths import ANY, Path, plan_of, row_constants, rows
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task, columns_of, in_bytes, starts_of
from dml_vk.limits import Profile

GATHER_RANK, CHECKED_RANK, CHECK_RANK = 5, 4, 7
UNIT = 8  # elements per work item of kernels that go element by element
# Estimated time per element on one slow core, without moving it.
INDEX_NS, QUAD_NS, _PLACE_NS = 10.0, 2.0, 3.0

_WORDS = {bits: {"BITS": bits, **words} for bits, words in BY_WORDS.items()}
_GATHER_PUSH = index_push(
    ("index_base", "src_base", "dst_base"), GATHER_RANK, (("scalars", 4),), sources=2
)
_INDEX_SPEC = ("INDEX_TYPE", "SPLIT")

KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "gather_words",
        inlines=(WRITES,),
        rests=(),
        bindings=("index_words", "Src", "Dst"),
        spec=(*WORDS_SPEC, *_INDEX_SPEC),
        push=_GATHER_PUSH,
        variants={**_WORDS, "places": {**_WORDS["32"], "PLACES": "1"}},
        body="gather",
    ),
    Kernel(
        "gather_packed",
        inlines=(WRITES,),
        rests=(),
        bindings=("index_words", "Src", "Dst"),
        spec=(*PACKED_SPEC, *_INDEX_SPEC),
        push=_GATHER_PUSH,
        variants=BY_BITS,
        body="gather",
    ),
    Kernel(
        "gather_checked",
        inlines="the host reads at once whether indexes are right",
        rests=(),
        bindings=("index_words", "Src", "Flag", "Dst"),
        writes=("Flag", "Dst"),
        spec=(*WORDS_SPEC, *_INDEX_SPEC),
        push=index_push(
            ("index_base", "src_base", "flag_base", "dst_base"),
            CHECKED_RANK,
            (("scalars", 4),),
            sources=2,
        ),
        variants={bits: {**words, "CHECKED": "1"} for bits, words in _WORDS.items()},
        body="gather",
    ),
    Kernel(
        "gather_check",
        by_position=True,
        inlines="its result is one word",
        rests=(),
        bindings=("Index", "Dst"),
        spec=(*ROW_SPEC, "INDEX_TYPE", "QUADS"),
        push=index_push(("index_base", "dst_base"), CHECK_RANK, (("size", 1),)),
        variants={"index": {}},
    ),
)
_BY_NAME = by_name(KERNELS)


class Step(NamedTuple):
    """How an index maps to an element offset: index * stride, negative ones counted from `size`.

    With size 0, indexes are neither wrapped nor clamped. A linear index over several dims is first
    reduced to that along one of them, `index // inner % length`; else both are 0.
    """

    stride: int
    size: int = 0
    inner: int = 0
    length: int = 0


@cached_plan(2048)
def plan_gather(
    sizes: Ints,
    operands: Sequence[Operand],
    code: int,
    step: Step,
    profile: Profile,
    *,
    places: bool = False,
    checked: bool = False,
) -> Plan:
    """Plan a gather over operands: index, source and target.

    `code` is that of the index dtype. With `places`, the target gets the words of the source plus
    the element offsets of the index, which combines several indexes into one. Those of elements of
    words may be `checked` on the way, with one more operand, a word, before the target.
    """
    strides, bases, itemsizes = columns_of(operands)
    dims, starts = ascending(sizes, strides)
    stride = 0 if places else step.stride
    rank = CHECKED_RANK if checked else GATHER_RANK
    task, starts, times = indexed_task(dims, starts, bases, itemsizes, profile, stride, rank)
    path = None if checked else apart(task)
    path = (path or rows(task)).costing(_PLACE_NS if places else INDEX_NS)
    launches, sources = offsets(task.outer, starts), task.itemsizes[:2]
    if checked:
        launches = [(index, source, 0, target) for index, source, target in launches]
        sources = (*sources, 4)
    kernel = "words" if places else "checked" if checked else path.name
    return plan_of(
        _BY_NAME[f"gather_{kernel}"],
        "places" if places else str(8 * task.itemsize),
        *(task, path, launches),
        sources=sources,
        push={"scalars": (step.stride // times, step.size, step.inner, step.length)},
        constants={"INDEX_TYPE": code, "SPLIT": int(step.inner > 0)},
        loads=() if places else (Load(0, 0), Load(path.elements, QUAD_BYTES // task.itemsize)),
    )


def indexed_task(
    dims: list[Dim],
    starts: Ints,
    bases: Ints,
    itemsizes: Ints,
    profile: Profile,
    stride: int,
    rank: int = GATHER_RANK,
) -> tuple[Task, Ints, int]:
    """(the task, its starts in each operand, how many elements it moves as one).

    Operands are an index that counts in `stride` elements, a source and a target. Stride 0 means
    that elements must not be widened.
    """
    at = in_bytes(bases, starts, itemsizes)
    task = Task(*split(dims, rank), itemsizes, at, profile)
    times = _times(task, stride) if stride else 1
    if times > 1:
        # Only source and target are widened.
        itemsize = task.itemsize * times
        task = task._replace(
            dims=widened(task.dims, times, 1),
            outer=[dim.narrowed(times, 1) for dim in task.outer],
            itemsizes=(itemsizes[0], itemsize, itemsize),
        )
    return task, starts_of(task, bases), times


def _times(task: Task, stride: int) -> int:
    """How many elements can move as one: rows with one index, contiguous on both sides."""
    inner, *others = task.dims
    if inner.strides != (0, 1, 1):
        return 1
    nbytes = math.gcd(inner.size * task.itemsize, stride * task.itemsize, QUAD_BYTES)
    while not all(task.aligned(k, nbytes, others) for k in (1, 2)):
        nbytes //= 2
    return max(1, nbytes // task.itemsize)


@cached_plan(offset="itemsize")
def plan_check(
    sizes: Ints,
    strides: Ints,
    offset: int,
    itemsize: int,
    code: int,
    size: int,
    profile: Profile,
) -> Plan:
    """Plan a check that sets a word to 1 if an index is out of bounds for a dim of this size."""
    once = tuple([1 if stride == 0 and n else n for n, stride in zip(sizes, strides)])
    dims, (start,) = ascending(once, (strides,))
    inner, outer = split([Dim((*dim.strides, 0), dim.size) for dim in dims], CHECK_RANK)
    task = Task(inner, outer, (itemsize, 4), ((offset + start) * itemsize, 0), profile)
    dense = len(inner) == 1 and inner[0].strides == (1, 0) and itemsize >= 4
    in_quads = dense and task.aligned(0, QUAD_BYTES, ())
    path = by_quads(inner, QUAD_NS, profile) if in_quads else one_by_one(inner, INDEX_NS, profile)
    return plan_of(
        *(_BY_NAME["gather_check"], "index", task, path, offsets(task.outer, (start, 0))),
        sources=(itemsize,),
        push={"size": size},
        constants={"INDEX_TYPE": code, "QUADS": int(in_quads)},
    )


def one_by_one(
    dims: list[Dim], element_ns: float, profile: Profile, *, unit: int | None = None
) -> Path:
    """Traverse all dims element by element: one at a time where lanes load together."""
    unit = unit or (1 if profile.coalesces else UNIT)
    extent = math.prod([dim.size for dim in dims])
    sources = range(len(dims[0].strides) - 1)
    steps = sum([ANY << 2 * source for source in sources])
    return Path(
        "elements",
        dims,
        row_constants(len(dims), unit, steps, 0),
        whole=-(-extent // unit),
        edges=0,
        groups=1,
        extent=extent,
        unit_ns=unit * element_ns,
        unit_rounds=rounds.one_by_one(unit),
        elements=unit,
    )


def by_quads(dims: list[Dim], element_ns: float, profile: Profile) -> Path:
    """Traverse adjacent index words, those of whole work items by quads."""
    unit = 4 if profile.coalesces else UNIT
    path = one_by_one(dims, element_ns, profile, unit=unit)
    whole, left = divmod(path.extent, unit)
    return path._replace(whole=whole, edges=int(left > 0), by="quads")
