"""A lock for state that no other thread, signal handler or finalizer may see half changed."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from dml_vk.errors import DeviceError

_gates: weakref.WeakSet[Gate] = weakref.WeakSet()


class Gate:
    """A lock that one thread at a time may hold, and not twice.

    Signal handlers and finalizers interrupt their own thread anywhere. A reentrant lock would show
    them half-made changes, and a plain lock would deadlock; this one raises an error.
    """

    __slots__ = ("__weakref__", "_is_owned", "_lock", "refuses")

    def __init__(self) -> None:
        self.refuses: Callable[[], DeviceError] | None = None  # makes the error if nobody may enter
        self.renew()
        _gates.add(self)

    def renew(self) -> None:
        """Replace the lock: in a forked child, the thread that held it does not exist."""
        lock: Any = threading.RLock()
        self._lock: AbstractContextManager[object] = lock
        # RLock sets and clears its owner in C, which no signal interrupts; an owner attribute of
        # our own could be left set. `threading.Condition` uses `_is_owned` too.
        self._is_owned: Callable[[], bool] = lock._is_owned

    def check(self) -> None:
        """Raise the error if nobody may enter."""
        if self.refuses:
            raise self.refuses()

    def enter(self) -> AbstractContextManager[object]:
        """Return the lock, to be used at once in a `with`."""
        if self.refuses:
            raise self.refuses()  # as in `check`, whose call would take a third of the time
        if self._is_owned():
            rule = "cannot be used by a signal handler or finalizer while a call is in progress"
            raise DeviceError("device", rule, thread=threading.get_ident())
        return self._lock


def _renew_all() -> None:
    for gate in list(_gates):
        gate.renew()


getattr(os, "register_at_fork", dict)(after_in_child=_renew_all)  # none on Windows
