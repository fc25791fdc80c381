"""Spec: layout, dtype and device of a tensor as one object that is compared by identity."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

from dml_vk.dtypes import DType
from dml_vk.layout import Layout
from dml_vk.ops.view import reach
from dml_vk.runtime.device import Device

MOST = 2**14  # cached specs; once the cache is cleared, equal tensors may have different ones
MOST_VIEWS = 2**14  # cached views of all specs together; all are forgotten once there are so many
MOST_OF_ONE = 2**10  # cached views of one spec, so that those of one loop leave room for others


class Spec:
    """All properties of a tensor except its memory. Equal specs are the same object."""

    __slots__ = ("device", "dtype", "layout", "span", "views")
    _known: ClassVar[dict[tuple[Layout, str, Device], Spec]] = {}
    _views: ClassVar[list[dict[Any, Spec]]] = []  # the dict of each view that is kept

    def __init__(self, layout: Layout, dtype: DType, device: Device) -> None:
        self.layout = layout
        self.dtype = dtype
        self.device = device
        self.views: dict[Any, Spec] = {}  # a cache by the keys that select them
        low, high = reach(layout.sizes, layout.strides)
        first, itemsize = layout.offset, dtype.itemsize
        # What a kernel that reads all elements accesses: base, low and high, in bytes.
        self.span = first * itemsize, (first + low) * itemsize, (first + high) * itemsize

    @classmethod
    def of(cls, layout: Layout, dtype: DType, device: Device) -> Spec:
        key = layout, dtype.name, device
        found = cls._known.get(key)
        if found is None:
            if len(cls._known) >= MOST:
                cls._known.clear()
            found = cls._known[key] = cls(layout, dtype, device)
        return found

    def keep(self, key: Any, view: Spec) -> None:
        """Keep the view that a key selects, until there are too many views."""
        kept = Spec._views
        if len(kept) >= MOST_VIEWS:
            with suppress(IndexError):  # Another thread does the same.
                while kept:
                    kept.pop().clear()
        kept.append(self.views)
        self.views[key] = view
