"""The distinct elements of a tensor, named as in the array API standard.

Values are in ascending order, by `sort`. -0.0 equals 0.0, and of equal elements, the first in
row-major order is returned, with its bits. A NaN equals nothing, so each is a distinct value,
except in NumPy's `unique`, where that is an option.

The number of distinct values is only known to the device, so the public functions wait for it,
and none has an `out`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dml_vk.arguments import to_axis, to_bool
from dml_vk.array.creation.arrays import zeros
from dml_vk.array.indexing.take import take_known
from dml_vk.array.manipulation.shapes import concat, moveaxis, reshape
from dml_vk.array.math.elementwise import add, astype, isnan, multiply
from dml_vk.array.statistics.reductions import any as any_of
from dml_vk.dtypes import DType, int64, uint32, uint64
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.gather import Step
from dml_vk.layout import Layout, coalesce
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.gather import add_places, gather, words_on_device
from dml_vk.ops.nonzero import nonzero_positions
from dml_vk.ops.parts import as_parts
from dml_vk.ops.scan import INCLUSIVE, SUM, scan_elements
from dml_vk.ops.scatter import scatter
from dml_vk.ops.sort import sort_elements, sort_flat
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import to_tensor

_PLACES = Step(1)  # for indexes that are element offsets


class UniqueAll(NamedTuple):
    """Distinct values, the index of the first of each, the inverse, and the counts."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """Distinct values, and how many elements equal each."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """Distinct values, and for each element the index of its value."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAll:
    """Return the distinct values, the flat index of the first of each, the inverse and the counts.

    >>> import dml_vk
    >>> found = dml_vk.unique_all(dml_vk.asarray([[3, 1], [1, 2]]))
    >>> found.values.tolist(), found.indices.tolist(), found.counts.tolist()
    ([1, 2, 3], [1, 3, 0], [2, 1, 1])
    >>> found.inverse_indices.tolist()
    [[2, 0], [0, 1]]
    """
    distinct = _Distinct("unique_all", x)
    return UniqueAll(distinct.values(), distinct.indices(), distinct.inverse(), distinct.counts())


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Return the distinct values, and how many elements equal each.

    >>> import dml_vk
    >>> dml_vk.unique_counts(dml_vk.asarray([2, 7, 2, 2])).counts.tolist()
    [3, 1]
    """
    distinct = _Distinct("unique_counts", x, with_positions=False)
    return UniqueCounts(distinct.values(), distinct.counts())


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Return the distinct values, and for each element of x the index of its value, in x's format.

    >>> import dml_vk
    >>> dml_vk.unique_inverse(dml_vk.asarray([9, 4, 9])).inverse_indices.tolist()
    [1, 0, 1]
    """
    distinct = _Distinct("unique_inverse", x)
    return UniqueInverse(distinct.values(), distinct.inverse())


def unique_values(x: Tensor, /) -> Tensor:
    """Return the distinct values in ascending order.

    >>> import dml_vk
    >>> dml_vk.unique_values(dml_vk.asarray([2.5, -1.0, 2.5])).tolist()
    [-1.0, 2.5]
    """
    return _Distinct("unique_values", x, with_positions=False).values()


@hinted
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
    """Return the distinct values, and those parts of `unique_all` that are requested, as a tuple.

    This has NumPy's parameters. With `equal_nan` all NaNs are one value, and so are all complex
    numbers with a NaN. With an axis, the values are the slices at its indexes, in lexicographical
    order; as in NumPy, a slice with a NaN then equals no other, and the inverse is 1-D.

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
    index, inverse, counts = (to_bool(what, name, value) for name, value in asked.items())
    axis = None if axis is None else to_axis(what, "axis", axis, x.ndim)
    if axis is None or x.ndim == 1:
        distinct = _Distinct(what, x, equal_nan, with_positions=index or inverse)
        values = distinct.values()
    else:
        rows = moveaxis(x, axis, 0)
        rows = reshape(rows, (len(rows), Layout(rows.shape[1:]).numel))
        nan = any_of(isnan(rows), axis=1) if x.dtype.kind in "fc" else None
        distinct = _Distinct(what, _ranks(what, rows), nan=nan)
        values = take_known(what, x, distinct.indices(), axis)
    more = []
    if index:
        more.append(distinct.indices())
    if inverse:
        more.append(distinct.inverse())
    if counts:
        more.append(distinct.counts())
    return (values, *more) if more else values


def value_numbers(what: str, x: Tensor) -> Tensor:
    """Return the inverse indices of `unique_inverse`, without waiting for the number of values."""
    return _Distinct(what, x).inverse()


def _ranks(what: str, rows: Tensor) -> Tensor:
    """Return a number for each row of a matrix; their order is that of the rows, with NaN last.

    Elements are ranked, then pairs of neighbouring ranks, until one rank is left for each row.
    """
    if rows.dtype.kind == "c":
        rows = _parts(rows)
    length, columns = rows.shape
    if not columns:
        return zeros(length, int64, device=rows.device)
    ranks = _Distinct(what, rows, True).inverse()
    beyond = length * columns
    while columns > 1:
        pairs = add(multiply(ranks[:, 0 : columns - 1 : 2], beyond), ranks[:, 1::2])
        left = ranks[:, columns - columns % 2 :]
        ranks = concat([_Distinct(what, pairs).inverse(), left], axis=1)
        columns = ranks.shape[1]
    return ranks[:, 0]


def _parts(rows: Tensor) -> Tensor:
    """Return what complex numbers are sorted by: which parts are NaN, and then both parts."""
    parts = Tensor(as_parts(rows))
    nan = astype(isnan(parts), parts.dtype)
    which = add(multiply(nan[..., :1], 2), nan[..., 1:])
    return reshape(concat([which, parts], axis=-1), (len(rows), 3 * rows.shape[1]))


class _Distinct:
    """The flattened elements in sorted order, and the positions at which a new value begins.

    The indexes and the inverse need `with_positions`. `nan` tells which elements are NaN if x does
    not, since it holds ranks of rows.
    """

    def __init__(
        self,
        what: str,
        x: Tensor,
        equal_nan: bool = False,
        *,
        with_positions: bool = True,
        nan: Tensor | None = None,
    ) -> None:
        self.what = what
        self.x = to_tensor(what, "x", x)
        self.length = self.x.layout.numel
        self._positions: View | None = None
        self._firsts: View | None = None
        self.is_sorted = False  # whether x itself holds the sorted elements
        near = self.x
        if not self.length:
            self._positions = self._firsts = temporary(what, Layout((0,)), uint32, near)
            return
        if not with_positions and self.x.dtype.kind in "iu":
            # Equal integers have equal bits, so where they were makes no difference.
            flat = reshape(self.x, (self.length,))
            self.x = self._result(Layout((self.length,)), self.x.dtype)
            sort_elements(what, flat, self.x, 0, False)
            self.begins, self.is_sorted = _value_starts(what, self.x, False), True
            return
        ordered = self.x
        if ordered.dtype.kind == "c":
            flat = reshape(ordered, (self.length, 1))
            ordered, nan = _ranks(what, flat), isnan(flat)[:, 0]
        keys, self.order = sort_flat(what, ordered)
        self.begins = _value_starts(what, keys, ordered.dtype.kind == "f" and not equal_nan)
        if nan is not None:
            self._mark(astype(nan, uint32), equal_nan)

    @property
    def positions(self) -> View:
        """Where values begin in sorted order; this waits for their number."""
        if self._positions is None:
            self._positions = nonzero_positions(self.what, self.begins)
        return self._positions

    @property
    def firsts(self) -> View:
        """Where the first element of each value is in x."""
        if self.is_sorted:
            return self.positions
        if self._firsts is None:
            self._firsts = self._words(self.positions.layout.numel)
            gather(self.order, (0,), self.positions, self._firsts, _PLACES)
        return self._firsts

    def _mark(self, nan: Tensor, equal: bool) -> None:
        """Let all NaN be one value, which are the last in sorted order, or each a value."""
        flags = self._words(self.length)
        gather(nan, (0,), self.order, flags, _PLACES)
        if not equal:
            both = [self.begins, flags]
            compute(self.what, OPERATORS["logical_or"], both, self.begins, uint32)
            return
        here, before = _narrow(self.begins, 1, self.length - 1), _narrow(flags, 0, self.length - 1)
        compute(self.what, OPERATORS["greater"], [here, before], here, uint32)

    def values(self) -> Tensor:
        target = self._result(self.firsts.layout, self.x.dtype)
        (layout,) = coalesce(self.x.layout)
        source = with_layout(self.x, layout)
        if layout.rank <= 1:
            step = Step(*layout.strides) if layout.rank else _PLACES
            gather(source, (0,), self.firsts, target, step)
            return target
        # The memory is not flat: split the flat indexes, dim by dim.
        places = words_on_device(self.what, np.zeros(1, np.uint32), source)
        inner = layout.numel
        for size, stride in zip(layout.sizes, layout.strides):
            inner //= max(1, size)
            more = self._words(self.firsts.layout.numel)
            add_places(places, self.firsts, more, Step(stride, 0, inner, size))
            places = more
        gather(source, (0,), places, target, _PLACES)
        return target

    def indices(self) -> Tensor:
        return self._longs(self.firsts, self.firsts.layout)

    def inverse(self) -> Tensor:
        """Scatter the number of each element's value to the element's place in x."""
        numbers = self._words(self.length)
        if self.length:
            ranks = self._words(self.length)
            scan_elements(self.what, SUM, self.begins, ranks, 0, INCLUSIVE)
            operands = [ranks, None]
            compute(self.what, OPERATORS["subtract"], operands, ranks, uint32, (1,))
            row = with_layout(self.order, self.order.layout.unsqueeze(0))
            scatter(self.what, ranks, row, (0,), numbers, (0,), 1, None)
        return self._longs(with_layout(numbers, Layout(self.x.shape)), self.x.layout.like())

    def counts(self) -> Tensor:
        """Subtract the positions of consecutive values; the last one ends at the length."""
        kinds = self.positions.layout.numel
        ends = self._words(kinds)
        if kinds:
            last = kinds - 1
            source, target = self.positions, ends
            copy_elements(self.what, _narrow(source, 1, last), _narrow(target, 0, last))
            fill_constant(self.what, _narrow(target, last, 1), uint32, self.length)
            compute(self.what, OPERATORS["subtract"], [ends, self.positions], ends, uint32)
        return self._longs(ends, ends.layout)

    def _words(self, count: int) -> View:
        return temporary(self.what, Layout((count,)), uint32, self.x)

    def _result(self, layout: Layout, dtype: DType) -> Tensor:
        return tensor_over(self.what, layout, dtype, self.x.device, self.x.allocation)

    def _longs(self, words: View, layout: Layout) -> Tensor:
        target = self._result(layout, int64)
        cast_elements(self.what, words, target)
        return target


def _value_starts(what: str, keys: View, nan_differs: bool) -> View:
    """Return uint32 flags: 1 where a key differs from the one before, or is a distinct NaN."""
    kind = uint64 if keys.dtype.itemsize == 8 else uint32
    count = keys.layout.numel
    flags = temporary(what, Layout((count,)), uint32, keys)
    fill_constant(what, _narrow(flags, 0, 1), uint32, 1)
    here, before = (_narrow(keys, start, count - 1) for start in (1, 0))
    others = _narrow(flags, 1, count - 1)
    compute(what, OPERATORS["not_equal"], [here, before], others, kind)
    if nan_differs:
        nan = temporary(what, Layout((count,)), uint32, keys)
        ones = (0xFFFFFFFF,) * (keys.dtype.itemsize // 4)
        compute(what, OPERATORS["equal"], [keys, None], nan, kind, ones)
        compute(what, OPERATORS["logical_or"], [flags, nan], flags, uint32)
    return flags


def _narrow(view: View, start: int, length: int) -> View:
    return with_layout(view, view.layout.narrow(0, start, length))
