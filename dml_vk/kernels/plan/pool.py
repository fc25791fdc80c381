"""Plan pooling: each element of dst is made from a window over the spatial dims of a source.

The kernel sees the source with stride 0 along its spatial dims, and a second source without memory,
whose addresses are the linear indexes of windows. So dst may have its dims in any order.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import (
    PACKED_SPEC,
    SUMS,
    WORDS_SPEC,
    WRITES,
    Kernel,
    by_name,
    index_push,
    is_set,
    of_dims,
)
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Load, Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim, ascending, offsets
from dml_vk.kernels.plan.paths import ANY, Path, plan_of, row_constants, rows
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand, Task, columns_of
from dml_vk.kernels.plan.windows import Dims, from_inside
from dml_vk.limits import Profile
from dml_vk.windows import Window

OPERATIONS = ("max", "index", "avg", "lp")
MOST_TAPS = 2**11  # elements of a window that one launch reads
OPCODES = {f"POOL_{name.upper()}": str(code) for code, name in enumerate(OPERATIONS)}
_RANK = 3
_UNROLLED = 16  # elements of a window at most
_TAP_NS = 3.0  # an element of a window on one slow core
_OF_DIMS = ("KERNEL", "BOX", "STRIDE", "DILATION", "BEGIN", "END")
_SPEC = (
    *("OP", "TYPE", "A_TYPE", "SPATIAL"),
    *[f"{name}_{dim}" for name in _OF_DIMS for dim in range(3)],
    *("ADAPTIVE", "COUNTED", "MORE", "LAST", "UNROLLED", "POWER", "ROOT"),
)

# By bits: float32, integers of 64 bits, small ones, and float16.
_RESTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("32", "16"), (*SUMS, "divides")),
    **dict.fromkeys(("64", "8"), ("divides",)),
}


def _kernel(path: str, spec: tuple[str, ...], variants: dict[str, dict[str, str]]) -> Kernel:
    return Kernel(
        f"pool_{path}",
        by_position=True,
        inlines=(WRITES,),
        rests={bits: _RESTS[bits] for bits in variants},
        bindings=("x_words", "Prior", "Dst"),
        optional={"Prior": is_set("MORE")},
        spec=(*spec, *_SPEC),
        push=index_push(("src_base", "prior_base", "dst_base"), _RANK, (("scalars", 11),), 2),
        variants={bits: {**OPCODES, **macros} for bits, macros in variants.items()},
        body="pool",
    )


KERNELS = (
    _kernel(
        "words",
        WORDS_SPEC,
        {
            "32": {"BITS": "32", "T": "uint", "WORDS": "1"},
            "64": {"BITS": "64", "T": "uvec2", "WORDS": "2"},
        },
    ),
    _kernel("packed", PACKED_SPEC, {"8": {"BITS": "8"}, "16": {"BITS": "16"}}),
)
_BY_NAME = by_name(KERNELS)


class Box(NamedTuple):
    """The part of each window that a launch reads, which follows those of earlier launches."""

    first: int  # element, counted through the window in row-major order
    sizes: Ints
    more: bool  # continue with what an earlier launch left in dst
    last: bool


class Pooling(NamedTuple):
    """What is computed of each window."""

    operation: str
    windows: tuple[Window, ...]  # of each spatial dim, outermost first
    adaptive: bool = False  # windows divide the source evenly; those with most taps are given
    counted: bool = False  # a mean counts padding
    power: float = 1.0

    @property
    def kernel(self) -> Ints:
        return tuple([window.taps for window in self.windows])

    @property
    def out(self) -> Ints:
        return tuple([window.count for window in self.windows])

    @property
    def dims(self) -> Dims:
        return from_inside(self.windows, Window())


def boxes(kernel: Ints, most: int = MOST_TAPS) -> list[Box]:
    """Split a window into boxes of consecutive elements, at most `most` each."""
    inner, split = 1, len(kernel) - 1
    while split > 0 and inner * kernel[split] <= most:
        inner *= kernel[split]
        split -= 1
    step = max(1, min(kernel[split], most // inner))
    parts: list[tuple[int, Ints]] = []
    for outer in range(math.prod(kernel[:split])):
        for at in range(0, kernel[split], step):
            sizes = (*(1,) * split, min(step, kernel[split] - at), *kernel[split + 1 :])
            parts.append(((outer * kernel[split] + at) * inner, sizes))
    last = len(parts) - 1
    return [Box(*part, at > 0, at == last) for at, part in enumerate(parts)]


@cached_plan(1024)
def plan_pool(
    sizes: Ints,
    operands: Sequence[Operand],
    types: tuple[DType, DType],
    pooling: Pooling,
    steps: Ints,
    box: Box,
    profile: Profile,
) -> Plan:
    """Plan a launch over operands: source, positions and dst.

    `types` are the dtypes of the source and of dst, `steps` the source's strides along the spatial
    dims.
    """
    strides, bases, itemsizes = columns_of(operands)
    dims, starts = ascending(sizes, strides)
    at = tuple([base + start * size for base, start, size in zip(bases, starts, itemsizes)])
    task = Task(*_split(dims), itemsizes, at, profile)
    source, target = types
    unrolled = not pooling.adaptive and math.prod(box.sizes) <= _UNROLLED
    turns = 0 if unrolled else _loops(box.sizes)
    path = _path(task, turns + _finish(pooling))
    path = path.costing(10.0 + _TAP_NS * math.prod(box.sizes))
    taps = math.prod(box.sizes)
    per = min(path.elements, QUAD_BYTES // task.itemsize)
    load = Load(path.elements * taps, per * (taps if unrolled else 1))
    spatial = pooling.dims
    constants = {
        "OP": OPERATIONS.index(pooling.operation),
        "TYPE": target.code,
        "A_TYPE": source.code,
        "SPATIAL": len(pooling.windows),
        **of_dims("KERNEL", tuple([dim.taps for dim in spatial])),
        **of_dims("BOX", from_inside(box.sizes, 1)),
        **of_dims("STRIDE", tuple([dim.stride for dim in spatial])),
        **of_dims("DILATION", tuple([dim.dilation for dim in spatial])),
        **of_dims("BEGIN", tuple([dim.before for dim in spatial])),
        **of_dims("END", tuple([dim.after for dim in spatial])),
        "ADAPTIVE": int(pooling.adaptive),
        "COUNTED": int(pooling.counted),
        "MORE": int(box.more),
        "LAST": int(box.last),
        "UNROLLED": int(unrolled),
        "POWER": _bits(pooling.power),
        "ROOT": _bits(1 / pooling.power),
    }
    scalars = (
        *(starts[1], box.first),
        *[dim.size for dim in spatial],
        *from_inside(steps, 0),
        *[dim.count for dim in spatial],
    )
    launches = offsets(task.outer, (starts[0], 0, starts[2]))
    return plan_of(
        *(_BY_NAME[f"pool_{path.name}"], str(8 * task.itemsize), task, path, launches),
        sources=(itemsizes[0], task.itemsize),
        push={"scalars": scalars},
        constants=constants,
        inside=box.sizes,
        loads=(load,),
    )


def _split(dims: list[Dim]) -> tuple[list[Dim], list[Dim]]:
    """(dims of one launch, dims to loop over on the host): small ones that are not spatial.

    The start of positions is a parameter, so it is the same for all launches.
    """
    order = sorted(dims, key=lambda dim: (not dim.strides[1], -dim.size))
    inside = order[:_RANK]
    return [dim for dim in dims if dim in inside], [dim for dim in dims if dim not in inside]


def _path(task: Task, element_rounds: int) -> Path:
    """Traverse dst by quads, or where that takes too many rounds, element by element."""
    for quads in (task.profile.quads_per_unit, 1):
        path = rows(task, quads).costing(0.0, element_rounds)
        if path.unit_rounds <= rounds.MOST:
            return path
    words = task.itemsize >= 4
    count = math.prod([dim.size for dim in task.dims])
    steps = ANY | ANY << 2
    # A unit is a single element: of words, the rest of a row that is shorter than a unit.
    rank = len(task.dims)
    constants = row_constants(0 if words else rank, 4 if words else 1, steps, 0)
    constants |= {"SRC_QUADS": 0, "DST_QUADS": 0, **({} if words else {"ENDS": 1})}
    return Path(
        "words" if words else "packed",
        task.dims,
        constants,
        whole=0 if words else count,
        edges=count if words else 0,
        groups=1,
        extent=1 if words else count,
        unit_ns=20.0,
        unit_rounds=rounds.one_by_one(1) + element_rounds,
        elements=1,
        shares_words=not words,
        by="elements",
    )


def _loops(box: Ints) -> int:
    """The rounds of the loops over a box."""
    turns = 0
    for size in reversed((1, 1, *box)[-3:]):
        turns = rounds.loop(size, turns)
    return turns


def _finish(pooling: Pooling) -> int:
    if pooling.operation == "avg":
        return rounds.DIVIDE
    return rounds.SQRT if pooling.operation == "lp" and pooling.power == 2 else 0


def _bits(number: float) -> int:
    """Return the bits of a number as float32."""
    (word,) = struct.unpack("<I", struct.pack("<f", number))
    return int(word)
