"""How a copy from any layout to any layout of the same sizes is done: which kernel, told what."""

from __future__ import annotations

from functools import lru_cache

from dml_vk.kernels.dims import offsets
from dml_vk.kernels.kernel import MAX_RANK
from dml_vk.kernels.paths import plan_of, rows, tile, zipped
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.tasks import QUAD_BYTES, quads_a_unit, starts_of, task_of, widest
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints


def plan_copy(
    sizes: Ints,
    src_strides: Ints,
    dst_strides: Ints,
    itemsize: int,
    src_offset: int,
    dst_offset: int,
    limits: Limits,
) -> Plan:
    """The plan of a copy whose operands, src and dst, have their bases at these offsets.

    Neither the destination's elements nor source and destination may overlap.
    """
    return _plan(
        sizes,
        src_strides,
        dst_strides,
        itemsize,
        src_offset * itemsize % QUAD_BYTES,
        dst_offset * itemsize % QUAD_BYTES,
        limits.max_invocations,
        quads_a_unit(limits),
    )


@lru_cache(maxsize=4096)
def _plan(
    sizes: Ints,
    src_strides: Ints,
    dst_strides: Ints,
    itemsize: int,
    src_residue: int,
    dst_residue: int,
    invocations: int,
    quads: int,
) -> Plan:
    """`plan_copy` in what matters: a residue is where a base is, in bytes modulo QUAD_BYTES."""
    strides, bases = (src_strides, dst_strides), (src_residue, dst_residue)
    task, _ = task_of(sizes, strides, bases, (itemsize, itemsize), MAX_RANK, quads)
    task = widest(task)
    path = zipped(task) or tile(task) or rows(task)
    itemsize = task.itemsize
    launches = offsets(task.outer, starts_of(task, bases))
    module = f"copy_{path.name}_{8 * itemsize}"
    return plan_of(module, task, path, MAX_RANK, launches, invocations, sources=(itemsize,))
