"""Plan Fourier transforms: Stockham's stages in order, one or more in a launch.

The stages of a length, and so the order of all operations, depend on the length and the dtype
alone. How many stages a launch does depends on the device, and changes nothing but time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import SUMS, Kernel, by_name, native
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets
from dml_vk.kernels.plan.fft_sides import PER_LANE, by_teams, in_quads, kind_of
from dml_vk.kernels.plan.fft_stages import (
    GROUP,
    GROUP_STAGES,
    MOST_POINTS,
    MOST_STAGES,
    TEAM_POINTS,
    Pass,
)
from dml_vk.kernels.plan.paths import LOCAL_SIZE, local_size
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.limits import Profile

EXTEND, JOIN, SPLIT = range(3)  # steps of glsl/fft_points.comp
SINGLY, ALONG, ACROSS = range(3)  # as in glsl/fft_pass.comp
CHIRP, SPECTRUM = 1, 2  # factors, as in glsl/include/families/fft.glsl
_RANK = 4
_GROUP_PAIR = 512  # points of each of two transforms that a lane group keeps at most
_POINT_NS = {4: 2.0, 8: 20.0}  # of a point in one stage, on one slow core

_SPEC = (
    *("LOCAL_SIZE", "LANES", "RANK", "EDGES"),
    *("SOURCE", "TARGET", "CAPTURED", "PADDED", "CUT", "SCALED", "BEFORE", "AFTER"),
)
_PASS = ("FIRST_RADIX", "SECOND_RADIX", "TURNED", "COLUMNS", "READS", "WRITES")
_TEAM = (
    *[f"RADIX_{k}" for k in range(MOST_STAGES)],
    *("TURNED", "POINTS", "ACROSS", "READS_ALONG", "WRITES_ALONG", "KEPT"),
)
_GROUP = (*[f"RADIX_{k}" for k in range(GROUP_STAGES)], "READS_TWO", "WRITES_TWO", "COLUMNS")
_PUSH = (
    *(("first", 1), ("end", 1), ("src_base", 1), ("table_base", 1), ("dst_base", 1)),
    *(("whole", 1), ("groups", 1), ("extent", 1), ("sizes", _RANK), ("strides", 2 * _RANK)),
    *(("src_step", 1), ("src_im", 1), ("dst_step", 1), ("dst_im", 1), ("span", 1), ("turn", 1)),
    *(("there", 1), ("kept", 1), ("scale", 2), ("src_next", 1), ("dst_next", 1)),
)
_PARTS = "it reads and writes parts of complex numbers"
_FLOATS: dict[str, dict[str, str]] = {"float32": {}, "float64": {"DOUBLE": "1"}}


def _kernel(name: str, own: tuple[str, ...], dtypes: Sequence[str]) -> Kernel:
    spec = (*_SPEC, *own)
    variants = {
        dtype: _FLOATS[dtype] | (native(spec) if dtype == "float64" else {}) for dtype in dtypes
    }
    return Kernel(
        f"fft_{name}",
        ("Src", "Table", "Dst"),
        spec,
        _PUSH,
        variants,
        by_position=True,
        inlines=_PARTS,
        rests=SUMS,
    )


KERNELS = (
    _kernel("pass", _PASS, ("float32", "float64")),
    _kernel("team", _TEAM, ("float32", "float64")),
    _kernel("points", ("STEP",), ("float32", "float64")),
    _kernel("group", _GROUP, ("float32", "float64")),
)
_BY_NAME = by_name(KERNELS)


class Ends(NamedTuple):
    """What the first and the last launch do besides: padding, cutting, scaling, factors."""

    present: int | None = None  # points from here on are 0
    halves: bool = False  # `present` counts real and imaginary parts
    written: int | None = None  # results from here on are not written
    scale: Ints = ()  # the words of the factor of all results
    before: int = 0  # factors of points that are read: CHIRP or SPECTRUM
    after: int = 0  # factors of points that are written: CHIRP

    def of(self, is_first: bool, is_last: bool) -> Ends:
        """Return those of a launch, which may be the first or the last one, or both."""
        present, halves, _, _, before, _ = self if is_first else _NOTHING
        _, _, written, scale, _, after = self if is_last else _NOTHING
        return Ends(present, halves, written, scale, before, after)


_NOTHING = Ends()


class Transform(NamedTuple):
    """Source and target as `fft_sides` has them, the ends, and the device."""

    source: Operand
    target: Operand
    ends: Ends
    profile: Profile
    conjugated: tuple[bool, bool] = (False, False)  # points that are read, and that are written

    @property
    def itemsize(self) -> int:
        return self.target.itemsize

    @property
    def in_quads(self) -> tuple[bool, bool]:
        """Whether two points may be read, and written, at once: no pair is cut in half."""
        source, target, ends = self[:3]
        whole = (ends.present or 0) % (4 if ends.halves else 2) == 0
        return whole and in_quads(source), not (ends.written or 0) % 2 and in_quads(target)


class _Task(NamedTuple):
    """The dims of a launch; the index along `captured` is a work item's position in a transform."""

    dims: list[Dim]
    outer: list[Dim]  # each index of these is a launch of its own
    captured: int
    starts: Ints
    steps: Ints  # from one point that a work item reads, or writes, to the next


class _Work(NamedTuple):
    """The work items of a launch, and the kernel that does them."""

    name: str  # of the kernel
    dims: list[Dim]
    constants: dict[str, int]  # of the kernel's own
    elements: int  # of a work item, in all stages
    lanes: int
    extent: int = 1  # neighbours along dim 0 in all, of which a workgroup does several
    nexts: Ints = (0, 0)  # strides between such neighbours, in source and target
    unit_rounds: int = 0
    local: int = 0  # invocations of a workgroup; 0: as many as usual


@functools.lru_cache(maxsize=1024)
def plan_pass(
    sizes: Ints,
    n: int,
    stages: Pass,
    transform: Transform,
) -> Plan:
    """Plan the launch of some stages for a batch of these sizes, none of which is 0."""
    step, target_step = [points.strides[-2] for points in transform[:2]]
    before, span = stages.before, n // stages.points
    after = span // before
    within = Dim((step, target_step), before)
    beyond = Dim((step * before, target_step * before * stages.points), after)
    captured, other = (within, beyond) if before > 1 else (beyond, within)
    steps = span * step, before * target_step
    task = _task_of(sizes, transform, captured, [other], steps, captured.strides)
    if stages.by_group:
        work = _by_group(task, stages, transform)
    elif by_teams(transform.profile):
        work = _by_team(task, stages, transform)
    else:
        work = _by_lane(task, stages, transform)
    return _plan(task, work, transform, (span, after))


@functools.lru_cache(maxsize=1024)
def plan_points(
    sizes: Ints,
    n: int,
    step: int,
    units: int,
    transform: Transform,
) -> Plan:
    """Plan a step before or after transforms of n points.

    Each work item reads and writes a point, or a pair of mirrored points.
    """
    steps = transform.source.strides[-2], transform.target.strides[-2]
    task = _task_of(sizes, transform, Dim((0, 0), units), [], steps, steps)
    work = _Work("points", task.dims, {"STEP": step}, 2, transform.profile.lanes)
    return _plan(task, work, transform, (n, 0))


def _task_of(
    sizes: Ints,
    transform: Transform,
    captured: Dim,
    others: Sequence[Dim],
    steps: Ints,
    reach: Ints,
) -> _Task:
    """Sort dims by the distance of neighbours in memory, and choose those of one launch.

    `reach` are the distances of neighbours along the captured dim.
    """
    batch, starts = ascending(sizes, [points.strides[:-2] for points in transform[:2]])
    dims = [captured, *[dim for dim in (*others, *batch) if dim.size > 1]]
    inside = sorted(dims[1:], key=lambda dim: -dim.size)[: _RANK - 1]
    outer = [dim for dim in dims[1:] if dim not in inside]
    distances = {dim: sum(map(abs, dim.strides)) for dim in inside}
    distances |= {captured: sum(map(abs, reach))}
    dims = sorted(distances, key=lambda dim: (distances[dim], dim))
    return _Task(dims, outer, dims.index(captured), starts, steps)


def _by_lane(
    task: _Task,
    stages: Pass,
    transform: Transform,
) -> _Work:
    """Each work item does one transform, or two neighbours.

    On devices with fast quad loads, two adjacent points are read or written at once.
    """
    first, *others = task.dims
    reads = writes = SINGLY
    if transform.profile.widens:
        busy = math.prod([dim.size for dim in task.dims]) >= 2 * transform.profile.units_wanted
        most = MOST_POINTS[transform.itemsize] // 2 if busy else 0
        reads = _at_once(task, stages, transform.in_quads[0], most, 0)
        writes = _at_once(task, stages, transform.in_quads[1], most, 1)
    columns = 2 if ACROSS in (reads, writes) else 1
    wide = Dim(tuple([stride * columns for stride in first.strides]), first.size // columns)
    radices = (*stages.radices, 1)[:2]
    own = (*radices, int(stages.before > 1), columns, reads, writes)
    return _Work(
        *("pass", [wide, *others], dict(zip(_PASS, own))),
        elements=stages.points * columns * len(stages.radices),
        lanes=transform.profile.lanes,
        nexts=first.strides,
    )


def _at_once(task: _Task, stages: Pass, is_aligned: bool, most: int, side: int) -> int:
    """Return which points are adjacent and aligned to quads: ALONG, ACROSS or SINGLY.

    ACROSS needs transforms of at most `most` points, since a work item keeps two.
    """
    first, *others = task.dims
    step = task.steps[side]
    strides = [dim.strides[side] for dim in (*others, *task.outer)]
    if not is_aligned or any(number % 4 for number in (*strides, task.starts[side])):
        return SINGLY
    apart = first.strides[side] if first.size > 1 else 0
    if step == 2 and stages.points % 2 == 0 and apart % 4 == 0:
        return ALONG
    across = apart == 2 and step % 4 == 0
    return ACROSS if across and first.size % 2 == 0 and stages.points <= most else SINGLY


def _by_group(task: _Task, stages: Pass, transform: Transform) -> _Work:
    """Each work item is one transform, which the lanes of a group keep together."""
    own = stages.radices[:-1]
    first, *others = task.dims
    even = math.prod(own) % 2 == 0
    reads = transform.in_quads[0] and _in_twos(task, 0)
    writes = transform.in_quads[1] and even and _in_twos(task, 1)
    columns = 1
    if reads and task.captured == 0 and first.strides[0] == 2 and task.steps[0] != 2:
        columns = 2 - first.size % 2 if stages.points <= _GROUP_PAIR else 1
    wide = Dim(tuple([stride * columns for stride in first.strides]), first.size // columns)
    reads = reads and even and task.steps[0] == 2
    radices = (*own, *(1,) * (GROUP_STAGES - len(own)))
    constants = dict(zip(_GROUP, (*radices, int(reads), int(writes), columns)))
    return _Work(
        *("group", [wide, *others], constants),
        elements=stages.points * columns * len(stages.radices),
        lanes=GROUP,
        nexts=first.strides,
        unit_rounds=rounds.loop(columns) if columns > 1 else 0,
        local=GROUP,
    )


def _in_twos(task: _Task, side: int) -> bool:
    """Whether pairs of adjacent points are aligned to quads."""
    step = task.steps[side]
    strides = [dim.strides[side] for dim in (*task.dims, *task.outer) if dim.size > 1]
    if side == 0 and step != 2 and task.captured == 0:
        strides[0] = step
    elif step != 2:
        return False
    return not any(number % 4 for number in (*strides, task.starts[side]))


def _by_team(task: _Task, stages: Pass, transform: Transform) -> _Work:
    """Each work item is a group of adjacent transforms, which a workgroup keeps."""
    first, *others = task.dims
    across = max(1, min(TEAM_POINTS[transform.itemsize] // stages.points, first.size))
    held = stages.points * across
    lanes = max(LOCAL_SIZE, 1 << (-(-held // PER_LANE[transform.itemsize]) - 1).bit_length())
    lanes = min(lanes, transform.profile.max_invocations)
    wide = Dim(tuple([stride * across for stride in first.strides]), -(-first.size // across))
    along = [int(abs(step) < abs(stride)) for step, stride in zip(task.steps, first.strides)]
    ones = (1,) * (MOST_STAGES - len(stages.radices))
    own = (*stages.radices, *ones, int(stages.before > 1), stages.points, across, *along, held)
    items = [stages.points // radix * across for radix in stages.radices]
    return _Work(
        *("team", [wide, *others], dict(zip(_TEAM, own))),
        elements=stages.points * across * len(stages.radices),
        lanes=lanes,
        extent=first.size,
        nexts=first.strides,
        unit_rounds=sum([rounds.loop(-(-count // lanes)) for count in items]),
    )


def _plan(task: _Task, work: _Work, transform: Transform, turns: Ints) -> Plan:
    source, target, ends, profile, conjugated = transform
    itemsize = transform.itemsize
    padded = 0 if ends.present is None else 2 if ends.halves else 1
    dims, lanes = work.dims, work.lanes
    units = math.prod([dim.size for dim in dims])
    columns = [[dim.size for dim in dims], *zip(*[dim.strides for dim in dims])]
    words = [word for column in columns for word in (*column, *[0] * (_RANK - len(column)))]
    constants = {
        "LOCAL_SIZE": work.local or local_size(profile, lanes),
        "LANES": lanes,
        "RANK": len(dims),
        "EDGES": 0,
        "SOURCE": kind_of(source, conjugated=conjugated[0]),
        "TARGET": kind_of(target, conjugated=conjugated[1]),
        "CAPTURED": task.captured,
        "PADDED": padded,
        "CUT": int(ends.written is not None),
        "SCALED": int(bool(ends.scale)),
        "BEFORE": ends.before,
        "AFTER": ends.after,
        **work.constants,
    }
    span, turn = turns
    push: dict[str, int | Ints] = {
        "whole": units,
        "groups": 1,
        "extent": work.extent,
        "sizes": tuple(words[:_RANK]),
        "strides": tuple(words[_RANK:]),
        "src_step": task.steps[0],
        "src_im": source.strides[-1],
        "dst_step": task.steps[1],
        "dst_im": target.strides[-1],
        "span": span,
        "turn": turn,
        "there": ends.present or 0,
        "kept": ends.written or 0,
        "scale": (*ends.scale, 0, 0)[:2],
        "src_next": work.nexts[0],
        "dst_next": work.nexts[1],
    }
    kernel = _BY_NAME[f"fft_{work.name}"]
    return Plan(
        module=f"{kernel.name}_float{8 * itemsize}",
        spec=kernel.constants(constants),
        push=kernel.words(units, push),
        units=units,
        unit_ns=10.0 + work.elements * _POINT_NS[itemsize],
        unit_rounds=work.unit_rounds,
        base_bytes=(itemsize, 2 * itemsize, itemsize),
        launches=tuple([(a, 0, b) for a, b in offsets(task.outer, task.starts)]),
        by_teams=work.name in ("team", "group"),
        path=work.name,
        sizes=tuple([dim.size for dim in reversed(dims)]),
    )
