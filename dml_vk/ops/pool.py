"""Pooling: each element of the target is made from a window over the spatial dims of the source.

**The order of a float sum** is that of the window's elements in logical row-major order, one after
the other. Padding is not read, and adds nothing. The result depends on nothing else: not on
layouts, other windows, or the device. float16 is computed in float32 and rounded once. The error
grows with the number of elements, by at most a rounding each.
`dml_vk.testing.pooling` is a NumPy model of this.
"""

from __future__ import annotations

from dml_vk.dtypes import float32
from dml_vk.kernels.plan.pool import Box, Pooling, boxes, plan_pool
from dml_vk.kernels.plan.pool_tile import plan_pool_tile, suits
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.windows import image
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements
from dml_vk.ops.view import View, access, check_count, operand, temporary, used_strides
from dml_vk.strides.order import packed_strides, row_major


def pool_elements(what: str, source: View, target: View, pooling: Pooling) -> None:
    """Write the result of each window of the source to the target.

    The target has the source's first two sizes, and is of its dtype, or int64 for "index". Windows
    of many elements take several launches, which continue with what is in the target.
    """
    check_count(what, source, "x")
    if not target.layout.numel:
        return
    source = copy_if_overlapping(what, source, target)
    if suits(pooling, source.dtype):
        _launch_tiles(source, target, pooling)
        return
    parts = boxes(pooling.kernel)
    to = target
    if len(parts) > 1 and pooling.operation in ("avg", "lp") and target.dtype is not float32:
        # Sums that are continued must not be rounded to float16 in between.
        layout = Layout.packed(target.layout.sizes, target.layout.order)
        to = temporary(what, layout, float32, target)
    for box in parts:
        _launch(source, to, pooling, box)
    if to is not target:
        cast_elements(what, to, target)


def add_squares(source: View, target: View, pooling: Pooling) -> None:
    """Write the sum of the squares in each window, without its root.

    Here windows are over the last dims, as many as the pooling has, and the sizes of all others are
    those of the target, which has float32 and shares no memory with the source.
    """
    for box in boxes(pooling.kernel):
        _launch(source, target, pooling, box._replace(last=False))


def _launch_tiles(source: View, target: View, pooling: Pooling) -> None:
    x, dst = [image(operand(view, used_strides(view.layout))) for view in (source, target)]
    samples, channels = target.layout.sizes[:2]
    dtypes = source.dtype, target.dtype
    plan = plan_pool_tile(samples, channels, pooling, x, dst, dtypes, target.device.profile)
    target.device.launch(plan, (access(source, False), access(target, True)))


def _launch(source: View, target: View, pooling: Pooling, box: Box) -> None:
    layout, device = target.layout, target.device
    first = layout.rank - len(pooling.windows)
    spatial = layout.sizes[first:]
    positions = packed_strides(spatial, row_major(len(spatial)))
    strides = (*source.layout.strides[:first], *(0 for _ in spatial))
    plan = plan_pool(
        layout.sizes,
        (
            operand(source, strides),
            Operand((*(0,) * first, *positions), 0, 4),
            operand(target),
        ),
        (source.dtype, target.dtype),
        pooling,
        source.layout.strides[first:],
        box,
        device.profile,
    )
    read = access(source, False)
    prior = access(target, False) if box.more else read
    device.launch(plan, (read, prior, access(target, True)))
