"""Pooling in float64, tap by tap, in the order that `dml_vk.ops.pool` states."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import groupby, product
from math import inf, prod
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.array.math.elementwise import (
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
from dml_vk.nn.float64.taps import check_taps, elements_at, taps_over, windows_at
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.gather import gather
from dml_vk.ops.sequence import fill_sequence
from dml_vk.ops.view import View, temporary, temporary_like, with_layout
from dml_vk.strides.order import packed_strides, row_major
from dml_vk.tensor.core import Tensor
from dml_vk.windows import Window


class _Seen(NamedTuple):
    """What a tap of all windows sees."""

    values: Tensor
    indexes: Tensor | None  # in the spatial dims of x; only for "index"
    is_inside: Tensor | None  # whether it is in x; None for everywhere
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
    if tap.indexes is not None:
        better = logical_or(better, equal(first, -1))
    if tap.is_inside is not None:
        better = logical_and(better, tap.is_inside)
    where(better, tap.values, largest, out=largest)
    if tap.indexes is not None:
        where(better, tap.indexes, first, out=first)


def _add(tap: _Seen, pooling: Pooling) -> None:
    (total,) = tap.windows
    values = tap.values
    if pooling.operation == "lp" and pooling.power != 1:
        values = _power(values, pooling.power)
    if tap.is_inside is not None:
        values = where(tap.is_inside, values, -0.0)  # It changes no sum.
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
    windows, rank = pooling.windows, len(pooling.windows)
    strides = _row_major_strides(pooling)
    for taps in taps_over(windows):
        indexes = None
        for dim, (window, run, stride) in enumerate(zip(windows, taps, strides) if index else ()):
            start, step = window.start(run.first, run.tap) * stride, window.stride * stride
            along = _along(what, x, dim, rank, run.count, start, step)
            indexes = along if indexes is None else add(indexes, along)
        to = tuple([Tensor(windows_at(view, taps)) for view in written])
        yield _Seen(Tensor(elements_at(x, windows, taps)), indexes, None, to)


def _row_major_strides(pooling: Pooling) -> Ints:
    """What indexes count by along the spatial dims of x."""
    sizes = tuple([window.size for window in pooling.windows])
    return packed_strides(sizes, row_major(len(sizes)))


def _along(
    what: str, near: View, dim: int, rank: int, count: int, start: int = 0, step: int = 1
) -> Tensor:
    """Return a sequence of integers along one of the spatial dims."""
    sizes = [count if k == dim else 1 for k in range(rank)]
    sequence = temporary(what, Layout(sizes), int64, near)
    fill_sequence(what, sequence, int64, start, step)
    return Tensor(sequence)


def _of_any_sizes(
    what: str, x: View, written: list[View], pooling: Pooling, index: bool
) -> Iterator[_Seen]:
    """Of windows that divide x evenly, which start at no regular distance."""
    rank = len(pooling.windows)
    strides = _row_major_strides(pooling)
    ends = [_ends(what, x, dim, pooling) for dim in range(rank)]
    windows = tuple([Tensor(view) for view in written])
    for taps in product(*map(range, pooling.kernel)):
        values, indexes, is_inside = x, None, None
        for dim, (tap, (first, end)) in enumerate(zip(taps, ends)):
            own = add(first, tap)
            inside = less(own, end)
            is_inside = inside if is_inside is None else logical_and(is_inside, inside)
            own = minimum(own, pooling.windows[dim].size - 1)
            values = _taken(what, values, own, x.layout.rank - rank + dim)
            if index:
                along = multiply(own, strides[dim])
                indexes = along if indexes is None else add(indexes, along)
        yield _Seen(Tensor(values), indexes, is_inside, windows)


def _ends(what: str, x: View, dim: int, pooling: Pooling) -> tuple[Tensor, Tensor]:
    """Return where windows start, and where they end."""
    (size, count, *_), rank = pooling.windows[dim], len(pooling.windows)
    first = floor_divide(_along(what, x, dim, rank, count, 0, size), count)
    last = floor_divide(_along(what, x, dim, rank, count, -size, -size), count)
    return first, negative(last)


def _taken(what: str, x: View, index: View, dim: int) -> View:
    """Return the elements of x at these indexes of a dim."""
    layout = x.layout
    sizes = (*layout.sizes[:dim], index.layout.numel, *layout.sizes[dim + 1 :])
    taken = temporary(what, Layout.packed(sizes, layout.order), x.dtype, x)
    index = with_layout(index, Layout(sizes, [int(k == dim) for k in range(len(sizes))]))
    strides = (*layout.strides[:dim], 0, *layout.strides[dim + 1 :])
    gather(x, strides, index, taken, Step(layout.strides[dim], layout.sizes[dim]))
    return taken


def _counts(what: str, target: View, pooling: Pooling) -> Tensor | float:
    """Return what sums are divided by: a number, or where windows differ, numbers for each."""
    rank = len(pooling.windows)
    if pooling.adaptive:
        ends = [_ends(what, target, dim, pooling) for dim in range(rank)]
        vectors = [subtract(end, first).astype(float64) for first, end in ends]
    else:
        counts = [_counted(window, padding=pooling.counted) for window in pooling.windows]
        if all(min(each) == max(each) for each in counts):
            return float(prod([each[0] for each in counts]))
        vectors = [_filled(what, target, each, dim, rank) for dim, each in enumerate(counts)]
    return functools.reduce(multiply, vectors)


def _counted(window: Window, *, padding: bool) -> Ints:
    """Return how many taps of each window count: those inside x, perhaps with its padding."""
    if padding:
        window = window._replace(size=window.padded_size, before=0, after=0)
    counts = [0] * window.count
    for run in window.taps_inside():
        for number in range(run.first, run.first + run.count):
            counts[number] += 1
    return tuple([max(1, count) for count in counts])


def _filled(what: str, near: View, counts: Ints, dim: int, rank: int) -> Tensor:
    """Return these numbers along a dim: runs of equal ones."""
    sizes = [len(counts) if k == dim else 1 for k in range(rank)]
    numbers = temporary(what, Layout(sizes), float64, near)
    start = 0
    for count, run in groupby(counts):
        length = len(list(run))
        part = with_layout(numbers, numbers.layout.narrow(dim, start, length))
        fill_constant(what, part, float64, count)
        start += length
    return Tensor(numbers)
