"""Devices as users meet them: opened once each, then kept for the life of the process."""

from __future__ import annotations

import dataclasses
import gc
import os
from contextvars import ContextVar

from dml_vk import probe, settings
from dml_vk.errors import DeviceError, explain
from dml_vk.guard import FORKED, Guard
from dml_vk.runtime import journal
from dml_vk.runtime.arenas import Allocation, Arena, Memory, MemoryStats
from dml_vk.runtime.gate import Gate
from dml_vk.runtime.kompute import Runtime, exit_without_drivers
from dml_vk.runtime.launch import Queue
from dml_vk.runtime.rounds_check import most_rounds
from dml_vk.strides.order import to_int
from dml_vk.vulkan import quiet_layers

_opened: dict[int, Device] = {}
_known: dict[int | str, Device] = {}  # by what was asked for: to ask Vulkan each time is slow
_opening = Gate()
_scopes: ContextVar[tuple[Device, ...]] = ContextVar("dml_vk.device", default=())


class Device:
    """A Vulkan device with its memory and its queue of work. Made by `device()` only."""

    def __init__(self, info: probe.DeviceInfo) -> None:
        if not isinstance(info, probe.DeviceInfo):
            raise DeviceError(
                explain("Device", "devices must be opened by dml_vk.device()", info=info)
            )
        self.info = info
        journal.set_up()
        self._guard = Guard(info)
        with quiet_layers():
            self._runtime = Runtime(info.index, info.name, info.timestamp_period)
        self.limits = dataclasses.replace(info.limits, max_rounds=most_rounds(self._runtime))
        self.queue = Queue(self._runtime, self.limits, self._no_room)
        # Software and integrated devices share the host's memory; others are reached through
        # staging. The switch takes the second way everywhere, so that it can be tested anywhere.
        self.unified = self.limits.unified and not settings.staged()
        self.memory = self._memory(self.unified)
        self.staging = self.memory if self.unified else self._memory(True)
        self.memory_limit = settings.memory_limit()

    def _memory(self, host: bool) -> Memory:
        return Memory(
            self._runtime,
            self._guard,
            self.limits.max_range_bytes,
            host,
            self.queue.flush,
            self.queue.forget,
        )

    def _no_room(self) -> str | None:
        """Why the driver may lack what it needs to compile a kernel, all else being given up."""
        if self._guard.no_slack() is None:
            return None
        gc.collect()
        self.memory.trim()
        self.staging.trim()
        return self._guard.no_slack()

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def index(self) -> int:
        return self.info.index

    @property
    def memory_limit(self) -> int | None:
        """The most bytes that arenas may take, tensors and cache together; None: what there is."""
        return self.memory.limit

    @memory_limit.setter
    def memory_limit(self, nbytes: int | None) -> None:
        if nbytes is not None:
            nbytes = to_int("device", "memory_limit", nbytes)
            if nbytes < 0:
                must = "memory_limit must not be negative"
                raise DeviceError(explain("device", must, memory_limit=nbytes))
        self.memory.limit = nbytes

    def allocate(self, what: str, nbytes: int, near: Allocation | None = None) -> Allocation:
        """A range of the device's memory for the operation `what`, best in the arena of `near`."""
        with self.queue.enter():
            return self.memory.allocate(what, nbytes, near.arena if near else None)

    def synchronize(self) -> None:
        """Do all pending work, wait for it, and give back memory that lies idle."""
        with self.queue.enter():
            self.queue.flush()
            self.memory.settle()
            if not self.unified:
                self.staging.settle()

    def memory_stats(self) -> MemoryStats:
        """What this device's memory holds. Staging counts as cached."""
        with self.queue.enter():
            stats = self.memory.stats()
            if self.unified:
                return stats
            staging = self.staging.stats()
            return dataclasses.replace(
                stats,
                cached=stats.cached + staging.in_use + staging.cached,
                arenas=stats.arenas + staging.arenas,
            )

    def release_cached(self) -> None:
        """Give back every arena that holds nothing."""
        with self.queue.enter():
            self.memory.trim()
            self.staging.trim()

    def __enter__(self) -> Device:
        """Inside the `with`, this is the default device."""
        _scopes.set((*_scopes.get(), self))
        return self

    def __exit__(self, *error: object) -> None:
        _scopes.set(_scopes.get()[:-1])

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as its name, and its place among others of the name."""
        return _from_pickle, (self.index, self.name)

    def __repr__(self) -> str:
        return f"<dml_vk device {self.index}: {self.name}>"

    def _abandon(self) -> None:
        """In a forked child: never run anything, and never let kp's destructors run."""
        self.queue.refuses = explain("device", FORKED, pid=os.getpid())
        arenas: list[Arena] = [*self.memory.arenas, *self.staging.arenas]
        self._runtime.leak([*(arena.block for arena in arenas), *self.queue.kp_objects()])


def device(wanted: int | str | Device | probe.DeviceInfo | None = None) -> Device:
    """The device with this index or part of a name, opened on first use.

    Without either it is the device of the innermost `with device(...)`, else what DML_VK_DEVICE
    says, else a discrete device before an integrated one, and that before a software one.

    >>> import dml_vk
    >>> with dml_vk.device() as chosen:
    ...     dml_vk.device() is chosen
    True
    """
    if isinstance(wanted, Device):
        return wanted
    if wanted is None and (scopes := _scopes.get()):
        return scopes[-1]
    if isinstance(wanted, probe.DeviceInfo):
        wanted = wanted.index
    known = os.environ.get("DML_VK_DEVICE", "") if wanted is None else wanted
    if type(known) in (int, str) and known in _known:  # True is 1 as well, but names no device.
        return _known[known]
    info = probe.select(wanted)
    with _opening.enter():
        found = _opened.get(info.index)
        if found is None:
            found = _opened[info.index] = Device(info)
        _known[known] = found
        return found


def _from_pickle(index: int, name: str) -> Device:
    """The device of this name where the pickle is read, which may be another machine."""
    for info in sorted(probe.devices(), key=lambda info: info.index != index):
        if info.name == name:
            return device(info)
    return device(name)


def default_device() -> Device:
    """The device of all that is made without naming one.

    >>> import dml_vk
    >>> dml_vk.default_device() is dml_vk.device()
    True
    """
    return device(None)


def synchronize() -> None:
    """Do all pending work on every device that is open, and wait for it.

    >>> import dml_vk
    >>> dml_vk.synchronize()
    """
    for opened in list(_opened.values()):
        opened.synchronize()


def memory_stats(wanted: int | str | Device | None = None) -> MemoryStats:
    """What a device's memory holds: in use, cached, the peak, and each arena.

    >>> import dml_vk
    >>> stats = dml_vk.memory_stats()
    >>> stats.in_use <= stats.peak
    True
    """
    return device(wanted).memory_stats()


def _after_fork() -> None:
    for opened in _opened.values():
        opened._abandon()
    if _opened:
        exit_without_drivers()


getattr(os, "register_at_fork", dict)(after_in_child=_after_fork)  # none on Windows
