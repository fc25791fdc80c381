"""Reductions of the rows that have the same number, in the order in which the rows come.

Numbers are sorted with their places, so that rows of one number are a segment. **The order** within
a segment is that of an aligned binary tree, as in ops/reduce.py: of the rows from the first one on
or, `backwards`, from the last one on. It depends on nothing but the rows of that number.
"""

from __future__ import annotations

from dml_vk.dtypes import uint8, uint16, uint32, uint64
from dml_vk.kernels.plan.segments import LOG_WIDE, Segments, levels_of, plan_segments
from dml_vk.layout import Layout
from dml_vk.ops.copy import copied, copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements
from dml_vk.ops.parts import as_parts
from dml_vk.ops.scan import computed_in
from dml_vk.ops.sort import sort_flat
from dml_vk.ops.view import View, access, temporary, temporary_like, with_layout

DIGIT_BITS = 8  # of numbers, in a pass of a sort
ALL = 2**32 - 1  # whatever the length of a segment is


def reduce_rows(
    what: str,
    operator: int,
    numbers: View,
    source: View,
    target: View,
    *,
    backwards: bool = False,
    onto: bool = False,
    full: int = 0,
) -> None:
    """Reduce the rows of the source with each number by an operator of scans, into that row.

    Numbers are integers of one dim, below the number of the target's rows, which are as the
    source's. Complex rows are only added. Rows of the target without any stay as they are; with
    `onto`, the result is combined with what is there. A 0 is added to sums of fewer rows than are
    `full`, and backwards only of those after the first number: this shows if all of them are -0.0.
    Sums of float16 are rounded one by one.
    """
    if source.dtype.kind == "c":
        source, target = as_parts(source), as_parts(target)
    rows, length = target.layout.sizes[0], numbers.layout.numel
    if not length or not target.layout.numel:
        return
    source = copy_if_overlapping(what, source, target)
    columns = target.layout.numel // rows
    flat = source.layout.view(length, columns)
    if flat is None:
        source = copied(what, source)
        flat = Layout((length, columns))
    source = with_layout(source, flat)
    kind, stored = computed_in(target.dtype)
    to = target
    if stored is not target.dtype or target.layout.view(target.layout.numel) != _packed(target):
        to = temporary(what, Layout(target.layout.sizes), stored, target)
        cast_elements(what, target, to)
    form = Segments(kind, operator, source.dtype.code, source.dtype.itemsize, backwards, onto)
    params = (*[step & 0xFFFFFFFF for step in flat.strides], rows, full)
    _reduce(what, form, narrowed(what, numbers, rows), source, to, params)
    if to is not target:
        cast_elements(what, to, target)


def _packed(view: View) -> Layout:
    return Layout((view.layout.numel,), (1,), view.layout.offset)


def narrowed(what: str, numbers: View, count: int) -> View:
    """Return numbers below a count in the least dtype that holds them, which is sorted sooner."""
    dtypes = (uint8, uint16, uint32, uint64)
    dtype = next(dtype for dtype in dtypes if max(0, count - 1) >> 8 * dtype.itemsize == 0)
    if numbers.dtype is dtype:
        return numbers
    target = temporary_like(what, numbers, dtype)
    cast_elements(what, numbers, target)
    return target


def _reduce(
    what: str, form: Segments, numbers: View, source: View, target: View, params: tuple[int, ...]
) -> None:
    """Sort the numbers, and launch each level of nodes, and then the results."""
    length, columns = source.layout.sizes
    device = target.device
    digits = -(-max(1, (target.layout.sizes[0] - 1).bit_length()) // DIGIT_BITS)
    keys, places = sort_flat(what, numbers, digits)
    reads = access(keys, False), access(places, False), access(source, False)
    levels = levels_of(length)
    nodes = [(length >> LOG_WIDE * level) * columns for level in range(1, levels + 1)]
    every = source
    if levels:
        every = temporary(what, Layout((sum(nodes),)), target.dtype, target)
    below, start = every, 0
    for level, number in enumerate(nodes, 1):
        own = with_layout(every, every.layout.narrow(0, start, number))
        plan = plan_segments(form, length, columns, level, device.profile)
        device.launch(plan, (*reads, access(below, False), access(own, True)), params)
        below, start = own, start + number
    plan = plan_segments(form, length, columns, 0, device.profile)
    device.launch(plan, (*reads, access(every, False), access(target, True)), params)
