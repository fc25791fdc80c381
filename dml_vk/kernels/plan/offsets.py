"""Plan making offsets of counts: sums of all counts before each, by a workgroup for each row."""

from __future__ import annotations

from dml_vk.kernels.kernel import INDEX_SPEC, Kernel, index_push
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.passes import team_lanes
from dml_vk.kernels.plan.paths import NOTHING, Path, plan_of
from dml_vk.kernels.plan.tasks import Task
from dml_vk.limits import Profile

_WORD = 4
_COUNT_NS = 4.0

KERNELS = (
    Kernel(
        "offsets",
        inlines="counts are no elements",
        rests=(),
        bindings=("Dst",),
        spec=INDEX_SPEC,
        push=index_push(("dst_base",), 1),
        variants={"uint32": {}},
    ),
)


@cached_plan()
def plan_offsets(rows: int, length: int, profile: Profile) -> Plan:
    """Plan it for rows of `length` counts, each followed by a word for its sum."""
    dims, lanes = [Dim((1, 1), 1)], team_lanes(profile)
    path = Path(
        "teams",
        dims,
        NOTHING,
        whole=rows,
        edges=0,
        groups=1,
        extent=length,
        unit_ns=length * _COUNT_NS,
        unit_rounds=2 * rounds.loop(-(-length // lanes)) + rounds.team_sum(lanes),
        elements=length,
    )
    return plan_of(
        *(KERNELS[0], "uint32", Task(dims, [], (_WORD, _WORD), (0, 0), profile), path, [(0,)]),
        inside=(rows, length),
        lanes=lanes,
        by_teams=True,
    )
