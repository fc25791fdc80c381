"""What a device is asked to do: it does it, or a recorder in its place notes it as a step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress

import numpy as np

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.limits import Profile
from dml_vk.runtime import transfer
from dml_vk.runtime.arenas import Allocation, Arena, Bytes, Memory, MemoryRange
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.executor import Check
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.queue import Queue

# Of ranges that are set aside: each is small, so that they take 4 MiB together.
MOST_ASIDE, _MOST_ASIDE_BYTES = 64, 2**16


class DeviceWork:
    """The executor of one device. While its context has a recorder, that is the executor."""

    queue: Queue
    memory: Memory
    # Memory through which bytes come and go, where the host does not see the device's.
    staging: tuple[Memory, ...]
    uploads: Memory
    downloads: Memory
    ring: deque[Allocation]  # the last chunks of uploads
    _aside: deque[Allocation]  # what the host cannot write yet without waiting

    @property
    def profile(self) -> Profile:
        """The device's limits and features, which plans depend on."""
        return self.queue.encoder.profile

    def allocate(self, what: str, nbytes: int, near: MemoryRange | None = None) -> MemoryRange:
        """Allocate memory for the operation `what`, preferably in the arena of `near`."""
        recorder = context.get().recorder  # as context.recorder(), whose call each step would pay
        if recorder is not None and not recorder.is_over:
            return recorder.on(self).allocate(what, nbytes, near)
        with self.queue.enter():
            return self.memory.allocate(what, nbytes, near.arena if near else None)

    def allocate_for_host(
        self, what: str, nbytes: int, near: MemoryRange | None = None
    ) -> MemoryRange:
        """Allocate memory that the host is to write, preferably without waiting for the device."""
        recorder = context.recorder()
        if recorder is not None:
            return recorder.on(self).allocate(what, nbytes, near)
        return self._idle_memory(what, nbytes, near.arena if near else None)

    def _idle_memory(self, what: str, nbytes: int, arena: Arena | None) -> Allocation:
        """Set ranges aside that pending work still uses, as it may what was freed last."""
        aside = self._aside
        with suppress(IndexError):  # where there are none
            while self.queue.is_free(aside[0]):
                aside.popleft()
        while True:
            with self.queue.enter():
                allocation = self.memory.allocate(what, nbytes, arena)
            is_last = nbytes > _MOST_ASIDE_BYTES or len(aside) == MOST_ASIDE
            if is_last or allocation.bytes is None or self.queue.is_free(allocation):
                return allocation
            aside.append(allocation)

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
        recorder = context.get().recorder
        if recorder is not None and not recorder.is_over:
            recorder.on(self).launch(plan, accesses, params, otherwise, what)
            return
        if plan.arguments and otherwise is not None:
            words, arena = np.array(plan.arguments, np.uint32), accesses[-1].arena
            allocation = self._idle_memory(what, words.nbytes, arena)
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
        span: tuple[int, int, int, bool],
        nbytes: int,
        params: Ints,
    ) -> MemoryRange:
        """Launch a plan into newly allocated memory, whose access is added to those that read.

        It is to the `span` of whole words there. Only for calls, which have asked already whether
        their work is recorded.
        """
        queue = self.queue
        with queue.enter():
            allocation = self.memory.allocate(what, nbytes, accesses[0].arena)
            accesses.append(Access.within(allocation, span))
            queue.add(plan, accesses, params)
        return allocation

    def launch_over(self, plan: Plan, accesses: Sequence[Access], params: Ints) -> None:
        """Launch a plan without arguments over memory that is there. Only for calls, as well."""
        self.queue.launch(plan, accesses, params)

    def dispatch(self, work: Dispatched, accesses: Sequence[Access]) -> None:
        """Run a shader of the user's."""
        recorder = context.recorder()
        if recorder is not None:
            recorder.on(self).dispatch(work, accesses)
        else:
            self.queue.dispatch(work, accesses)

    def mapped(
        self, allocation: MemoryRange, write: bool, part: Access | None = None
    ) -> Bytes | None:
        """Wait for pending work on the memory and return it, or None if it is not host-visible.

        Work on other bytes than those of `part`, if it is given, may still be pending.
        """
        recorder = context.recorder()
        if recorder is not None:
            return recorder.on(self).mapped(allocation, write, part)
        return transfer.mapped(self, allocation, write, part)

    def written(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> AbstractContextManager[Bytes]:
        """Yield host memory for one chunk at most; on exit the allocation has its contents."""
        recorder = context.recorder()
        if recorder is not None:
            return recorder.on(self).written(allocation, start, nbytes)
        return transfer.written(self, allocation, start, nbytes)

    def upload(self, data: Bytes, allocation: MemoryRange, start: int = 0) -> None:
        """Write bytes to the allocation, from `start` on."""
        recorder = context.recorder()
        if recorder is not None:
            recorder.on(self).upload(data, allocation, start)
        else:
            transfer.upload(self, data, allocation, start)

    def download(self, allocation: MemoryRange, start: int, data: Bytes) -> None:
        """Fill `data` with bytes of the allocation, from `start` on."""
        recorder = context.recorder()
        if recorder is not None:
            recorder.on(self).download(allocation, start, data)
        else:
            transfer.download(self, allocation, start, data)

    def pieces(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> Iterator[tuple[int, Bytes]]:
        """Yield bytes of the allocation in pieces, while the device copies the next one."""
        recorder = context.recorder()
        if recorder is not None:
            return recorder.on(self).pieces(allocation, start, nbytes)
        return transfer.pieces(self, allocation, start, nbytes)

    def verify(
        self,
        allocation: MemoryRange,
        start: int,
        nbytes: int,
        check: Check,
        shown: Sequence[Access] = (),
    ) -> None:
        """Wait for these bytes and check them, which may raise an error.

        Its message may be of what is `shown`, which stays as it is until then.
        """
        recorder = context.recorder()
        if recorder is not None:
            recorder.on(self).verify(allocation, start, nbytes, check, shown)
            return
        data = np.empty(nbytes, np.uint8)
        self.download(allocation, start, data)
        check(data, lambda memory: memory)

    def settle(self, allocation: MemoryRange, write: bool, part: Access | None = None) -> None:
        """Wait until the host may read, or write, this memory, or only this part of it."""
        if self.queue.settle(allocation, write, part) and self.queue.is_idle:
            with self.queue.enter():
                self._trim_idle()

    def _trim_idle(self) -> None:
        self.ring.clear()
        self._aside.clear()
        for memory in (self.memory, *self.staging):
            memory.trim_idle()
