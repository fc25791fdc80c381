"""Public devices: each is opened once and stays open for the life of the process."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import gc
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial

import numpy as np

from dml_vk import environment
from dml_vk.arguments import Ints, to_int
from dml_vk.driver import probe
from dml_vk.driver.guard import FORKED, Guard
from dml_vk.driver.vulkan import quiet_layers
from dml_vk.errors import DeviceError
from dml_vk.kernels.plan.base import Plan
from dml_vk.limits import Limits, Profile
from dml_vk.observe import dispatches
from dml_vk.runtime import engines, transfer
from dml_vk.runtime.arenas import Allocation, Bytes, Memory, MemoryStats
from dml_vk.runtime.arithmetic import Arithmetic
from dml_vk.runtime.arithmetic_check import examine
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.facts import facts_file
from dml_vk.runtime.gate import Gate
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import MemoryKind, Runtime
from dml_vk.runtime.queue import Queue
from dml_vk.runtime.rates import Rates
from dml_vk.runtime.rounds_check import most_rounds

# Checks bytes that a device has computed. The function that it gets returns the memory that stands
# behind a placeholder, where the call was captured.
Check = Callable[[Bytes, Callable[[Allocation], Allocation]], None]

_opened: dict[int, Device] = {}
_known: dict[int | str, Device] = {}  # by the argument of `device`: asking Vulkan is slow
_opening = Gate()
_scopes: ContextVar[tuple[Device, ...]] = ContextVar("dml_vk.device", default=())


class Device:
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
        # Memory through which bytes come and go, where the host does not see the device's.
        self.staging: tuple[Memory, ...] = ()
        if not self.unified:
            self.uploads, self.downloads = self._memory("upload"), self._memory("readback")
            self.staging = self.uploads, self.downloads
        self.ring: deque[Allocation] = deque(maxlen=2)  # the last chunks of uploads
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
    def profile(self) -> Profile:
        """The device's limits and features, which plans depend on."""
        return self.queue.encoder.profile

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

    def allocate(self, what: str, nbytes: int, near: Allocation | None = None) -> Allocation:
        """Allocate memory for the operation `what`, preferably in the arena of `near`."""
        with self.queue.enter():
            return self.memory.allocate(what, nbytes, near.arena if near else None)

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        otherwise: Plan | None = None,
        what: str = "launch",
    ) -> None:
        """Launch a plan, or `otherwise` if there is no memory for the plan's arguments.

        Arguments must be in the arena that the last access writes, which the kernel binds.
        """
        if plan.arguments and otherwise is not None:
            words, arena = np.array(plan.arguments, np.uint32), accesses[-1].arena
            with self.queue.enter():
                allocation = self.memory.allocate(what, words.nbytes, arena)
            if allocation.arena is arena:
                self.upload(words.view(np.uint8), allocation)
                arguments = Access.of(allocation, 0, 0, words.nbytes, False)
                self.queue.launch(plan, accesses, params, arguments)
                return
            plan = otherwise
        self.queue.launch(plan, accesses, params)

    def launch_new(
        self,
        what: str,
        plan: Plan,
        accesses: list[Access],
        span: tuple[int, int, int],
        nbytes: int,
        params: Ints,
    ) -> Allocation:
        """Launch a plan into newly allocated memory, whose access is added to those that read.

        It is to the `span` (base, low, high) there, of which the ends are of whole words.
        """
        queue = self.queue
        with queue.enter():
            allocation = self.memory.allocate(what, nbytes, accesses[0].arena)
            at, (base, low, high) = allocation.offset, span
            accesses.append(Access(allocation.arena, at, at + base, at + low, at + high, True))
            queue.add(plan, accesses, params)
        return allocation

    def dispatch(self, work: Dispatched, accesses: Sequence[Access]) -> None:
        """Run a shader of the user's."""
        self.queue.dispatch(work, accesses)

    def mapped(
        self, allocation: Allocation, write: bool, part: Access | None = None
    ) -> Bytes | None:
        """Wait for pending work on the memory and return it, or None if it is not host-visible.

        Work on other bytes than those of `part`, if it is given, may still be pending.
        """
        return transfer.mapped(self, allocation, write, part)

    def written(
        self, allocation: Allocation, start: int, nbytes: int
    ) -> AbstractContextManager[Bytes]:
        """Yield host memory for one chunk at most; on exit the allocation has its contents."""
        return transfer.written(self, allocation, start, nbytes)

    def upload(self, data: Bytes, allocation: Allocation, start: int = 0) -> None:
        """Write bytes to the allocation, from `start` on."""
        transfer.upload(self, data, allocation, start)

    def download(self, allocation: Allocation, start: int, data: Bytes) -> None:
        """Fill `data` with bytes of the allocation, from `start` on."""
        transfer.download(self, allocation, start, data)

    def pieces(
        self, allocation: Allocation, start: int, nbytes: int
    ) -> Iterator[tuple[int, Bytes]]:
        """Yield bytes of the allocation in pieces, while the device copies the next one."""
        return transfer.pieces(self, allocation, start, nbytes)

    def verify(self, allocation: Allocation, start: int, nbytes: int, check: Check) -> None:
        """Wait for these bytes and check them, which may raise an error."""
        data = np.empty(nbytes, np.uint8)
        self.download(allocation, start, data)
        check(data, lambda memory: memory)

    def not_captured(self) -> AbstractContextManager[None]:
        """Do what is called inside, even while a program is captured: it is kept between calls."""
        return contextlib.nullcontext()

    def synchronize(self) -> None:
        """Run all pending work, wait for it, and release memory that was idle for seconds."""
        with self.queue.enter():
            self.queue.flush()
            self._trim_idle()

    def settle(self, allocation: Allocation, write: bool, part: Access | None = None) -> None:
        """Wait until the host may read, or write, this memory, or only this part of it."""
        if self.queue.settle(allocation, write, part) and self.queue.is_idle:
            with self.queue.enter():
                self._trim_idle()

    def _trim_idle(self) -> None:
        self.ring.clear()
        for memory in (self.memory, *self.staging):
            memory.trim_idle()

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
            for memory in (self.memory, *self.staging):
                memory.trim()

    def __enter__(self) -> Device:
        """Make this the default device within the `with` block."""
        _scopes.set((*_scopes.get(), self))
        return self

    def __exit__(self, *error: object) -> None:
        _scopes.set(_scopes.get()[:-1])

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
    if wanted is None and (scopes := _scopes.get()):
        return scopes[-1]
    if isinstance(wanted, probe.DeviceInfo):
        wanted = wanted.index
    known = os.environ.get("DML_VK_DEVICE", "") if wanted is None else wanted
    if type(known) in (int, str) and known in _known:  # True == 1, but it is not an index.
        return _known[known]
    info = probe.select(wanted)
    with _opening.enter():
        found = _opened.get(info.index)
        if found is None:
            found = _opened[info.index] = Device(info)
        _known[known] = found
        return found


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
    for one in opened():
        one.synchronize()


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
