"""Positions of nonzero elements, and what lies there in other tensors, by counts and a scan."""

from __future__ import annotations

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, bool_, uint32
from dml_vk.errors import LayoutError
from dml_vk.kernels.kernel import MAX_RANK
from dml_vk.kernels.plan.nonzero import Passes, plan_nonzero
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import converted
from dml_vk.ops.offsets import make_offsets
from dml_vk.ops.scan import EXCLUSIVE, SUM, scan_elements
from dml_vk.ops.view import View, access, check_count, temporary
from dml_vk.runtime.hazards import Access

_WORD = 4


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
    plans = plan_nonzero(*_searched(source), dtype.itemsize, device.profile)
    if plans is None:
        rule = f"more than {MAX_RANK} dims remain after merging: make it contiguous first"
        raise LayoutError(what, rule, layout=layout)
    return _written(what, source, plans, dtype, ())


def select_elements(what: str, mask: View, source: View) -> View | None:
    """Return the elements of the source, of the mask's sizes, where it is true: see above.

    None where that takes their positions.
    """
    numel, dtype, profile = source.layout.numel, source.dtype, source.device.profile
    values = source.layout.view(numel)
    if not profile.coalesces or dtype.itemsize < _WORD or not numel or values is None:
        return None
    check_count(what, source, "x")
    step = values.strides[0]
    plans = plan_nonzero(*_searched(mask), dtype.itemsize, profile, step)
    return plans and _written(what, mask, plans, dtype, (access(source, False),))


def _searched(source: View) -> tuple[Ints, Ints, int, int, int]:
    layout, dtype = source.layout, source.dtype
    return layout.sizes, layout.strides, layout.offset, dtype.itemsize, dtype.code


def _written(
    what: str, source: View, plans: Passes, dtype: DType, others: tuple[Access, ...]
) -> View:
    """Count elements, wait for their number, and write the result for each of them."""
    device = source.device
    counts = temporary(what, Layout((1, plans.indexes.units + 1)), uint32, source)
    reads = access(source, False)
    device.launch(plans.counts, (reads, reads, access(counts, True)))
    if plans.counts.by_teams:
        make_offsets(counts)
    else:  # The last count is a sentinel, whose exclusive scan is the total.
        scan_elements(what, SUM, counts, counts, 1, EXCLUSIVE)
    number = np.empty(_WORD, np.uint8)
    device.download(counts.allocation, _WORD * plans.indexes.units, number)
    count = int(number.view(np.uint32)[0])
    result = temporary(what, Layout((count,)), dtype, source)
    if count:
        operands = (reads, access(counts, False), *others, access(result, True))
        device.launch(plans.indexes, operands)
    return result
