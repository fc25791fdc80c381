"""Positions of nonzero elements, by counts and a scan."""

from __future__ import annotations

import numpy as np

from dml_vk.dtypes import DType, bool_, uint32
from dml_vk.errors import LayoutError
from dml_vk.kernels.kernel import MAX_RANK
from dml_vk.kernels.plan.nonzero import plan_nonzero
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import converted
from dml_vk.ops.offsets import make_offsets
from dml_vk.ops.scan import EXCLUSIVE, SUM, scan_elements
from dml_vk.ops.view import View, access, check_count, temporary


def nonzero_positions(what: str, source: View, dtype: DType = uint32) -> View:
    """Return the flat row-major indexes, uint32 or int64, of nonzero elements, in ascending order.

    The result is a new packed view of one dim. This waits for the number of elements. -0.0 counts
    as zero, and NaN as nonzero.
    """
    if source.dtype.kind == "c":
        source = converted(what, source, bool_)
    device, layout = source.device, source.layout
    check_count(what, source, "x")
    if not layout.numel:
        return temporary(what, Layout((0,)), dtype, source)
    plans = plan_nonzero(
        *(layout.sizes, layout.strides, layout.offset, source.dtype.itemsize, source.dtype.code),
        *(dtype.itemsize, device.profile),
    )
    if plans is None:
        rule = f"more than {MAX_RANK} dims remain after merging: make it contiguous first"
        raise LayoutError(what, rule, layout=layout)
    counts = temporary(what, Layout((1, plans.indexes.units + 1)), uint32, source)
    reads = access(source, False)
    device.launch(plans.counts, (reads, reads, access(counts, True)))
    if plans.counts.by_teams:
        make_offsets(counts)
    else:  # The last count is a sentinel, whose exclusive scan is the total.
        scan_elements(what, SUM, counts, counts, 1, EXCLUSIVE)
    number = np.empty(4, np.uint8)
    device.download(counts.allocation, 4 * plans.indexes.units, number)
    count = int(number.view(np.uint32)[0])
    indexes = temporary(what, Layout((count,)), dtype, source)
    operands = (reads, access(counts, False), access(indexes, True))
    if indexes.layout.numel:
        device.launch(plans.indexes, operands)
    return indexes
