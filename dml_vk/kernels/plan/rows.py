"""Plan softmax and norms of whole rows: one launch reads each row, and then computes its elements.

There is no plan for rows that are too long, too few to keep the device busy, or in a layout that
the kernels of `plan.reduce` and `finish` read faster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels import finishes
from dml_vk.kernels.kernel import WORDS_SPEC, WRITES, Kernel, by_name, index_push, unless_scalar
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending
from dml_vk.kernels.plan.paths import (
    ANY,
    LOCAL_SIZE,
    Path,
    pack_bits,
    pack_pairs,
    plan_of,
    row_constants,
)
from dml_vk.kernels.plan.reduce import PAIR_OPCODES, PAIRS
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task, columns_of, in_bytes
from dml_vk.limits import Profile

_CHUNK = 16  # elements of the lowest node of a tree
_MOST_NODES = 2**10  # of one row, in shared memory
_MOST_BLOCK = 2**6  # elements that one invocation of a team reduces at once
_MOST_PARTS = 2**8
_WIDTH = 4  # rows, or parts of one, that an "across" variant takes at once
_RANK = 4
_SHORT = 64  # elements, for which a team is too large
# Of a row on a CPU: as many rows as it has lanes stay in its cache until they are read again.
_MOST_BYTES = 2**15
_ELEMENT_NS = {"softmax": 6.0, "moments": 4.0}
_SPEC = (
    *("OP", "FINISH", "AFTER", "SCALARS", "TYPE", "B_TYPE", "C_TYPE"),
    *("EPS", "GAPS", "TIERS", "PARTS", "JOINED", "BLOCK"),
)
_WAYS: dict[str, dict[str, str]] = {"along": {}, "across": {"ACROSS": "1"}, "team": {"TEAM": "1"}}
KERNELS = tuple(
    [
        Kernel(
            f"rows_{kind}",
            inlines=(WRITES,),
            bindings=("a_words", "b_words", "c_words", "Dst"),
            optional={"b_words": unless_scalar(1), "c_words": unless_scalar(2)},
            spec=(*WORDS_SPEC, *_SPEC),
            push=index_push(
                ("a_base", "b_base", "c_base", "dst_base"), _RANK, (("scalars", 3),), 3
            ),
            params=("scalars",),
            variants={
                f"{way}_{bits}": {**PAIR_OPCODES, **finishes.OPCODES, **macros, "BITS": str(bits)}
                for way, macros in _WAYS.items()
                for bits in (32, 16)
            },
        )
        for kind in _ELEMENT_NS
    ]
)


_BY_NAME = by_name(KERNELS)


class Finish(NamedTuple):
    """Opcodes and dtypes: of the pair of a row, and of what follows for each element."""

    pair: str
    eps: Ints  # its bits, for a pair that needs it
    finish: int
    after: int  # an activation, or 0
    missing: int  # a bit for each of x, weight and bias that is absent
    types: Ints  # of x, weight and bias


class _Rows(NamedTuple):
    """The dims of a task: along a part of a row, over its parts, and over rows."""

    inner: Dim
    part: Dim
    rows: tuple[Dim, Dim]

    @property
    def elements(self) -> int:
        return self.inner.size * self.part.size


@cached_plan(2048)
def plan_rows(
    sizes: Ints,
    operands: Sequence[Operand],
    dims: Ints,
    part: int | None,
    done: Finish,
    profile: Profile,
) -> Plan | None:
    """Plan rows along `dims`, whose parts are along the dim `part` if it is not None.

    Operands are x, weight, bias and dst.
    """
    strides, bases, itemsizes = columns_of(operands)
    inner = _merged([Dim(tuple([operand[dim] for operand in strides]), sizes[dim]) for dim in dims])
    outer = Dim((0,) * 4, 1)
    if part is not None:
        outer = Dim(tuple([operand[part] for operand in strides]), sizes[part])
    row_dims = [dim for dim in range(len(sizes)) if dim not in dims and dim != part]
    others, starts = ascending(tuple([sizes[dim] for dim in row_dims]), _only(strides, row_dims))
    if inner is None or len(others) > 2 or outer.size > _MOST_PARTS:
        return None
    at = in_bytes(bases, starts, itemsizes)
    rows = _Rows(inner, outer, (others[0], others[1] if len(others) > 1 else Dim((0,) * 4, 1)))
    task = Task([inner, outer, *rows.rows], [], itemsizes, at, profile)
    count = math.prod([dim.size for dim in others])
    return (_by_teams if profile.coalesces else _by_lanes)(task, rows, count, starts, done)


def _only(strides: Sequence[Ints], dims: Sequence[int]) -> list[Ints]:
    return [tuple([operand[dim] for dim in dims]) for operand in strides]


def _merged(dims: Sequence[Dim]) -> Dim | None:
    """Merge dims, outermost first, without reordering; None if they do not merge."""
    merged = Dim((1,) * 4, 1)
    for dim in reversed(dims):
        if dim.size == 1:
            continue
        if merged.size == 1:
            merged = dim
        elif dim.strides == tuple([stride * merged.size for stride in merged.strides]):
            merged = Dim(merged.strides, merged.size * dim.size)
        else:
            return None
    return merged


def _by_teams(task: Task, rows: _Rows, count: int, starts: Ints, done: Finish) -> Plan | None:
    """For devices whose lanes load adjacent addresses together."""
    along = rows.inner.strides[0] == 1
    many = count >= task.profile.units_wanted
    if many and (rows.elements <= _SHORT or (not along and rows.rows[0].strides[0] == 1)):
        return _plan(task, rows, "along", starts, done)
    block = _CHUNK
    while rows.part.size * -(-rows.inner.size // block) > _MOST_NODES and block < _MOST_BLOCK:
        block *= 2
    if not along or rows.part.size * -(-rows.inner.size // block) > _MOST_NODES:
        return None
    return _plan(task, rows, "team", starts, done, block)


def _by_lanes(task: Task, rows: _Rows, count: int, starts: Ints, done: Finish) -> Plan | None:
    """For CPUs, each of whose lanes does rows of its own."""
    inner, part, row, other = task.dims
    across = [each for each in (row, part) if _is_across(task, each)]
    wide = inner.strides[0] != 1 and len(across) > 0
    units = count // (_WIDTH if wide and across[0] is row else 1)
    if units < task.profile.units_wanted // 2:
        return None
    if not wide:
        if rows.elements * task.itemsize > _MOST_BYTES:
            return None
        return _plan(task, rows, "along", starts, done)
    split = Dim(tuple([step * _WIDTH for step in across[0].strides]), across[0].size // _WIDTH)
    over_rows = across[0] is row
    rows = rows._replace(rows=(split, other)) if over_rows else rows._replace(part=split)
    return _plan(task, rows, "across", starts, done, joined=not over_rows)


def _is_across(task: Task, dim: Dim) -> bool:
    """Whether four indexes along it are a quad, or half of one, in x and in dst."""
    nbytes = _WIDTH * task.itemsize
    others = [other for other in task.dims if other is not dim]
    adjacent = dim.strides[0] == dim.dst == 1 and dim.size % _WIDTH == 0
    return adjacent and all(task.aligned(k, nbytes, others) for k in (0, -1))


def _plan(
    task: Task,
    rows: _Rows,
    way: str,
    starts: Ints,
    done: Finish,
    block: int = _CHUNK,
    joined: bool = False,
) -> Plan | None:
    inner, part = rows.inner, rows.part
    dims, kind = [inner, part, *rows.rows], PAIRS[done.pair]
    per = QUAD_BYTES // task.itemsize
    run = inner.strides[0] == inner.dst == 1 and inner.size % per == 0
    quads = way != "across" and run and all(task.aligned(k, QUAD_BYTES, dims[1:]) for k in (0, -1))
    if task.itemsize < 4 and not quads and way != "across":
        return None  # Rows would share words.
    team = min(LOCAL_SIZE, task.profile.max_invocations) if way == "team" else 1
    elements = inner.size if team == 1 else min(block, inner.size)
    chunks = -(-elements // _CHUNK)
    tiers = sum([chunks > 1, chunks > 15, chunks > 255])
    parts = part.size
    steps = [step if step in (0, 1) else ANY for step in inner.strides[:-1]]
    src_quads = [
        step == 1 and inner.size % per == 0 and task.aligned(k, task.run_bytes(k), dims[1:])
        for k, step in enumerate(steps)
    ]
    src_quads[0] = quads
    # Sources that are neither read by quads nor the same along a part.
    slow = sum([step != 0 and not flag for step, flag in zip(steps, src_quads)])
    slow = 0 if way == "across" else slow
    unit_rounds = _rounds(inner.size, parts, block, team, tiers, per, slow)
    if unit_rounds > rounds.MOST or chunks >= 2**12:
        return None
    wide = _WIDTH if way == "across" else 1
    path = Path(
        way,
        dims,
        {
            **row_constants(1, per, pack_pairs(steps), int(inner.dst == 1)),
            "SRC_QUADS": pack_bits(src_quads),
            "DST_QUADS": int(quads),
        },
        whole=math.prod([dim.size for dim in rows.rows]),
        edges=0,
        groups=1,
        extent=1,
        unit_ns=50.0 + _ELEMENT_NS[kind] * rows.elements * wide,
        unit_rounds=unit_rounds,
        elements=rows.elements * wide,
        by="quads" if quads or wide > 1 else "elements",
    )
    type_, b_type, c_type = done.types
    (eps,) = done.eps or (0,)
    return plan_of(
        *(_BY_NAME[f"rows_{kind}"], f"{way}_{8 * task.itemsize}", task, path, [starts]),
        sources=task.itemsizes[:-1],
        constants={
            "OP": int(PAIR_OPCODES[f"REDUCE_{done.pair.upper()}"]),
            "FINISH": done.finish,
            "AFTER": done.after,
            "SCALARS": done.missing,
            "TYPE": type_,
            "B_TYPE": b_type,
            "C_TYPE": c_type,
            "EPS": eps,
            "GAPS": int(inner.size % _CHUNK > 0),
            "TIERS": tiers,
            "PARTS": int(parts > 1 or joined),
            "JOINED": int(joined),
            "BLOCK": block,
        },
        lanes=team if team > 1 else None,
        by_teams=team > 1,
        loads=(Load(2 * path.elements, 2 * _CHUNK * wide),),  # for the pair, and for the elements
    )


def _rounds(size: int, parts: int, block: int, team: int, tiers: int, per: int, slow: int) -> int:
    """Bound the iterations of a row: its trees, and its elements."""
    chunks = -(-(size if team == 1 else min(block, size)) // _CHUNK)
    tree = rounds.tree(chunks) if tiers else 0
    quads = -(-size // (team * min(per, _WIDTH)))
    written = rounds.loop(quads, slow * rounds.loop(per)) + 2 * rounds.loop(per)
    read = rounds.loop(parts, tree + rounds.loop(1))
    if team > 1:
        nodes = parts * -(-size // block)
        turns = rounds.loop(-(-nodes // team))
        levels = (nodes - 1).bit_length() + 1
        read = rounds.loop(-(-nodes // team), tree) + 2 * rounds.loop(levels, turns)
    return read + rounds.loop(parts, written) + rounds.PAIR
