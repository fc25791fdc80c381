"""Sets: what distinct elements a tensor has, named as in the array API standard.

Values come in ascending order, as `sort` has it. -0.0 equals 0.0, and of equal elements the first
in row-major order stands for all, with its bits. A NaN equals nothing: each is a value by itself,
but for NumPy's `unique`, which asks for that.
How many there are only the device knows, so all of these wait for it, and none takes an `out`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dml_vk.creation import zeros
from dml_vk.dtypes import DType, int64, uint32, uint64
from dml_vk.functions import add, multiply
from dml_vk.indexing import take
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan_gather import Step
from dml_vk.layout import Layout, coalesce
from dml_vk.manipulation import concat, moveaxis, reshape
from dml_vk.operands import to_tensor, typed
from dml_vk.ops.compact import nonzero_positions
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import Typed, cast_elements, compute, typed_room
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.gather import add_places, gather, uploaded
from dml_vk.ops.scan import INCLUSIVE, SUM, scan_elements
from dml_vk.ops.scatter import scatter
from dml_vk.ops.sort import sort_flat
from dml_vk.ops.strided import Strided
from dml_vk.strides.order import to_bool, to_index
from dml_vk.tensor import Tensor, tensor_over

_PLACES = Step(1)  # an index that says how far from the first element it is


class UniqueAll(NamedTuple):
    """The distinct values, where each comes first, which each element is, how many there are."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The distinct values, and how many there are of each."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The distinct values, and which of them each element is."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAll:
    """The distinct values, with the flat index of the first of each, the inverse and the counts.

    >>> import dml_vk
    >>> found = dml_vk.unique_all(dml_vk.asarray([[3, 1], [1, 2]]))
    >>> found.values.tolist(), found.indices.tolist(), found.counts.tolist()
    ([1, 2, 3], [1, 3, 0], [2, 1, 1])
    >>> found.inverse_indices.tolist()
    [[2, 0], [0, 1]]
    """
    found = _Found("unique_all", x)
    return UniqueAll(found.values(), found.indices(), found.inverse(), found.counts())


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The distinct values, and how many elements are equal to each.

    >>> import dml_vk
    >>> dml_vk.unique_counts(dml_vk.asarray([2, 7, 2, 2])).counts.tolist()
    [3, 1]
    """
    found = _Found("unique_counts", x)
    return UniqueCounts(found.values(), found.counts())


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The distinct values, and for each element of x which of them it is, in x's memory format.

    >>> import dml_vk
    >>> dml_vk.unique_inverse(dml_vk.asarray([9, 4, 9])).inverse_indices.tolist()
    [1, 0, 1]
    """
    found = _Found("unique_inverse", x)
    return UniqueInverse(found.values(), found.inverse())


def unique_values(x: Tensor, /) -> Tensor:
    """The distinct values, in ascending order.

    >>> import dml_vk
    >>> dml_vk.unique_values(dml_vk.asarray([2.5, -1.0, 2.5])).tolist()
    [-1.0, 2.5]
    """
    return _Found("unique_values", x).values()


def unique(
    x: Tensor,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Tensor | tuple[Tensor, ...]:
    """NumPy's: the distinct values, and of the rest of `unique_all` what is asked for, as a tuple.

    With `equal_nan` all NaNs are one value. Along an axis, values are what each of its indexes
    holds, in the order of the first element that differs; `equal_nan` counts there too, as it does
    not in NumPy, and the inverse has one dim.

    >>> import dml_vk
    >>> dml_vk.unique(dml_vk.asarray([2.0, float("nan"), 1.0, float("nan")])).tolist()
    [1.0, 2.0, nan]
    >>> rows, counts = dml_vk.unique(
    ...     dml_vk.asarray([[2, 1], [1, 3], [2, 1]]), return_counts=True, axis=0
    ... )
    >>> rows.tolist(), counts.tolist()
    ([[1, 3], [2, 1]], [1, 2])
    """
    what = "unique"
    x, equal_nan = to_tensor(what, "x", x), to_bool(what, "equal_nan", equal_nan)
    asked = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    index, inverse, counts = (to_bool(what, name, one) for name, one in asked.items())
    if axis is None:
        found = _Found(what, x, equal_nan)
        values = found.values()
    else:
        axis = to_index(what, "axis", axis, x.ndim)
        found = _Found(what, _ranks(what, moveaxis(x, axis, 0), equal_nan))
        values = take(x, found.indices(), axis=axis)
    more = []
    if index:
        more.append(found.indices())
    if inverse:
        more.append(found.inverse())
    if counts:
        more.append(found.counts())
    return (values, *more) if more else values


def _ranks(what: str, x: Tensor, equal_nan: bool) -> Tensor:
    """A number for each index of the first dim, by which they are in order.

    Elements become numbers, and neighbours the number of their pair, until there is one to a row.
    """
    length, columns = x.shape[0], Layout(x.shape[1:]).numel
    if not columns:
        return zeros(length, int64, device=x.device)
    ranks = reshape(_Found(what, x, equal_nan).inverse(), (length, columns))
    beyond = length * columns
    while columns > 1:
        pairs = add(multiply(ranks[:, 0 : columns - 1 : 2], beyond), ranks[:, 1::2])
        left = ranks[:, columns - columns % 2 :]
        ranks = concat([_Found(what, pairs).inverse(), left], axis=1)
        columns = ranks.shape[1]
    return ranks[:, 0]


class _Found:
    """The elements in order, flat, and the positions at which another value begins."""

    def __init__(self, what: str, x: Any, equal_nan: bool = False) -> None:
        self.what = what
        self.x = to_tensor(what, "x", x)
        self.length = self.x.layout.numel
        near = self.x.strided
        if not self.length:
            self.positions = self.firsts = typed_room(what, Layout((0,)), uint32, near)
            return
        keys, self.places = sort_flat(what, typed(self.x))
        self.begins = _begins(what, keys, self.x.dtype.kind == "f" and not equal_nan)
        self.positions = nonzero_positions(what, self.begins)
        self.firsts = self._words(self.positions.strided.layout.numel)
        gather(self.places, (0,), self.positions, self.firsts.strided, _PLACES)

    def values(self) -> Tensor:
        target = self._result(self.firsts.strided.layout, self.x.dtype)
        (layout,) = coalesce(self.x.layout)
        source = self.x.strided.over(layout)
        if layout.rank <= 1:
            step = Step(*layout.strides) if layout.rank else _PLACES
            gather(source, (0,), self.firsts, target.strided, step)
            return target
        # What is not flat in memory takes its index apart, dim by dim.
        places = Typed(uploaded(self.what, np.zeros(1, np.uint32), source), uint32)
        inner = layout.numel
        for size, stride in zip(layout.sizes, layout.strides):
            inner //= max(1, size)
            more = self._words(self.firsts.strided.layout.numel)
            add_places(places.strided, self.firsts, more.strided, Step(stride, 0, inner, size))
            places = more
        gather(source, (0,), places, target.strided, _PLACES)
        return target

    def indices(self) -> Tensor:
        return self._longs(self.firsts, self.firsts.strided.layout)

    def inverse(self) -> Tensor:
        """Elements get their value's number where they came from, which makes the order of x."""
        numbers = self._words(self.length)
        if self.length:
            ranks = self._words(self.length)
            scan_elements(self.what, SUM, self.begins, ranks, 0, INCLUSIVE)
            one = [ranks, None]
            compute(self.what, OPERATORS["subtract"], one, ranks, uint32, (1,))
            row = self.places.over(self.places.layout.unsqueeze(0))
            scatter(self.what, ranks.strided, row, (0,), numbers.strided, (0,), 1, None)
        return self._longs(numbers.over(Layout(self.x.shape)), self.x.layout.like())

    def counts(self) -> Tensor:
        """From each begin to the next one, or to the end."""
        kinds = self.positions.strided.layout.numel
        ends = self._words(kinds)
        if kinds:
            last = kinds - 1
            source, target = self.positions.strided, ends.strided
            copy_elements(self.what, _narrow(source, 1, last), _narrow(target, 0, last))
            fill_constant(self.what, _narrow(target, last, 1), uint32, self.length)
            compute(self.what, OPERATORS["subtract"], [ends, self.positions], ends, uint32)
        return self._longs(ends, ends.strided.layout)

    def _words(self, count: int) -> Typed:
        return typed_room(self.what, Layout((count,)), uint32, self.x.strided)

    def _result(self, layout: Layout, dtype: DType) -> Tensor:
        return tensor_over(self.what, layout, dtype, self.x.device, self.x.strided.allocation)

    def _longs(self, words: Typed, layout: Layout) -> Tensor:
        target = self._result(layout, int64)
        cast_elements(self.what, words, typed(target))
        return target


def _begins(what: str, keys: Strided, nan_differs: bool) -> Typed:
    """Words: 1 where a key differs from the one before, or is NaN's if these differ, else 0."""
    kind = uint64 if keys.itemsize == 8 else uint32
    count = keys.layout.numel
    flags = typed_room(what, Layout((count,)), uint32, keys)
    fill_constant(what, _narrow(flags.strided, 0, 1), uint32, 1)
    here, before = (Typed(_narrow(keys, start, count - 1), kind) for start in (1, 0))
    others = flags._replace(strided=_narrow(flags.strided, 1, count - 1))
    compute(what, OPERATORS["not_equal"], [here, before], others, kind)
    if nan_differs:
        nan = typed_room(what, Layout((count,)), uint32, keys)
        ones = (0xFFFFFFFF,) * (keys.itemsize // 4)
        compute(what, OPERATORS["equal"], [Typed(keys, kind), None], nan, kind, ones)
        compute(what, OPERATORS["logical_or"], [flags, nan], flags, uint32)
    return flags


def _narrow(strided: Strided, start: int, length: int) -> Strided:
    return strided.over(strided.layout.narrow(0, start, length))
