"""What noted operations need on the way back: copied where others may write to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dml_vk.dtypes import DType
from dml_vk.gradients.memory import over, place_of
from dml_vk.layout import Layout
from dml_vk.ops.copy import copied
from dml_vk.ops.view import View
from dml_vk.runtime.arenas import MemoryRange

if TYPE_CHECKING:
    from dml_vk.gradients.tape import Entry


def move(view: View, entries: Sequence[Entry]) -> MemoryRange:
    """Copy the memory of a view, and let what these entries have saved be there."""
    key = place_of(view.allocation)
    dtype = _dtype_at(key, entries)
    layout = Layout((view.allocation.nbytes // dtype.itemsize,))
    new = copied("gradient", View(view.device, view.allocation, layout, dtype)).allocation
    for entry in entries:
        entry.saved = [
            over(x, new) if isinstance(x, View) and place_of(x.allocation) == key else x
            for x in entry.saved
        ]
    return new


def make_private(entries: Sequence[Entry], results: Iterable[object]) -> None:
    """Copy what the user can write to later: memory from outside, and that of results.

    Other memory is read-only from now on: the function may have left it elsewhere.
    """
    shared = {place_of(x.allocation) for x in results if isinstance(x, View)}
    own = {place_of(x.allocation) for entry in entries if entry.is_new for x in entry.results}
    views: dict[tuple[int, int], View] = {}
    users: dict[tuple[int, int], list[Entry]] = {}
    for entry in entries:
        for x in entry.saved:
            if isinstance(x, View):
                key = place_of(x.allocation)
                if key in shared or key not in own:
                    views[key] = x
                    users.setdefault(key, []).append(entry)
                else:
                    x.allocation.is_fixed = True
    for key, view in views.items():
        move(view, users[key])


def _dtype_at(key: tuple[int, int], entries: Sequence[Entry]) -> DType:
    """That of what is saved there, of which no other recorder sees the bits alone."""
    saved = [x for entry in entries for x in entry.saved if isinstance(x, View)]
    return max([x.dtype for x in saved if place_of(x.allocation) == key], key=lambda d: d.itemsize)
