"""Resampling: each element of the target is made from a few taps along each spatial dim.

**The order of a float sum**: taps along the last dim are multiplied by their factors and added,
from the lowest index on; then such sums along the dim before it; and so on. Each product and each
sum rounds to float32, so the result has the bits of one dim after the other. It depends on nothing
else: not on layouts, the batch, or the device. float16 is rounded once.
"""

from __future__ import annotations

from dml_vk.kernels.plan.resample import plan_resample
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.ops.view import View, access, check_count, check_target, operand
from dml_vk.strides.order import packed_strides, row_major


def resample_elements(what: str, source: View, table: View, target: View, taps: int) -> None:
    """Write to each element of the target what the taps in the table say.

    For each spatial dim, the last one first, and for each index of the target, the table has the
    offsets of taps from the source's first element, and for more than one tap their factors. The
    source has no memory in common with the target.
    """
    check_target(what, target, "out")
    check_count(what, target, "the result")
    layout, device = target.layout, target.device
    if not layout.numel:
        return
    *outer, _ = spatial = layout.sizes[2:]
    none = tuple([0 for _ in spatial])
    outer_steps = packed_strides(tuple(outer), row_major(len(outer)))
    plan = plan_resample(
        layout.sizes,
        (
            operand(source, (*source.layout.strides[:2], *none)),
            Operand((0, 0, *none[1:], 1), 0, 4),
            Operand((0, 0, *outer_steps, 0), 0, 4),
            operand(target),
        ),
        *(source.layout.strides[2:], source.dtype, taps, device.profile),
    )
    device.launch(plan, (access(source, False), access(table, False), access(target, True)))
