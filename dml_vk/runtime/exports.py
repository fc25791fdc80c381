"""The allocations of an arena that other libraries may read at any time."""

from __future__ import annotations

import weakref
from functools import partial
from typing import ClassVar


class Exports:
    """Allocations by address, each exported as long as one of its holders lives.

    >>> from dml_vk.runtime.exports import Exports
    >>> class Holder: ...
    >>> exports, holder = Exports(), Holder()
    >>> exports.add(256, holder)
    >>> exports.has(256), exports.has(512)
    (True, False)
    >>> del holder
    >>> exports.has(256)
    False
    """

    __slots__ = ("_at",)
    alive: ClassVar[dict[tuple[int, int, int], weakref.ref[object]]] = {}
    """Of all arenas: almost always there are none."""

    def __init__(self) -> None:
        self._at: dict[int, dict[int, weakref.ref[object]]] = {}  # start -> holders by id

    def add(self, start: int, holder: object) -> None:
        """Export the allocation that starts there for the lifetime of `holder`."""
        key, holders = (id(self), start, id(holder)), self._at.setdefault(start, {})
        if key not in self.alive:
            # The callbacks are C code, which Ctrl-C cannot interrupt.
            holders[id(holder)] = weakref.ref(holder, partial(holders.pop, id(holder)))
            self.alive[key] = weakref.ref(holder, partial(self.alive.pop, key))

    def has(self, start: int) -> bool:
        """Whether the allocation that starts there is exported."""
        return bool(self._at.get(start))
