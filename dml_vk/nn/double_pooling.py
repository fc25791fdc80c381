"""Pooling in float64, tap by tap, in the order that `dml_vk.ops.pool` states."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import groupby, product
from math import inf, prod
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.array.elementwise import (
    add,
    divide,
    equal,
    floor_divide,
    greater,
    isnan,
    less,
    logical_and,
    logical_or,
    minimum,
    multiply,
    negative,
    pow,
    sqrt,
    square,
    subtract,
    where,
)
from dml_vk.dtypes import float64, int64
from dml_vk.kernels.plan.gather import Step
from dml_vk.kernels.plan.pool import Pooling
from dml_vk.layout import Layout
from dml_vk.nn.by_taps import check_taps, over, seen
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.fill import fill_constant, fill_sequence
from dml_vk.ops.gather import gather
from dml_vk.ops.view import View, temporary, temporary_like, with_layout
from dml_vk.strides.order import packed_strides, row_major
from dml_vk.tensor.core import Tensor


class _Seen(NamedTuple):
    """What a tap of all windows sees."""

    values: Tensor
    places: Tensor | None  # in the spatial dims of x; only for "index"
    there: Tensor | None  # where it is in x; None for everywhere
    windows: tuple[Tensor, ...]  # of what is written


def pool(what: str, x: View, target: View, pooling: Pooling) -> None:
    """Write the result of each window of x to the target, float64, or int64 for "index"."""
    if not target.layout.numel:
        return
    check_taps(what, pooling.kernel, kernel_size=pooling.kernel)
    source = copy_if_overlapping(what, x, target)
    operation = pooling.operation
    written = [target]
    if operation == "index":
        written.append(temporary_like(what, target, float64))
        fill_constant(what, target, int64, -1)
    if operation in ("max", "index"):
        fill_constant(what, written[-1], float64, -inf)
    else:
        fill_constant(what, target, float64, 0)
    for tap in _taps(what, source, written, pooling):
        if operation in ("max", "index"):
            _keep_larger(tap)
        else:
            _add(tap, pooling)
    if operation == "avg":
        divide(Tensor(target), _counts(what, target, pooling), out=Tensor(target))
    elif operation == "lp" and pooling.power != 1:
        _power(Tensor(target), 1 / pooling.power, Tensor(target))


def add_squares(what: str, x: View, target: View, pooling: Pooling) -> None:
    """Write the sum of the squares in each window over the last dims."""
    fill_constant(what, target, float64, 0)
    for tap in _taps(what, x, [target], pooling):
        _add(tap, pooling)


def _keep_larger(tap: _Seen) -> None:
    """Keep the first of equal elements, and the last NaN."""
    first, largest = tap.windows[0], tap.windows[-1]
    better = logical_or(greater(tap.values, largest), isnan(tap.values))
    if tap.places is not None:
        better = logical_or(better, equal(first, -1))
    if tap.there is not None:
        better = logical_and(better, tap.there)
    where(better, tap.values, largest, out=largest)
    if tap.places is not None:
        where(better, tap.places, first, out=first)


def _add(tap: _Seen, pooling: Pooling) -> None:
    (total,) = tap.windows
    values = tap.values
    if pooling.operation == "lp" and pooling.power != 1:
        values = _power(values, pooling.power)
    if tap.there is not None:
        values = where(tap.there, values, -0.0)  # It changes no sum.
    add(total, values, out=total)


def _power(x: Tensor, power: float, out: Tensor | None = None) -> Tensor:
    if power in (2, 0.5):
        return (square if power == 2 else sqrt)(x, out=out)
    return pow(x, power, out=out)


def _taps(what: str, x: View, written: list[View], pooling: Pooling) -> Iterator[_Seen]:
    index = pooling.operation == "index"
    if pooling.adaptive:
        yield from _of_any_sizes(what, x, written, pooling, index)
        return
    strides = packed_strides(pooling.sizes, row_major(len(pooling.sizes)))
    for taps in over(pooling):
        sides = [one.elements for one in taps]
        places = None
        for dim, (side, stride) in enumerate(zip(sides, strides) if index else ()):
            own = _along(
                what, x, dim, len(sides), side.size, side.first * stride, side.step * stride
            )
            places = own if places is None else add(places, own)
        windows = tuple([Tensor(seen(one, [tap.windows for tap in taps])) for one in written])
        yield _Seen(Tensor(seen(x, sides)), places, None, windows)


def _along(
    what: str, near: View, dim: int, rank: int, count: int, start: int = 0, step: int = 1
) -> Tensor:
    """Return a sequence of integers along one of the spatial dims."""
    sizes = [count if k == dim else 1 for k in range(rank)]
    made = temporary(what, Layout(sizes), int64, near)
    fill_sequence(what, made, int64, start, step)
    return Tensor(made)


def _of_any_sizes(
    what: str, x: View, written: list[View], pooling: Pooling, index: bool
) -> Iterator[_Seen]:
    """Of windows that divide x evenly, which start at no regular distance."""
    rank = len(pooling.sizes)
    strides = packed_strides(pooling.sizes, row_major(rank))
    ends = [_ends(what, x, dim, pooling) for dim in range(rank)]
    windows = tuple([Tensor(one) for one in written])
    for taps in product(*map(range, pooling.kernel)):
        values, places, there = x, None, None
        for dim, (tap, (first, end)) in enumerate(zip(taps, ends)):
            own = add(first, tap)
            inside = less(own, end)
            there = inside if there is None else logical_and(there, inside)
            own = minimum(own, pooling.sizes[dim] - 1)
            values = _taken(what, values, own, x.layout.rank - rank + dim)
            if index:
                place = multiply(own, strides[dim])
                places = place if places is None else add(places, place)
        yield _Seen(Tensor(values), places, there, windows)


def _ends(what: str, x: View, dim: int, pooling: Pooling) -> tuple[Tensor, Tensor]:
    """Return where windows start, and where they end."""
    size, count, rank = pooling.sizes[dim], pooling.out[dim], len(pooling.sizes)
    first = floor_divide(_along(what, x, dim, rank, count, 0, size), count)
    last = floor_divide(_along(what, x, dim, rank, count, -size, -size), count)
    return first, negative(last)


def _taken(what: str, x: View, index: Tensor, dim: int) -> View:
    """Return the elements of x at these indexes of a dim."""
    layout = x.layout
    sizes = (*layout.sizes[:dim], index.size, *layout.sizes[dim + 1 :])
    made = temporary(what, Layout.packed(sizes, layout.order), x.dtype, x)
    over = Layout(sizes, [int(k == dim) for k in range(len(sizes))])
    strides = (*layout.strides[:dim], 0, *layout.strides[dim + 1 :])
    gather(x, strides, with_layout(index, over), made, Step(layout.strides[dim], layout.sizes[dim]))
    return made


def _counts(what: str, target: View, pooling: Pooling) -> Tensor | float:
    """Return what sums are divided by: a number, or where windows differ, numbers for each."""
    rank = len(pooling.sizes)
    if pooling.adaptive:
        ends = [_ends(what, target, dim, pooling) for dim in range(rank)]
        vectors = [subtract(end, first).astype(float64) for first, end in ends]
    else:
        counts = [_counted(pooling, dim) for dim in range(rank)]
        if all(min(each) == max(each) for each in counts):
            return float(prod([each[0] for each in counts]))
        vectors = [_filled(what, target, each, dim, rank) for dim, each in enumerate(counts)]
    return functools.reduce(multiply, vectors)


def _counted(pooling: Pooling, dim: int) -> Ints:
    """Return how many taps of each window along a dim count."""
    size, end = pooling.sizes[dim], pooling.end[dim] if pooling.counted else 0
    least = -pooling.begin[dim] if pooling.counted else 0
    starts = range(
        -pooling.begin[dim],
        -pooling.begin[dim] + pooling.out[dim] * pooling.stride[dim],
        pooling.stride[dim],
    )
    taps = range(0, pooling.kernel[dim] * pooling.dilation[dim], pooling.dilation[dim])
    return tuple(
        [max(1, sum([least <= start + tap < size + end for tap in taps])) for start in starts]
    )


def _filled(what: str, near: View, counts: Ints, dim: int, rank: int) -> Tensor:
    """Return these numbers along a dim: runs of equal ones."""
    sizes = [len(counts) if k == dim else 1 for k in range(rank)]
    made = temporary(what, Layout(sizes), float64, near)
    start = 0
    for count, run in groupby(counts):
        length = len(list(run))
        part = with_layout(made, made.layout.narrow(dim, start, length))
        fill_constant(what, part, float64, count)
        start += length
    return Tensor(made)
