"""Convolution of small integers, with sums that wrap as int32: the order of terms does not matter.

Each run of taps adds one product over the windows where it is inside the input, so padding is never
read. (x - p)(w - q) is x(w - q) - p(w - q): weights are shifted first, which are few, and the sums
of the second part are the same for all windows whose taps in the padding are the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from dml_vk.arguments import Ints, to_int
from dml_vk.array.calls import call
from dml_vk.dtypes import int8, int32, uint8
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.affine import grouped
from dml_vk.nn.conv import windows_for
from dml_vk.nn.operands import arrays_beside
from dml_vk.nn.quantized import to_zero_point
from dml_vk.nn.windows import Padding, Windows, each_dim, spatial_rank, to_padding
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.matmul import add_to_integers
from dml_vk.ops.numbers import scalar_words
from dml_vk.ops.reduce import reduce_elements
from dml_vk.ops.view import View, check_count, check_devices, temporary, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, result_over, to_tensor
from dml_vk.tracing.formats import operation
from dml_vk.windows import Run, Window


@hinted
def conv_integer(
    x: Tensor,
    weight: Tensor,
    x_zero_point: int | Tensor = 0,
    weight_zero_point: int | Tensor = 0,
    *,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | Sequence[Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return the convolution of int8 or uint8 less their zero points, as int32, in the format of x.

    Sizes, windows and groups are those of `conv`; padding adds nothing, as if it were the zero
    point. A zero point is a number or a tensor with one element; that of the weight may also have
    one for each output channel, (C_out,). Sums wrap.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[3, 4, 5]]], dtype="uint8")
    >>> weight = dml_vk.asarray([[[1, 2]]], dtype="int8")
    >>> dml_vk.nn.conv_integer(x, weight, 3, 1, padding=1).tolist()
    [[[0, 1, 2, 0]]]
    """
    what = "conv_integer"
    x, weight, x_zero_point, weight_zero_point = arrays_beside(
        what, x, weight, x_zero_point, weight_zero_point
    )
    rank = spatial_rank(what, to_tensor(what, "x", x).shape)
    for name, operand in (("x", x), ("weight", weight)):
        check_dtype(what, to_tensor(what, name, operand).dtype, (int8, uint8))
    check_devices(what, x=x, weight=weight)
    operands, numbers = [x, weight], []
    zero_points = (
        ("x_zero_point", x_zero_point, x),
        ("weight_zero_point", weight_zero_point, weight),
    )
    for name, value, near in zero_points:
        point = to_zero_point(what, name, value, near.dtype)
        numbers.append(None if isinstance(point, Tensor) else point)
        if isinstance(point, Tensor):
            check_devices(what, **{"x": x, name: point})
            operands.append(point)
            if point.size != 1 and (near is x or point.shape != weight.shape[:1]):
                each = "" if near is x else ", or one for each output channel"
                raise LayoutError(what, f"{name} must have one element{each}", shape=point.shape)
    windows = each_dim(what, "stride", stride, rank), to_padding(what, padding, rank)
    rest = each_dim(what, "dilation", dilation, rank), to_int(what, "groups", groups)
    return call(_conv_integer, operands, out, *numbers, *windows, *rest)


@operation(flexible="first", images=True)
def _conv_integer(
    operands: Sequence[Tensor],
    out: Tensor | None,
    p: int | None,
    q: int | None,
    stride: Ints,
    padding: Padding,
    dilation: Ints,
    groups: int,
) -> Tensor:
    what, (x, weight) = "conv_integer", operands[:2]
    windows = windows_for(what, x.shape, weight.shape, stride, padding, dilation, groups)
    sizes = (x.shape[0], weight.shape[0], *[window.count for window in windows])
    target = result_over(what, Layout.packed(sizes, x.layout.order), int32, x, out)
    for name, view in (("x", x), ("weight", weight), ("the result", target)):
        check_count(what, view, name)
    if not (target.size and x.size):
        fill_constant(what, target, int32, 0)
        return target
    source, weights, *others = [copy_if_overlapping(what, view, target) for view in operands]
    weights = _less(what, weights, others.pop() if q is None else q)
    _begin(what, weights, others[0] if p is None else p, windows, target)
    # (N, groups, channels, spatial...) and (groups, outputs, channels, window...).
    both = grouped(source, 1, groups), grouped(weights, 0, groups)
    result = grouped(target, 1, groups)
    for runs in itertools.product(*[window.runs() for window in windows]):
        if all(run.count for run in runs):
            _add(*both, windows, runs, result)
    return target


def _less(what: str, weight: View, q: View | int) -> View:
    """Return the weight less its zero point."""
    if isinstance(q, int) and q == 0:
        return weight
    layout = weight.layout
    shifted = temporary(what, Layout.packed(layout.sizes, layout.order), int32, weight)
    if isinstance(q, int):
        words = scalar_words(what, "weight_zero_point", int32, q)
        compute(what, OPERATORS["subtract"], (weight, None), shifted, int32, words)
    else:
        compute(what, OPERATORS["subtract"], (weight, _over(q, layout.rank)), shifted, int32)
    return shifted


def _over(point: View, rank: int) -> View:
    """View one element, or one for each first index, as an operand of this rank."""
    layout = point.layout
    if layout.numel == 1:
        return with_layout(point, Layout((1,) * rank, offset=layout.offset))
    sizes, strides = (*layout.sizes, *(1,) * (rank - 1)), (*layout.strides, *(0,) * (rank - 1))
    return with_layout(point, Layout(sizes, strides, layout.offset))


def _begin(what: str, weight: View, p: View | int, windows: Windows, target: View) -> None:
    """Write -p times the sum of the weights that are inside the input."""
    if isinstance(p, int) and p == 0:
        fill_constant(what, target, int32, 0)
        return
    outputs, rank = weight.layout.sizes[0], weight.layout.rank
    factor: View | None = None
    if not isinstance(p, int):
        factor = temporary(what, Layout((1,)), int32, weight)
        compute(what, OPERATORS["negative"], (_over(p, 1),), factor, int32)
    words = scalar_words(what, "x_zero_point", int32, -p) if isinstance(p, int) else ()
    for parts in itertools.product(*[list(_parts(window)) for window in windows]):
        inside, to = weight.layout, target.layout
        for dim, part in enumerate(parts, 2):
            inside = inside.narrow(dim, part.tap, part.taps)
            to = to.narrow(dim, part.first, part.count)
        sums = temporary(what, Layout((outputs,)), int32, weight)
        reduce_elements(what, "sum", with_layout(weight, inside), sums, tuple(range(1, rank)))
        sums = with_layout(sums, Layout((outputs, *(1,) * (rank - 2))))
        compute(what, OPERATORS["multiply"], (sums, factor), with_layout(target, to), int32, words)


def _parts(window: Window) -> Iterator[Run]:
    """Yield runs of windows that have the same taps inside the input, perhaps none."""
    runs = window.runs()
    ends = {end for run in runs for end in (run.first, run.first + run.count)}
    cuts = sorted({0, window.count, *ends})
    for first, end in itertools.pairwise(cuts):
        inside = [run for run in runs if run.first <= first < run.first + run.count]
        taps = sum([run.taps for run in inside])
        yield Run(inside[0].tap if inside else 0, taps, first, end - first)


def _add(x: View, weight: View, windows: Windows, runs: Sequence[Run], target: View) -> None:
    """Add the products of some taps to the windows where they are inside the input."""
    a, b, to = x.layout, weight.layout, target.layout
    start, weight_start = a.offset, b.offset
    # (size, step in x, step in the weight) of what is summed.
    terms = [(a.sizes[2], a.strides[2], b.strides[2])]
    for dim, (window, run) in enumerate(zip(windows, runs), 3):
        start += window.start(run.first, run.tap) * a.strides[dim]
        weight_start += run.tap * b.strides[dim]
        terms.append((run.taps, window.dilation * a.strides[dim], b.strides[dim]))
        to = to.narrow(dim, run.first, run.count)
    depth = max(terms)
    terms.remove(depth)
    spatial = [window.stride * step for window, step in zip(windows, a.strides[3:])]
    steps = (*a.strides[:2], 0, *spatial, depth[1])
    weight_steps = (0, *b.strides[:2], *(0 for _ in windows), depth[2])
    sizes = (*to.sizes, depth[0])
    for indexes in itertools.product(*[range(size) for size, _, _ in terms]):
        at, weight_at = start, weight_start
        for index, (_, step, weight_step) in zip(indexes, terms):
            at, weight_at = at + index * step, weight_at + index * weight_step
        add_to_integers(
            with_layout(x, Layout(sizes, steps, at)),
            with_layout(weight, Layout(sizes, weight_steps, weight_at)),
            with_layout(target, to),
        )
