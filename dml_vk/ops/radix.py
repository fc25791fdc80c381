"""Stable sorts of rows by counting: one pass for each byte of a key.

Elements, or keys with their places, move back and forth between two buffers. A key of 8 or 16 bits
and its place share one word.
"""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.dtypes import DType, uint8, uint16, uint32, uint64
from dml_vk.kernels.plan import radix
from dml_vk.kernels.plan.radix import DIGIT_BITS, DIGITS, Chunks, Rows
from dml_vk.kernels.plan.tasks import QUAD_BYTES
from dml_vk.layout import Layout
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import cast_elements
from dml_vk.ops.offsets import make_offsets
from dml_vk.ops.scan import EXCLUSIVE, SUM, scan_elements
from dml_vk.ops.view import View, access, temporary, with_dtype, with_layout

_WORD = 4
_REVERSED = 0xFFFFFFFF


class Order(NamedTuple):
    """Rows of a layout along a dim, as they are sorted: the other dims keep their order."""

    dim: int
    others: tuple[int, ...]  # outermost first
    descending: bool


def sort_values(what: str, source: View, target: View, order: Order) -> None:
    """Write the sorted elements, with all their bits."""
    dtype, layout = source.dtype, source.layout
    moved = _Moves(what, source, order, max(1, dtype.itemsize // _WORD), places=False)
    last = dtype.itemsize - 1
    for digit in range(last):
        moved.move(digit, dtype.code, radix.VALUE)
    pitch = _pitch(target.layout, order)
    if dtype.itemsize >= _WORD and pitch is not None:
        moved.move(last, dtype.code, radix.VALUE, (target, pitch))
        return
    moved.move(last, dtype.code, radix.VALUE)
    if dtype.itemsize >= _WORD:
        copy_elements(what, moved.view(dtype, layout), target)
    else:
        bits = with_dtype(target, uint8 if dtype.itemsize == 1 else uint16)
        cast_elements(what, moved.view(uint32, layout), bits)


def sort_places(what: str, source: View, order: Order) -> View:
    """Return the original places of the elements of sorted rows."""
    layout, itemsize = source.layout, source.dtype.itemsize
    if itemsize == 2 and layout.sizes[order.dim] <= radix.MOST_JOINED:
        moved = _Moves(what, source, order, 1, places=False)
        moved.move(0, source.dtype.code, radix.JOINED)
        moved.move(3, uint32.code, radix.UNJOINED)
        return moved.view(uint32, layout)
    moved = _Moves(what, source, order, max(1, itemsize // _WORD), places=itemsize > 1)
    code = source.dtype.code
    for digit in range(itemsize):
        moved.move(digit, code, radix.PLACED if digit < itemsize - 1 else radix.PLACE)
        code = moved.key_dtype.code
    return moved.view(uint32, layout)


def sort_keys(what: str, source: View, digits: int) -> tuple[View, View]:
    """Return the sorted keys of a source of one dim, and the place of each.

    Keys have no more digits than these.
    """
    order = Order(0, (), False)
    layout, code = source.layout, source.dtype.code
    moved = _Moves(what, source, order, max(1, source.dtype.itemsize // _WORD), places=True)
    for digit in range(digits):
        moved.move(digit, code, radix.PLACED)
        code = moved.key_dtype.code
    return moved.view(moved.key_dtype, layout), moved.view(uint32, layout, moved.places_at)


class _Moves:
    """The state of a sort: which of two buffers has the rows, and in what form."""

    def __init__(self, what: str, source: View, order: Order, words: int, *, places: bool) -> None:
        self._what, self._near, self._order = what, source, order
        sizes = source.layout.sizes
        length = sizes[order.dim]
        count = source.layout.numel // length
        self._rows = Rows(count, length, 0, -(-length // 4) * 4)
        self._chunks: Chunks = radix.chunks_of(count, length, source.device.profile)
        self._words = words
        self.key_dtype: DType = uint64 if words == 2 else uint32
        number = count * self._rows.target
        self.places_at = number * words
        self._buffer = Layout((number * (words + places),))
        teams, words = self._chunks.by_teams, self._chunks.words
        counts = Layout((count * DIGITS, words) if teams else (count, DIGITS * words))
        self._known = self._chunks.known
        is_alone = self._known == radix.ALONE
        self._counts = source if is_alone else temporary(what, counts, uint32, source)
        self._turned = _REVERSED if order.descending else 0
        self._has_places = False
        self._buffers: list[View] = []
        self._at, self._pitch = self._readable(source)
        self._itemsize = source.dtype.itemsize

    def _readable(self, source: View) -> tuple[View, int]:
        """Return the source, or a copy whose rows start at quads, and the pitch of its rows."""
        itemsize = source.dtype.itemsize
        per = QUAD_BYTES // itemsize
        pitch = _pitch(source.layout, self._order)
        starts = source.layout.offset, pitch if pitch is not None and self._rows.number > 1 else 0
        if pitch is not None and pitch >= 0 and not any(start % per for start in starts):
            return source, pitch
        pitch = -(-self._rows.length // per) * per
        layout = _rows(source.layout, self._order, pitch)
        memory = Layout((self._rows.number * pitch,))
        copied = with_layout(temporary(self._what, memory, source.dtype, source), layout)
        copy_elements(self._what, source, copied)
        return copied, pitch

    def move(
        self, digit: int, code: int, form: int, target: tuple[View, int] | None = None
    ) -> None:
        """Move all elements by a digit of their keys, to a buffer or to rows of a target."""
        device, profile = self._near.device, self._near.device.profile
        to, pitch = target or (self._next(), self._rows.target)
        rows = self._rows._replace(source=self._pitch, target=pitch)
        params = (self.places_at, self.places_at, DIGIT_BITS * digit, self._turned)
        if self._known != radix.ALONE:
            plan = radix.plan_count(rows, self._chunks, self._itemsize, code, profile)
            device.launch(plan, (access(self._at, False), access(self._counts, True)), params)
        if self._known == radix.MANY:
            self._scan_counts()
        plan = radix.plan_move(
            *(rows, self._chunks, self._itemsize, code, form, self._has_places, profile)
        )
        reads = access(self._at, False), access(self._counts, False)
        device.launch(plan, (*reads, access(to, True)), params)
        self._at, self._pitch, self._itemsize = to, pitch, self._words * _WORD
        if form != radix.VALUE:
            self._turned = 0  # it is part of the keys
        self._has_places = form == radix.PLACED

    def _scan_counts(self) -> None:
        if self._chunks.by_teams:
            make_offsets(self._counts)
        else:
            scan_elements(self._what, SUM, self._counts, self._counts, 1, EXCLUSIVE)

    def _next(self) -> View:
        """Return the buffer that is not read."""
        if len(self._buffers) < 2:
            self._buffers.append(temporary(self._what, self._buffer, uint32, self._near))
        else:
            self._buffers.reverse()
        return self._buffers[-1]

    def view(self, dtype: DType, layout: Layout, start: int = 0) -> View:
        """Return what was written last, as rows of a layout."""
        rows = _rows(layout, self._order, self._rows.target, start)
        return View(self._near.device, self._at.allocation, rows, dtype)


def _rows(layout: Layout, order: Order, pitch: int, start: int = 0) -> Layout:
    """Return a layout of rows that are `pitch` elements apart."""
    strides = [1] * layout.rank
    step = pitch
    for k in reversed(order.others):
        strides[k] = step
        step *= layout.sizes[k]
    return Layout(layout.sizes, strides, start, (*order.others, order.dim))


def _pitch(layout: Layout, order: Order) -> int | None:
    """Return the distance between rows of consecutive elements; None if it differs."""
    if layout.strides[order.dim] != 1 and layout.sizes[order.dim] > 1:
        return None
    pitch, inner = layout.sizes[order.dim], 1
    for k in reversed(order.others):
        if layout.sizes[k] == 1:
            continue
        if inner == 1:
            pitch = layout.strides[k]
        if layout.strides[k] != pitch * inner:
            return None
        inner *= layout.sizes[k]
    return pitch
