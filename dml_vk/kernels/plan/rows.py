"""Plan softmax and norms of whole rows: one launch reads each row, and then computes its elements.

There is no plan for rows that are too long, or in a layout that the kernels of `plan.reduce` and
`finish` read faster; nor, on CPUs, for rows that are too few to keep the device busy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels import finishes
from dml_vk.kernels.kernel import (
    SUMS,
    WORDS_SPEC,
    WRITES,
    Kernel,
    by_name,
    index_push,
    unless_scalar,
)
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending
from dml_vk.kernels.plan.paths import (
    ANY,
    Path,
    pack_bits,
    pack_pairs,
    plan_of,
    power_of_two,
    row_constants,
)
from dml_vk.kernels.plan.reduce_kernels import PAIR_OPCODES, PAIRS
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task, columns_of, in_bytes
from dml_vk.limits import Profile

_CHUNK = 16  # elements of the lowest node of a tree
_MOST_PARTS = 2**8
_WIDTH = 4  # rows, or parts of one, that an "across" variant takes at once
_RANK = 4
# Invocations of a team, for each of which there is a chunk: at least where there are few rows, or
# enough to keep a large GPU busy; and at most.
_FEW_LANES, _MANY_LANES, _MOST_LANES = 64, 256, 1024
_BUSY = 2**18
_SIDE, _LEAST_SIDE = 32, 8  # rows or parts side by side, so that cache lines are used up
# Of a row on a CPU: as many rows as it has lanes stay in its cache until they are read again.
_MOST_BYTES = 2**15
_ELEMENT_NS = {"softmax": 6.0, "moments": 4.0}
_SPEC = (
    *("OP", "FINISH", "AFTER", "SCALARS", "TYPE", "B_TYPE", "C_TYPE"),
    *("EPS", "GAPS", "TIERS", "PARTS", "JOINED", "MEMBERS", "PART_MEMBERS"),
)
_WAYS: dict[str, dict[str, str]] = {
    "along": {},
    "across": {"ACROSS": "1"},
    "team": {"TEAM": "1"},
    "team_columns": {"TEAM": "1", "COLUMNS": "1"},
}
_VALUES = {"softmax": 2, "moments": 3}  # numbers of a node
KERNELS = tuple(
    [
        Kernel(
            f"rows_{kind}",
            by_position=True,
            inlines=(WRITES,),
            rests=(*SUMS, "divides"),
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
                if way != "team_columns" or bits == 32  # others would share words
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


class _Team(NamedTuple):
    """How workgroups share rows; see glsl/include/families/rows_team.glsl."""

    lanes: int = 1  # invocations of a workgroup
    members: int = 1  # of these, for each row
    part_members: int = 1  # and for each part of it


_ALONE = _Team()


def _by_teams(task: Task, rows: _Rows, count: int, starts: Ints, done: Finish) -> Plan | None:
    """For devices whose lanes load adjacent addresses together."""
    profile, side = task.profile, rows.rows[0]
    part_members = power_of_two(-(-rows.inner.size // _CHUNK))
    members = part_members * power_of_two(rows.part.size)
    along = rows.inner.strides[0] == 1
    columns = not along and 1 in (side.strides[0], rows.part.strides[0])
    if along and rows.elements <= _CHUNK and count >= profile.units_wanted:
        return _plan(task, rows, "along", starts, done)
    if not (along or columns):
        return None
    lanes = least = _MANY_LANES if count * members >= _BUSY else _FEW_LANES
    most = min(_MOST_LANES, 1 << profile.max_invocations.bit_length() - 1)
    lanes = max(min(least, most), members)
    if columns:
        parts = members // part_members if rows.part.strides[0] == 1 else 1
        aside = min(max(1, _SIDE // parts), power_of_two(side.size))
        while members * aside > most and aside * parts > _LEAST_SIDE:
            aside //= 2
        lanes = max(lanes, members * aside)
    words = _VALUES[PAIRS[done.pair]] * (lanes * 4 // 3) + 2 * lanes
    words += 0 if columns else (_CHUNK + 1) * lanes
    if lanes > most or 4 * words > profile.max_shared_bytes:
        return None
    team = _Team(lanes, members, part_members)
    return _plan(task, rows, "team_columns" if columns else "team", starts, done, team)


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
    team: _Team = _ALONE,
    joined: bool = False,
) -> Plan | None:
    inner, part = rows.inner, rows.part
    dims, kind = [inner, part, *rows.rows], PAIRS[done.pair]
    per = QUAD_BYTES // task.itemsize
    run = inner.strides[0] == inner.dst == 1 and inner.size % per == 0
    one_each = way in ("across", "team_columns")
    quads = run and not one_each and all(task.aligned(k, QUAD_BYTES, dims[1:]) for k in (0, -1))
    if task.itemsize < 4 and not quads and way != "across":
        return None  # Rows would share words.
    chunks = -(-inner.size // _CHUNK) if team is _ALONE else 1
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
    unit_rounds = _rounds(inner.size, parts, team, tiers, per, slow)
    if unit_rounds > rounds.MOST or chunks >= 2**12:
        return None
    wide = _WIDTH if way == "across" else 1
    together, count = team.lanes // team.members, math.prod([dim.size for dim in rows.rows])
    # For the pair, and for the elements; or what each invocation of a team keeps.
    load = Load(2 * rows.elements * wide, 2 * _CHUNK * wide)
    if team is not _ALONE:
        load = Load(_CHUNK * team.lanes, _CHUNK, team.lanes)
    path = Path(
        way,
        dims,
        {
            **row_constants(1, per, pack_pairs(steps), int(inner.dst == 1)),
            "SRC_QUADS": pack_bits(src_quads),
            "DST_QUADS": int(quads),
        },
        whole=-(-count // together),
        edges=0,
        groups=1,
        extent=1,
        unit_ns=(50.0 + _ELEMENT_NS[kind] * rows.elements * wide) * min(together, count),
        unit_rounds=unit_rounds,
        elements=rows.elements * wide * together,
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
            "MEMBERS": team.members,
            "PART_MEMBERS": team.part_members,
        },
        lanes=None if team is _ALONE else team.lanes,
        by_teams=team is not _ALONE,
        loads=(load,),
    )


def _rounds(size: int, parts: int, team: _Team, tiers: int, per: int, slow: int) -> int:
    """Bound the iterations of a row: its trees, and its elements."""
    if team is not _ALONE:
        written = _CHUNK // per * slow * rounds.loop(per)
        return rounds.team_tree(team.members) + written + rounds.PAIR
    tree = rounds.tree(-(-size // _CHUNK)) if tiers else 0
    quads = -(-size // min(per, _WIDTH))
    written = rounds.loop(quads, slow * rounds.loop(per)) + 2 * rounds.loop(per)
    return rounds.loop(parts, tree + rounds.loop(1)) + rounds.loop(parts, written) + rounds.PAIR
