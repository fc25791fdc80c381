"""Plan kernels that compute one int64 per element: searchsorted, and coordinates for nonzero."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import MADE_RANK, WORDS_SPEC, WRITES, Kernel, by_name, index_push, is_set
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.paths import plan_of, rows
from dml_vk.kernels.plan.rounds import loop
from dml_vk.kernels.plan.tasks import Operand, columns_of, task_of
from dml_vk.limits import Profile

_ELEMENT_ROUNDS = {"search": loop(32), "nonzero_axis": 0}  # bisection of up to 2**32 elements
KERNELS = (
    Kernel(
        "search",
        inlines=(WRITES,),
        rests=(),
        bindings=("Src", "Sorted", "Order", "Dst"),
        optional={"Order": is_set("ORDERED")},
        spec=(*WORDS_SPEC, "TYPE", "RIGHT", "ORDERED", "ORDER_TYPE"),
        push=index_push(
            ("src_base", "sorted_base", "order_base", "dst_base"),
            MADE_RANK,
            (("count", 1), ("sorted_step", 1), ("order_step", 1)),
        ),
        params=("count", "sorted_step", "order_step"),
        variants={"int64": {}},
    ),
    Kernel(
        "nonzero_axis",
        inlines=(WRITES,),
        rests=(),
        bindings=("Src", "Dst"),
        spec=(*WORDS_SPEC, "INSIDE", "OUTSIDE"),
        push=index_push(("src_base", "dst_base"), MADE_RANK, (("inner", 1), ("size", 1))),
        params=("inner", "size"),
        variants={"int64": {}},
    ),
)
_BY_NAME = by_name(KERNELS)


@cached_plan()
def plan_search(
    kernel: str,
    sizes: Ints,
    operands: Sequence[Operand],
    element_ns: float,
    profile: Profile,
    *,
    constants: tuple[tuple[str, int], ...] = (),
    others: Ints = (),
) -> Plan:
    """Plan one int64 per element of src.

    `operands` are src and dst. `others` are the item sizes of
    further buffers that the kernel reads, from their first element.
    """
    task, starts = task_of(sizes, *columns_of(operands), MADE_RANK, profile)
    path = rows(task).costing(element_ns, _ELEMENT_ROUNDS[kernel])
    launches = [(src, *(0 for _ in others), dst) for src, dst in offsets(task.outer, starts)]
    return plan_of(
        *(_BY_NAME[kernel], "int64", task, path, launches),
        sources=(task.itemsizes[0], *others),
        constants=dict(constants),
    )
