"""Scans: cumulative sums, products and extremes along a dim.

The order of additions depends only on positions in a row, so results are bitwise the same on every
device, for every layout and however the work is split. A block is 64 elements that start at a
multiple of 64. Within a block elements are added one after the other. The totals of blocks are the
elements of a row one level up, which is scanned in the same way. The result of an element is the
scan of all blocks before its own plus the sum within its block: the sum of earlier blocks on the
highest level, then of those that follow on the level below, and so on, and last of the block's own
elements. Rows of up to 64 elements are summed as in NumPy. float16 is added in float32.

The total of a block, a product above all, may overflow or underflow even if adding or multiplying
all elements one after the other would not: then later results are infinite, 0 or NaN.
"""

from __future__ import annotations

from dml_vk.dtypes import DType, float32, float64, int64, uint32
from dml_vk.kernels.plan.scan import (
    EXCLUSIVE,
    INCLUSIVE,
    MAXIMUM,
    MINIMUM,
    PRODUCT,
    SUM,
    Scan,
    plan_scan,
)
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements, converted
from dml_vk.ops.view import (
    View,
    access,
    check_target,
    operand,
    temporary,
    temporary_like,
    with_layout,
)

__all__ = [
    "EXCLUSIVE",
    "INCLUSIVE",
    "MAXIMUM",
    "MINIMUM",
    "PRODUCT",
    "SUM",
    "computed_in",
    "scan_elements",
]


def scan_elements(
    what: str, operator: int, source: View, target: View, dim: int, form: int = INCLUSIVE
) -> None:
    """Write the scan of the source along `dim`, computed in the target's dtype.

    `operator` is SUM, PRODUCT, MAXIMUM or MINIMUM; the extremes, of which NaN is one, are only for
    targets of floats or int64. EXCLUSIVE excludes each element from its own result. The source may
    share memory with the target: it is read before the target is written.
    """
    to = target
    check_target(what, to, "out")
    if not to.layout.numel:
        return
    computed = computed_in(target.dtype)
    _, stored = computed
    if not _is_read(source.dtype, target.dtype):
        source = converted(what, source, target.dtype)
    if stored.itemsize != target.dtype.itemsize:
        # Smaller elements share words, which parallel scans of different rows must not write.
        wide = temporary_like(what, target, stored)
        scan_elements(what, operator, source, wide, dim, form)
        cast_elements(what, wide, target)
        return
    source = copy_if_overlapping(what, source, to, in_place=True)
    _scan(what, computed, operator, source, to, dim, form)


def _scan(
    what: str,
    computed: tuple[str, DType],
    operator: int,
    source: View,
    target: View,
    dim: int,
    form: int,
    of_totals: bool = False,
) -> None:
    device = target.device
    operands = operand(source), operand(target)
    scan = Scan(computed[0], operator, form, source.dtype.code)
    passes = plan_scan(scan, target.layout.sizes, operands, dim, device.profile, of_totals)
    reads, writes = access(source, False), access(target, True)
    if passes.totals is None:
        device.launch(passes.last, (reads, reads, writes))
        return
    _, stored = computed
    layout = Layout(passes.sizes)
    every = temporary(what, Layout((layout.numel + passes.tops,)), stored, target)
    device.launch(passes.totals, (reads, reads, access(every, True)))
    totals = with_layout(every, layout)
    _scan(what, computed, operator, totals, totals, passes.dim, EXCLUSIVE, of_totals=True)
    device.launch(passes.last, (reads, access(every, False), writes))


def computed_in(dtype: DType) -> tuple[str, DType]:
    """Return the kernel's kind and the dtype that it stores.

    Integers of up to 32 bits are computed modulo 2**32 and truncated.
    """
    if dtype.kind == "f":
        return ("double", float64) if dtype is float64 else ("float", float32)
    return ("long", int64) if dtype.itemsize == 8 else ("int", uint32)


def _is_read(dtype: DType, computed: DType) -> bool:
    """Whether kernels that compute in one dtype can read elements of another."""
    if "f" in (dtype.kind, computed.kind):
        return dtype.kind == computed.kind and dtype.itemsize <= computed.itemsize
    return dtype.itemsize <= max(4, computed.itemsize)
