"""Plan the passes of reductions: from a pass and layouts to a launch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import by_name
from dml_vk.kernels.plan import reduce_kernels, rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets, split
from dml_vk.kernels.plan.passes import Pass, Ties, suits_teams, team_lanes
from dml_vk.kernels.plan.paths import LINE_BYTES, Path, plan_of, power_of_two
from dml_vk.kernels.plan.reduce_kernels import (
    CHUNKED,
    FROM_OWN_MEAN,
    LEAF_RANK,
    OWN_SPEC,
    PAIR_OPCODES,
    PAIRS,
    RANK,
    VARIANCE_LEAF_RANK,
    VARIANCE_RANK,
    VARIANCES,
    partial_of,
)
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.limits import Profile

KERNELS = reduce_kernels.KERNELS
BY_ELEMENTS, BY_WORDS, BY_QUADS = range(3)
_MOST_LAUNCHES = 64
_WIDTH = 4  # results per work item of an "across" variant
# Estimated time per leaf on one slow core, and the extra time if it is read individually.
_LEAF_NS = {
    "tree": 1.0,
    "variance": 3.0,
    "complex_variance": 6.0,
    "double_variance": 40.0,
    "double_complex_variance": 80.0,
    "int": 1.0,
    "long": 2.0,
    "double": 16.0,
    "complex": 12.0,
    "double_complex": 120.0,
    "arg": 3.0,
    "softmax": 4.0,
    "moments": 2.0,
}
# Pieces that a member of a team reads at once, as in the sources; of columns, how many elements
# side by side are a cache line or more, and the least leaves of a member, whole chunks.
_AT_ONCE = {
    "tree": 4,
    "variance": 4,
    "complex_variance": 2,
    "double_variance": 2,
    "double_complex_variance": 1,
    "int": 4,
    "long": 4,
    "double": 2,
    "complex": 2,
    "double_complex": 1,
    "arg": 2,
    "softmax": 1,
    "moments": 1,
}
_COLUMNS, _LEAST_PART = 32, 16
_TREES = ("tree", "variance")
# Trees of much code: see reduce.glsl.
_CHAINS = frozenset(
    [
        *("double", "complex", "double_complex"),
        *("complex_variance", "double_variance", "double_complex_variance"),
    ]
)
# Of loops over the leaves of a piece, which llvmpipe does not unroll with complex products in them.
_PRODUCTS, _PIECE_ROUNDS = ("complex", "double_complex"), 64
_CHUNK = 16
_ALONE_NS = 4.0
_BY_NAME = by_name(KERNELS)


class Reducer(NamedTuple):
    """A reduction, or pairs of numbers, and the kind of kernel that computes it."""

    name: str
    opcode: int
    kind: str
    ties: Ties
    constants: Ints = ()  # of its own kind of kernel
    numbers: tuple[Ints, ...] = ()
    """Of variances: what their own means are quotients by, and results; as words."""
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
    ties = Ties.TREE if kind in (*_TREES, *_CHAINS) else Ties.NONE
    if kind == "arg":
        ties = Ties.INDEX
    return Reducer(name, row.code, kind, ties, then=row.then)


@cached_plan(maxsize=4096)
def plan_pass(
    reducer: Reducer, pass_: Pass, operands: Sequence[Operand], codes: Ints, profile: Profile
) -> Plan | None:
    """Plan a pass; None where its dims do not fit the kernel.

    Its operands are the source, over the dims of the pass, of variances the means, and the output.
    The `codes` of the first and the last are those of dtypes, `PARTIAL` or `FOUR`.
    """
    of_variance = reducer.kind in VARIANCES.values()
    rank, leaf_rank = (VARIANCE_RANK, VARIANCE_LEAF_RANK) if of_variance else (RANK, LEAF_RANK)
    dims, starts = _dims(pass_, operands)
    inner, outer = split(dims, rank)
    few = math.prod([dim.size for dim in outer]) <= _MOST_LAUNCHES
    launches = offsets(outer, starts) if few else []
    if len(pass_.leaves) > leaf_rank or not launches or any(index for _, index, *_ in launches):
        return None
    source, *means, target = operands
    src, dst, mean_bytes = source.itemsize, target.itemsize, [at.itemsize for at in means]
    at = (
        (source.offset + starts[0]) * src,
        *(0 for _ in operands[1:]),
        (target.offset + starts[-1]) * dst,
    )
    task = Task(inner, outer, (src, 4, *mean_bytes, dst), tuple(at), profile)
    row, *others = inner
    ways = _BY_NAME[f"reduce_{reducer.kind}"].variants
    across = "across" in ways and row.strides[0] == 1 and row.size >= _WIDTH
    across = across and src <= 8
    width = _WIDTH if across else 1
    count = min(pass_.block, pass_.leaf_count)
    one_each = "team_columns" in ways
    columns = across or (one_each and row.strides[0] == 1 and pass_.leaves[-1].step != 1)
    # A column that is a single member's part is reduced without meeting others.
    by_teams = suits_teams(count, src, profile) and not (columns and count <= _LEAST_PART)
    read = _read(reducer, task, pass_, across, by_teams)
    dst_quads = (
        across
        and 4 <= dst <= 8
        and row.dst == 1
        and row.size % _WIDTH == 0
        and task.aligned(-1, QUAD_BYTES, others)
    )
    leaf_ns = _LEAF_NS[reducer.kind] + (_ALONE_NS if read == BY_ELEMENTS else 0)
    if across:
        steps = tuple([stride * _WIDTH for stride in row.strides])
        inner = [Dim(steps, -(-row.size // _WIDTH)), *others]
    if by_teams:
        team = team_of(reducer.kind, read, src, pass_, columns, width, inner[0].size, profile)
        way = "team_across" if across else "team_columns" if columns else "team"
    else:
        tiers, chunk = _tiers(reducer.kind, read, across, src, count)
        gaps = _has_gaps(pass_, chunk)
        team = Team(1, 1, tiers, gaps, _rounds(reducer.kind, tiers, count, chunk), chunk)
        way = "across" if across else "along"
    constants = {
        "OP": reducer.opcode,
        "TYPE": codes[1],
        "A_TYPE": codes[0],
        "READ": read,
        "LEAF_RANK": len(pass_.leaves),
        "TIERS": team.tiers,
        "GAPS": int(team.gaps),
        "DST_QUADS": int(dst_quads),
        "MEMBERS": team.members,
        **dict(zip(OWN_SPEC.get(reducer.kind, ()), reducer.constants, strict=True)),
    }
    if of_variance:
        team = team._replace(rounds=2 * (team.rounds + rounds.PAIR + rounds.loop(28)))
    together, results = team.lanes // team.members, math.prod([dim.size for dim in inner])
    path = Path(
        way,
        inner,
        constants,
        whole=-(-results // together),
        edges=0,
        groups=1,
        extent=row.size,
        unit_rounds=team.rounds,
        elements=width * together,
        unit_ns=(20.0 + leaf_ns * (count + team.chunk) * width) * min(together, results),
        shares_words=dst < 4,
        by=("elements", "words", "quads")[read],
    )
    leaf_steps = [dim.step for dim in reversed(pass_.leaves)]
    ends = [dim.size for dim in reversed(pass_.leaves)][: leaf_rank - 1]
    is_partial = codes[-1] in (PARTIAL, FOUR)
    variant = partial_of(way) if is_partial else way
    return plan_of(
        *(_BY_NAME[f"reduce_{reducer.kind}"], variant, task, path),
        [(start, *rest) for start, _, *rest in launches],
        sources=(src, *mean_bytes),
        inside=(count,),
        push={
            "block": pass_.block,
            "leaves": pass_.leaf_count,
            "ends": _padded(ends, leaf_rank - 1),
            "steps": _padded(leaf_steps, leaf_rank),
            **dict(zip(("size", "divisor"), reducer.numbers)),
        },
        loads=_loads(reducer, count, together, team),
        lanes=team.lanes if by_teams else None,
        by_teams=by_teams,
    )


def _loads(reducer: Reducer, count: int, together: int, team: Team) -> tuple[Load, ...]:
    """What is read twice, if it is."""
    if reducer.kind not in VARIANCES.values() or reducer.constants[0] != FROM_OWN_MEAN:
        return ()
    return (Load(2.0 * count * together, 2.0 * team.chunk, team.lanes),)


def _dims(pass_: Pass, operands: Sequence[Operand]) -> tuple[list[Dim], Ints]:
    """(dims, starts), innermost in the source first, so that neighbours read adjacent memory.

    Dims with negative source strides are flipped, unless the index of leaves runs along them.
    """
    source, *others = operands
    starts = [0] * (1 + len(operands))
    columns = []
    strides = [operand.strides for operand in others]
    for size, *steps in zip(pass_.sizes, source.strides, pass_.indexes, *strides):
        if steps[0] < 0 and not steps[1]:
            starts = [start + step * (size - 1) for start, step in zip(starts, steps)]
            steps = [-step for step in steps]
        columns.append((*steps, abs(steps[0])))
    dims, _ = ascending(pass_.sizes, tuple(zip(*columns)) or ((),) * (len(starts) + 1))
    return [Dim(dim.strides[:-1], dim.size) for dim in dims], tuple(starts)


def _read(reducer: Reducer, task: Task, pass_: Pass, across: bool, by_teams: bool) -> int:
    """How leaves are read: one by one, or several at once by words or quads."""
    row, *others = task.dims
    itemsize = task.itemsizes[0]
    if across:
        nbytes = min(QUAD_BYTES, _WIDTH * itemsize)
        steps = math.gcd(*[dim.step * itemsize for dim in pass_.leaves])
        whole = row.size % _WIDTH == 0 and steps % nbytes == 0
        return BY_QUADS if whole and task.aligned(0, nbytes, others) else BY_ELEMENTS
    alone = len(pass_.leaves) > 1 or pass_.leaves[0].step != 1 or pass_.leaf_count <= 4
    if alone or (reducer.kind in _CHAINS and not by_teams) or itemsize > 8:
        return BY_ELEMENTS
    return BY_QUADS if task.aligned(0, QUAD_BYTES, task.dims) else BY_WORDS


def _tiers(kind: str, read: int, across: bool, itemsize: int, count: int) -> tuple[int, int]:
    """(tiers of the tree, leaves per chunk)."""
    chunk = (QUAD_BYTES if kind == "arg" else LINE_BYTES) // itemsize
    if across or read == BY_ELEMENTS:
        chunk = 4
    if kind in CHUNKED and itemsize < SEVERAL_BYTES:
        chunk = _CHUNK
    if kind not in _TREES and kind not in CHUNKED:
        return 0, 2 if kind in _CHAINS else chunk
    chunks = -(-count // chunk)
    return sum([chunks > 1, chunks > 15, chunks > 255]), chunk


class Team(NamedTuple):
    """How a workgroup, or a single invocation, makes results."""

    lanes: int  # invocations of a workgroup
    members: int  # of these, for each result
    tiers: int  # of the tree that each of them makes by itself
    gaps: bool  # whether some of what it reads at once is not full
    rounds: int
    chunk: int  # leaves that it reads at once


def team_of(
    kind: str,
    read: int,
    itemsize: int,
    pass_: Pass,
    columns: bool,
    width: int,
    results: int,
    profile: Profile,
) -> Team:
    """Choose the members of a result, `results` of which lie side by side if read by columns."""
    lanes, count = team_lanes(profile), min(pass_.block, pass_.leaf_count)
    if columns:
        apart = min(_COLUMNS // width, power_of_two(results))
        members = min(lanes // apart, power_of_two(-(-count // _LEAST_PART)))
        part = power_of_two(-(-count // members))
        tiers, chunk = _tiers(kind, read, width > 1, itemsize, part)
        whole = max(chunk, part * members)
        gaps = pass_.leaf_count % whole > 0 or pass_.block % whole > 0 or part % chunk > 0
        own = _rounds(kind, tiers, part, chunk)
        return Team(lanes, members, tiers, gaps, own + rounds.team_tree(members), chunk)
    piece = QUAD_BYTES // itemsize if read != BY_ELEMENTS else 4
    if kind in CHUNKED and itemsize < SEVERAL_BYTES:
        piece = _CHUNK
    pieces, at_once = -(-count // piece), _AT_ONCE[kind]
    members = min(lanes, power_of_two(-(-pieces // at_once)))
    turns = -(-pieces // (members * at_once))
    own = rounds.team_turns(turns, members) + (rounds.PAIR if kind in CHUNKED else 0)
    if kind in _PRODUCTS:
        own += turns * at_once * _PIECE_ROUNDS
    return Team(lanes, members, 0, _has_gaps(pass_, piece), own, piece)


def _rounds(kind: str, tiers: int, count: int, chunk: int) -> int:
    chunks = -(-count // chunk)
    if kind in CHUNKED:  # What a row needs at its end are quotients and roots.
        return (rounds.tree(chunks) if tiers else 0) + rounds.PAIR
    if kind in _TREES:
        return rounds.tree(chunks) if tiers else 0
    return rounds.chain(chunks) if kind in _CHAINS else rounds.loop(chunks)


def _has_gaps(pass_: Pass, chunk: int) -> bool:
    """Whether some chunk is not full."""
    return pass_.leaf_count % chunk > 0 or pass_.block % chunk > 0


def _padded(values: Sequence[int], count: int) -> tuple[int, ...]:
    return (*values, *[0] * (count - len(values)))
