"""Choose a kernel variant for a strided task: rows of words, rows of packed elements, or tiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import Kernel
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.dims import Dim, dense
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Task
from dml_vk.limits import Profile

LOCAL_SIZE = 64
LINE_BYTES = 64  # a cache line
MAX_DIVIDEND = 2**31  # exclusive: the kernels divide by multiplying with reciprocals
NOTHING: Mapping[str, Any] = MappingProxyType({})
ANY = 2  # a step along a row other than 0 and 1
BY_ELEMENTS, BY_QUADS, BY_PIECES = range(3)  # how a tile reads a source

# Estimated time per quad on one slow core, by element size.
_TILE_NS = {1: 25.0, 2: 16.0, 4: 10.0, 8: 10.0}
_ZIP_NS = {1: 18.0, 2: 12.0, 4: 9.0}


class Path(NamedTuple):
    """A kernel variant and its parameters for these dims."""

    name: str  # of the variant, without the kernel family
    dims: list[Dim]
    constants: Mapping[str, int]  # besides those that all kernels have
    whole: int  # full work items, which come first
    edges: int  # partial work items
    groups: int  # whole, groups and extent: see glsl/include/index/
    extent: int
    unit_ns: float
    unit_rounds: int
    elements: int  # the most per work item
    shares_words: bool = False  # two work items may modify different bits of one word
    by: str = ""  # the unit of access, where the variant has several
    together: int = 1  # work items that must be in one range: see Plan
    lanes: int | None = None  # instead of the profile's

    def costing(self, element_ns: float, element_rounds: int = 0) -> Path:
        """Add a time and a number of loop iterations per element to the costs."""
        elements = math.prod([dim.size for dim in self.dims])
        added_ns = element_ns * elements / max(1, self.whole + self.edges)
        return self._replace(
            unit_ns=self.unit_ns + added_ns,
            unit_rounds=self.unit_rounds + element_rounds * self.elements,
        )

    def __str__(self) -> str:
        return f"{self.name} by {self.by}" if self.by else self.name


def plan_of(
    kernel: Kernel,
    variant: str,
    task: Task,
    path: Path,
    launches: Sequence[Ints],
    *,
    sources: Ints = (),
    push: Mapping[str, int | Ints] = NOTHING,
    constants: Mapping[str, int] = NOTHING,
    inside: Ints = (),
    lanes: int | None = None,
    by_teams: bool = False,
    loads: tuple[Load, ...] = (),
) -> Plan:
    """Make the plan of a variant of a kernel, with its own push constants and constants.

    Where there are more dims than its push block has, they are passed as arguments in memory.
    `sources` are the base granularities of the sources in bytes, `inside` the sizes, for the log,
    of what each work item loops over. `lanes` overrides the path's, and that the profile's.
    """
    rank = dict(kernel.push)["sizes"]
    dims = path.dims
    units = path.whole + path.edges if all(dim.size for dim in (*dims, *task.outer)) else 0
    lanes = lanes or path.lanes or task.profile.lanes
    columns = [[dim.size for dim in dims], *zip(*[dim.strides for dim in dims])]
    capacity = max(rank, len(dims))
    words = [
        value & 0xFFFFFFFF
        for column in columns
        for value in (*column, *[0] * (capacity - len(column)))
    ]
    arguments = tuple(words) if capacity > rank else ()
    if arguments:
        words = [0] * (rank * len(columns))
    return Plan(
        module=f"{kernel.name}_{variant}",
        spec=kernel.constants(
            {
                "LOCAL_SIZE": local_size(task.profile, lanes),
                "LANES": lanes,
                "RANK": len(dims),
                "EDGES": int(path.edges > 0),
                **path.constants,
                **constants,
            }
        ),
        push=kernel.words(
            units,
            {
                "whole": path.whole,
                "groups": path.groups,
                "extent": path.extent,
                "sizes": tuple(words[:rank]),
                "strides": tuple(words[rank:]),
                **push,
            },
        ),
        units=units,
        unit_ns=path.unit_ns,
        unit_rounds=path.unit_rounds,
        base_bytes=(*sources, task.itemsize),
        launches=tuple(launches),
        together=path.together,
        shares_words=path.shares_words or (task.itemsize < 4 and len(launches) > 1),
        arguments=arguments,
        path=str(path),
        sizes=tuple([n for n in (*[dim.size for dim in reversed(dims)], *inside) if n != 1]),
        by_teams=by_teams,
        loads=loads,
    )


def local_size(profile: Profile, lanes: int | None = None) -> int:
    """The invocations of a workgroup, which are whole groups of lanes: by default the profile's."""
    lanes = lanes or profile.lanes
    return max(lanes, min(LOCAL_SIZE, profile.max_invocations // lanes * lanes))


def rows(task: Task, quads: int | None = None) -> Path:
    """Traverse rows of dst. Each work item moves `quads` quads of words, by default the profile's.

    Elements smaller than a word are moved one quad at a time.
    """
    quads = quads or task.profile.quads_per_unit
    return _words(task, quads) if task.itemsize >= 4 else _packed(task)


def tile(task: Task) -> Path | None:
    """Traverse two dims in blocks that use whole cache lines on both sides; None where unsuitable.

    One dim is innermost in dst and the other in a source. All operands have the same item size.
    """
    dims, itemsize = task.dims, task.itemsize
    inner = dims[0]
    across, per = min(4, QUAD_BYTES // itemsize), QUAD_BYTES // itemsize
    if itemsize == QUAD_BYTES or len(dims) == 1 or inner.size < across:
        return None
    for source in task.sources:
        down = min([dim for dim in dims if dim.strides[source]], key=_step(source), default=inner)
        far = abs(down.strides[source]) * itemsize >= LINE_BYTES
        if inner.strides[source] and down is not inner and not far and down.size >= 4:
            break
    else:
        return None
    rest = [dim for dim in dims if dim is not inner and dim is not down]
    reads = [_read(task, k, across, down) for k in task.sources]
    dst_pieces = inner.dst == 1 and task.aligned(-1, across * itemsize, [down, *rest])
    quick = dst_pieces and BY_ELEMENTS not in reads
    if itemsize < 4 and not (quick and inner.size % across == 0):
        return None
    pieces, quads = inner.size // across, -(-down.size // per)
    if task.profile.coalesces:
        block_across, block_down = min(8, power_of_two(pieces)), min(4, power_of_two(quads))
    elif pieces > 128 and abs(inner.strides[source]) * itemsize >= 1024:
        # Many rows far apart: a cache line is evicted unless it is used up at once.
        block_across, block_down = 2 - pieces % 2, 4
    else:
        block_across, block_down = 1, 1
    groups, columns = -(-pieces // block_across), -(-quads // block_down)
    batch = columns * block_down * math.prod([dim.size for dim in rest])
    ragged = down.size % (per * block_down) or pieces % block_across
    return Path(
        "tile",
        [inner, down, *rest],
        {
            "BLOCK_ACROSS": block_across,
            "BLOCK_DOWN": block_down,
            "RAGGED": int(ragged > 0),
            "READS": pack_pairs(reads),
            "DST_PIECES": int(dst_pieces),
        },
        whole=groups * block_across * batch,
        edges=batch if inner.size % across else 0,
        groups=groups,
        extent=columns,
        unit_ns=across * (_TILE_NS[itemsize] if quick else 25.0) * len(reads),
        unit_rounds=rounds.tile(across, per, itemsize),
        elements=across * per,
        by="elements" if not quick else "pieces" if BY_PIECES in reads else "quads",
    )


def _read(task: Task, source: int, across: int, down: Dim) -> int:
    """How a tile reads a source: see glsl/include/index/tile.glsl."""
    inner, *others = task.dims
    if down.strides[source] == 1:
        rest = [dim for dim in task.dims if dim is not down]
        if task.aligned(source, QUAD_BYTES, rest):
            return BY_QUADS
    if inner.strides[source] == 1 and task.aligned(source, across * task.itemsize, others):
        return BY_PIECES
    return BY_ELEMENTS


def _step(source: int) -> Callable[[Dim], int]:
    return lambda dim: abs(dim.strides[source])


def pack_pairs(codes: Iterable[int]) -> int:
    """Pack two bits per source, the first lowest."""
    return sum([code << 2 * k for k, code in enumerate(codes)])


def pack_bits(flags: Iterable[bool]) -> int:
    """Pack one bit per source, the first lowest."""
    return sum([flag << k for k, flag in enumerate(flags)])


def interleaved(task: Task) -> Path | None:
    """Copy two to four channels between pixels and planes; None where unsuitable."""
    dims, per = task.dims, QUAD_BYTES // task.itemsize
    inner = dims[0]
    if task.itemsize > 4 or inner.dst != 1:
        return None
    to_pixels = inner.size <= 4
    side = inner.size if to_pixels else inner.strides[0]
    match = [d for d in dims if d.strides[0] == 1 and (d.dst if to_pixels else d.size) == side]
    if not match:
        return None
    channel, pixel = (inner, match[0]) if to_pixels else (match[0], inner)
    plane = inner.strides[0] if to_pixels else channel.dst
    if not 2 <= channel.size <= 4 or pixel.size % per or plane % per:
        return None
    rest = [dim for dim in dims if dim is not channel and dim is not pixel]
    if not (task.aligned(0, QUAD_BYTES, rest) and task.aligned(-1, QUAD_BYTES, rest)):
        return None
    items = Dim(tuple([stride * per for stride in pixel.strides]), pixel.size // per)
    return Path(
        "zip",
        [items, *rest],
        {"CHANNELS": channel.size, "ZIP": int(to_pixels)},
        whole=math.prod([dim.size for dim in (items, *rest)]),
        edges=0,
        groups=1,
        extent=plane & 0xFFFFFFFF,
        unit_ns=channel.size * _ZIP_NS[task.itemsize],
        unit_rounds=0,
        elements=channel.size * per,
        by="quads",
    )


def row_constants(run: int, unit: int, steps: int, dense: int) -> dict[str, int]:
    """Those of ROW_SPEC beyond INDEX_SPEC."""
    return {"RUN": run, "UNIT": unit, "STEPS": steps, "DENSE": dense}


def power_of_two(number: int) -> int:
    """Round up to a power of two."""
    return 1 << (number - 1).bit_length()


def _words(task: Task, quads_per_unit: int) -> Path:
    """Rows of elements of one or more words."""
    dims, per = task.dims, QUAD_BYTES // task.itemsize
    unit = per * quads_per_unit
    run = dense(dims)
    quads = run > 0 and task.aligned(-1, QUAD_BYTES, dims[1:])
    if run > 1 and quads and dims[0].size % unit * 8 <= dims[0].size:
        run = 1
    extent = math.prod([dim.size for dim in dims[:run]])
    while unit > per and extent % unit * 8 > extent:
        unit //= 2
    if run == 0 or extent < unit:
        run, extent, quads = 0, math.prod([dim.size for dim in dims]), False
    else:
        quads = task.aligned(-1, QUAD_BYTES, dims[run:])
    steps = steps_of(task, run)
    src_quads = [
        step == 1 and task.aligned(k, task.run_bytes(k), dims[1:]) for k, step in enumerate(steps)
    ]
    rows = math.prod([dim.size for dim in dims[run:]]) if run else 1
    groups, left = divmod(extent, unit)
    quick = quads and all(flag or step == 0 for flag, step in zip(src_quads, steps))
    return Path(
        "words",
        dims,
        {
            **row_constants(run or len(dims), unit, pack_pairs(steps), int(run > 0)),
            "SRC_QUADS": pack_bits(src_quads),
            "DST_QUADS": int(quads),
        },
        whole=rows * groups,
        edges=rows if left else 0,
        groups=max(1, groups),
        extent=extent,
        unit_ns=unit / per * (4.0 if quick else 7.0) * len(task.itemsizes),
        unit_rounds=rounds.words(unit, per, len(steps)),
        elements=unit,
        by="quads" if quick else "rows" if run else "elements",
    )


def steps_of(task: Task, run: int) -> Ints:
    """The step along a row in each source."""
    inner = task.dims[0].strides[:-1]
    return tuple([stride if run == 1 and stride in (0, 1) else ANY for stride in inner])


def _packed(task: Task) -> Path:
    """Rows of elements smaller than a word."""
    dims, per = task.dims, QUAD_BYTES // task.itemsize
    run = dense(dims)
    long = math.prod([dim.size for dim in dims[:run]]) >= MAX_DIVIDEND
    contiguous = all(stride == 1 for stride in dims[0].strides)
    if run > 1 and (long or dims[0].size >= per * (1 if contiguous else 8)):
        run = 1
    extent = math.prod([dim.size for dim in dims[: run or None]])
    steps = steps_of(task, run)
    src_quads = [False for _ in steps]
    dst_quads = False
    if run == 0:
        rows, groups, ends = 1, -(-extent // per), 0
    else:
        outer = dims[run:]
        rows = math.prod([dim.size for dim in outer])
        # Rows may start at different positions within a quad.
        phases = task.phases(outer)
        groups = min([max(0, (phase + extent) // per - -(-phase // per)) for phase in phases])
        ends = max([-(-(phase + extent) // per) for phase in phases]) - groups
        dst_quads = max(phases) == 0
        src_quads = [step == 1 and task.in_phase(k, outer) for k, step in enumerate(steps)]
    return Path(
        "packed",
        dims,
        {
            **row_constants(run or len(dims), per, pack_pairs(steps), int(run > 0)),
            "SRC_QUADS": pack_bits(src_quads),
            "DST_QUADS": int(dst_quads),
            "ENDS": max(1, ends),
        },
        whole=rows * groups,
        edges=rows * ends,
        groups=max(1, groups),
        extent=extent,
        unit_ns=(20.0 if run and ANY not in steps else 40.0 if run else per * 10.0) * len(steps),
        unit_rounds=rounds.packed(per, len(steps)),
        elements=per,
        shares_words=run == 0 or (ends > 0 and rows > 1),
        by="elements" if run == 0 else "quads" if dst_quads and ANY not in steps else "rows",
    )
