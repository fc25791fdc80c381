"""Sums of products along a dim shared by two operands.

**The order of a float sum**: terms are added one after the other in runs of 64, counted from the
first term. The sums of runs are the terms of the next level, until one is left. The result depends
on nothing else: not on layouts, the order of operands, tiles and parts, or the device. Each product
and each sum is rounded; none is fused, unless `settings.exact` is False. float16 is computed in
float32 and rounded once. The error grows by 63 roundings at most for each factor of 64 in the
number of terms.
"""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.dtypes import float32, int32
from dml_vk.exactness import settings
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.linear import Linear
from dml_vk.kernels.plan.matmul import MAX_DEPTH, Product, partial_run, plan_matmul
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, access, operand, temporary, with_layout
from dml_vk.strides.order import row_major


def add_products(what: str, a: View | None, b: View, target: View) -> None:
    """Write to each element of the target the sum of products along one more, innermost dim.

    Both sources have the target's sizes followed by that dim's, with stride 0 along dims that they
    lack; None is a source of ones. The sum is that of `dml_vk.testing.products.sum_of`, whatever
    the layouts. No source may share memory with the target.
    """
    to = target
    if not to.layout.numel:
        return
    if not _depth(b):
        fill_constant(what, to, target.dtype, 0)
    elif target.dtype.itemsize < 4:
        wide = float32 if target.dtype.kind == "f" else int32
        sums = temporary(what, Layout(to.layout.sizes), wide, to)
        _add(what, a, b, sums)
        cast_elements(what, sums, target)
    else:
        _add(what, a, b, target)


def write_linear(
    what: str,
    a: View,
    b: View,
    bias: View | None,
    target: View,
    activation: tuple[int, Ints],
) -> bool:
    """Add products, a bias and an activation in one launch, if one is enough.

    The bias is a vector along the target's last dim, which a lacks. The activation is an opcode
    and its parameters' words. The result, of float32 or float16, is rounded once. Returns whether
    it was launched.
    """
    to, depth = target.layout, _depth(b)
    last = to.rank - 1
    # So the last dim merges with no other, and is that of rows or of columns.
    apart = bias is None or all(
        size == 1 or (step > 0 and (y != 0) == (dim == last) and (x != 0) == (dim != last))
        for dim, (size, step, x, y) in enumerate(
            zip(to.sizes, to.strides, a.layout.strides, b.layout.strides)
        )
    )
    if not (apart and to.numel and 0 < depth <= MAX_DEPTH and settings.exact):
        return False
    of_bias = None
    if bias is not None:
        of_bias = (0 if to.sizes[-1] == 1 else bias.layout.strides[0]), bias.dtype
    product = _product(a, b, target, linear=Linear(*activation, of_bias))
    if partial_run(product, to.numel, depth, target.device.profile):
        return False
    reads = [access(source, False) for source in ((b, a) if product.swapped else (a, b))]
    reads.append(access(a if bias is None else bias, False))
    target.device.launch(product.plan, (*reads, access(target, True)))
    return True


def add_to_integers(a: View, b: View, target: View) -> None:
    """Add to each element of the target, int32, the sum of products that `add_products` writes."""
    for start in range(0, _depth(b), MAX_DEPTH):
        count = min(MAX_DEPTH, _depth(b) - start)
        _launch(_part(a, start, count), _part(b, start, count), target, more=True)


def _add(what: str, a: View | None, b: View, target: View) -> None:
    to, depth = target, _depth(b)
    run = partial_run(_product(a, b, target), to.layout.numel, depth, to.device.profile)
    if run:
        _add(what, None, _sums_of_parts(what, a, b, target, run), target)
    elif depth <= MAX_DEPTH:
        _launch(a, b, target)
    else:
        _add_in_turn(what, a, b, target)


def _add_in_turn(what: str, a: View | None, b: View, target: View) -> None:
    """Add the parts one after the other, when the partial sums would take too much memory."""
    to, depth, length = target, _depth(b), MAX_DEPTH
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
            sums = temporary(what, Layout(to.layout.sizes), target.dtype, to)
            _add(what, first, second, sums)
            compute(what, OPERATORS["add"], (target, sums), target, target.dtype)


def _launch(a: View | None, b: View, target: View, *, more: bool = False) -> None:
    product = _product(a, b, target, more=more)
    first = b if a is None else a
    sources = (b, first) if product.swapped else (first, b)
    reads = [access(source, False) for source in sources]
    to = target
    to.device.launch(product.plan, (*reads, access(to, True)))


def _depth(source: View) -> int:
    return source.layout.sizes[-1]


def _product(
    a: View | None, b: View, target: View, *, more: bool = False, linear: Linear | None = None
) -> Product:
    return plan_matmul(
        target.layout.sizes,
        min(_depth(b), MAX_DEPTH),
        (None if a is None else operand(a), operand(b), operand(target)),
        ((b if a is None else a).dtype, b.dtype, target.dtype),
        target.device.profile,
        more=more,
        fma=not settings.exact,
        linear=linear,
    )


def _sums_of_parts(what: str, a: View | None, b: View, target: View, run: int) -> View:
    """Return the sums of every `run` terms, to be added along the last dim."""
    sizes = target.layout.sizes
    parts, rest = divmod(_depth(b), run)
    layout = Layout((parts + (rest > 0), *sizes))
    sums = temporary(what, layout, target.dtype, target)
    first = a and _folded(a, parts, run)
    _add(what, first, _folded(b, parts, run), with_layout(sums, layout.narrow(0, 0, parts)))
    if rest:
        first, second = a and _part(a, parts * run, rest), _part(b, parts * run, rest)
        _add(what, first, second, with_layout(sums, layout.select(0, parts)))
    return with_layout(sums, layout.movedim(0, -1))


def _folded(source: View, parts: int, run: int) -> View:
    """Return the first `parts` runs of the depth along a new first dim."""
    layout = source.layout
    sizes = (parts, *layout.sizes[:-1], run)
    strides = (layout.strides[-1] * run, *layout.strides)
    return with_layout(source, Layout(sizes, strides, layout.offset, row_major(len(sizes))))


def _part(source: View, start: int, count: int) -> View:
    """Return `count` terms of the depth."""
    return with_layout(source, source.layout.narrow(-1, start, count))
