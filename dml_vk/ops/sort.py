"""Sort: the order of the elements along a dim, of any dtype and layout. Always stable.

Elements become keys, whose order as unsigned integers is theirs. Runs of keys are sorted, each with
its place beside it, and then merged by twos, to and fro between two pieces of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dml_vk.dtypes import uint32
from dml_vk.kernels.plan import Plan
from dml_vk.kernels.plan_sort import PITCH, PLACE_BYTES, RUN, plan_keys, plan_merge, plan_runs
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import Typed, cast_elements
from dml_vk.ops.gather import gather_elements, typed_apart
from dml_vk.ops.strided import Strided
from dml_vk.runtime.launch import Operand

MOST_ELEMENTS = 2**24  # sorted at once where rows allow it: each takes up to 24 bytes meanwhile


class Sorted(NamedTuple):
    """Rows in order, in memory of their own. The dim that was sorted is innermost in it."""

    keys: Strided  # of 4 bytes or 8
    places: Strided  # uint32: the index that each had along the dim


def sort_elements(what: str, source: Typed, target: Strided, dim: int, descending: bool) -> None:
    """Write the elements along the dim in order, bits and all.

    Elements that are equal keep their order. NaN is greater than all numbers, and equal to itself.
    """
    source = typed_apart(what, source, target)
    for part, to in _parts(source.strided, target, dim):
        places = sort_rows(what, source._replace(strided=part), dim, descending).places
        gather_elements(what, part, Typed(places, uint32), to, dim)


def argsort_elements(what: str, source: Typed, target: Typed, dim: int, descending: bool) -> None:
    """Write at each index along the dim where the element lies that comes there in that order."""
    target.strided.check_target(what, "out")
    if source.strided.layout.numel > MOST_ELEMENTS:  # else all is read before anything is written
        source = typed_apart(what, source, target.strided)
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
    flat = Layout((length,))
    found = _sorted(what, source, Layout(layout.sizes), length, length, False)
    return Sorted(*[each._replace(layout=flat) for each in found])


def _sorted(
    what: str, source: Typed, rows: Layout, length: int, pitch: int, descending: bool
) -> Sorted:
    """What `rows` says of keys: rows of so many, so many elements apart."""
    elements = source.strided
    device, limits = elements.device, elements.device.limits
    count = max(1, rows.numel // length)
    key_bytes = 8 if elements.itemsize == 8 else 4

    def room(itemsize: int) -> Strided:
        nbytes = -(-count * pitch // PITCH) * PITCH * itemsize
        allocation = device.allocate(what, nbytes, elements.allocation)
        return Strided(device, allocation, rows, itemsize)

    def launch(plan: Plan, *operands: Operand) -> None:
        device.queue.launch(plan, operands)

    keys, places = room(key_bytes), room(PLACE_BYTES)
    plan = plan_keys(
        rows.sizes,
        (elements.layout.strides, elements.layout.offset, elements.itemsize),
        (rows.strides, rows.offset, key_bytes),
        source.dtype.code,
        limits,
    )
    turned = 0xFFFFFFFF if descending else 0
    device.queue.launch(plan, (elements.operand(False), keys.operand(True)), (turned, 0, 0, 0))
    launch(
        plan_runs(count, length, pitch, key_bytes, limits), _whole(keys, True), _whole(places, True)
    )
    run, spare = RUN, None
    while run < length:
        merged, where = spare or (room(key_bytes), room(PLACE_BYTES))
        plan = plan_merge(count, length, pitch, run, key_bytes, limits)
        launch(
            plan,
            _whole(keys, False),
            _whole(places, False),
            _whole(merged, True),
            _whole(where, True),
        )
        keys, places, spare = merged, where, (keys, places)
        run *= 2
    return Sorted(keys, places)


def _whole(strided: Strided, writes: bool) -> Operand:
    """What is between rows too, which kernels move along."""
    return Operand(strided.allocation, 0, 0, strided.allocation.nbytes, writes)


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
        part, to = [
            one._replace(layout=one.layout.narrow(at, start, length)) for one in (source, target)
        ]
        yield from _parts(part, to, dim)
