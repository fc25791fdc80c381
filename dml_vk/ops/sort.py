"""Stable sorts along a dim, of any dtype and layout.

Long rows are sorted by counting, where a device's profile says so: see ops/radix.py. Otherwise
elements are converted to keys, unsigned integers with the same order. Runs of keys, each with its
place, are sorted, and then merged in pairs, back and forth between two buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dml_vk.dtypes import DType, bool_, uint32, uint64
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.radix import suits
from dml_vk.kernels.plan.sort import PITCH, RUN, plan_keys, plan_merge, plan_runs
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import Layout
from dml_vk.ops import radix
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.gather import gather_elements
from dml_vk.ops.parts import imag_part, real_part
from dml_vk.ops.view import (
    View,
    access,
    check_target,
    operand,
    temporary,
    temporary_like,
    with_layout,
)
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.hazards import Access

MOST_ELEMENTS = 2**24  # sorted at once if rows allow it: each takes up to 24 temporary bytes


class Sorted(NamedTuple):
    """Sorted rows in temporaries, in which the sorted dim is innermost."""

    keys: View  # of 4 bytes or 8
    places: View  # uint32: the original index of each along the dim


def sort_elements(what: str, source: View, target: View, dim: int, descending: bool) -> None:
    """Write the elements along the dim in order, with all their bits.

    Elements that are equal keep their order. NaN is greater than all numbers, and equal to itself.
    """
    check_target(what, target, "out")
    source = copy_if_overlapping(what, source, target)
    for part, to in _parts(dim, source, target):
        if part.dtype.kind != "c" and _counts(part, dim):
            radix.sort_values(what, part, to, _order(part, dim, descending))
            continue
        places = sort_places(what, part, dim, descending)
        gather_elements(what, part, places, to, dim)


def argsort_elements(what: str, source: View, target: View, dim: int, descending: bool) -> None:
    """Write the indexes that sort the elements along the dim."""
    check_target(what, target, "out")
    if source.layout.numel > MOST_ELEMENTS:  # else everything is read before the first write
        source = copy_if_overlapping(what, source, target)
    for part, to in _parts(dim, source, target):
        places = sort_places(what, part, dim, descending)
        cast_elements(what, places, to)


def first_elements(
    what: str, source: View, values: View, indexes: View, dim: int, descending: bool
) -> None:
    """Write the first elements of the sorted dim, as many as the targets have, and their indexes.

    Neither target may share memory with the source.
    """
    for part, first, where in _parts(dim, source, values, indexes):
        places = sort_places(what, part, dim, descending)
        leading = with_layout(places, places.layout.narrow(dim, 0, first.layout.sizes[dim]))
        gather_elements(what, part, leading, first, dim)
        cast_elements(what, leading, where)


def sort_places(what: str, source: View, dim: int, descending: bool) -> View:
    """Return the places of the sorted elements along the dim: their original indexes, uint32.

    Complex elements are in NumPy's order: by the real part, and then by the imaginary part, those
    with NaN after all others. So they are sorted by the least important key first.
    """
    if source.dtype.kind != "c":
        return sort_rows(what, source, dim, descending)
    is_nan = temporary_like(what, source, bool_)
    compute(what, OPERATORS["isnan"], [source], is_nan, source.dtype)
    places = sort_rows(what, imag_part(source), dim, descending)
    for key in (real_part(source), is_nan):
        order = sort_rows(what, _gathered(what, key, places, dim), dim, descending)
        places = _gathered(what, places, order, dim)
    return places


def _gathered(what: str, source: View, places: View, dim: int) -> View:
    gathered = temporary_like(what, source, source.dtype)
    gather_elements(what, source, places, gathered, dim)
    return gathered


def sort_rows(what: str, source: View, dim: int, descending: bool) -> View:
    """Return the places of real elements along the dim."""
    if _counts(source, dim):
        return radix.sort_places(what, source, _order(source, dim, descending))
    layout = source.layout
    length = layout.sizes[dim]
    pitch = -(-length // PITCH) * PITCH
    return _sorted(what, source, _rows(layout, dim, pitch), length, pitch, descending).places


def sort_flat(what: str, source: View, digits: int | None = None) -> Sorted:
    """Return the sorted keys of all elements, and their places in row-major order.

    Keys of unsigned elements have no more digits, of 8 bits, than these.
    """
    layout, itemsize = source.layout, source.dtype.itemsize
    length = layout.numel
    if suits(1, length, itemsize, source.device.profile, digits):
        flat = layout.view(length)
        if flat is None:
            packed = temporary(what, Layout(layout.sizes), source.dtype, source)
            copy_elements(what, source, packed)
            source, flat = packed, Layout((length,))
        return Sorted(*radix.sort_keys(what, with_layout(source, flat), digits or itemsize))
    rows = _sorted(what, source, Layout(layout.sizes), length, length, False)
    return Sorted(*[_flattened(each) for each in rows])


def _counts(source: View, dim: int) -> bool:
    """Whether rows along the dim are sorted by counting."""
    layout = source.layout
    length = layout.sizes[dim]
    count = layout.numel // length
    return suits(count, length, source.dtype.itemsize, source.device.profile)


def _order(source: View, dim: int, descending: bool) -> radix.Order:
    others = tuple([k for k in source.layout.order if k != dim])
    return radix.Order(dim, others, descending)


class _Scratch(NamedTuple):
    """Temporary memory for all keys or places."""

    allocation: MemoryRange
    start: int
    nbytes: int
    dtype: DType

    def view(self, device: Device, layout: Layout) -> View:
        start = self.start // self.dtype.itemsize
        moved = Layout(layout.sizes, layout.strides, start, layout.order)
        return View(device, self.allocation, moved, self.dtype)

    def all(self, writes: bool) -> Access:
        """Return an access to the whole range: kernels also move the padding between rows."""
        return Access.of(self.allocation, self.start, self.start, self.start + self.nbytes, writes)


def _sorted(
    what: str, source: View, rows: Layout, length: int, pitch: int, descending: bool
) -> Sorted:
    """Sort rows of `length` elements; `rows` is the layout of their keys, at a `pitch`."""
    elements = source
    device, profile = elements.device, elements.device.profile
    key_dtype = uint64 if source.dtype.itemsize == 8 else uint32
    key_bytes = key_dtype.itemsize
    count = rows.numel // length
    number = -(-count * pitch // PITCH) * PITCH
    dtypes = (key_dtype, uint32) * (1 if length <= RUN else 2)
    keys, places, *spare = _scratch(what, source, number, dtypes)
    plan = plan_keys(
        rows.sizes,
        (operand(source), Operand(rows.strides, keys.start // key_bytes, key_bytes)),
        source.dtype.code,
        profile,
    )
    target = keys.view(device, rows)
    turned = 0xFFFFFFFF if descending else 0
    device.launch(plan, (access(source, False), access(target, True)), (turned, 0, 0, 0))
    plan = plan_runs(count, length, pitch, key_bytes, profile)
    device.launch(plan, (keys.all(True), places.all(True)))
    run = RUN
    while run < length:
        merged, where = spare
        plan = plan_merge(count, length, pitch, run, key_bytes, profile)
        reads = keys.all(False), places.all(False)
        device.launch(plan, (*reads, merged.all(True), where.all(True)))
        keys, places, spare = merged, where, [keys, places]
        run *= 2
    return Sorted(keys.view(device, rows), places.view(device, rows))


def _scratch(what: str, near: View, number: int, dtypes: Sequence[DType]) -> list[_Scratch]:
    """Allocate `number` elements of each dtype, in one allocation if it is not too large.

    One allocation is more likely to be reused by the next call, and so are the kernels bound to it.
    """
    sizes = [number * dtype.itemsize for dtype in dtypes]
    device, together = near.device, sum(sizes) <= near.device.limits.max_range_bytes // 2
    scratch: list[_Scratch] = []
    for nbytes, dtype in zip(sizes, dtypes):
        if not (scratch and together):
            wanted, start = sum(sizes) if together else nbytes, 0
            allocation = device.allocate(what, wanted, near.allocation)
        scratch.append(_Scratch(allocation, start, nbytes, dtype))
        start += nbytes
    return scratch


def _flattened(view: View) -> View:
    layout = view.layout
    return with_layout(view, Layout((layout.numel,), (1,), layout.offset))


def _rows(layout: Layout, dim: int, pitch: int) -> Layout:
    """Return a layout of rows along the dim, `pitch` elements apart, with other dims in order."""
    others = tuple([k for k in layout.order if k != dim])
    strides = [1] * layout.rank
    step = pitch
    for k in reversed(others):
        strides[k] = step
        step *= layout.sizes[k]
    return Layout(layout.sizes, strides, 0, (*others, dim))


def _parts(dim: int, source: View, *targets: View) -> Iterator[tuple[View, ...]]:
    """Split all of them into parts of whole rows that are sorted at once."""
    sizes = source.layout.sizes
    if not source.layout.numel:
        return
    most, at = max([(n, k) for k, n in enumerate(sizes) if k != dim], default=(1, dim))
    if most == 1 or source.layout.numel <= MOST_ELEMENTS:
        yield source, *targets
        return
    for start, length in ((0, most // 2), (most // 2, most - most // 2)):
        parts = [
            with_layout(view, view.layout.narrow(at, start, length)) for view in (source, *targets)
        ]
        yield from _parts(dim, *parts)
