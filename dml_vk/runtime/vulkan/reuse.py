"""A pool of objects that are reused once their user is garbage-collected."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Use(weakref.ref[Any]):
    """A weak reference to the user of a pooled object."""

    __slots__ = ("thing",)
    thing: Any


class Reuse(Generic[T]):
    """A pool whose objects come back by callbacks in C, which no signal can interrupt."""

    def __init__(self) -> None:
        # These keep pooled objects alive, by id. If only users held them and a user died in a
        # reference cycle, the collector would destroy the pooled object with it.
        self._uses: dict[int, _Use] = {}
        self._ended: deque[_Use] = deque()

    def take(self, user: object, make: Callable[[], T]) -> T:
        """Return an object whose user is gone, or else make a new one."""
        thing: T = self._ended.pop().thing if self._ended else make()
        use = self._uses[id(thing)] = _Use(user, self._ended.append)
        use.thing = thing
        return thing
