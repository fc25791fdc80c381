"""Things that are used again once the object that they were lent to is gone."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Lease(weakref.ref[Any]):
    """What was lent to an object."""

    __slots__ = ("lent",)
    lent: Any


class Lending(Generic[T]):
    """Lends things, and gets them back by callbacks in C, which no signal can interrupt."""

    def __init__(self) -> None:
        # A lease for each thing, which keeps it alive. If only borrowers held things and one died
        # in a reference cycle, the collector would destroy the thing with it.
        self._leases: dict[int, _Lease] = {}  # by the id of the thing
        self._returned: deque[_Lease] = deque()

    def lend(self, borrower: object, make: Callable[[], T]) -> T:
        """Lend something that was returned, else something that is made now."""
        thing: T = self._returned.pop().lent if self._returned else make()
        lease = self._leases[id(thing)] = _Lease(borrower, self._returned.append)
        lease.lent = thing
        return thing
