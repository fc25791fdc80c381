"""A lock for books that must not be seen half written, by any thread, or by what interrupts one."""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import AbstractContextManager

from dml_vk.errors import DeviceError, explain

_gates: weakref.WeakSet[Gate] = weakref.WeakSet()


class Gate:
    """Lets in one thread at a time, and that once.

    Signal handlers and finalizers run in the middle of whatever their thread is doing. A lock that
    a thread may take twice would let them at half-made changes, and any other would never open.
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self.renew()
        _gates.add(self)

    def renew(self) -> None:
        """Forget who is inside: a forked child lacks that thread."""
        self._lock = threading.RLock()

    def enter(self) -> AbstractContextManager[object]:
        """To be used at once, in a `with`."""
        # The lock knows its owner, and takes and loses it in C, where no signal comes in between:
        # an owner of our own could be left behind by one. `_is_owned` is what Condition asks too.
        lock = self._lock
        if lock._is_owned():  # type: ignore[attr-defined]
            must = (
                "it must not be used in the middle of its own work, "
                "by a signal handler or a finalizer"
            )
            raise DeviceError(explain("device", must, thread=threading.get_ident()))
        return lock


def _renew_all() -> None:
    for gate in list(_gates):
        gate.renew()


getattr(os, "register_at_fork", dict)(after_in_child=_renew_all)  # none on Windows
