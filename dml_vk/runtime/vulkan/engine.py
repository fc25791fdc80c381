"""The runtime on Vulkan: its calls, and the order of what was submitted.

Ctrl-C can come between any two bytecodes. So what must not be torn apart is one step in C, and the
driver writes new handles into objects that own them already.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable, Sequence
from ctypes import c_uint64
from itertools import pairwise
from time import perf_counter_ns
from typing import get_args

import numpy as np

from dml_vk.driver import memory_types
from dml_vk.driver.probe import DeviceInfo, cores
from dml_vk.driver.results import NOT_READY, TIMEOUT
from dml_vk.errors import DeviceError
from dml_vk.runtime.interface import (
    PATIENCE_NS,
    SPIN_NS,
    Command,
    MemoryKind,
    Range,
    Words,
)
from dml_vk.runtime.vulkan.copy_engine import CopyEngine
from dml_vk.runtime.vulkan.driver_queue import DriverQueue
from dml_vk.runtime.vulkan.fence import Fence
from dml_vk.runtime.vulkan.host_block import HostBlock, import_pages
from dml_vk.runtime.vulkan.memory import Block
from dml_vk.runtime.vulkan.opened import Opened
from dml_vk.runtime.vulkan.pipeline_cache import PipelineCache
from dml_vk.runtime.vulkan.pipelines import Bound, Layout, Pipeline
from dml_vk.runtime.vulkan.recording import WORK, Prepared, Recorder
from dml_vk.runtime.vulkan.recording import Ticket as AnyTicket
from dml_vk.spirv.passes.float_modes import with_float_modes

Ticket = AnyTicket[Fence]
_PATIENCE_NS, _AT_ONCE = c_uint64(PATIENCE_NS), c_uint64(0)


class Vulkan:
    """One Vulkan device. It stays open until the process ends."""

    name = "vulkan"
    makes_together = True
    keeps_recorded = True

    def __init__(self, info: DeviceInfo) -> None:
        self._opened = opened = Opened(info)
        self.features = opened.features
        self._float_controls = info.float_controls
        chosen = memory_types.choose
        self.kinds: frozenset[MemoryKind] = frozenset(
            kind for kind in get_args(MemoryKind) if chosen(opened.memory, kind) is not None
        )
        self._most_bytes = info.profile.max_range_bytes
        self._tick_us = info.timestamp_period / 1000
        self._tick_mask = (1 << opened.timestamp_bits) - 1
        self._cache = PipelineCache(opened)
        self._layouts: dict[tuple[int, int], Layout] = {}
        self._queue = DriverQueue(opened, opened.family, WORK)
        self._recorder = Recorder(opened, self._queue, bool(self._tick_us and self._tick_mask))
        has_engine = opened.copy_family is not None
        self.copy_engine = CopyEngine(opened, self._queue) if has_engine else None
        self._spins = cores() > 1
        atexit.register(self._close)

    def allocate(self, nbytes: int, kind: MemoryKind) -> Block:
        self._opened.check_alive()
        return Block(self._opened, nbytes, kind)

    def import_pages(self, address: int, nbytes: int, owner: object) -> HostBlock | None:
        self._opened.check_alive()
        return import_pages(self._opened, address, nbytes, owner)

    def view(self, block: Block) -> Words:
        return np.asarray(block)

    def pipeline(
        self, spirv: bytes, spec: Sequence[int], push_words: int, bindings: int
    ) -> Pipeline:
        self._opened.check_alive()
        key = bindings, push_words
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = Layout(self._opened, bindings, push_words)
        module = with_float_modes(spirv, self._float_controls)
        return Pipeline(self._opened, self._cache.handle, layout, module, spec)

    def bind(
        self, pipeline: Pipeline, blocks: Sequence[Block], ranges: Sequence[Range] = ()
    ) -> Bound:
        self._opened.check_alive()
        whole = [(0, min(block.nbytes, self._most_bytes)) for block in blocks]
        return Bound(pipeline, blocks, ranges or whole)

    def record(self, commands: Sequence[Command], timed: bool = False) -> Ticket:
        self._opened.check_alive()
        return self._recorder.record(commands, timed)

    def prepare(self, commands: Sequence[Command]) -> Prepared:
        self._opened.check_alive()
        return self._recorder.prepare(commands)

    def repeat(self, prepared: Prepared) -> Ticket:
        self._opened.check_alive()
        return self._recorder.repeat(prepared)

    def submit(self, ticket: Ticket) -> None:
        self._opened.check_alive()
        if not self._was_submitted(ticket):
            slot, queue, call = ticket.slot, ticket.queue, self._opened.calls.vkQueueSubmit
            results = map(call, (queue.handle,), (1,), (slot.submission,), (slot.fence,))
            # One step in C, so that a ticket is in flight if and only if it was submitted.
            queue.flight.update(zip((ticket,), results))
            self._was_submitted(ticket)

    def is_submitted(self, ticket: Ticket) -> bool:
        return self._was_submitted(ticket)

    def is_done(self, ticket: Ticket) -> bool:
        if self._was_submitted(ticket) and not ticket.done:
            self._opened.check_alive()
            call = "vkGetFenceStatus"
            result = self._opened.calls.vkGetFenceStatus(self._opened.handle, ticket.slot.fence)
            if result == NOT_READY:
                return False
            self._settle(ticket, call, result)
        return ticket.done

    def wait(self, ticket: Ticket) -> None:
        if not self._was_submitted(ticket):
            rule = "what is waited for must have been submitted: please report it"
            raise DeviceError("wait", rule, commands=len(ticket.commands))
        if not ticket.done:
            self._opened.check_alive()
            opened, call = self._opened, self._opened.calls.vkWaitForFences
            result = self._spun(ticket)
            while result == TIMEOUT:
                result = call(opened.handle, 1, ticket.slot.fences, 1, _PATIENCE_NS)
            self._settle(ticket, "vkWaitForFences", result)

    def _spun(self, ticket: Ticket) -> int:
        """What the fence says in the end, or TIMEOUT if it takes longer than a wake-up does.

        Each call lets other threads run Python.
        """
        result, call, device = TIMEOUT, self._opened.calls.vkWaitForFences, self._opened.handle
        end = perf_counter_ns() + SPIN_NS if self._spins else 0
        while result == TIMEOUT and perf_counter_ns() < end:
            result = call(device, 1, ticket.slot.fences, 1, _AT_ONCE)
        return result

    def microseconds(self, ticket: Ticket) -> list[float] | None:
        """Return the times, each from the stamp before, since commands may overlap."""
        ticks = ticket.ticks(self._opened)
        if ticks is None:
            return None
        meant = [tick & self._tick_mask for tick in ticks]
        times = [max(0, end - start) * self._tick_us for start, end in pairwise(meant)]
        return [time for time, is_work in zip(times, ticket.works) if is_work]

    def leak(self, objects: Iterable[object]) -> None:
        self._opened.owner = None

    def _was_submitted(self, ticket: Ticket) -> bool:
        """Whether a ticket is done or in flight. It raises the error of a submission that failed.

        After Ctrl-C, that may be in another call than `submit`.
        """
        flight = ticket.queue.flight
        result = flight.get(ticket)
        if result:
            flight.pop(ticket, None)
            self._opened.fail("vkQueueSubmit", result)
        return ticket.done or result is not None

    def _settle(self, ticket: Ticket, call: str, result: int) -> None:
        """Let go of a ticket whose fence said `result`, and of those before it in its queue."""
        if result:
            self._opened.fail(call, result)
        flight = ticket.queue.flight
        for flying, failed in [*flight.items()]:
            if ticket.done:  # perhaps by a thread that waited for a later one
                break
            if not failed:
                flying.done = True
                flying.commands = ()
                flight.pop(flying, None)

    def _close(self) -> None:
        """When the process ends, wait for its work. Then the driver may go at any time."""
        opened = self._opened
        if opened.owner == os.getpid():
            opened.calls.vkDeviceWaitIdle(opened.handle)
            self._cache.save()
            opened.owner = None
