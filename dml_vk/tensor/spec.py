"""Spec: layout, dtype and device of a tensor as one object that is compared by identity."""

from __future__ import annotations

from typing import Any, ClassVar

from dml_vk.dtypes import DType
from dml_vk.layout import Layout
from dml_vk.runtime.device import Device

MOST = 4096  # cached specs; once the cache is cleared, equal tensors may have different ones


class Spec:
    """All properties of a tensor except its memory. Equal specs are the same object."""

    __slots__ = ("device", "dtype", "layout", "views")
    _known: ClassVar[dict[tuple[Layout, str, Device], Spec]] = {}

    def __init__(self, layout: Layout, dtype: DType, device: Device) -> None:
        self.layout = layout
        self.dtype = dtype
        self.device = device
        self.views: dict[Any, Spec] = {}  # a cache by the keys that select them

    @classmethod
    def of(cls, layout: Layout, dtype: DType, device: Device) -> Spec:
        key = layout, dtype.name, device
        found = cls._known.get(key)
        if found is None:
            if len(cls._known) >= MOST:
                cls._known.clear()
            found = cls._known[key] = cls(layout, dtype, device)
        return found
