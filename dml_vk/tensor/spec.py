"""Spec: layout, dtype and device of a tensor as one object that is compared by identity."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from typing import ClassVar

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
    _views: ClassVar[list[dict[Hashable, Spec]]] = []  # the dict of each view that is kept

    def __init__(self, layout: Layout, dtype: DType, device: Device) -> None:
        self.layout = layout
        self.dtype = dtype
        self.device = device
        self.views: dict[Hashable, Spec] = {}  # a cache by the keys that select them
        low, high = reach(layout.sizes, layout.strides)
        first, itemsize = layout.offset, dtype.itemsize
        # What a kernel that reads all elements accesses, in bytes: see `Access.span`.
        start, end = (first + low) * itemsize, (first + high) * itemsize
        self.span = first * itemsize, start & ~3, end + 3 & ~3, False

    @classmethod
    def of(cls, layout: Layout, dtype: DType, device: Device) -> Spec:
        key = layout, dtype.name, device
        spec = cls._known.get(key)
        if spec is None:
            if len(cls._known) >= MOST:
                cls._known.clear()
            spec = cls._known[key] = cls(layout, dtype, device)
        return spec

    def keep(self, key: Hashable, layout: Layout) -> Spec | None:
        """Keep the view that a key selects, until there are too many; None if this has many."""
        if len(self.views) >= MOST_OF_ONE:
            return None
        view, caches = Spec.of(layout, self.dtype, self.device), Spec._views
        if len(caches) >= MOST_VIEWS:
            with suppress(IndexError):  # Another thread does the same.
                while caches:
                    caches.pop().clear()
        caches.append(self.views)
        self.views[key] = view
        return view
