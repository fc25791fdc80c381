"""Plan fills with one value, into any layout."""

from __future__ import annotations

from dataclasses import replace

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import (
    BY_BITS,
    BY_WORDS,
    MADE_RANK,
    PACKED_SPEC,
    WORDS_SPEC,
    Kernel,
    by_name,
    index_push,
)
from dml_vk.kernels.plan import transfer
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import FILL, Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.flat import apart, flat
from dml_vk.kernels.plan.paths import plan_of, rows
from dml_vk.kernels.plan.tasks import Operand, starts_of, task_of, widest
from dml_vk.limits import Profile

_PUSH = index_push(("dst_base",), MADE_RANK, (("value", 4),))
KERNELS = (
    Kernel(
        "fill_words",
        by_position=True,
        inlines="a chain has the value itself",
        rests=(),
        bindings=("Dst",),
        spec=WORDS_SPEC,
        push=_PUSH,
        params=("value",),
        variants=BY_WORDS,
    ),
    Kernel(
        "fill_packed",
        by_position=True,
        inlines="a chain has the value itself",
        rests=(),
        bindings=("Dst",),
        spec=PACKED_SPEC,
        push=_PUSH,
        params=("value",),
        variants=BY_BITS,
    ),
)
_BY_NAME = by_name(KERNELS)


@cached_plan(offset="itemsize")
def plan_fill(sizes: Ints, strides: Ints, itemsize: int, offset: int, profile: Profile) -> Plan:
    """Plan a fill with one value, which is passed as a pattern of 16 bytes."""
    computed = Computed(FILL, sizes, (Operand(strides, offset, itemsize),), ())
    # The virtual source does not matter; this one is as contiguous as the destination.
    both = (strides, strides), (offset * itemsize,) * 2, (itemsize, itemsize)
    task, (_, start) = task_of(sizes, *both, MADE_RANK, profile)
    simple = transfer.filled(task, start)
    if simple is not None:
        return replace(simple, computed=computed)
    task = widest(task)
    launches = [(dst,) for _, dst in offsets(task.outer, starts_of(task, both[1]))]
    path = flat(task) or apart(task) or rows(task)
    kernel, variant = _BY_NAME[f"fill_{path.name}"], str(8 * task.itemsize)
    return replace(plan_of(kernel, variant, task, path, launches), computed=computed)
