"""Advanced indexes as positions in memory: checked, and combined into one index.

Indexes on the host, in lists and NumPy arrays, are checked and combined there. Indexes on the
device stay there; only the result of their check is read back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.array.indexing.keys import AdvancedIndex, outside_of
from dml_vk.dtypes import uint32
from dml_vk.errors import LayoutError, LayoutIndexError
from dml_vk.kernels.plan.gather import Step
from dml_vk.layout import Layout
from dml_vk.ops.gather import add_places, checking, words_on_device
from dml_vk.ops.nonzero import nonzero_positions
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.strides.order import packed_strides, row_major
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.strides.reshape import coalesce
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

MOST = 2**31  # elements of indexed dims: kernels count in 32 bits


class IndexedDim(NamedTuple):
    """A dim that an index applies to."""

    stride: int
    length: int
    inner: int  # product of the lengths of the index's inner dims


class Part(NamedTuple):
    """An index over one dim, or over several dims at once in row-major order."""

    array: View | Array
    axis: int | None  # for errors; None if it indexes all elements
    size: int  # product of the lengths of its dims
    dims: tuple[IndexedDim, ...]
    is_mask: bool = False  # if so, it is in bounds and without duplicates

    @property
    def shape(self) -> Ints:
        return self.array.layout.sizes if isinstance(self.array, View) else self.array.shape

    @property
    def is_asked(self) -> bool:
        """Whether it is on the device and may be out of bounds, so that it must be looked at."""
        if not isinstance(self.array, View) or self.is_mask or 0 in self.shape:
            return False
        dtype = self.array.dtype
        bits = 8 * dtype.itemsize
        return self.size < (1 << bits if dtype.kind == "u" else 1 << bits - 1)

    def step(self, dim: IndexedDim, stride: int) -> Step:
        """Return how kernels map the index to offsets along one dim."""
        size = 0 if self.is_mask else self.size
        if len(self.dims) == 1:
            return Step(stride, size)
        return Step(stride, size, dim.inner, dim.length)


Refusal = Callable[[str, Part, Array], NoReturn]  # of an index that is outside of its part's size

# Indexes, and what waits for the result of their check, which may be an error.
Checked = tuple[list[Part], Callable[[], None]]


class Words(NamedTuple):
    """Places to write to, as `ops.scatter.scatter` takes them."""

    places: View
    stride: int
    cells: int | None


def unchecked(what: str, layout: Layout, advanced: Sequence[AdvancedIndex]) -> list[Part]:
    """Return the advanced indexes along dims of a layout, which are still to be checked.

    A mask is converted to the indexes of the elements that it selects; this waits for their number.
    """
    parts: list[Part] = []
    for entry in advanced:
        dims = range(entry.dim, entry.dim + entry.rank)
        index = entry.array
        if entry.is_mask and isinstance(index, Tensor):
            positions = nonzero_positions(what, index)
            parts.append(part_of(what, layout, dims, positions, entry.axis, is_mask=True))
        elif entry.is_mask:
            flat = np.flatnonzero(index)
            parts.append(part_of(what, layout, dims, flat, entry.axis, is_mask=True))
        else:
            parts.append(part_of(what, layout, dims, index, entry.axis))
    return parts


def part_of(
    what: str,
    layout: Layout,
    dims: Sequence[int],
    index: View | Array,
    axis: int | None,
    *,
    is_mask: bool = False,
) -> Part:
    """Return an index over these dims of a layout."""
    sizes = tuple([layout.sizes[dim] for dim in dims])
    if math.prod(sizes) > MOST:
        rule = f"cannot index over more than {MOST} elements"
        raise LayoutError(what, rule, axis=axis, size=math.prod(sizes))
    merged, ((strides, _),) = coalesce(sizes, (tuple([layout.strides[dim] for dim in dims]),))
    inner = packed_strides(merged, row_major(len(merged)))
    return Part(
        index, axis, math.prod(sizes), tuple(map(IndexedDim, strides, merged, inner)), is_mask
    )


def checked(what: str, parts: Sequence[Part]) -> list[Part]:
    """Check that all indexes are in bounds, and make those on the host nonnegative."""
    nonnegative, wait = being_checked(what, parts)
    wait()
    return nonnegative


def being_checked(what: str, parts: Sequence[Part], refusal: Refusal | None = None) -> Checked:
    """Do what `checked` does, but for waiting until indexes on the device are checked.

    Until then these may select any of the elements, but nothing beyond them. For those that are
    outside, `refusal` raises an error, or `refuse_index`.
    """
    checked_parts = [_checked_on_host(what, part) for part in parts]
    refusal = refusal or refuse_index
    asked = [
        (part, part.array)
        for part in checked_parts
        if isinstance(part.array, View) and part.is_asked
    ]
    if not asked:
        return checked_parts, lambda: None
    return checked_parts, checking(
        [(index, part.size) for part, index in asked],
        lambda number, index: refusal(what, asked[number][0], Tensor(index).numpy()),
    )


def _checked_on_host(what: str, part: Part) -> Part:
    index = part.array
    if isinstance(index, View):
        return part
    if index.size and not -part.size <= int(index.min()) <= int(index.max()) < part.size:
        refuse_index(what, part, index)
    known = index.astype(np.int64)
    return part._replace(array=np.where(known < 0, known + part.size, known))


def refuse_index(what: str, part: Part, index: Array) -> NoReturn:
    wrong = [
        int(position) for position in index.flat if not -part.size <= int(position) < part.size
    ]
    raise outside_of(what, part.axis, part.size, wrong[0])


def shape_of(what: str, parts: Sequence[Part]) -> Ints:
    """Return the shape to which the indexes broadcast."""
    shapes = tuple([part.shape for part in parts])
    try:
        return broadcast_sizes(what, shapes)
    except LayoutError:
        rule = "index arrays must broadcast together"
        raise LayoutIndexError(what, rule, shapes=shapes) from None


def to_read(what: str, parts: Sequence[Part], shape: Ints, near: View) -> tuple[View, Step]:
    """Combine all indexes into one, as `ops.gather.gather` takes it."""
    first = parts[0]
    if len(parts) == len(first.dims) == 1 and isinstance(first.array, View):
        dim = first.dims[0]
        return first.array, first.step(dim, dim.stride)
    dims = [dim for part in parts for dim in part.dims]
    stride = math.gcd(*[dim.stride for dim in dims]) or 1
    strides = [dim.stride // stride for dim in dims]
    words = _words(what, parts, [strides], shape, near)
    return with_layout(words, Layout(shape)), Step(stride)


def to_write(what: str, parts: Sequence[Part], shape: Ints, near: View) -> Words:
    """Combine all indexes into one, as `ops.scatter.scatter` takes it."""
    dims = [dim for part in parts for dim in part.dims]
    stride = math.gcd(*[dim.stride for dim in dims]) or 1
    strides = [dim.stride // stride for dim in dims]
    lengths = tuple([dim.length for dim in dims])
    if _are_distinct(parts, strides, shape):
        return Words(_words(what, parts, [strides], shape, near), stride, None)
    cells = math.prod(lengths)
    reached = 1 + sum([step * (length - 1) for step, length in zip(strides, lengths)])
    if min(strides, default=0) >= 0 and reached <= 2 * cells:
        return Words(_words(what, parts, [strides], shape, near), stride, reached)
    rows = [strides, list(packed_strides(lengths, row_major(len(lengths))))]
    return Words(_words(what, parts, rows, shape, near), stride, cells)


def _are_distinct(parts: Sequence[Part], strides: Sequence[int], shape: Ints) -> bool:
    """Whether the places are known on the host to be distinct."""
    if len(parts) == 1 and parts[0].is_mask:
        return True
    if any(isinstance(part.array, View) for part in parts):
        return False
    places = np.broadcast_to(_host_words(parts, strides, len(shape)), shape)
    return len(np.unique(places)) == places.size


def with_outer_dims(layout: Layout, before: int, after: int) -> Layout:
    """Add `before` dims of size 1 in front and `after` behind."""
    sizes = (*(1,) * before, *layout.sizes, *(1,) * after)
    strides = (*(1,) * before, *layout.strides, *(1,) * after)
    return Layout(sizes, strides, layout.offset)


def _words(
    what: str, parts: Sequence[Part], rows: Sequence[Sequence[int]], shape: Ints, near: View
) -> View:
    """Return a row of words for each row of strides: all indexes, scaled by them and added."""
    count, rank = math.prod(shape), len(shape)
    priors = [_host_words(parts, row, rank) for row in rows]
    if not any(isinstance(part.array, View) and part.dims for part in parts):
        whole = np.stack([np.broadcast_to(prior, shape).reshape(count) for prior in priors])
        return words_on_device(what, whole, near)
    words = temporary(what, Layout((len(rows), *shape)), uint32, near)
    for number, (row, prior) in enumerate(zip(rows, priors)):
        so_far = words_on_device(what, prior, near)
        steps = _device_steps(parts, row, rank)
        for index, step in steps[:-1]:
            target = temporary(what, Layout(shape), uint32, near)
            add_places(so_far, index, target, step)
            so_far = target
        add_places(
            so_far,
            steps[-1][0],
            with_layout(words, words.layout.select(0, number)),
            steps[-1][1],
        )
    return with_layout(words, Layout((len(rows), count)))


def _device_steps(
    parts: Sequence[Part], strides: Iterable[int], rank: int
) -> list[tuple[View, Step]]:
    """Return the indexes on the device as views of `rank` dims, with a step for each dim."""
    left = iter(strides)
    steps = []
    for part in parts:
        for dim, stride in zip(part.dims, left):
            if isinstance(part.array, View):
                own = part.array.layout
                index = with_layout(part.array, with_outer_dims(own, rank - own.rank, 0))
                steps.append((index, part.step(dim, stride)))
    return steps


def _host_words(parts: Sequence[Part], strides: Iterable[int], rank: int) -> Array:
    """Return the sum of the host's indexes, scaled by the strides, as words of `rank` dims."""
    left = iter(strides)
    total = np.zeros((1,) * rank, np.int64)
    for part in parts:
        for dim, stride in zip(part.dims, left):
            if not isinstance(part.array, View):
                total = total + part.array // dim.inner % dim.length * stride
    return (total & 0xFFFFFFFF).astype(np.uint32)
