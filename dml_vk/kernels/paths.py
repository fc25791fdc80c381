"""The ways through a strided task: rows of words, rows of packed elements, tiles. Which and how."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dml_vk.kernels.dims import Dim, Ints, dense, widened
from dml_vk.kernels.plan import Plan
from dml_vk.limits import Limits

LOCAL_SIZE = 64
QUAD_BYTES = 16  # what kernels load and store at once where they can
LINE_BYTES = 64  # what memory moves at once
MAX_DIVIDEND = 2**31  # what the kernels' division by reciprocals takes is below
ANY = 2  # a step along a row that is neither 0 nor 1
CPU_LANES, GPU_LANES = 8, 32  # invocations that run in step, or close to it

# What a quad takes on one slow core, by element size.
_TILE_NS = {1: 25.0, 2: 16.0, 4: 10.0, 8: 10.0}
_ZIP_NS = {1: 18.0, 2: 12.0, 4: 9.0}


class Task(NamedTuple):
    """A copy, or the like, in the form that paths are chosen by."""

    dims: list[Dim]  # of one launch
    outer: list[Dim]  # each index of these is a launch of its own
    itemsize: int
    src: int  # where the first launch starts, in bytes, modulo QUAD_BYTES
    dst: int
    quads: int  # that a unit moves

    def src_aligned(self, nbytes: int, dims: Iterable[Dim]) -> bool:
        """Every index of these dims, in every launch, is at a multiple of so many bytes in src."""
        strides = [dim.src for dim in (*dims, *self.outer)]
        return math.gcd(self.src, *[stride * self.itemsize for stride in strides]) % nbytes == 0

    def dst_aligned(self, nbytes: int, dims: Iterable[Dim]) -> bool:
        strides = [dim.dst for dim in (*dims, *self.outer)]
        return math.gcd(self.dst, *[stride * self.itemsize for stride in strides]) % nbytes == 0

    def phases(self, dims: Iterable[Dim]) -> range:
        """How many elements into a quad of dst the indexes of these dims may be."""
        strides = [dim.dst for dim in (*dims, *self.outer)]
        step = math.gcd(QUAD_BYTES, *[stride * self.itemsize for stride in strides])
        per = QUAD_BYTES // self.itemsize
        return range(self.dst % step // self.itemsize, per, step // self.itemsize)

    def alike(self, dims: Iterable[Dim]) -> bool:
        """Every index of these dims is equally far into a quad in src and in dst."""
        apart = [(dim.src - dim.dst) * self.itemsize for dim in (*dims, *self.outer)]
        return math.gcd(self.src - self.dst, *apart) % QUAD_BYTES == 0


class Path(NamedTuple):
    """A kernel, and what it is told of these dims."""

    name: str  # the kernel's, without what it is that is moved
    dims: list[Dim]
    spec: Ints  # after the constants that all kernels have
    whole: int  # units that do all that a unit can; those come first
    edges: int  # and units that do less
    groups: int
    extent: int
    unit_ns: float


def quads_a_unit(limits: Limits) -> int:
    """A CPU decodes once for many, a GPU has its neighbours side by side."""
    return 4 if limits.wants_few_groups else 1


def plan_of(
    module: str,
    task: Task,
    path: Path,
    rank: int,
    launches: Sequence[Ints],
    invocations: int,
    *,
    sources: Ints = (),
    tail: Ints = (),
    spec: Ints = (),
) -> Plan:
    """The plan of a path by a kernel whose push block has room for `rank` dims, and then `tail`.

    It reads `sources`, whose bases count in so many bytes; `spec` follows the path's own.
    """
    dims = path.dims
    units = path.whole + path.edges if all(dim.size for dim in (*dims, *task.outer)) else 0
    lanes = CPU_LANES if task.quads > 1 else GPU_LANES

    def column(values: list[int]) -> Ints:
        return tuple([value & 0xFFFFFFFF for value in values] + [0] * (rank - len(values)))

    return Plan(
        module=module,
        spec=(
            min(LOCAL_SIZE, invocations // lanes * lanes),
            lanes,
            len(dims),
            int(path.edges > 0),
            *path.spec,
            *spec,
        ),
        push=(
            *(0, units),
            *(0 for _ in launches[0]),
            *(path.whole, path.groups, path.extent),
            *column([dim.size for dim in dims]),
            *column([dim.src for dim in dims]),
            *column([dim.dst for dim in dims]),
            *tail,
        ),
        units=units,
        unit_ns=path.unit_ns,
        base_bytes=(*sources, task.itemsize),
        launches=tuple(launches),
    )


def rows(task: Task) -> Path:
    return _words(task) if task.itemsize >= 4 else _packed(task)


def widest(task: Task) -> Task:
    """Elements as wide as rows that are contiguous in both operands allow."""
    inner, *others = task.dims
    if inner.src != 1 or inner.dst != 1:
        return task
    nbytes = math.gcd(inner.size * task.itemsize, QUAD_BYTES)
    while not (task.src_aligned(nbytes, others) and task.dst_aligned(nbytes, others)):
        nbytes //= 2
    times = nbytes // task.itemsize
    if times <= 1:
        return task
    dims, outer = widened(task.dims, times), [dim.narrowed(times) for dim in task.outer]
    return task._replace(dims=dims, outer=outer, itemsize=nbytes)


def tile(task: Task) -> Path | None:
    """Two dims, one innermost in dst and one in src, in blocks that use whole lines of both."""
    dims, itemsize = task.dims, task.itemsize
    inner = dims[0]
    if itemsize == QUAD_BYTES or len(dims) == 1 or inner.src == 0:
        return None
    across, per = min(4, QUAD_BYTES // itemsize), QUAD_BYTES // itemsize
    down = min([dim for dim in dims if dim.src], key=lambda dim: abs(dim.src))
    if down is inner or abs(down.src) * itemsize >= LINE_BYTES:
        return None
    if inner.size < across or down.size < 4:
        return None
    rest = [dim for dim in dims if dim is not inner and dim is not down]
    src_quads = down.src == 1 and task.src_aligned(QUAD_BYTES, [inner, *rest])
    dst_pieces = inner.dst == 1 and task.dst_aligned(across * itemsize, [down, *rest])
    if itemsize < 4 and not (src_quads and dst_pieces and inner.size % across == 0):
        return None
    pieces, quads = inner.size // across, -(-down.size // per)
    if task.quads == 1:
        block_across, block_down = min(8, _power_of_two(pieces)), min(4, _power_of_two(quads))
    elif pieces > 128 and abs(inner.src) * itemsize >= 1024:
        # Rows far apart, and many: a line is used up at once, or has to come back.
        block_across, block_down = 2 - pieces % 2, 4
    else:
        block_across, block_down = 1, 1
    groups, columns = -(-pieces // block_across), -(-quads // block_down)
    batch = columns * block_down * math.prod([dim.size for dim in rest])
    ragged = down.size % (per * block_down) or pieces % block_across
    return Path(
        "tile",
        [inner, down, *rest],
        (block_across, block_down, int(ragged > 0), int(src_quads), int(dst_pieces)),
        whole=groups * block_across * batch,
        edges=batch if inner.size % across else 0,
        groups=groups,
        extent=columns,
        unit_ns=across * (_TILE_NS[itemsize] if src_quads and dst_pieces else 25.0),
    )


def zipped(task: Task) -> Path | None:
    """Pixels of up to four channels, side by side in one operand and in planes in the other."""
    dims, per = task.dims, QUAD_BYTES // task.itemsize
    inner = dims[0]
    if task.itemsize > 4 or inner.dst != 1:
        return None
    to_pixels = inner.size <= 4
    side = inner.size if to_pixels else inner.src
    match = [d for d in dims if d.src == 1 and (d.dst if to_pixels else d.size) == side]
    if not match:
        return None
    channel, pixel = (inner, match[0]) if to_pixels else (match[0], inner)
    plane = inner.src if to_pixels else channel.dst
    if not 2 <= channel.size <= 4 or pixel.size % per or plane % per:
        return None
    rest = [dim for dim in dims if dim is not channel and dim is not pixel]
    if not (task.src_aligned(QUAD_BYTES, rest) and task.dst_aligned(QUAD_BYTES, rest)):
        return None
    units = Dim(pixel.dst * per, pixel.src * per, pixel.size // per)
    return Path(
        "zip",
        [units, *rest],
        (channel.size, int(to_pixels)),
        whole=math.prod([dim.size for dim in (units, *rest)]),
        edges=0,
        groups=1,
        extent=plane & 0xFFFFFFFF,
        unit_ns=channel.size * _ZIP_NS[task.itemsize],
    )


def _power_of_two(number: int) -> int:
    """The first that is not less."""
    return 1 << (number - 1).bit_length()


def _words(task: Task) -> Path:
    """Rows of elements that are words, or several."""
    dims, per = task.dims, QUAD_BYTES // task.itemsize
    unit = per * task.quads
    run = dense(dims)
    quads = run > 0 and task.dst_aligned(QUAD_BYTES, dims[1:])
    if run > 1 and quads and dims[0].size % unit * 8 <= dims[0].size:
        run = 1
    extent = math.prod([dim.size for dim in dims[:run]])
    while unit > per and extent % unit * 8 > extent:
        unit //= 2
    if run == 0 or extent < unit:
        run, extent, quads = 0, math.prod([dim.size for dim in dims]), False
    else:
        quads = task.dst_aligned(QUAD_BYTES, dims[run:])
    step = dims[0].src if run == 1 and dims[0].src in (0, 1) else ANY
    src_quads = step == 1 and task.src_aligned(QUAD_BYTES, dims[1:])
    rows = math.prod([dim.size for dim in dims[run:]]) if run else 1
    groups, left = divmod(extent, unit)
    return Path(
        "words",
        dims,
        (run or len(dims), unit, step, int(run > 0), int(src_quads), int(quads)),
        whole=rows * groups,
        edges=rows if left else 0,
        groups=max(1, groups),
        extent=extent,
        unit_ns=unit / per * (8.0 if src_quads and quads else 14.0),
    )


def _packed(task: Task) -> Path:
    """Rows of elements that share words."""
    dims, per = task.dims, QUAD_BYTES // task.itemsize
    run = dense(dims)
    long = math.prod([dim.size for dim in dims[:run]]) >= MAX_DIVIDEND
    if run > 1 and (long or dims[0].size >= per * (1 if dims[0].src == 1 else 8)):
        run = 1
    extent = math.prod([dim.size for dim in dims[: run or None]])
    step = dims[0].src if run == 1 and dims[0].src in (0, 1) else ANY
    src_quads = dst_quads = False
    if run == 0:
        rows, groups, ends = 1, -(-extent // per), 0
    else:
        outer = dims[run:]
        rows = math.prod([dim.size for dim in outer])
        # A row may start anywhere in a quad; where all start alike, it is known where.
        phases = task.phases(outer)
        groups = min([max(0, (phase + extent) // per - -(-phase // per)) for phase in phases])
        ends = max([-(-(phase + extent) // per) for phase in phases]) - groups
        dst_quads = max(phases) == 0
        src_quads = step == 1 and task.alike(outer)
    return Path(
        "packed",
        dims,
        (run or len(dims), per, step, int(run > 0), int(src_quads), int(dst_quads), max(1, ends)),
        whole=rows * groups,
        edges=rows * ends,
        groups=max(1, groups),
        extent=extent,
        unit_ns=20.0 if run and step != ANY else 40.0 if run else per * 10.0,
    )
