"""Plan sums of products along adjacent terms, as those of a matrix by a vector, by workgroups."""

from __future__ import annotations

import math
from typing import Any

from dml_vk.kernels.kernel import INDEX_SPEC, SUMS, WRITES, Kernel, index_push
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.dims import Dim, split
from dml_vk.kernels.plan.matmul_tile import RANK, RUN
from dml_vk.kernels.plan.paths import Path, power_of_two
from dml_vk.kernels.plan.tasks import Task
from dml_vk.kernels.plan.tiles import READ_NS
from dml_vk.limits import Profile

# The fewest terms, so that eight invocations of a row have a run each; the most invocations.
_LEAST_DEPTH, _MOST_MEMBERS = 8 * RUN, 32
# Terms of a run at a time: whole cache lines of 128 bytes where there are many terms.
_PIECE, _LARGE_PIECE, _LARGE_DEPTH = 16, 32, 4096
_LANES = 256, 64  # of a workgroup: the first that the device has room for

PARAMS = (("depth", 1), ("a_step", 1), ("b_step", 1))
KERNEL = Kernel(
    "matmul_row",
    by_position=True,
    inlines=(WRITES,),
    rests=SUMS,
    bindings=("a_words", "b_words", "Dst"),
    spec=(*INDEX_SPEC, "MEMBERS", "PIECE", "A_QUADS", "B_QUADS", "A_TYPE", "B_TYPE", "MORE"),
    push=index_push(("a_base", "b_base", "dst_base"), RANK, PARAMS, 2),
    variants={"float32": {"FLOAT": "1"}},
)


def row_path(dims: list[Dim], task: Task, terms: Dim) -> tuple[Task, Path] | None:
    """Give each row of b a few invocations; None where that does not suit."""
    depth, apart = terms.size, all(dim.strides[1] for dim in dims if dim.size > 1)
    is_adjacent = terms.strides[1] == 1
    if not (task.profile.coalesces and apart and is_adjacent and depth >= _LEAST_DEPTH):
        return None
    inside, outer = split(dims, RANK)
    task = task._replace(dims=inside, outer=outer)
    members = min(_MOST_MEMBERS, power_of_two(-(-depth // RUN)))
    pieces = (_LARGE_PIECE, _PIECE) if depth >= _LARGE_DEPTH else (_PIECE,)
    ways = [
        (lanes, piece)
        for lanes in _LANES
        for piece in pieces
        if _fits(lanes, members, piece, task.profile)
    ]
    if not ways:
        return None
    lanes, piece = ways[0]
    column, *others = task.dims
    of_block = lanes // members
    groups = -(-column.size // of_block)
    constants: dict[str, Any] = {"MEMBERS": members, "PIECE": piece}
    for number, name in enumerate(("A_QUADS", "B_QUADS")):
        quads = depth % 4 == 0 and terms.strides[number] == 1
        quads = quads and task.aligned(number, 4 * task.itemsizes[number], task.dims)
        constants[name] = int(quads)
    path = Path(
        "row",
        task.dims,
        constants,
        whole=groups * math.prod([dim.size for dim in others]),
        edges=0,
        groups=groups,
        extent=1,
        unit_ns=20.0 + of_block * depth / 4 * 2 * READ_NS,
        unit_rounds=rounds.matmul_row(depth, RUN, members, piece),
        elements=of_block,
        lanes=lanes,
        by=f"{members} of {lanes}",
    )
    return task, path


def _fits(lanes: int, members: int, piece: int, profile: Profile) -> bool:
    shared = 4 * (lanes * (piece + 1) + lanes // members * RUN)
    return lanes <= profile.max_invocations and shared <= profile.max_shared_bytes
