"""Sort: the order of the elements along a dim, of any dtype and layout. Always stable.

Elements become keys, whose order as unsigned integers is theirs. Runs of keys are sorted, each with
its place beside it, and then merged by twos, to and fro between two pieces of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dml_vk.dtypes import uint32
from dml_vk.kernels.plan_sort import PITCH, PLACE_BYTES, RUN, plan_keys, plan_merge, plan_runs
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import Typed, apart_typed, cast_elements
from dml_vk.ops.gather import gather_elements
from dml_vk.ops.strided import Strided
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.device import Device
from dml_vk.runtime.launch import Operand
from dml_vk.strides.order import Ints

MOST_ELEMENTS = 2**24  # sorted at once where rows allow it: each takes up to 24 bytes meanwhile


class Sorted(NamedTuple):
    """Rows in order, in memory of their own. The dim that was sorted is innermost in it."""

    keys: Strided  # of 4 bytes or 8
    places: Strided  # uint32: the index that each had along the dim


def sort_elements(what: str, source: Typed, target: Strided, dim: int, descending: bool) -> None:
    """Write the elements along the dim in order, bits and all.

    Elements that are equal keep their order. NaN is greater than all numbers, and equal to itself.
    """
    source = apart_typed(what, source, target)
    for part, to in _parts(source.strided, target, dim):
        places = sort_rows(what, source._replace(strided=part), dim, descending).places
        gather_elements(what, part, Typed(places, uint32), to, dim)


def argsort_elements(what: str, source: Typed, target: Typed, dim: int, descending: bool) -> None:
    """Write at each index along the dim where the element lies that comes there in that order."""
    target.strided.check_target(what, "out")
    if source.strided.layout.numel > MOST_ELEMENTS:  # else all is read before anything is written
        source = apart_typed(what, source, target.strided)
    for part, to in _parts(source.strided, target.strided, dim):
        places = sort_rows(what, source._replace(strided=part), dim, descending).places
        cast_elements(what, Typed(places, uint32), target._replace(strided=to))


def sort_rows(what: str, source: Typed, dim: int, descending: bool) -> Sorted:
    """The keys of the elements along the dim, in order, and where they were."""
    layout = source.strided.layout
    length = layout.sizes[dim]
    pitch = -(-length // PITCH) * PITCH
    return _sorted(what, source, _rows(layout, dim, pitch), length, pitch, descending)


def sort_flat(what: str, source: Typed) -> Sorted:
    """The keys of all elements in order, and where they were, counted in row-major order."""
    layout = source.strided.layout
    length = layout.numel
    found = _sorted(what, source, Layout(layout.sizes), length, length, False)
    return Sorted(*[_flattened(each) for each in found])


class _Room(NamedTuple):
    """Memory for as many keys or places as there are."""

    allocation: Allocation
    start: int
    nbytes: int
    itemsize: int

    def over(self, device: Device, layout: Layout) -> Strided:
        start = self.start // self.itemsize
        moved = Layout(layout.sizes, layout.strides, start, layout.order)
        return Strided(device, self.allocation, moved, self.itemsize)

    def operand(self, writes: bool) -> Operand:
        """All of it: kernels also move what is between rows."""
        return Operand(self.allocation, self.start, self.start, self.start + self.nbytes, writes)


def _sorted(
    what: str, source: Typed, rows: Layout, length: int, pitch: int, descending: bool
) -> Sorted:
    """What `rows` says of keys: rows of so many, so many elements apart."""
    elements = source.strided
    device, limits = elements.device, elements.device.limits
    key_bytes = 8 if elements.itemsize == 8 else 4
    count = rows.numel // length
    number = -(-count * pitch // PITCH) * PITCH
    itemsizes = (key_bytes, PLACE_BYTES) * (1 if length <= RUN else 2)
    keys, places, *spare = _rooms(what, elements, number, itemsizes)
    plan = plan_keys(
        rows.sizes,
        (elements.layout.strides, elements.layout.offset, elements.itemsize),
        (rows.strides, keys.start // key_bytes, key_bytes),
        source.dtype.code,
        limits,
    )
    target = keys.over(device, rows)
    turned = 0xFFFFFFFF if descending else 0
    device.queue.launch(plan, (elements.operand(False), target.operand(True)), (turned, 0, 0, 0))
    plan = plan_runs(count, length, pitch, key_bytes, limits)
    device.queue.launch(plan, (keys.operand(True), places.operand(True)))
    run = RUN
    while run < length:
        merged, where = spare
        plan = plan_merge(count, length, pitch, run, key_bytes, limits)
        reads = keys.operand(False), places.operand(False)
        device.queue.launch(plan, (*reads, merged.operand(True), where.operand(True)))
        keys, places, spare = merged, where, [keys, places]
        run *= 2
    return Sorted(keys.over(device, rows), places.over(device, rows))


def _rooms(what: str, near: Strided, number: int, itemsizes: Ints) -> list[_Room]:
    """So many elements of each size, all in one piece of memory if it can be that large.

    What one call needs again in the next is kept more surely so, and the kernels bound to it.
    """
    sizes = [number * itemsize for itemsize in itemsizes]
    device, together = near.device, sum(sizes) <= near.device.limits.max_range_bytes // 2
    rooms: list[_Room] = []
    for nbytes, itemsize in zip(sizes, itemsizes):
        if not (rooms and together):
            wanted, start = sum(sizes) if together else nbytes, 0
            allocation = device.allocate(what, wanted, near.allocation)
        rooms.append(_Room(allocation, start, nbytes, itemsize))
        start += nbytes
    return rooms


def _flattened(strided: Strided) -> Strided:
    layout = strided.layout
    return strided.over(Layout((layout.numel,), (1,), layout.offset))


def _rows(layout: Layout, dim: int, pitch: int) -> Layout:
    """The same sizes in rows along the dim, so many elements apart, and else in the same order."""
    others = tuple([k for k in layout.order if k != dim])
    strides = [1] * layout.rank
    step = pitch
    for k in reversed(others):
        strides[k] = step
        step *= layout.sizes[k]
    return Layout(layout.sizes, strides, 0, (*others, dim))


def _parts(source: Strided, target: Strided, dim: int) -> Iterator[tuple[Strided, Strided]]:
    """Both in pieces of whole rows that can be sorted at once."""
    sizes = source.layout.sizes
    if not source.layout.numel:
        return
    most, at = max([(n, k) for k, n in enumerate(sizes) if k != dim], default=(1, dim))
    if most == 1 or source.layout.numel <= MOST_ELEMENTS:
        yield source, target
        return
    for start, length in ((0, most // 2), (most // 2, most - most // 2)):
        part, to = [one.over(one.layout.narrow(at, start, length)) for one in (source, target)]
        yield from _parts(part, to, dim)
