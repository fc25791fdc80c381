"""How elements are computed of those at the same index of others: which kernel, told what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dml_vk.kernels import rounds
from dml_vk.kernels.dims import offsets
from dml_vk.kernels.kernel import COMPUTED_RANK, MAX_RANK
from dml_vk.kernels.paths import plan_of, rows, tile
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.registry import COMPUTED
from dml_vk.kernels.tasks import quads_a_unit, seen_by_plans, task_of
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints

# What it takes one slow core to compute an element, by kernel, besides reading and writing.
_ELEMENT_NS = {
    "where": 2.0, "cast": 5.0, "float_compare": 2.0, "int_compare": 2.0, "long_compare": 5.0,
    "float_arithmetic": 3.0, "int_arithmetic": 3.0, "long_arithmetic": 8.0, "float_exp": 4.0,
    "float_activation": 6.0, "float_trig": 5.0, "float_erf": 6.0, "float_log": 7.0,
    "float_arc": 8.0, "float_pow": 12.0, "double_compare": 6.0, "double_arithmetic": 20.0,
}  # fmt: skip


def plan_computed(
    kernel: str,
    sizes: Ints,
    operands: Sequence[tuple[Ints, int, int]],
    spec: Ints,
    limits: Limits,
    *,
    arguments: bool = True,
) -> Plan:
    """The plan of a kernel over operands of these strides, offsets and item sizes, dst the last.

    Strides are those over the sizes of dst: 0 where a source is repeated, or is a scalar. `spec`
    are the constants that follow those of the path. Without arguments it takes more launches where
    there are many dims.
    """
    return _plan(
        kernel,
        sizes,
        *seen_by_plans(operands),
        spec,
        arguments,
        limits.max_invocations,
        quads_a_unit(limits),
    )


@lru_cache(maxsize=4096)
def _plan(
    kernel: str,
    sizes: Ints,
    strides: tuple[Ints, ...],
    bases: Ints,
    itemsizes: Ints,
    spec: Ints,
    arguments: bool,
    invocations: int,
    quads: int,
) -> Plan:
    """`plan_computed` in what matters: bases are residues, in bytes modulo QUAD_BYTES."""
    sources, ways = COMPUTED[kernel]
    rank = COMPUTED_RANK[sources]
    most = MAX_RANK if arguments else rank
    task, starts = task_of(sizes, strides, bases, itemsizes, most, quads)
    path = rows(task)
    if "tile_32" in ways and set(itemsizes) == {4}:
        path = tile(task) or path
    path = path.costing(_ELEMENT_NS[kernel], rounds.computed(kernel, spec[0]))
    module = f"{kernel}_{path.name}_{8 * task.itemsize}"
    launches = offsets(task.outer, starts)
    return plan_of(
        module, task, path, rank, launches, invocations, sources=itemsizes[:-1], spec=spec
    )
