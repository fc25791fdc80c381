"""How elements are reduced over some of their dims: in which passes, by which kernel, told what.

What is reduced to one element are its leaves, counted in logical row-major order of the reduced
dims. A pass makes one element of each block of leaves, and the next pass takes those for leaves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from dml_vk.dtypes import DType
from dml_vk.kernels import rounds
from dml_vk.kernels.dims import Dim, ascending, offsets, split
from dml_vk.kernels.kernel import INDEX_SPEC, Kernel, index_push
from dml_vk.kernels.paths import LINE_BYTES, Path, plan_of
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.tasks import QUAD_BYTES, Task, quads_a_unit
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints, packed_strides

NAMES = ("sum", "prod", "max", "min", "any", "all", "count_nonzero", "argmax", "argmin")
OPCODES = {f"REDUCE_{name.upper()}": str(code) for code, name in enumerate(NAMES)}
MAX_TREE = 13  # levels that one invocation can grow, of any leaves
_MAX_LEAVES = 14  # a power of 2: what one invocation takes where they are in no tree
RANK, LEAF_RANK = 4, 4  # dims of one launch, and of leaves

BY_ELEMENTS, BY_WORDS, BY_QUADS = range(3)
_MOST_LAUNCHES = 64
_CACHE_BYTES, _NEAR_BYTES = 2**20, 2**16  # of what fits a CPU's caches, and the nearest one
_MOST_LEFT = 16  # of what a large reduction reads, one part in so many
_WIDTH = 4  # elements that a unit makes across a row
# What a leaf takes on one slow core, and ever so much more where it is not in a row with the next.
_LEAF_NS = {"tree": 1.0, "int": 1.0, "long": 2.0, "double": 16.0, "arg": 3.0}
_ALONE_NS = 4.0
_SPEC = ("OP", "TYPE", "A_TYPE", "READ", "LEAF_RANK", "TIERS", "GAPS", "DST_QUADS")
_EXTRA = (("block", 1), ("leaves", 1), ("ends", LEAF_RANK - 1), ("steps", LEAF_RANK))
_ALONG: dict[str, str] = {}
_ACROSS = {"ACROSS": "1"}
# Kind of value -> variants: elements one by one, or four of a row at once.
_VARIANTS: dict[str, dict[str, dict[str, str]]] = {
    "tree": {"along": _ALONG, "across": _ACROSS},
    "int": {"along": _ALONG, "across": _ACROSS},
    "long": {"along": _ALONG, "across": _ACROSS},
    "double": {"along": _ALONG},
    "arg": {"along": {"BITS": "64"}, "partial": {"BITS": "128"}},
}
KERNELS: tuple[Kernel, ...] = tuple(
    [
        Kernel(
            f"reduce_{kind}",
            bindings=("Src", "Dst"),
            writes=("Dst",),
            spec=(*INDEX_SPEC, *_SPEC),
            push=index_push(("src_base", "dst_base"), RANK, _EXTRA, 2),
            variants={name: {**OPCODES, **macros} for name, macros in variants.items()},
        )
        for kind, variants in _VARIANTS.items()
    ]
)


class Ties(Enum):
    """What the order of leaves means."""

    TREE = 0  # the result depends on it
    INDEX = 1  # the index of a leaf does
    NONE = 2


class Leaves(NamedTuple):
    """A dim of what is reduced."""

    size: int
    step: int


class Work(NamedTuple):
    """What is left to reduce: the dims that stay, and those that go, outermost first."""

    sizes: Ints
    strides: Ints
    leaves: tuple[Leaves, ...]


class Pass(NamedTuple):
    """What one pass makes, over which dims of its source."""

    sizes: Ints
    strides: Ints  # in its source
    indexes: Ints  # how the index of the first leaf moves
    leaves: tuple[Leaves, ...]
    block: int  # leaves for each element that it makes
    leaf_count: int  # in all
    made: Ints  # strides of what it makes, where another pass follows
    rest: Work | None  # what that has to do


class Reduction(NamedTuple):
    """Which one, on which kind of values."""

    name: str
    kind: str
    ties: Ties


class Code(NamedTuple):
    """An element type as kernels know it."""

    code: int
    nbytes: int


PARTIAL = Code(255, 16)  # what passes of argmax and argmin leave for the next one


@lru_cache(maxsize=256)
def reduction_of(name: str, target: DType) -> Reduction:
    """How a reduction to this dtype is computed."""
    if name in ("argmax", "argmin"):
        return Reduction(name, "arg", Ties.INDEX)
    wide = target.itemsize == 8
    if target.kind == "f" and name in ("sum", "prod"):
        return Reduction(name, "double" if wide else "tree", Ties.TREE)
    return Reduction(name, "long" if wide else "int", Ties.NONE)


@lru_cache(maxsize=1024)
def work_of(sizes: Ints, strides: Ints, dims: Ints, ties: Ties) -> Work:
    """The work of reducing these dims."""
    kept = [dim for dim in range(len(sizes)) if dim not in dims]
    leaves = [Leaves(sizes[dim], strides[dim]) for dim in sorted(dims)]
    own = tuple([sizes[dim] for dim in kept]), tuple([strides[dim] for dim in kept])
    return Work(*own, _merged(leaves, ties))


def _merged(leaves: Sequence[Leaves], ties: Ties) -> tuple[Leaves, ...]:
    """The same leaves in as few dims as can be."""
    if ties is Ties.NONE:
        leaves = sorted(leaves, key=lambda dim: -dim.step)
    merged: list[Leaves] = []
    for dim in leaves:
        if dim.size == 1:
            continue
        if merged and merged[-1].step == dim.size * dim.step:
            dim = Leaves(dim.size * merged.pop().size, dim.step)
        merged.append(dim)
    return tuple(merged) or (Leaves(1, 0),)


@lru_cache(maxsize=1024)
def next_pass(work: Work, ties: Ties, itemsize: int, partial_bytes: int, limits: Limits) -> Pass:
    """The first of the passes that do the work, on elements of this size.

    What it makes, if another one follows, takes so many bytes each.
    """
    outputs = math.prod(work.sizes)
    count = math.prod([dim.size for dim in work.leaves])
    inner, few = work.leaves[-1], limits.wants_few_groups
    many = outputs >= (64 if few else 2**14)
    least, most = (8, 12) if few else (4, 6)
    longest = (MAX_TREE if ties is Ties.TREE else _MAX_LEAVES) if many else most
    if few and outputs * count * itemsize > _CACHE_BYTES:
        near = _near(abs(inner.step) * itemsize, ties, itemsize)
        # What passes leave should be far less than what there was.
        near = max(near, (_MOST_LEFT * partial_bytes // itemsize).bit_length() - 1)
        least, most, longest = min(least, near), min(most, near), min(longest, near)
    if len(work.leaves) > 1 and outputs * count >= 2**14 and inner.size >= 16:
        # A dim that blocks do not cross is reduced along a row, or across one.
        log2 = min(longest, longest if ties is Ties.NONE else _twos(inner.size))
        if log2 >= 4:
            return row_pass(work, ties, log2)
    if count <= 1 << longest:
        zeros = (0,) * len(work.sizes)
        return Pass(work.sizes, work.strides, zeros, work.leaves, count, count, (), None)
    return block_pass(work, ties, max(least, min(most, (count - 1).bit_length() + 1 >> 1)))


def _near(step_bytes: int, ties: Ties, itemsize: int) -> int:
    """How many leaves leave lines in a CPU's caches until all of each is used, as a power of 2."""
    if step_bytes >= LINE_BYTES:
        return max(4, (_NEAR_BYTES // step_bytes).bit_length() - 1)
    # Trees of float64 take few elements at a time, in lanes that start where one set of lines does.
    return 8 if ties is Ties.TREE and itemsize == 8 else _MAX_LEAVES


def row_pass(work: Work, ties: Ties, log2: int) -> Pass:
    """Blocks of the innermost dim alone; of leaves in order they must fill it."""
    *outer, inner = work.leaves
    block = 1 << log2
    blocks = -(-inner.size // block)
    sizes = (*work.sizes, *[dim.size for dim in outer], blocks)
    strides = (*work.strides, *[dim.step for dim in outer], inner.step * block)
    indexes = [0] * len(sizes)
    indexes[-1] = block
    count = inner.size
    if ties is not Ties.NONE:
        count = math.prod([dim.size for dim in work.leaves])
        for at in range(len(outer)):
            indexes[at - len(outer) - 1] = math.prod([dim.size for dim in work.leaves[at + 1 :]])
    return _partial(work, ties, sizes, strides, tuple(indexes), (inner,), block, count, strides)


def block_pass(work: Work, ties: Ties, log2: int) -> Pass:
    """Blocks of all leaves, wherever they lie."""
    if len(work.leaves) == 1:
        return row_pass(work, ties, log2)
    block, count = 1 << log2, math.prod([dim.size for dim in work.leaves])
    sizes = (*work.sizes, -(-count // block))
    indexes = (*(0 for _ in work.sizes), block)
    strides = (*work.strides, 0)
    nesting = (*work.strides, work.leaves[-1].step)
    return _partial(work, ties, sizes, strides, indexes, work.leaves, block, count, nesting)


def _partial(
    work: Work,
    ties: Ties,
    sizes: Ints,
    strides: Ints,
    indexes: Ints,
    leaves: tuple[Leaves, ...],
    block: int,
    count: int,
    nesting: Ints,
) -> Pass:
    """A pass that another one follows: what it makes lies in the order of its source."""
    order = sorted(range(len(sizes)), key=lambda dim: -abs(nesting[dim]) or -math.inf)
    made = packed_strides(sizes, tuple(order))
    kept = len(work.sizes)
    left = [Leaves(size, step) for size, step in zip(sizes[kept:], made[kept:])]
    rest = Work(work.sizes, made[:kept], _merged(left, ties))
    return Pass(sizes, strides, indexes, leaves, block, count, made, rest)


def _twos(number: int) -> int:
    """How often it can be halved."""
    return (number & -number).bit_length() - 1


def plan_pass(
    reduction: Reduction,
    made: Pass,
    strides: Ints,
    source: Code,
    target: Code,
    at: Ints,
    limits: Limits,
) -> Plan | None:
    """The plan of a pass to these strides; None where there are more dims than it has room for.

    `at` are the offsets of its source and of what it makes.
    """
    residues = at[0] * source.nbytes % QUAD_BYTES, at[1] * target.nbytes % QUAD_BYTES
    return _plan(reduction, made, strides, source, target, residues, limits)


@lru_cache(maxsize=4096)
def _plan(
    reduction: Reduction,
    made: Pass,
    strides: Ints,
    source: Code,
    target: Code,
    residues: Ints,
    limits: Limits,
) -> Plan | None:
    dims, starts = _dims(made, strides)
    inner, outer = split(dims, RANK)
    few = math.prod([dim.size for dim in outer]) <= _MOST_LAUNCHES
    launches = offsets(outer, starts) if few else []
    if len(made.leaves) > LEAF_RANK or not launches or any(index for _, index, _ in launches):
        return None
    src, dst = source.nbytes, target.nbytes
    at = residues[0] + starts[0] * src, 0, residues[1] + starts[2] * dst
    task = Task(inner, outer, (src, 4, dst), at, quads_a_unit(limits))
    row, *others = inner
    across = "across" in _VARIANTS[reduction.kind] and row.strides[0] == 1 and row.size >= _WIDTH
    read = _read(reduction, task, made, across)
    count = min(made.block, made.leaf_count)
    tiers, chunk = _tiers(reduction.kind, read, across, src, count)
    dst_quads = (
        across
        and dst >= 4
        and row.dst == 1
        and row.size % _WIDTH == 0
        and task.aligned(-1, QUAD_BYTES, others)
    )
    spec = (
        *(int(OPCODES[f"REDUCE_{reduction.name.upper()}"]), target.code, source.code),
        *(read, len(made.leaves), tiers, int(_has_gaps(made, chunk)), int(dst_quads)),
    )
    if across:
        steps = tuple([stride * _WIDTH for stride in row.strides])
        inner = [Dim(steps, -(-row.size // _WIDTH)), *others]
    leaf_ns = _LEAF_NS[reduction.kind] + (_ALONE_NS if read == BY_ELEMENTS else 0)
    path = Path(
        "across" if across else "along",
        inner,
        spec,
        whole=math.prod([dim.size for dim in inner]),
        edges=0,
        groups=1,
        extent=row.size,
        unit_rounds=_rounds(reduction.kind, tiers, count, chunk),
        elements=_WIDTH if across else 1,
        unit_ns=20.0 + leaf_ns * (count + chunk) * (_WIDTH if across else 1),
        shares_words=dst < 4,
        by=("elements", "words", "quads")[read],
    )
    leaf_steps = [dim.step & 0xFFFFFFFF for dim in reversed(made.leaves)]
    ends = [dim.size for dim in reversed(made.leaves)][: LEAF_RANK - 1]
    return plan_of(
        f"reduce_{reduction.kind}_{'across' if across else 'partial' if dst == 16 else 'along'}",
        task,
        path,
        RANK,
        [(start, to) for start, _, to in launches],
        limits.max_invocations,
        sources=(src,),
        inside=(count,),
        tail=(
            *(made.block, made.leaf_count),
            *_filled(ends, LEAF_RANK - 1),
            *_filled(leaf_steps, LEAF_RANK),
        ),
    )


def _dims(made: Pass, strides: Ints) -> tuple[list[Dim], Ints]:
    """(dims, starts), innermost in the source first: neighbours are to read what lies side by side.

    Where leaves are not counted along a dim, it goes up in the source.
    """
    starts = [0, 0, 0]
    columns = []
    for size, *steps in zip(made.sizes, made.strides, made.indexes, strides):
        if steps[0] < 0 and not steps[1]:
            starts = [start + step * (size - 1) for start, step in zip(starts, steps)]
            steps = [-step for step in steps]
        columns.append((*steps, abs(steps[0])))
    dims, _ = ascending(made.sizes, tuple(zip(*columns)) or ((),) * 4)
    return [Dim(dim.strides[:3], dim.size) for dim in dims], tuple(starts)


def _read(reduction: Reduction, task: Task, made: Pass, across: bool) -> int:
    """How leaves are read: one by one, or as words or quads that hold several."""
    row, *others = task.dims
    itemsize = task.itemsizes[0]
    if across:
        nbytes = min(QUAD_BYTES, _WIDTH * itemsize)
        steps = math.gcd(*[dim.step * itemsize for dim in made.leaves])
        whole = row.size % _WIDTH == 0 and steps % nbytes == 0
        return BY_QUADS if whole and task.aligned(0, nbytes, others) else BY_ELEMENTS
    alone = len(made.leaves) > 1 or made.leaves[0].step != 1 or made.leaf_count <= 4
    if alone or reduction.kind == "double" or itemsize > 8:
        return BY_ELEMENTS
    return BY_QUADS if task.aligned(0, QUAD_BYTES, task.dims) else BY_WORDS


def _tiers(kind: str, read: int, across: bool, itemsize: int, count: int) -> tuple[int, int]:
    """(how high trees grow, how many leaves are taken together)."""
    chunk = (QUAD_BYTES if kind == "arg" else LINE_BYTES) // itemsize
    if across or read == BY_ELEMENTS:
        chunk = 4
    if kind != "tree":
        return 0, 2 if kind == "double" else chunk
    chunks = -(-count // chunk)
    return sum([chunks > 1, chunks > 15, chunks > 255]), chunk


def _rounds(kind: str, tiers: int, count: int, chunk: int) -> int:
    chunks = -(-count // chunk)
    if kind == "tree":
        return rounds.tree(chunks) if tiers else 0
    return rounds.chain(chunks) if kind == "double" else rounds.loop(chunks)


def _has_gaps(made: Pass, chunk: int) -> bool:
    """Some chunk has fewer leaves."""
    return made.leaf_count % chunk > 0 or made.block % chunk > 0


def _filled(values: Sequence[int], count: int) -> tuple[int, ...]:
    return (*values, *[0] * (count - len(values)))
