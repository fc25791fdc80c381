"""Binary search and coordinates of flat indexes: int64 results, in any layouts."""

from __future__ import annotations

import math

from dml_vk.arguments import Ints
from dml_vk.dtypes import int64
from dml_vk.kernels.plan.search import plan_search
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, access, check_count, operand

_STEP_NS = 8.0  # for each step of a binary search


def search_sorted(
    what: str,
    ordered: View,
    source: View,
    order: View | None,
    target: View,
    *,
    right: bool,
) -> None:
    """Write for each source element how many elements of `ordered`, of its dtype, come before it.

    These are the ones that are less, or with `right` not greater. `ordered` has one dim and is
    ascending; with `order`, `ordered[order]` is. Indexes out of bounds are safe: they select some
    element.
    """
    layout, device = target.layout, target.device
    if not layout.numel:
        return
    check_count(what, ordered, "x1")
    count = ordered.layout.numel
    if not count:
        fill_constant(what, target, int64, 0)
        return
    ordered = copy_if_overlapping(what, ordered, target)
    order = ordered if order is None else copy_if_overlapping(what, order, target)
    source = copy_if_overlapping(what, source, target, in_place=True)
    plan = plan_search(
        "search",
        layout.sizes,
        (operand(source), operand(target)),
        _STEP_NS * count.bit_length(),
        device.profile,
        constants=(
            *(("TYPE", source.dtype.code), ("RIGHT", int(right))),
            *(("ORDERED", int(order is not ordered)), ("ORDER_TYPE", order.dtype.code)),
        ),
        others=(ordered.dtype.itemsize, order.dtype.itemsize),
    )
    steps = [view.layout.strides[0] & 0xFFFFFFFF for view in (ordered, order)]
    reads = [access(view, False) for view in (source, ordered, order)]
    device.launch(plan, (*reads, access(target, True)), (count, *steps))


def write_coordinates(positions: View, target: View, sizes: Ints, dim: int) -> None:
    """Write the coordinate along one dim of flat row-major indexes, which are uint32."""
    if target.layout.numel:
        inner = math.prod(sizes[dim + 1 :])
        plan = plan_search(
            "nonzero_axis",
            target.layout.sizes,
            (operand(positions), operand(target)),
            3.0,
            target.device.profile,
            constants=(
                ("INSIDE", int(inner > 1)),
                ("OUTSIDE", int(math.prod(sizes[:dim]) > 1)),
            ),
        )
        operands = (access(positions, False), access(target, True))
        target.device.launch(plan, operands, (inner, sizes[dim]))
