"""Plan the passes of reductions: from a pass and layouts to a launch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import INDEX_SPEC, READS, WRITES, Kernel, by_name, index_push, native
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets, split
from dml_vk.kernels.plan.passes import Pass, Ties
from dml_vk.kernels.plan.paths import LINE_BYTES, Path, plan_of
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task
from dml_vk.kernels.reductions import REDUCTIONS, opcodes_of
from dml_vk.limits import Profile

# Pairs of numbers that softmax and norms need of each row; the kind of kernel that computes each.
PAIRS = {
    **dict.fromkeys(("exp_sum", "log_sum"), "softmax"),
    **dict.fromkeys(("statistics", "means", "scale", "squares", "norm_1", "norm_2"), "moments"),
    "weights": "softmax",
}
PAIR_OPCODES = {f"REDUCE_{name.upper()}": str(code) for code, name in enumerate(PAIRS)}
RANK, LEAF_RANK = 4, 4  # dims of one launch, and of leaves

BY_ELEMENTS, BY_WORDS, BY_QUADS = range(3)
_MOST_LAUNCHES = 64
_WIDTH = 4  # results per work item of an "across" variant
# Estimated time per leaf on one slow core, and the extra time if it is read individually.
_LEAF_NS = {
    "tree": 1.0,
    "int": 1.0,
    "long": 2.0,
    "double": 16.0,
    "arg": 3.0,
    "softmax": 4.0,
    "moments": 2.0,
}
_CHUNKED = ("softmax", "moments")  # kinds whose leaves are chunks of elements
_CHUNK = 16
_ALONE_NS = 4.0
_SPEC = ("OP", "TYPE", "A_TYPE", "READ", "LEAF_RANK", "TIERS", "GAPS", "DST_QUADS")
_OWN_SPEC = {"moments": ("EPS",)}
_EXTRA = (("block", 1), ("leaves", 1), ("ends", LEAF_RANK - 1), ("steps", LEAF_RANK))
_WHOLE_SPEC = (*INDEX_SPEC, *_SPEC)
_ALONG: dict[str, str] = {}
_ACROSS = {"ACROSS": "1"}
# Kind of value -> variants: "along" makes one result per work item, "across" four neighbours.
_PAIRED = {
    "along": {"BITS": "64"},
    "partial": {"BITS": "128"},
    "across": {"BITS": "64", **_ACROSS},
    "across_partial": {"BITS": "128", **_ACROSS},
}
_VARIANTS: dict[str, dict[str, dict[str, str]]] = {
    "tree": {"along": _ALONG, "across": _ACROSS},
    "int": {"along": _ALONG, "across": _ACROSS},
    "long": {"along": _ALONG, "across": _ACROSS},
    "double": {"along": native(_WHOLE_SPEC)},
    "arg": {"along": {"BITS": "64"}, "partial": {"BITS": "128"}},
    "softmax": _PAIRED,
    "moments": _PAIRED,
}
KERNELS: tuple[Kernel, ...] = tuple(
    [
        Kernel(
            f"reduce_{kind}",
            inlines=(READS, WRITES),
            bindings=("Src", "Dst"),
            spec=(*_WHOLE_SPEC, *_OWN_SPEC.get(kind, ())),
            push=index_push(("src_base", "dst_base"), RANK, _EXTRA, 2),
            variants={
                name: {**(PAIR_OPCODES if kind in _CHUNKED else opcodes_of(kind)), **macros}
                for name, macros in variants.items()
            },
        )
        for kind, variants in _VARIANTS.items()
    ]
)


_BY_NAME = by_name(KERNELS)


class Reducer(NamedTuple):
    """A reduction, or pairs of numbers, and the kind of kernel that computes it."""

    name: str
    opcode: int
    kind: str
    ties: Ties
    constants: Ints = ()  # of its own kind of kernel
    then: str = ""  # what reduces its partial results, if it is another reduction


# Results of several numbers, in place of the codes of dtypes.
PARTIAL = 255  # a partial result
FOUR = 254  # four numbers of a row, which are a result
SEVERAL_BYTES = 16


@lru_cache(maxsize=256)
def reducer_of(name: str, target: DType, constants: Ints = ()) -> Reducer:
    """Choose the kind of kernel for a reduction to this dtype."""
    if name in PAIRS:
        opcode = int(PAIR_OPCODES[f"REDUCE_{name.upper()}"])
        return Reducer(name, opcode, PAIRS[name], Ties.TREE, constants)
    row = REDUCTIONS[name]
    kind = row.kind(target)
    ties = {"arg": Ties.INDEX, "tree": Ties.TREE, "double": Ties.TREE}.get(kind, Ties.NONE)
    return Reducer(name, row.code, kind, ties, then=row.then)


@cached_plan(maxsize=4096)
def plan_pass(
    reducer: Reducer, pass_: Pass, operands: Sequence[Operand], codes: Ints, profile: Profile
) -> Plan | None:
    """Plan a pass; None where its dims do not fit the kernel.

    Its operands are the source, over the dims of the pass, and the output. Their `codes` are those
    of dtypes, `PARTIAL` or `FOUR`.
    """
    dims, starts = _dims(pass_, operands)
    inner, outer = split(dims, RANK)
    few = math.prod([dim.size for dim in outer]) <= _MOST_LAUNCHES
    launches = offsets(outer, starts) if few else []
    if len(pass_.leaves) > LEAF_RANK or not launches or any(index for _, index, _ in launches):
        return None
    source, target = operands
    src, dst = source.itemsize, target.itemsize
    at = (source.offset + starts[0]) * src, 0, (target.offset + starts[2]) * dst
    task = Task(inner, outer, (src, 4, dst), at, profile)
    row, *others = inner
    across = "across" in _VARIANTS[reducer.kind] and row.strides[0] == 1 and row.size >= _WIDTH
    across = across and src <= 8
    read = _read(reducer, task, pass_, across)
    count = min(pass_.block, pass_.leaf_count)
    tiers, chunk = _tiers(reducer.kind, read, across, src, count)
    dst_quads = (
        across
        and 4 <= dst <= 8
        and row.dst == 1
        and row.size % _WIDTH == 0
        and task.aligned(-1, QUAD_BYTES, others)
    )
    constants = {
        "OP": reducer.opcode,
        "TYPE": codes[1],
        "A_TYPE": codes[0],
        "READ": read,
        "LEAF_RANK": len(pass_.leaves),
        "TIERS": tiers,
        "GAPS": int(_has_gaps(pass_, chunk)),
        "DST_QUADS": int(dst_quads),
        **dict(zip(_OWN_SPEC.get(reducer.kind, ()), reducer.constants, strict=True)),
    }
    if across:
        steps = tuple([stride * _WIDTH for stride in row.strides])
        inner = [Dim(steps, -(-row.size // _WIDTH)), *others]
    leaf_ns = _LEAF_NS[reducer.kind] + (_ALONE_NS if read == BY_ELEMENTS else 0)
    path = Path(
        "across" if across else "along",
        inner,
        constants,
        whole=math.prod([dim.size for dim in inner]),
        edges=0,
        groups=1,
        extent=row.size,
        unit_rounds=_rounds(reducer.kind, tiers, count, chunk),
        elements=_WIDTH if across else 1,
        unit_ns=20.0 + leaf_ns * (count + chunk) * (_WIDTH if across else 1),
        shares_words=dst < 4,
        by=("elements", "words", "quads")[read],
    )
    leaf_steps = [dim.step for dim in reversed(pass_.leaves)]
    ends = [dim.size for dim in reversed(pass_.leaves)][: LEAF_RANK - 1]
    variant = "across" * across + "_" * (across and dst == 16) + "partial" * (dst == 16)
    return plan_of(
        *(_BY_NAME[f"reduce_{reducer.kind}"], variant or "along", task, path),
        [(start, to) for start, _, to in launches],
        sources=(src,),
        inside=(count,),
        push={
            "block": pass_.block,
            "leaves": pass_.leaf_count,
            "ends": _padded(ends, LEAF_RANK - 1),
            "steps": _padded(leaf_steps, LEAF_RANK),
        },
    )


def _dims(pass_: Pass, operands: Sequence[Operand]) -> tuple[list[Dim], Ints]:
    """(dims, starts), innermost in the source first, so that neighbours read adjacent memory.

    Dims with negative source strides are flipped, unless the index of leaves runs along them.
    """
    source, target = operands
    starts = [0, 0, 0]
    columns = []
    for size, *steps in zip(pass_.sizes, source.strides, pass_.indexes, target.strides):
        if steps[0] < 0 and not steps[1]:
            starts = [start + step * (size - 1) for start, step in zip(starts, steps)]
            steps = [-step for step in steps]
        columns.append((*steps, abs(steps[0])))
    dims, _ = ascending(pass_.sizes, tuple(zip(*columns)) or ((),) * 4)
    return [Dim(dim.strides[:3], dim.size) for dim in dims], tuple(starts)


def _read(reducer: Reducer, task: Task, pass_: Pass, across: bool) -> int:
    """How leaves are read: one by one, or several at once by words or quads."""
    row, *others = task.dims
    itemsize = task.itemsizes[0]
    if across:
        nbytes = min(QUAD_BYTES, _WIDTH * itemsize)
        steps = math.gcd(*[dim.step * itemsize for dim in pass_.leaves])
        whole = row.size % _WIDTH == 0 and steps % nbytes == 0
        return BY_QUADS if whole and task.aligned(0, nbytes, others) else BY_ELEMENTS
    alone = len(pass_.leaves) > 1 or pass_.leaves[0].step != 1 or pass_.leaf_count <= 4
    if alone or reducer.kind == "double" or itemsize > 8:
        return BY_ELEMENTS
    return BY_QUADS if task.aligned(0, QUAD_BYTES, task.dims) else BY_WORDS


def _tiers(kind: str, read: int, across: bool, itemsize: int, count: int) -> tuple[int, int]:
    """(tiers of the tree, leaves per chunk)."""
    chunk = (QUAD_BYTES if kind == "arg" else LINE_BYTES) // itemsize
    if across or read == BY_ELEMENTS:
        chunk = 4
    if kind in _CHUNKED and itemsize < SEVERAL_BYTES:
        chunk = _CHUNK
    if kind != "tree" and kind not in _CHUNKED:
        return 0, 2 if kind == "double" else chunk
    chunks = -(-count // chunk)
    return sum([chunks > 1, chunks > 15, chunks > 255]), chunk


def _rounds(kind: str, tiers: int, count: int, chunk: int) -> int:
    chunks = -(-count // chunk)
    if kind in _CHUNKED:  # What a row needs at its end are quotients and roots.
        return (rounds.tree(chunks) if tiers else 0) + rounds.PAIR
    if kind == "tree":
        return rounds.tree(chunks) if tiers else 0
    return rounds.chain(chunks) if kind == "double" else rounds.loop(chunks)


def _has_gaps(pass_: Pass, chunk: int) -> bool:
    """Whether some chunk is not full."""
    return pass_.leaf_count % chunk > 0 or pass_.block % chunk > 0


def _padded(values: Sequence[int], count: int) -> tuple[int, ...]:
    return (*values, *[0] * (count - len(values)))
