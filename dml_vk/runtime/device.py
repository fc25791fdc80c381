"""Public devices: each is opened once and stays open for the life of the process."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import gc
import os
from collections import deque
from functools import partial

from dml_vk import context, environment
from dml_vk.arguments import to_int
from dml_vk.driver import probe
from dml_vk.driver.guard import FORKED, Guard
from dml_vk.driver.vulkan import quiet_layers
from dml_vk.errors import DeviceError
from dml_vk.limits import Limits
from dml_vk.observe import dispatches
from dml_vk.runtime import engines
from dml_vk.runtime.arenas import Memory, MemoryStats
from dml_vk.runtime.arithmetic import Arithmetic
from dml_vk.runtime.arithmetic_check import examine
from dml_vk.runtime.device_work import MOST_ASIDE, DeviceWork
from dml_vk.runtime.facts import facts_file
from dml_vk.runtime.gate import Gate
from dml_vk.runtime.interface import HostBlock, MemoryKind, Runtime
from dml_vk.runtime.queue import Queue
from dml_vk.runtime.rates import Rates
from dml_vk.runtime.rounds_check import most_rounds

_opened: dict[int, Device] = {}
_known: dict[int | str, Device] = {}  # by the argument of `device`: asking Vulkan is slow
_opening = Gate()


class Device(DeviceWork):
    """A Vulkan device with its memory and its queue of work. Created only by `device()`."""

    def __init__(self, info: probe.DeviceInfo) -> None:
        if not isinstance(info, probe.DeviceInfo):
            raise DeviceError("Device", "open devices with dml_vk.device()", info=info)
        self.info = info
        dispatches.set_up()
        self._guard = Guard(info)
        with quiet_layers():
            self._runtime: Runtime = engines.open_runtime(info)
        profile = dataclasses.replace(info.profile, max_rounds=most_rounds(self._runtime))
        self.queue = Queue(self._runtime, profile, self._compile_refusal)
        self.queue.encoder.rates = Rates(self.queue.rate_check(), facts_file("rates", info))
        self._arithmetic = self.queue.pipelines.arithmetic = Arithmetic(
            info.name, partial(examine, self._runtime), facts_file("arithmetic", info)
        )
        kind = self._kind()
        self.unified = kind == "unified"
        self.memory = self._memory(kind)
        self.staging = ()
        if not self.unified:
            self.uploads, self.downloads = self._memory("upload"), self._memory("readback")
            self.staging = self.uploads, self.downloads
        self.ring, self._aside = deque(maxlen=2), deque(maxlen=MOST_ASIDE)
        self.memory_limit = environment.memory_limit()

    def _kind(self) -> MemoryKind:
        """Choose the memory of tensors.

        Software and integrated devices share the host's; others need staging, at least for what is
        read. The setting forces each way on any device, so that it can be tested anywhere.
        """
        way, has_bar = environment.memory(), "bar" in self._runtime.kinds
        if way == "bar" and not has_bar:
            rule = "DML_VK_MEMORY=bar needs the runtime 'vulkan' and a device with resizable BAR"
            raise DeviceError("device", rule, runtime=self._runtime.name, name=self.name)
        if self.limits.unified and not way:
            return "unified"
        by_itself = has_bar and self.info.type == "discrete" and not way
        return "bar" if by_itself or way == "bar" else "device"

    def _memory(self, kind: MemoryKind) -> Memory:
        return Memory(
            self._runtime,
            self._guard,
            self.limits.max_range_bytes,
            kind,
            self.queue.flush,
            self.queue.forget,
        )

    def _compile_refusal(self) -> str | None:
        """Return why memory is too short to compile a kernel, even after trimming, or None."""
        if self._guard.no_slack() is None:
            return None
        gc.collect()
        for memory in (self.memory, *self.staging):
            memory.trim()
        return self._guard.no_slack()

    @property
    def limits(self) -> Limits:
        """The device's limits."""
        return self.profile

    @property
    def arithmetic(self) -> dict[str, bool]:
        """What the device's arithmetic is seen to do, by small kernels that know the results.

        >>> import dml_vk
        >>> dml_vk.device().arithmetic["rounds"]
        True
        """
        with self.queue.enter():
            return self._arithmetic.traits()

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def index(self) -> int:
        return self.info.index

    @property
    def memory_limit(self) -> int | None:
        """The maximum total size of arenas in bytes, including cached ones; None for no limit."""
        return self.memory.limit

    @memory_limit.setter
    def memory_limit(self, nbytes: int | None) -> None:
        if nbytes is not None:
            nbytes = to_int("device", "memory_limit", nbytes)
            if nbytes < 0:
                rule = "memory_limit must not be negative"
                raise DeviceError("device", rule, memory_limit=nbytes)
        self.memory.limit = nbytes

    def import_pages(self, address: int, nbytes: int, owner: object) -> HostBlock | None:
        """A block over pages of the host, as the runtime makes it."""
        with self.queue.enter():
            return self._runtime.import_pages(address, nbytes, owner)

    def synchronize(self) -> None:
        """Run all pending work, wait for it, and release memory that was idle for seconds."""
        with self.queue.enter():
            self.queue.flush()
            self._trim_idle()

    def memory_stats(self) -> MemoryStats:
        """Return how this device's memory is used. Staging buffers count as cached."""
        with self.queue.enter():
            stats = self.memory.stats()
            for staging in [memory.stats() for memory in self.staging]:
                stats = dataclasses.replace(
                    stats,
                    cached=stats.cached + staging.in_use + staging.cached,
                    arenas=stats.arenas + staging.arenas,
                )
            return stats.of(self.release_cached)

    def release_cached(self) -> None:
        """Release every empty arena."""
        with self.queue.enter():
            self.ring.clear()
            self._aside.clear()
            for memory in (self.memory, *self.staging):
                memory.trim()

    def __enter__(self) -> Device:
        """Make this the default device within the `with` block."""
        context.change(devices=(*context.get().devices, self))
        return self

    def __exit__(self, *error: object) -> None:
        context.change(devices=context.get().devices[:-1])

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the name, and the index among devices of the same name."""
        return _from_pickle, (self.index, self.name)

    def __repr__(self) -> str:
        return f"<dml_vk device {self.index}: {self.name}>"

    def _finish(self) -> None:
        """Wait for what runs, since drivers may crash where a process ends before its work."""
        with contextlib.suppress(DeviceError), self.queue.enter():
            self.queue.drain()

    def _abandon(self) -> None:
        """In a forked child, refuse all work and never let the runtime's destructors run."""
        self.queue.gate.refuses = lambda: DeviceError("device", FORKED, pid=os.getpid())
        memories = (self.memory, *self.staging)
        blocks = [arena.block for memory in memories for arena in memory.arenas]
        self._runtime.leak([*blocks, *self.queue.runtime_objects()])


def device(wanted: int | str | Device | probe.DeviceInfo | None = None) -> Device:
    """Return the device with this index or part of a name, and open it on first use.

    Without an argument it is the device of the innermost `with device(...)`, else the one that
    DML_VK_DEVICE names, else a discrete device before an integrated one, and that before a software
    one.

    >>> import dml_vk
    >>> with dml_vk.device() as chosen:
    ...     dml_vk.device() is chosen
    True
    """
    if isinstance(wanted, Device):
        return wanted
    if wanted is None and (entered := context.get().devices):
        return entered[-1]
    if isinstance(wanted, probe.DeviceInfo):
        wanted = wanted.index
    known = os.environ.get("DML_VK_DEVICE", "") if wanted is None else wanted
    if type(known) in (int, str) and known in _known:  # True == 1, but it is not an index.
        return _known[known]
    info = probe.select(wanted)
    with _opening.enter():
        existing = _opened.get(info.index)
        if existing is None:
            existing = _opened[info.index] = Device(info)
        _known[known] = existing
        return existing


def opened() -> list[Device]:
    """The devices that this process has opened."""
    return list(_opened.values())


def _from_pickle(index: int, name: str) -> Device:
    """Return the device of this name on the machine that reads the pickle."""
    for info in sorted(probe.devices(), key=lambda info: info.index != index):
        if info.name == name:
            return device(info)
    return device(name)


def default_device() -> Device:
    """Return the device on which tensors are created by default.

    >>> import dml_vk
    >>> dml_vk.default_device() is dml_vk.device()
    True
    """
    return device(None)


def synchronize() -> None:
    """Run all pending work on every open device, and wait for it.

    >>> import dml_vk
    >>> dml_vk.synchronize()
    """
    for open_device in opened():
        open_device.synchronize()


def memory_stats(wanted: int | str | Device | None = None) -> MemoryStats:
    """Return how a device's memory is used: in use, cached, the peak, and each arena.

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
        engines.exit_without_drivers()


@atexit.register
def _before_exit() -> None:
    for opened in _opened.values():
        opened._finish()


getattr(os, "register_at_fork", dict)(after_in_child=_after_fork)  # none on Windows
