"""How an int64 is found for each element: its place in what is sorted, or a coordinate."""

from __future__ import annotations

from functools import lru_cache

from dml_vk.kernels.dims import offsets
from dml_vk.kernels.kernel import MADE_RANK, WORDS_SPEC, Kernel, index_push
from dml_vk.kernels.paths import plan_of, rows
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.rounds import loop
from dml_vk.kernels.tasks import QUAD_BYTES, quads_a_unit, task_of
from dml_vk.limits import Limits
from dml_vk.strides.order import Ints

_INT64_BYTES = 8
_ELEMENT_ROUNDS = {"search": loop(32), "nonzero_axis": 0}  # a bisection of up to 2**32
KERNELS = (
    Kernel(
        "search",
        bindings=("Src", "Sorted", "Order", "Dst"),
        writes=("Dst",),
        spec=(*WORDS_SPEC, "TYPE", "RIGHT", "ORDERED", "ORDER_TYPE"),
        push=index_push(
            ("src_base", "sorted_base", "order_base", "dst_base"),
            MADE_RANK,
            (("count", 1), ("sorted_step", 1), ("order_step", 1)),
        ),
        variants={"int64": {}},
    ),
    Kernel(
        "nonzero_axis",
        bindings=("Src", "Dst"),
        writes=("Dst",),
        spec=(*WORDS_SPEC, "INSIDE", "OUTSIDE"),
        push=index_push(("src_base", "dst_base"), MADE_RANK, (("inner", 1), ("size", 1))),
        variants={"int64": {}},
    ),
)


def plan_search(
    kernel: str,
    sizes: Ints,
    operands: tuple[tuple[Ints, int, int], tuple[Ints, int]],
    element_ns: float,
    limits: Limits,
    *,
    spec: Ints = (),
    others: Ints = (),
) -> Plan:
    """An int64 for each element of src, by a kernel that takes so long for each.

    `operands` are src's strides, offset and item size, and dst's strides and offset. The kernel
    also reads others, of these item sizes.
    """
    (src_strides, src_offset, itemsize), (dst_strides, dst_offset) = operands
    residues = (src_offset * itemsize % QUAD_BYTES, dst_offset * _INT64_BYTES % QUAD_BYTES)
    return _plan(
        *(kernel, sizes, (src_strides, dst_strides), residues, itemsize, element_ns, spec, others),
        *(limits.max_invocations, quads_a_unit(limits)),
    )


@lru_cache(maxsize=1024)
def _plan(
    kernel: str,
    sizes: Ints,
    strides: tuple[Ints, Ints],
    bases: Ints,
    itemsize: int,
    element_ns: float,
    spec: Ints,
    others: Ints,
    invocations: int,
    quads: int,
) -> Plan:
    """`plan_search` in what matters: bases are residues, in bytes modulo QUAD_BYTES."""
    itemsizes = (itemsize, _INT64_BYTES)
    task, starts = task_of(sizes, strides, bases, itemsizes, MADE_RANK, quads)
    path = rows(task).costing(element_ns, _ELEMENT_ROUNDS[kernel])
    launches = [(src, *(0 for _ in others), dst) for src, dst in offsets(task.outer, starts)]
    module = f"{kernel}_int64"
    more = {"sources": (itemsize, *others), "spec": spec}
    return plan_of(module, task, path, MADE_RANK, launches, invocations, **more)
