"""Things that are used again once the object that used them is gone."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Use(weakref.ref[Any]):
    """A weak reference to an object that uses a thing."""

    __slots__ = ("thing",)
    thing: Any


class Reuse(Generic[T]):
    """Hands out things, and gets them back by callbacks in C, which no signal can interrupt."""

    def __init__(self) -> None:
        # The use of each thing, by its id, keeps it alive. If only users held things and one died
        # in a reference cycle, the collector would destroy the thing with it.
        self._uses: dict[int, _Use] = {}
        self._ended: deque[_Use] = deque()

    def take(self, user: object, make: Callable[[], T]) -> T:
        """Return a thing whose user is gone, else one that is made now."""
        thing: T = self._ended.pop().thing if self._ended else make()
        use = self._uses[id(thing)] = _Use(user, self._ended.append)
        use.thing = thing
        return thing
