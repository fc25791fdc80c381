"""Plan kernels over regions of images: boxes and samples, for each element of a packed result."""

from __future__ import annotations

import math
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import ROW_SPEC, SUMS, WRITES, Kernel, index_push
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.paths import Path, plan_of, row_constants
from dml_vk.kernels.plan.tasks import Task
from dml_vk.limits import Profile

MOST_SAMPLES = 100  # of one element along one dim
_MOST_ROUNDS = 2**13  # of the loops over a tile
_TAP_NS = 5.0  # an element of a box, or a part of a sample, on one slow core
_BASES = ("src_base", "table_base", "dst_base")
_COUNTS = ("counts", 3), ("steps", 4)

KERNELS = (
    Kernel(
        "roi_boxes",
        inlines="it continues with what an earlier launch left",
        rests=(),
        bindings=("Src", "Table", "Dst"),
        spec=(*ROW_SPEC, "MORE"),
        push=index_push(_BASES, 1, (*_COUNTS, ("tile", 4))),
        variants={"max": {}},
    ),
    Kernel(
        "roi_samples",
        inlines=(WRITES,),
        rests=SUMS,
        bindings=("Src", "Table", "Dst"),
        spec=(*ROW_SPEC, "LARGEST", "NEAREST"),
        push=index_push(_BASES, 1, (*_COUNTS, ("ends", 2), ("offsets", 3))),
        variants={"float": {}},
    ),
)


class Tile(NamedTuple):
    """A part of an image: its first row and its last one plus 1, and likewise columns."""

    top: int
    bottom: int
    left: int
    right: int


def tiles(height: int, width: int, most: int = _MOST_ROUNDS) -> list[Tile]:
    """Split an image into tiles that a work item can loop over, in row-major order."""
    columns = min(width, most // 2)
    rows = max(1, most // rounds.loop(1, rounds.loop(columns)))
    return [
        Tile(top, min(top + rows, height), left, min(left + columns, width))
        for top in range(0, height, rows)
        for left in range(0, width, columns)
    ]


@cached_plan()
def plan_boxes(counts: Ints, steps: Ints, tile: Tile, more: bool, profile: Profile) -> Plan:
    """Plan the maxima over the part of each box in a tile of the image.

    `counts` are the sizes of the result, and `steps` the strides of the image.
    """
    size = tile.bottom - tile.top, tile.right - tile.left
    turns = rounds.loop(size[0], rounds.loop(size[1]))
    cost = _TAP_NS * math.prod(size)
    boxes, _ = KERNELS
    own, constants = {"tile": tuple(tile)}, {"MORE": int(more)}
    return _plan(boxes, "max", counts, steps, own, constants, turns, cost, profile)


@cached_plan()
def plan_samples(
    counts: Ints,
    steps: Ints,
    ends: Ints,
    numbers: Ints,
    largest: bool,
    nearest: bool,
    samples: int,
    profile: Profile,
) -> Plan:
    """Plan the sums or the maxima of up to `samples` samples along each dim.

    `ends` are the height and the width of the image, and `numbers` the bits of both pixel offsets
    and of the value outside.
    """
    turns = rounds.loop(samples, rounds.loop(samples))
    _, kernel = KERNELS
    own = {"ends": ends, "offsets": numbers}
    constants, cost = {"LARGEST": int(largest), "NEAREST": int(nearest)}, 4 * _TAP_NS * samples**2
    return _plan(kernel, "float", counts, steps, own, constants, turns, cost, profile)


def _plan(
    kernel: Kernel,
    variant: str,
    counts: Ints,
    steps: Ints,
    own: dict[str, Ints],
    constants: dict[str, int],
    turns: int,
    cost: float,
    profile: Profile,
) -> Plan:
    """Plan one element of the result after the other."""
    count = math.prod(counts)
    dims = [Dim((1, 1), count)]
    path = Path(
        "elements",
        dims,
        row_constants(1, 1, 1, 1),
        whole=count,
        edges=0,
        groups=1,
        extent=count,
        unit_ns=20.0 + cost,
        unit_rounds=rounds.one_by_one(1) + turns,
        elements=1,
    )
    return plan_of(
        *(kernel, variant, Task(dims, [], (4, 4), (0, 0), profile), path, [(0, 0, 0)]),
        sources=(4, 4),
        push={"counts": counts[1:], "steps": steps, **own},
        constants=constants,
    )
