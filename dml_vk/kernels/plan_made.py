"""How elements that are made, not copied, are written into any layout.

A kernel that makes elements is one that copies from a source without memory: its addresses are
the indexes of the elements, in logical row-major order. What the kernel is told besides, such as
the value, follows the last word of the plan's push block.
"""

from __future__ import annotations

from functools import lru_cache

from dml_vk.kernels.dims import offsets
from dml_vk.kernels.kernel import MADE_RANK
from dml_vk.kernels.paths import plan_of, rows
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.plan_random import DRAWN_NS, DRAWN_RANK, DRAWN_ROUNDS
from dml_vk.kernels.rounds import loop
from dml_vk.kernels.tasks import QUAD_BYTES, quads_a_unit, starts_of, task_of, widest
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints, packed_strides, row_major

# What it takes one slow core to make an element, by the kind of its type, besides writing it.
_ELEMENT_NS = {"sequence": {"f": 14.0, "i": 3.0}, "philox": {"f": 5.0, "u": 5.0}, **DRAWN_NS}
_ELEMENT_ROUNDS = {"sequence": 3 * loop(4), "philox": 0, **DRAWN_ROUNDS}


def plan_fill(sizes: Ints, strides: Ints, itemsize: int, offset: int, limits: Limits) -> Plan:
    """One value everywhere. The kernel is told 16 bytes of it."""
    residue = offset * itemsize % QUAD_BYTES
    return _fill(sizes, strides, itemsize, residue, limits.max_invocations, quads_a_unit(limits))


@lru_cache(maxsize=1024)
def _fill(
    sizes: Ints, strides: Ints, itemsize: int, residue: int, invocations: int, quads: int
) -> Plan:
    # Any source would do; this one is as contiguous as the destination.
    both = (strides, strides), (residue, residue), (itemsize, itemsize)
    task, _ = task_of(sizes, *both, MADE_RANK, quads)
    task = widest(task)
    launches = [(dst,) for _, dst in offsets(task.outer, starts_of(task, both[1]))]
    path = rows(task)
    module = f"fill_{path.name}_{8 * task.itemsize}"
    return plan_of(module, task, path, MADE_RANK, launches, invocations)


def plan_indexed(
    kernel: str,
    dtype: str,
    sizes: Ints,
    strides: Ints,
    itemsize: int,
    offset: int,
    limits: Limits,
    *,
    sources: Ints = (),
    spec: Ints = (),
) -> Plan | None:
    """Elements made of their indexes; None where there are too many dims for one launch.

    The kernel also reads `sources`, whose bases count in so many bytes.
    """
    residue = offset * itemsize % QUAD_BYTES
    invocations, quads = limits.max_invocations, quads_a_unit(limits)
    return _indexed(
        kernel, dtype, sizes, strides, itemsize, residue, sources, spec, invocations, quads
    )


@lru_cache(maxsize=1024)
def _indexed(
    kernel: str,
    dtype: str,
    sizes: Ints,
    strides: Ints,
    itemsize: int,
    residue: int,
    sources: Ints,
    spec: Ints,
    invocations: int,
    quads: int,
) -> Plan | None:
    indexes = packed_strides(sizes, row_major(len(sizes)))
    rank = DRAWN_RANK if kernel in DRAWN_NS else MADE_RANK
    bases, itemsizes = (0, residue), (itemsize, itemsize)
    task, (first, start) = task_of(sizes, (indexes, strides), bases, itemsizes, rank, quads)
    if task.outer:
        return None
    path = rows(task).costing(_ELEMENT_NS[kernel][dtype[0]], _ELEMENT_ROUNDS[kernel])
    launches = [(*(0 for _ in sources), start)]
    module = f"{kernel}_{path.name}_{dtype}"
    more = {"sources": sources, "tail": (first,), "spec": spec}
    return plan_of(module, task, path, rank, launches, invocations, **more)
