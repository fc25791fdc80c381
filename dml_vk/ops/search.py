"""Searches: an int64 for each element of another tensor, in any layouts."""

from __future__ import annotations

import math

from dml_vk.dtypes import int64
from dml_vk.kernels.plan_search import plan_search
from dml_vk.ops.elementwise import Typed, apart_typed
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.strided import Strided
from dml_vk.strides.order import Ints

_STEP_NS = 8.0  # of a search


def search_sorted(
    what: str,
    ordered: Typed,
    source: Typed,
    order: Typed | None,
    target: Strided,
    *,
    right: bool,
) -> None:
    """Write for each source element how many of one dim's, of its dtype, come before it.

    Those are the ones that are less, or not greater. They ascend, in the order of the indexes of
    `order`, if that is given; an index that is none stands for any.
    """
    layout, device = target.layout, target.device
    if not layout.numel:
        return
    ordered.strided.check_count(what, "x1")
    count = ordered.strided.layout.numel
    if not count:
        fill_constant(what, target, int64, 0)
        return
    ordered = apart_typed(what, ordered, target)
    order = ordered if order is None else apart_typed(what, order, target)
    source = apart_typed(what, source, target, in_place=True)
    plan = plan_search(
        "search",
        layout.sizes,
        _operands(source.strided, target),
        _STEP_NS * count.bit_length(),
        device.limits,
        spec=(source.dtype.code, int(right), int(order is not ordered), order.dtype.code),
        others=(ordered.dtype.itemsize, order.dtype.itemsize),
    )
    steps = [one.strided.layout.strides[0] & 0xFFFFFFFF for one in (ordered, order)]
    reads = [one.strided.operand(False) for one in (source, ordered, order)]
    device.queue.launch(plan, (*reads, target.operand(True)), (count, *steps))


def write_coordinates(positions: Strided, target: Strided, sizes: Ints, dim: int) -> None:
    """Write of flat row-major indexes, which are words, the coordinate along one dim."""
    if target.layout.numel:
        inner = math.prod(sizes[dim + 1 :])
        plan = plan_search(
            "nonzero_axis",
            target.layout.sizes,
            _operands(positions, target),
            3.0,
            target.device.limits,
            spec=(int(inner > 1), int(math.prod(sizes[:dim]) > 1)),
        )
        operands = (positions.operand(False), target.operand(True))
        target.device.queue.launch(plan, operands, (inner, sizes[dim]))


def _operands(source: Strided, target: Strided) -> tuple[tuple[Ints, int, int], tuple[Ints, int]]:
    a, b = source.layout, target.layout
    return (a.strides, a.offset, source.itemsize), (b.strides, b.offset)
