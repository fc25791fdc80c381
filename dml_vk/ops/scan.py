"""Scans: of each row of a tensor, the sum or the product of all elements up to each one.

What is added to what depends on nothing but the places in a row, so the same bits come out on every
device, of every layout and however the work is split. A block is 64 elements that start at a
multiple of 64. Within a block elements are added one after the other. What whole blocks come to are
the elements of a row one level up, which is scanned in the same way. An element's result is what
comes before its block, plus what its block comes to so far: the sum of the blocks before on the
highest level, then of those on the level below that follow them, and so on, and last of the block's
own elements. Rows of up to 64 elements are summed as NumPy does. float16 is added in float32.

What blocks come to may be beyond what a float can be, products above all, even where all elements
one after the other would have stayed within: then what follows is infinite, 0 or NaN.
"""

from __future__ import annotations

from dml_vk.dtypes import DType, float32, float64, int64, uint32
from dml_vk.kernels.plan_scan import EXCLUSIVE, INCLUSIVE, PRODUCT, SUM, Scan, plan_scan
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import (
    Typed,
    apart_typed,
    cast_elements,
    converted,
    room_like,
    typed_room,
)
from dml_vk.ops.strided import Strided

__all__ = ["EXCLUSIVE", "INCLUSIVE", "PRODUCT", "SUM", "scan_elements"]


def scan_elements(
    what: str, operator: int, source: Typed, target: Typed, dim: int, form: int = INCLUSIVE
) -> None:
    """Write the scan of the source along `dim`, computed in the target's dtype.

    `operator` is SUM or PRODUCT. EXCLUSIVE leaves out each element itself. A source that shares
    memory with the target is read as if the target were written afterwards.
    """
    to = target.strided
    to.check_target(what, "out")
    if not to.layout.numel:
        return
    computed = _computed_in(target.dtype)
    _, stored = computed
    if not _is_read(source.dtype, target.dtype):
        source = converted(what, source, target.dtype)
    if stored.itemsize != target.dtype.itemsize:
        # Smaller elements share words, which rows that are scanned side by side must not.
        wide = room_like(what, target, stored)
        scan_elements(what, operator, source, wide, dim, form)
        cast_elements(what, wide, target)
        return
    source = apart_typed(what, source, to, in_place=True)
    _scan(what, computed, operator, source, to, dim, form)


def _scan(
    what: str,
    computed: tuple[str, DType],
    operator: int,
    source: Typed,
    target: Strided,
    dim: int,
    form: int,
) -> None:
    given, queue = source.strided, target.device.queue
    operands = [(one.layout.strides, one.layout.offset, one.itemsize) for one in (given, target)]
    scan = Scan(computed[0], operator, form, source.dtype.code)
    passes = plan_scan(scan, target.layout.sizes, operands, dim, target.device.limits)
    reads, writes = given.operand(False), target.operand(True)
    if passes.totals is None:
        queue.launch(passes.last, (reads, reads, writes))
        return
    _, stored = computed
    totals = typed_room(what, Layout(passes.sizes), stored, target)
    queue.launch(passes.totals, (reads, reads, totals.strided.operand(True)))
    _scan(what, computed, operator, totals, totals.strided, 1, EXCLUSIVE)
    queue.launch(passes.last, (reads, totals.strided.operand(False), writes))


def _computed_in(dtype: DType) -> tuple[str, DType]:
    """The kernel's kind, and what its values are stored as.

    Integers of up to 32 bits count modulo 2**32, of which their own bits are the lowest.
    """
    if dtype.kind == "f":
        return ("double", float64) if dtype is float64 else ("float", float32)
    return ("long", int64) if dtype.itemsize == 8 else ("int", uint32)


def _is_read(dtype: DType, computed: DType) -> bool:
    """Kernels that compute in one dtype read these elements as numbers of it."""
    if "f" in (dtype.kind, computed.kind):
        return dtype.kind == computed.kind and dtype.itemsize <= computed.itemsize
    return dtype.itemsize <= max(4, computed.itemsize)
