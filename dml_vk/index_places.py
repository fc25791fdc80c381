"""Indexes of dims as places in memory: checked, and made one of several.

What the host knows, lists and NumPy's arrays, is checked and added up there. What is on the device
stays there, but for the answer whether all of it is inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from dml_vk.dtypes import uint32
from dml_vk.errors import LayoutError, LayoutIndexError, explain
from dml_vk.host import Array
from dml_vk.index_keys import Lead, outside_of
from dml_vk.kernels.plan_gather import Step
from dml_vk.layout import Layout
from dml_vk.operands import typed
from dml_vk.ops.compact import nonzero_positions
from dml_vk.ops.elementwise import Typed
from dml_vk.ops.gather import add_places, outside, words_on_device
from dml_vk.ops.strided import Strided, room
from dml_vk.strides.order import Ints, packed_strides, row_major
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.strides.reshape import coalesce
from dml_vk.tensor import Tensor

MOST = 2**31  # indexes of a dim, which kernels count in 32 bits


class Way(NamedTuple):
    """A dim that an index goes along."""

    stride: int
    length: int  # indexes of the dim
    inner: int  # indexes of further dims inside each of them


class Part(NamedTuple):
    """An index that goes along some dims at once, in row-major order: mostly along one."""

    array: Typed | Array
    axis: int | None  # what to call it; None where it is about all elements
    size: int  # what it counts in: all its ways' lengths
    ways: tuple[Way, ...]
    is_mask: bool = False  # so it is inside, and no element comes twice

    @property
    def shape(self) -> Ints:
        return (
            self.array.strided.layout.sizes if isinstance(self.array, Typed) else self.array.shape
        )

    def step(self, way: Way, stride: int) -> Step:
        """What the index means along one way, by kernels."""
        size = 0 if self.is_mask else self.size
        if len(self.ways) == 1:
            return Step(stride, size)
        return Step(stride, size, way.inner, way.length)


class Words(NamedTuple):
    """Places to write to: `ops.scatter.scatter` says what these are."""

    places: Strided
    stride: int
    cells: int | None


def parts_of(what: str, layout: Layout, leads: Sequence[Lead]) -> list[Part]:
    """The indexes that lead along dims of a layout, all of which turn out to be inside.

    A mask is the index of what it selects, for whose number this waits.
    """
    parts: list[Part] = []
    for lead in leads:
        dims = range(lead.dim, lead.dim + lead.rank)
        index = lead.array
        if lead.is_mask and isinstance(index, Tensor):
            found = nonzero_positions(what, typed(index))
            parts.append(part_of(what, layout, dims, found, lead.axis, is_mask=True))
        elif lead.is_mask:
            flat = np.flatnonzero(index)
            parts.append(part_of(what, layout, dims, flat, lead.axis, is_mask=True))
        else:
            given = typed(index) if isinstance(index, Tensor) else index
            parts.append(part_of(what, layout, dims, given, lead.axis))
    return checked(what, parts)


def part_of(
    what: str,
    layout: Layout,
    dims: Sequence[int],
    index: Typed | Array,
    axis: int | None,
    *,
    is_mask: bool = False,
) -> Part:
    """An index over these dims of a layout."""
    sizes = tuple([layout.sizes[dim] for dim in dims])
    if math.prod(sizes) > MOST:
        must = f"indexes must be those of at most {MOST} places"
        raise LayoutError(explain(what, must, axis=axis, size=math.prod(sizes)))
    merged, ((strides, _),) = coalesce(sizes, (tuple([layout.strides[dim] for dim in dims]),))
    inner = packed_strides(merged, row_major(len(merged)))
    return Part(index, axis, math.prod(sizes), tuple(map(Way, strides, merged, inner)), is_mask)


def checked(what: str, parts: Sequence[Part]) -> list[Part]:
    """The same, what the host knows counted from the front; an error for what is outside."""
    found = [_checked_on_host(what, part) for part in parts]
    asked = [
        (part, part.array)
        for part in found
        if isinstance(part.array, Typed) and not part.is_mask and 0 not in part.shape
    ]
    if asked:
        answers = outside([(index, part.size) for part, index in asked])
        for (part, index), is_outside in zip(asked, answers):
            if is_outside:
                _refuse(what, part, Tensor(index.strided, index.dtype).numpy())
    return found


def _checked_on_host(what: str, part: Part) -> Part:
    index = part.array
    if isinstance(index, Typed):
        return part
    if index.size and not -part.size <= int(index.min()) <= int(index.max()) < part.size:
        _refuse(what, part, index)
    known = index.astype(np.int64)
    return part._replace(array=np.where(known < 0, known + part.size, known))


def _refuse(what: str, part: Part, index: Array) -> NoReturn:
    wrong = [int(one) for one in index.flat if not -part.size <= int(one) < part.size]
    raise LayoutIndexError(outside_of(what, part.axis, part.size, wrong[0]))


def shape_of(what: str, parts: Sequence[Part]) -> Ints:
    """The sizes that indexes have together."""
    shapes = tuple([part.shape for part in parts])
    try:
        return broadcast_sizes(what, shapes)
    except LayoutError:
        must = "indexes must have shapes that broadcast"
        raise LayoutIndexError(explain(what, must, shapes=shapes)) from None


def to_read(what: str, parts: Sequence[Part], shape: Ints, near: Strided) -> tuple[Typed, Step]:
    """One index for all of them, as `ops.gather.gather` takes it."""
    first = parts[0]
    if len(parts) == len(first.ways) == 1 and isinstance(first.array, Typed):
        way = first.ways[0]
        return first.array, first.step(way, way.stride)
    ways = [way for part in parts for way in part.ways]
    stride = math.gcd(*[way.stride for way in ways]) or 1
    strides = [way.stride // stride for way in ways]
    words = _words(what, parts, [strides], shape, near)
    return Typed(words.over(Layout(shape)), uint32), Step(stride)


def to_write(what: str, parts: Sequence[Part], shape: Ints, near: Strided) -> Words:
    """One index for all of them, as `ops.scatter.scatter` takes it."""
    ways = [way for part in parts for way in part.ways]
    stride = math.gcd(*[way.stride for way in ways]) or 1
    strides = [way.stride // stride for way in ways]
    lengths = tuple([way.length for way in ways])
    if _are_distinct(parts, strides, shape):
        return Words(_words(what, parts, [strides], shape, near), stride, None)
    cells = math.prod(lengths)
    reached = 1 + sum([step * (length - 1) for step, length in zip(strides, lengths)])
    if min(strides, default=0) >= 0 and reached <= 2 * cells:
        return Words(_words(what, parts, [strides], shape, near), stride, reached)
    rows = [strides, list(packed_strides(lengths, row_major(len(lengths))))]
    return Words(_words(what, parts, rows, shape, near), stride, cells)


def _are_distinct(parts: Sequence[Part], strides: Sequence[int], shape: Ints) -> bool:
    """The host knows that no place comes twice."""
    if len(parts) == 1 and parts[0].is_mask:
        return True
    if any(isinstance(part.array, Typed) for part in parts):
        return False
    places = np.broadcast_to(_host_words(parts, strides, len(shape)), shape)
    return len(np.unique(places)) == places.size


def between(layout: Layout, before: int, after: int) -> Layout:
    """With so many dims of size 1 more in front and behind."""
    sizes = (*(1,) * before, *layout.sizes, *(1,) * after)
    strides = (*(1,) * before, *layout.strides, *(1,) * after)
    return Layout(sizes, strides, layout.offset)


def _words(
    what: str, parts: Sequence[Part], rows: Sequence[Sequence[int]], shape: Ints, near: Strided
) -> Strided:
    """A row of words for each row of strides, one for each way: what all come to by them."""
    count, rank = math.prod(shape), len(shape)
    priors = [_host_words(parts, row, rank) for row in rows]
    if not any(isinstance(part.array, Typed) and part.ways for part in parts):
        whole = np.stack([np.broadcast_to(prior, shape).reshape(count) for prior in priors])
        return words_on_device(what, whole, near)
    words = room(what, Layout((len(rows), *shape)), uint32.itemsize, near)
    for number, (row, prior) in enumerate(zip(rows, priors)):
        so_far = words_on_device(what, prior, near)
        steps = _device_steps(parts, row, rank)
        for index, step in steps[:-1]:
            target = room(what, Layout(shape), uint32.itemsize, near)
            add_places(so_far, index, target, step)
            so_far = target
        add_places(
            so_far,
            steps[-1][0],
            words.over(words.layout.select(0, number)),
            steps[-1][1],
        )
    return words.over(Layout((len(rows), count)))


def _device_steps(
    parts: Sequence[Part], strides: Iterable[int], rank: int
) -> list[tuple[Typed, Step]]:
    """What is on the device, along each way, in so many dims."""
    left = iter(strides)
    steps = []
    for part in parts:
        for way, stride in zip(part.ways, left):
            if isinstance(part.array, Typed):
                own = part.array.strided.layout
                index = part.array.over(between(own, rank - own.rank, 0))
                steps.append((index, part.step(way, stride)))
    return steps


def _host_words(parts: Sequence[Part], strides: Iterable[int], rank: int) -> Array:
    """What the host knows, along all ways, in so many dims."""
    left = iter(strides)
    total = np.zeros((1,) * rank, np.int64)
    for part in parts:
        for way, stride in zip(part.ways, left):
            if not isinstance(part.array, Typed):
                total = total + part.array // way.inner % way.length * stride
    return (total & 0xFFFFFFFF).astype(np.uint32)
