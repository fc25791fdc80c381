"""Plan elementwise kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dml_vk.arguments import Ints
from dml_vk.kernels.elementwise import FAMILIES, KERNELS, element_rounds
from dml_vk.kernels.kernel import COMPUTED_RANK, MAX_RANK, by_name
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.paths import plan_of, rows, tile
from dml_vk.kernels.plan.tasks import Operand, columns_of, task_of
from dml_vk.limits import Profile

_BY_NAME = by_name(KERNELS)


@cached_plan(4096)
def plan_computed(
    kernel: str,
    sizes: Ints,
    operands: Sequence[Operand],
    spec: Ints,
    profile: Profile,
    *,
    arguments: bool = True,
) -> Plan:
    """Plan an elementwise kernel over operands, dst last.

    All strides are over the sizes of dst: 0 where a source is broadcast or a scalar. `spec` are
    the constants that follow those of the variant. Where the dims do not fit the push block, they
    become arguments in memory, or without `arguments` several launches.
    """
    strides, bases, itemsizes = columns_of(operands)
    family = FAMILIES[kernel]
    rank = COMPUTED_RANK[family.sources]
    most = MAX_RANK if arguments else rank
    task, starts = task_of(sizes, strides, bases, itemsizes, most, profile)
    path = rows(task)
    if "tile_32" in family.variants and set(itemsizes) == {4}:
        path = tile(task) or path
    activates = kernel == "finish" and spec[1]
    element_ns = family.ns + (FAMILIES["float_activation"].ns if activates else 0)
    path = path.costing(element_ns, element_rounds(kernel, *spec[:2]))
    variant = _BY_NAME[f"{kernel}_{path.name}"]
    own = dict(zip(variant.spec[variant.spec.index("OP") :], spec, strict=True))
    plan = plan_of(
        *(variant, str(8 * task.itemsize), task, path, offsets(task.outer, starts)),
        sources=itemsizes[:-1],
        constants=own,
    )
    return replace(plan, computed=Computed(kernel, sizes, tuple(operands), spec))
