"""Plan kernels that compute elements from their indexes instead of reading them, in any layout.

They are planned like a copy from a virtual source, whose addresses are the elements' indexes in
logical row-major order. Their own parameters, such as a counter, are appended to the plan's push
block at launch.
"""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import MADE_RANK, by_name
from dml_vk.kernels.plan import draws, philox, sequence
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.flat import flat
from dml_vk.kernels.plan.paths import plan_of, rows
from dml_vk.kernels.plan.tasks import task_of
from dml_vk.limits import Profile
from dml_vk.strides.order import packed_strides, row_major

_BY_NAME = by_name((*sequence.KERNELS, *philox.KERNELS, *draws.KERNELS))
_NS = {**sequence.NS, **philox.NS, **draws.NS}
_ROUNDS = {**sequence.ROUNDS, **philox.ROUNDS, **draws.ROUNDS}


@cached_plan(offset="itemsize")
def plan_indexed(
    kernel: str,
    dtype: str,
    sizes: Ints,
    strides: Ints,
    itemsize: int,
    offset: int,
    profile: Profile,
    *,
    first: int = 0,
    whole: Ints = (),
    sources: Ints = (),
    constants: tuple[tuple[str, int], ...] = (),
) -> Plan | None:
    """Plan elements computed from their indexes; None where the dims do not fit one launch.

    Indexes are those in an array of the sizes `whole`, of which these are a part whose first
    element has the index `first`. The kernel also reads buffers, whose bases have the granularities
    `sources`, in bytes.
    """
    indexes = packed_strides(whole or sizes, row_major(len(sizes)))
    rank = draws.RANK if kernel in draws.NS else MADE_RANK
    bases, itemsizes = (first * itemsize, offset * itemsize), (itemsize, itemsize)
    task, (moved, start) = task_of(sizes, (indexes, strides), bases, itemsizes, rank, profile)
    if task.outer:
        return None
    path = (flat(task, ahead=1) or rows(task)).costing(_NS[kernel][dtype[0]], _ROUNDS[kernel])
    launches = [(*(0 for _ in sources), start)]
    return plan_of(
        *(_BY_NAME[f"{kernel}_{path.name}"], dtype, task, path, launches),
        sources=sources,
        push={"index_base": first + moved},
        constants=dict(constants),
    )
