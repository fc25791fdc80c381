"""Plan the search for nonzero elements: one pass counts them per work item, one writes indexes.

A work item is done by one invocation or, where lanes load together, by a workgroup, which may also
write what another tensor has where elements are not zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import BY_WORDS, MAX_RANK, ROW_SPEC, Kernel, index_push
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.passes import team_lanes
from dml_vk.kernels.plan.paths import ANY, NOTHING, Path, plan_of, row_constants
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Task
from dml_vk.limits import Profile

_COUNT_BYTES = 4
_LEAST, _MOST = 32, 4096  # elements per work item
# Work items get longer only while at least this many remain, and this multiple of the profile's.
_UNITS, _TIMES = 1024, 4
_OF_MEMBER, _LIST = 32, 2048  # elements of an invocation of a workgroup; indexes written at once

_SELECT_RANK = 7
_INLINES = "where it writes depends on values"
_SPEC = (*ROW_SPEC, "TYPE", "COUNTS", "SRC_QUADS")
_ALONE, _TEAM = [
    Kernel(
        name,
        inlines=_INLINES,
        rests=(),
        bindings=("Src", "Carry", "Dst"),
        spec=_SPEC,
        push=index_push(("src_base", "carry_base", "dst_base"), MAX_RANK),
        variants={"uint32": {"WORDS": "1"}, "int64": {"WORDS": "2"}},
    )
    for name in ("nonzero", "nonzero_team")
]
_SELECT = Kernel(
    "nonzero_team_select",
    inlines=_INLINES,
    rests=(),
    body="nonzero_team",
    bindings=("Src", "Carry", "Values", "Dst"),
    spec=_SPEC,
    push=index_push(
        ("src_base", "carry_base", "values_base", "dst_base"), _SELECT_RANK, (("step", 1),)
    ),
    variants={bits: {**words, "SELECTS": "1"} for bits, words in BY_WORDS.items()},
)
KERNELS = (_ALONE, _TEAM, _SELECT)


class Passes(NamedTuple):
    """The plans of both passes.

    Where invocations search alone, the counting pass has one more work item, without elements. Its
    count is 0, so that an exclusive scan leaves the total there.
    """

    counts: Plan
    indexes: Plan


@cached_plan(offset="itemsize")
def plan_nonzero(
    sizes: Ints,
    strides: Ints,
    offset: int,
    itemsize: int,
    type_code: int,
    result_bytes: int,
    profile: Profile,
    apart: int | None = None,
) -> Passes | None:
    """Plan a search that writes indexes of 4 or 8 bytes; None where there are too many dims.

    Or else it writes elements of 4, 8 or 16 bytes, which are so far `apart` in another tensor.
    """
    dims = _in_order(sizes, strides)
    if len(dims) > (MAX_RANK if apart is None else _SELECT_RANK):
        return None
    numel, step = math.prod(sizes), dims[0].strides[0]
    contiguous = len(dims) == 1 and step == 1
    start = offset * itemsize
    src_quads = contiguous and start % QUAD_BYTES == 0
    by_teams, lanes = profile.coalesces, team_lanes(profile)
    unit = _OF_MEMBER * lanes if by_teams else _unit(numel, profile)
    units = -(-numel // unit)

    def plan(counts: bool) -> Plan:
        path = Path(
            "nonzero",
            dims,
            {
                **row_constants(len(dims), unit, 1 if contiguous else ANY, 0),
                "TYPE": type_code,
                "COUNTS": int(counts),
                "SRC_QUADS": int(src_quads),
            },
            whole=units + int(counts and not by_teams),
            edges=0,
            groups=1,
            extent=numel,
            unit_rounds=_team_rounds(lanes) if by_teams else rounds.nonzero(unit),
            elements=unit,
            unit_ns=unit * ((1.0 if src_quads else 5.0) + (0.0 if counts else 3.0)),
        )
        nbytes = _COUNT_BYTES if counts else result_bytes
        task = Task(dims, [], (itemsize, nbytes), (start, 0), profile)
        sources: Ints = (itemsize, _COUNT_BYTES)
        push: Mapping[str, int] = NOTHING
        if apart is not None and not counts:
            kernel, variant, push = _SELECT, str(8 * nbytes), {"step": apart}
            sources = (*sources, nbytes)
        else:
            kernel = _TEAM if by_teams else _ALONE
            variant = "uint32" if nbytes == _COUNT_BYTES else "int64"
        return plan_of(
            *(kernel, variant, task, path, [(0,) * len(kernel.bindings)]),
            sources=sources,
            push=push,
            lanes=lanes if by_teams else None,
            by_teams=by_teams,
        )

    return Passes(plan(True), plan(False))


def _unit(numel: int, profile: Profile) -> int:
    """The elements of an invocation by itself."""
    unit, wanted = _LEAST, max(_UNITS, _TIMES * profile.units_wanted)
    while unit < _MOST and numel >= 2 * unit * wanted:
        unit *= 2
    return unit


def _team_rounds(lanes: int) -> int:
    """Bound the rounds of a workgroup: it reads, adds, and lists and writes indexes."""
    lists = -(-_OF_MEMBER * lanes // _LIST)
    written = rounds.loop(lists, rounds.loop(_OF_MEMBER) + rounds.loop(-(-_LIST // lanes)))
    return rounds.loop(_OF_MEMBER) + rounds.team_sum(lanes) + written


def _in_order(sizes: Ints, strides: Ints) -> list[Dim]:
    """Merge dims in logical order, innermost first."""
    merged: list[Dim] = []
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size == 1:
            continue
        if merged and stride == merged[-1].strides[0] * merged[-1].size:
            merged[-1] = Dim(merged[-1].strides, merged[-1].size * size)
        else:
            merged.append(Dim((stride, 0), size))
    return merged or [Dim((1, 0), 1)]
