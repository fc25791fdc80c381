"""Compaction: where the elements are that are not 0."""

from __future__ import annotations

import numpy as np

from dml_vk.dtypes import DType, uint32
from dml_vk.errors import LayoutError, explain
from dml_vk.kernels.kernel import MAX_RANK
from dml_vk.kernels.plan_nonzero import plan_nonzero
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import Typed, typed_room
from dml_vk.ops.scan import EXCLUSIVE, SUM, scan_elements
from dml_vk.runtime import transfer


def nonzero_positions(what: str, source: Typed, dtype: DType = uint32) -> Typed:
    """The flat row-major indexes, uint32 or int64, of all that is not 0, in ascending order.

    They are new memory without gaps, of one dim; its size is their number, for which this waits.
    -0.0 is 0, and NaN is not.
    """
    strided = source.strided
    device, layout = strided.device, strided.layout
    strided.check_count(what, "x")
    if not layout.numel:
        return typed_room(what, Layout((0,)), dtype, strided)
    plans = plan_nonzero(
        *(layout.sizes, layout.strides, layout.offset, strided.itemsize, source.dtype.code),
        *(dtype.itemsize, device.limits),
    )
    if plans is None:
        must = f"dims must merge to at most {MAX_RANK}: make it contiguous"
        raise LayoutError(explain(what, must, layout=layout))
    counts = typed_room(what, Layout((plans.counts.units,)), uint32, strided)
    reads = strided.operand(False)
    device.queue.launch(plans.counts, (reads, reads, counts.strided.operand(True)))
    # The last of them has nothing of its own: before it comes everything.
    scan_elements(what, SUM, counts, counts, 0, EXCLUSIVE)
    number = np.empty(4, np.uint8)
    transfer.download(device, counts.strided.allocation, 4 * plans.indexes.units, number)
    count = int(number.view(np.uint32)[0])
    found = typed_room(what, Layout((count,)), dtype, strided)
    operands = (reads, counts.strided.operand(False), found.strided.operand(True))
    if found.strided.layout.numel:
        device.queue.launch(plans.indexes, operands)
    return found
