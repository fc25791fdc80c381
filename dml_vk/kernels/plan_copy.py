"""How a copy from any layout to any layout of the same sizes is done: which kernel, told what."""

from __future__ import annotations

from functools import lru_cache

from dml_vk.kernels.dims import Ints, ascending, offsets, split
from dml_vk.kernels.kernel import MAX_RANK
from dml_vk.kernels.paths import QUAD_BYTES, Task, plan_of, quads_a_unit, rows, tile, widest, zipped
from dml_vk.kernels.plan import Plan
from dml_vk.limits import Limits


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
    src_place: int,
    dst_place: int,
    invocations: int,
    quads: int,
) -> Plan:
    """`plan_copy` in what matters: a place is where a base is, in bytes modulo QUAD_BYTES."""
    dims, starts = ascending(sizes, (src_strides, dst_strides))
    bases = (src_place, dst_place)
    places = tuple([base + start * itemsize for base, start in zip(bases, starts)])
    task = widest(Task(*split(dims, MAX_RANK), (itemsize, itemsize), places, quads))
    path = zipped(task) or tile(task) or rows(task)
    # Bases are rounded down to elements, of which several may have become one.
    itemsize = task.itemsize
    starts = tuple(
        [(place - base + base % itemsize) // itemsize for place, base in zip(places, bases)]
    )
    launches = offsets(task.outer, starts)
    module = f"copy_{path.name}_{8 * itemsize}"
    return plan_of(module, task, path, MAX_RANK, launches, invocations, sources=(itemsize,))
