"""Plan kernels that generate elements instead of reading them, into any layout.

They are planned like a copy from a virtual source, whose addresses are the elements' indexes in
logical row-major order. Their own parameters, such as the value of a fill, are appended to the
plan's push block at launch.
"""

from __future__ import annotations

from dataclasses import replace

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import MADE_RANK
from dml_vk.kernels.plan import transfer
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import FILL, Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.draw import DRAWN_NS, DRAWN_RANK, DRAWN_ROUNDS
from dml_vk.kernels.plan.paths import plan_of, rows
from dml_vk.kernels.plan.rounds import loop
from dml_vk.kernels.plan.tasks import starts_of, task_of, widest
from dml_vk.limits import Profile
from dml_vk.strides.order import packed_strides, row_major

# Estimated time per element on one slow core, by the kind of its dtype, without writing it.
_ELEMENT_NS = {"sequence": {"f": 14.0, "i": 3.0}, "philox": {"f": 5.0, "u": 5.0}, **DRAWN_NS}
_ELEMENT_ROUNDS = {"sequence": 3 * loop(4), "philox": 0, **DRAWN_ROUNDS}


@cached_plan(offset="itemsize")
def plan_fill(sizes: Ints, strides: Ints, itemsize: int, offset: int, profile: Profile) -> Plan:
    """Plan a fill with one value, which is passed as a pattern of 16 bytes."""
    computed = Computed(FILL, sizes, ((strides, offset, itemsize),), ())
    # The virtual source does not matter; this one is as contiguous as the destination.
    both = (strides, strides), (offset * itemsize,) * 2, (itemsize, itemsize)
    task, (_, start) = task_of(sizes, *both, MADE_RANK, profile)
    simple = transfer.filled(task, start)
    if simple is not None:
        return replace(simple, computed=computed)
    task = widest(task)
    launches = [(dst,) for _, dst in offsets(task.outer, starts_of(task, both[1]))]
    path = rows(task)
    module = f"fill_{path.name}_{8 * task.itemsize}"
    return replace(plan_of(module, task, path, MADE_RANK, launches), computed=computed)


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
    spec: Ints = (),
) -> Plan | None:
    """Plan elements computed from their indexes; None where the dims do not fit one launch.

    Indexes are those in an array of the sizes `whole`, of which these are a part whose first
    element has the index `first`. The kernel also reads buffers, whose bases have the granularities
    `sources`, in bytes.
    """
    indexes = packed_strides(whole or sizes, row_major(len(sizes)))
    rank = DRAWN_RANK if kernel in DRAWN_NS else MADE_RANK
    bases, itemsizes = (first * itemsize, offset * itemsize), (itemsize, itemsize)
    task, (moved, start) = task_of(sizes, (indexes, strides), bases, itemsizes, rank, profile)
    if task.outer:
        return None
    path = rows(task).costing(_ELEMENT_NS[kernel][dtype[0]], _ELEMENT_ROUNDS[kernel])
    launches = [(*(0 for _ in sources), start)]
    module, tail = f"{kernel}_{path.name}_{dtype}", (first + moved,)
    return plan_of(module, task, path, rank, launches, sources=sources, tail=tail, spec=spec)
