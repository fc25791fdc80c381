"""Sums of products along a dim that two operands share.

**The order of a float sum**: runs of 64 terms, counted from the first, are added from their first
term to their last. The sums of runs are then the terms, until one is left. Nothing else matters:
neither layouts, nor which operand is first, nor tiles and parts, nor the device. Each product and
each sum is rounded, none is fused. float16 is computed in float32 and rounded once. The error grows
by 63 roundings at most for each factor of 64 in the number of terms.
"""

from __future__ import annotations

from dml_vk.dtypes import float32, int32
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan_matmul import (
    MAX_DEPTH,
    RUN,
    Product,
    Reading,
    plan_matmul,
    run_apart,
)
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import Typed, cast_elements, compute, typed_room
from dml_vk.ops.fill import fill_constant
from dml_vk.strides.order import row_major


def add_products(what: str, a: Typed | None, b: Typed, target: Typed) -> None:
    """Write to each element of the target the sum of the products along one more dim.

    Both sources have the target's sizes and then that dim's, with stride 0 along what they lack;
    None is a source of ones. The sum is that of `dml_vk.testing.products.sum_of`, whatever the
    layouts. No source shares memory with the target.
    """
    to = target.strided
    if not to.layout.numel:
        return
    if not _depth(b):
        fill_constant(what, to, target.dtype, 0)
    elif target.dtype.itemsize < 4:
        wide = float32 if target.dtype.kind == "f" else int32
        sums = typed_room(what, Layout(to.layout.sizes), wide, to)
        _add(what, a, b, sums)
        cast_elements(what, sums, target)
    else:
        _add(what, a, b, target)


def _add(what: str, a: Typed | None, b: Typed, target: Typed) -> None:
    to, depth = target.strided, _depth(b)
    run = run_apart(_product(a, b, target), to.layout.numel, depth, to.device.limits)
    if run:
        _add(what, None, _sums_of_parts(what, a, b, target, run), target)
    elif depth <= MAX_DEPTH:
        _launch(a, b, target)
    else:
        _add_in_turn(what, a, b, target)


def _add_in_turn(what: str, a: Typed | None, b: Typed, target: Typed) -> None:
    """Where there is no room for the sums of all parts: each is added to those before it."""
    to, depth, length = target.strided, _depth(b), MAX_DEPTH
    while length * RUN < depth:
        length *= RUN
    for start in range(0, depth, length):
        count = min(length, depth - start)
        first, second = a and _part(a, start, count), _part(b, start, count)
        if length == MAX_DEPTH:
            _launch(first, second, target, more=start > 0)
        elif start == 0:
            _add(what, first, second, target)
        else:
            sums = typed_room(what, Layout(to.layout.sizes), target.dtype, to)
            _add(what, first, second, sums)
            compute(what, OPERATORS["add"], (target, sums), target, target.dtype)


def _launch(a: Typed | None, b: Typed, target: Typed, *, more: bool = False) -> None:
    product = _product(a, b, target, more=more)
    first = b if a is None else a
    sources = (b, first) if product.swapped else (first, b)
    reads = [source.strided.operand(False) for source in sources]
    to = target.strided
    to.device.queue.launch(product.plan, (*reads, to.operand(True)))


def _depth(source: Typed) -> int:
    return source.strided.layout.sizes[-1]


def _product(a: Typed | None, b: Typed, target: Typed, *, more: bool = False) -> Product:
    layout, limits = target.strided.layout, target.strided.device.limits
    second = _reading(b)
    if a is None:
        first = second._replace(strides=(0,) * layout.rank, step=0, ones=True)
    else:
        first = _reading(a)
    dst = layout.strides, layout.offset, target.dtype
    depth = min(_depth(b), MAX_DEPTH)
    return plan_matmul(layout.sizes, depth, first, second, dst, limits, more=more)


def _reading(source: Typed) -> Reading:
    layout = source.strided.layout
    return Reading(layout.strides[:-1], layout.strides[-1], layout.offset, source.dtype)


def _sums_of_parts(what: str, a: Typed | None, b: Typed, target: Typed, run: int) -> Typed:
    """The sums of so many terms each, to be added along the last dim."""
    sizes = target.strided.layout.sizes
    parts, rest = divmod(_depth(b), run)
    layout = Layout((parts + (rest > 0), *sizes))
    sums = typed_room(what, layout, target.dtype, target.strided)
    first = a and _folded(a, parts, run)
    _add(what, first, _folded(b, parts, run), sums.over(layout.narrow(0, 0, parts)))
    if rest:
        first, second = a and _part(a, parts * run, rest), _part(b, parts * run, rest)
        _add(what, first, second, sums.over(layout.select(0, parts)))
    return sums.over(layout.movedim(0, -1))


def _folded(source: Typed, parts: int, run: int) -> Typed:
    """The first parts of the depth, one after the other along a new first dim."""
    layout = source.strided.layout
    sizes = (parts, *layout.sizes[:-1], run)
    strides = (layout.strides[-1] * run, *layout.strides)
    return source.over(Layout(sizes, strides, layout.offset, row_major(len(sizes))))


def _part(source: Typed, start: int, count: int) -> Typed:
    """So many terms of the depth."""
    return source.over(source.strided.layout.narrow(-1, start, count))
