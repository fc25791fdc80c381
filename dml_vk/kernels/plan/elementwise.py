"""Plan elementwise kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import COMPUTED_RANK, MAX_RANK
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.paths import plan_of, rows, tile
from dml_vk.kernels.plan.tasks import columns_of, task_of
from dml_vk.kernels.registry import BY_ELEMENT
from dml_vk.limits import Profile

# Estimated time per element on one slow core, without reading and writing.
ELEMENT_NS = {
    "where": 2.0, "cast": 5.0, "float_compare": 2.0, "int_compare": 2.0, "long_compare": 5.0,
    "float_arithmetic": 3.0, "int_arithmetic": 3.0, "long_arithmetic": 8.0, "float_exp": 4.0,
    "float_activation": 6.0, "float_trig": 5.0, "float_erf": 6.0, "float_log": 7.0,
    "float_arc": 8.0, "float_pow": 12.0, "double_compare": 6.0, "double_arithmetic": 20.0,
    "double_exp": 20.0, "double_log": 30.0, "double_trig": 30.0,
    "double_arc": 40.0, "double_erf": 60.0, "double_pow": 60.0,
    "double_activation": 60.0, "double_special": 90.0,
    "complex_arithmetic": 20.0, "complex_compare": 4.0, "double_complex_arithmetic": 80.0,
    "complex_exp": 120.0, "complex_log": 150.0, "complex_trig": 120.0, "complex_arc": 300.0,
    "complex_pow": 250.0, "complex_size": 60.0, "double_complex_compare": 10.0,
    "finish": 4.0, "pairs": 4.0,
}  # fmt: skip


@cached_plan(4096)
def plan_computed(
    kernel: str,
    sizes: Ints,
    operands: Sequence[tuple[Ints, int, int]],
    spec: Ints,
    profile: Profile,
    *,
    arguments: bool = True,
) -> Plan:
    """Plan an elementwise kernel over operands of (strides, offset, item size), dst last.

    All strides are over the sizes of dst: 0 where a source is broadcast or a scalar. `spec` are
    the constants that follow those of the variant. Where the dims do not fit the push block, they
    become arguments in memory, or without `arguments` several launches.
    """
    strides, bases, itemsizes = columns_of(operands)
    sources, variants = BY_ELEMENT[kernel]
    rank = COMPUTED_RANK[sources]
    most = MAX_RANK if arguments else rank
    task, starts = task_of(sizes, strides, bases, itemsizes, most, profile)
    path = rows(task)
    if "tile_32" in variants and set(itemsizes) == {4}:
        path = tile(task) or path
    activates = kernel == "finish" and spec[1]
    element_ns = ELEMENT_NS[kernel] + (ELEMENT_NS["float_activation"] if activates else 0)
    path = path.costing(element_ns, rounds.computed(kernel, *spec[:2]))
    module = f"{kernel}_{path.name}_{8 * task.itemsize}"
    launches = offsets(task.outer, starts)
    plan = plan_of(module, task, path, rank, launches, sources=itemsizes[:-1], spec=spec)
    return replace(plan, computed=Computed(kernel, sizes, tuple(operands), spec))
