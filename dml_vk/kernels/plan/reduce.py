"""Plan the passes of reductions: from a pass and layouts to a launch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import (
    INDEX_SPEC,
    READS,
    SUMS,
    WRITES,
    Kernel,
    by_name,
    index_push,
    native,
)
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets, split
from dml_vk.kernels.plan.passes import Pass, Ties, suits_teams, team_lanes
from dml_vk.kernels.plan.paths import LINE_BYTES, Path, plan_of, power_of_two
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
# The kind of means and variances, whose launches have fewer dims, since means are an operand more.
VARIANCE = "variance"
_VARIANCE_RANK, _VARIANCE_LEAF_RANK = 3, 2
# What a kernel of this kind adds, and what it makes of the sum: see glsl/reduce_variance.comp.
ELEMENTS, FROM_MEANS, FROM_OWN_MEAN = range(3)
SUM, QUOTIENT, ROOT = range(3)

BY_ELEMENTS, BY_WORDS, BY_QUADS = range(3)
_MOST_LAUNCHES = 64
_WIDTH = 4  # results per work item of an "across" variant
# Estimated time per leaf on one slow core, and the extra time if it is read individually.
_LEAF_NS = {
    **dict.fromkeys(("tree", "int"), 1.0),
    **dict.fromkeys(("long", "moments"), 2.0),
    **dict.fromkeys(("variance", "arg"), 3.0),
    "softmax": 4.0,
    "double": 16.0,
}
# Pieces that a member of a team reads at once, as in the sources; of columns, how many elements
# side by side are a cache line or more, and the least leaves of a member, whole chunks.
_AT_ONCE = {
    **dict.fromkeys(("tree", "variance", "int", "long"), 4),
    **dict.fromkeys(("double", "arg"), 2),
    **dict.fromkeys(("softmax", "moments"), 1),
}
_COLUMNS, _LEAST_PART = 32, 16
_CHUNKED = ("softmax", "moments")  # kinds whose leaves are chunks of elements
_TREES = ("tree", VARIANCE)
_CHUNK = 16
_ALONE_NS = 4.0
_SPEC = (
    *("OP", "TYPE", "A_TYPE", "READ", "LEAF_RANK"),
    *("TIERS", "GAPS", "DST_QUADS", "MEMBERS"),
)
_OWN_SPEC = {"moments": ("EPS",), VARIANCE: ("SQUARES", "MAKES")}
_EXTRA = (("block", 1), ("leaves", 1), ("ends", LEAF_RANK - 1), ("steps", LEAF_RANK))
_VARIANCE_EXTRA = (
    *(("block", 1), ("leaves", 1), ("ends", _VARIANCE_LEAF_RANK - 1)),
    *(("steps", _VARIANCE_LEAF_RANK), ("size", 1), ("divisor", 1)),
)
_WHOLE_SPEC = (*INDEX_SPEC, *_SPEC)
# Which results a work item makes: one, or four neighbours "across" memory. Those of a team are
# made by a workgroup together, which reads along rows, or across "columns".
_ONE_EACH: dict[str, dict[str, str]] = {
    "along": {},
    "team": {"TEAM": "1"},
    "team_columns": {"TEAM": "1", "COLUMNS": "1"},
}
_FOUR_EACH: dict[str, dict[str, str]] = {
    "along": {},
    "across": {"ACROSS": "1"},
    "team": {"TEAM": "1"},
    "team_across": {"TEAM": "1", "ACROSS": "1"},
}


def _paired(ways: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The variants of results of two words, and of partial results of four."""
    results = {way: {**macros, "BITS": "64"} for way, macros in ways.items()}
    partial = {_partial_of(way): {**macros, "BITS": "128"} for way, macros in ways.items()}
    return results | partial


def _partial_of(way: str) -> str:
    return "partial" if way == "along" else f"{way}_partial"


_VARIANTS: dict[str, dict[str, dict[str, str]]] = {
    "tree": _FOUR_EACH,
    VARIANCE: _ONE_EACH,
    "int": _FOUR_EACH,
    "long": _FOUR_EACH,
    "double": {way: {**macros, **native(_WHOLE_SPEC)} for way, macros in _ONE_EACH.items()},
    "arg": _paired(_ONE_EACH),
    "softmax": _paired(_FOUR_EACH),
    "moments": _paired(_FOUR_EACH),
}
_OF_TWO = [
    Kernel(
        f"reduce_{kind}",
        by_position=True,
        inlines=(READS, WRITES),
        rests=() if kind in ("int", "long", "arg") else SUMS,
        bindings=("Src", "Dst"),
        spec=(*_WHOLE_SPEC, *_OWN_SPEC.get(kind, ())),
        push=index_push(("src_base", "dst_base"), RANK, _EXTRA, 2),
        variants={
            name: {**(PAIR_OPCODES if kind in _CHUNKED else opcodes_of(kind)), **macros}
            for name, macros in variants.items()
        },
    )
    for kind, variants in _VARIANTS.items()
    if kind != VARIANCE
]
KERNELS: tuple[Kernel, ...] = (
    *_OF_TWO,
    Kernel(
        f"reduce_{VARIANCE}",
        by_position=True,
        inlines=(READS, WRITES),
        rests=SUMS,
        bindings=("Src", "Means", "Dst"),
        optional={"Means": lambda values: values["SQUARES"] == FROM_MEANS},
        spec=(*_WHOLE_SPEC, *_OWN_SPEC[VARIANCE]),
        push=index_push(("src_base", "mean_base", "dst_base"), _VARIANCE_RANK, _VARIANCE_EXTRA, 3),
        variants=_VARIANTS[VARIANCE],
    ),
)


_BY_NAME = by_name(KERNELS)


class Reducer(NamedTuple):
    """A reduction, or pairs of numbers, and the kind of kernel that computes it."""

    name: str
    opcode: int
    kind: str
    ties: Ties
    constants: Ints = ()  # of its own kind of kernel
    numbers: Ints = ()  # of "variance": what its own means are quotients by, and results; as words
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

    Its operands are the source, over the dims of the pass, of "variance" the means, and the output.
    The `codes` of the first and the last are those of dtypes, `PARTIAL` or `FOUR`.
    """
    of_variance = reducer.kind == VARIANCE
    rank, leaf_rank = (_VARIANCE_RANK, _VARIANCE_LEAF_RANK) if of_variance else (RANK, LEAF_RANK)
    dims, starts = _dims(pass_, operands)
    inner, outer = split(dims, rank)
    few = math.prod([dim.size for dim in outer]) <= _MOST_LAUNCHES
    launches = offsets(outer, starts) if few else []
    if len(pass_.leaves) > leaf_rank or not launches or any(index for _, index, *_ in launches):
        return None
    source, *means, target = operands
    src, dst = source.itemsize, target.itemsize
    at = (
        (source.offset + starts[0]) * src,
        *(0 for _ in operands[1:]),
        (target.offset + starts[-1]) * dst,
    )
    task = Task(inner, outer, (src, 4, *[4 for _ in means], dst), tuple(at), profile)
    row, *others = inner
    across = "across" in _VARIANTS[reducer.kind] and row.strides[0] == 1 and row.size >= _WIDTH
    across = across and src <= 8
    width = _WIDTH if across else 1
    count = min(pass_.block, pass_.leaf_count)
    one_each = "team_columns" in _VARIANTS[reducer.kind]
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
        **dict(zip(_OWN_SPEC.get(reducer.kind, ()), reducer.constants, strict=True)),
    }
    if of_variance:
        team = team._replace(rounds=2 * (team.rounds + rounds.PAIR))
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
    variant = _partial_of(way) if dst == SEVERAL_BYTES else way
    return plan_of(
        *(_BY_NAME[f"reduce_{reducer.kind}"], variant, task, path),
        [(start, *rest) for start, _, *rest in launches],
        sources=(src, *[4 for _ in means]),
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
    if reducer.kind != VARIANCE or reducer.constants[0] != FROM_OWN_MEAN:
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
    if alone or (reducer.kind == "double" and not by_teams) or itemsize > 8:
        return BY_ELEMENTS
    return BY_QUADS if task.aligned(0, QUAD_BYTES, task.dims) else BY_WORDS


def _tiers(kind: str, read: int, across: bool, itemsize: int, count: int) -> tuple[int, int]:
    """(tiers of the tree, leaves per chunk)."""
    chunk = (QUAD_BYTES if kind == "arg" else LINE_BYTES) // itemsize
    if across or read == BY_ELEMENTS:
        chunk = 4
    if kind in _CHUNKED and itemsize < SEVERAL_BYTES:
        chunk = _CHUNK
    if kind not in _TREES and kind not in _CHUNKED:
        return 0, 2 if kind == "double" else chunk
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
    if kind in _CHUNKED and itemsize < SEVERAL_BYTES:
        piece = _CHUNK
    pieces, at_once = -(-count // piece), _AT_ONCE[kind]
    members = min(lanes, power_of_two(-(-pieces // at_once)))
    turns = -(-pieces // (members * at_once))
    own = rounds.team_turns(turns, members) + (rounds.PAIR if kind in _CHUNKED else 0)
    return Team(lanes, members, 0, _has_gaps(pass_, piece), own, piece)


def _rounds(kind: str, tiers: int, count: int, chunk: int) -> int:
    chunks = -(-count // chunk)
    if kind in _CHUNKED:  # What a row needs at its end are quotients and roots.
        return (rounds.tree(chunks) if tiers else 0) + rounds.PAIR
    if kind in _TREES:
        return rounds.tree(chunks) if tiers else 0
    return rounds.chain(chunks) if kind == "double" else rounds.loop(chunks)


def _has_gaps(pass_: Pass, chunk: int) -> bool:
    """Whether some chunk is not full."""
    return pass_.leaf_count % chunk > 0 or pass_.block % chunk > 0


def _padded(values: Sequence[int], count: int) -> tuple[int, ...]:
    return (*values, *[0] * (count - len(values)))
