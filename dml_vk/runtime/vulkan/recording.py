"""Recording commands into command buffers, which are used again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_size_t, c_uint64, pointer, sizeof
from functools import partial
from typing import Generic, TypeVar

from dml_vk.driver.structures import (
    BufferCopy,
    CommandBufferAllocateInfo,
    CommandBufferBeginInfo,
    CommandPoolCreateInfo,
    Handle,
    MemoryBarrier,
    Object,
    QueryPoolCreateInfo,
    SubmitInfo,
)
from dml_vk.driver.vulkan import COMPUTE_STAGE
from dml_vk.runtime.interface import Barrier, Command, Copy, Dispatch, Fill
from dml_vk.runtime.vulkan.driver_queue import COMPUTE, TRANSFER, DriverQueue
from dml_vk.runtime.vulkan.fence import Fence
from dml_vk.runtime.vulkan.opened import Opened, Owned
from dml_vk.runtime.vulkan.reuse import Reuse

_COMPUTE_POINT = 1  # VkPipelineBindPoint
_BOTTOM, _HOST = 0x2000, 0x4000  # VkPipelineStageFlagBits
WORK = COMPUTE | TRANSFER
# VkAccessFlagBits
_READS_OF_SHADERS, _WRITES_OF_SHADERS = 0x20, 0x40
_ACCESSES_OF_SHADERS = _READS_OF_SHADERS | _WRITES_OF_SHADERS
_READS_OF_COPIES, _WRITES_OF_COPIES = 0x800, 0x1000
_ACCESSES_OF_COPIES = _READS_OF_COPIES | _WRITES_OF_COPIES
_WRITES = _WRITES_OF_SHADERS | _WRITES_OF_COPIES
_ACCESSES = _ACCESSES_OF_SHADERS | _ACCESSES_OF_COPIES
_HOST_ACCESSES = 0x2000 | 0x4000  # reads and writes
_TRANSIENT, _ONCE = 1, 1  # a pool's buffers are short-lived; a buffer is submitted once
_SIMULTANEOUS = 4  # or again while it still runs
_TIMESTAMPS = 2  # VkQueryType
_WORDS_64 = 1  # VkQueryResultFlagBits


def _barrier(before: int, writes: int, after: int, accesses: int) -> tuple[object, ...]:
    """Arguments that make writes of earlier commands, or submissions, visible to later ones."""
    memory = pointer(MemoryBarrier(before=writes, after=accesses))
    return before, after, 0, 1, memory, 0, None, 0, None


_BEGIN = pointer(CommandBufferBeginInfo(flags=_ONCE))
_BEGIN_AGAIN = pointer(CommandBufferBeginInfo(flags=_SIMULTANEOUS))
_BETWEEN = _barrier(WORK, _WRITES, WORK, _ACCESSES)
_TO_HOST = _barrier(WORK, _WRITES, _HOST, _HOST_ACCESSES)
# What the commands of a submission begin and end with, by the stages of the queue.
_AROUND = {
    WORK: (_BETWEEN, _TO_HOST),
    TRANSFER: (
        _barrier(TRANSFER, _WRITES_OF_COPIES, TRANSFER, _ACCESSES_OF_COPIES),
        _barrier(TRANSFER, _WRITES_OF_COPIES, _HOST, _HOST_ACCESSES),
    ),
}
# Between kernels, which takes a GPU half as long. What a submission starts with is seen by all.
_BETWEEN_KERNELS = _barrier(COMPUTE, _WRITES_OF_SHADERS, COMPUTE, _ACCESSES_OF_SHADERS)


class Slot(Fence):
    """A command buffer and a fence, for one submission at a time."""

    def __init__(self, opened: Opened, family: int) -> None:
        super().__init__(opened)
        request = CommandPoolCreateInfo(flags=_TRANSIENT, family=family)
        self._pool = Owned(opened, "vkCreateCommandPool", byref(request))
        asked = CommandBufferAllocateInfo(pool=self._pool.handle, count=1)
        self.commands = Object()
        opened.check("vkAllocateCommandBuffers", opened.handle, byref(asked), byref(self.commands))
        self.submission = pointer(SubmitInfo(count=1, commands=pointer(self.commands)))

    def begin(self, how: object = _BEGIN) -> None:
        """Begin anew, after any state but one in which the device uses the buffer."""
        opened = self._opened
        opened.check("vkResetCommandPool", opened.handle, self._pool.handle, 0)
        self.reset()
        opened.check("vkBeginCommandBuffer", self.commands, how)


F = TypeVar("F", bound=Fence, covariant=True)


class Prepared:
    """Recorded commands that are submitted again and again. Its slot is used again after it."""

    def __init__(
        self, slots: Reuse[Slot], make: Callable[[], Slot], commands: Sequence[Command]
    ) -> None:
        self.slot = slots.take(self, make)
        self.commands = tuple(commands)  # with all that they use


class Ticket(Generic[F]):
    """A submission of commands. Once it is done and dropped, its slot or fence is used again."""

    def __init__(
        self,
        queue: DriverQueue,
        fences: Reuse[F],
        make: Callable[[], F],
        commands: Sequence[Command | Prepared],
    ) -> None:
        self.queue = queue
        self.slot = fences.take(self, make)
        self.commands = tuple(commands)  # with all that they use, until they are done
        self.done = False
        self.stamps: Owned | None = None
        self.works: list[bool] = []  # of each command that is timed, whether it is no barrier

    def ticks(self, opened: Opened) -> list[int] | None:
        """The timestamps: one at the start, and one after each command."""
        if self.stamps is None:
            return None
        count = len(self.works) + 1
        words = (c_uint64 * count)()
        opened.check(
            "vkGetQueryPoolResults",
            *(opened.handle, self.stamps.handle, 0, count),
            *(c_size_t(sizeof(words)), words, c_uint64(sizeof(c_uint64)), _WORDS_64),
        )
        return list(words)


class Recorder:
    """Records tickets for one queue of a device."""

    def __init__(self, opened: Opened, queue: DriverQueue, has_timestamps: bool = False) -> None:
        self._opened, self._queue = opened, queue
        self._begin, self._end = _AROUND[queue.stages]
        self._slot = partial(Slot, opened, queue.family)
        self._has_timestamps = has_timestamps
        self._slots: Reuse[Slot] = Reuse()
        self._fences: Reuse[Fence] = Reuse()

    def record(self, commands: Sequence[Command], timed: bool = False) -> Ticket[Slot]:
        ticket = Ticket(self._queue, self._slots, self._slot, commands)
        with self._within(ticket.slot, _BEGIN):
            if timed and self._has_timestamps:
                self._record_timed(ticket, commands)
            else:
                self._record(ticket.slot.commands, commands)
        return ticket

    def prepare(self, commands: Sequence[Command]) -> Prepared:
        prepared = Prepared(self._slots, self._slot, commands)
        with self._within(prepared.slot, _BEGIN_AGAIN):
            self._record(prepared.slot.commands, prepared.commands)
        return prepared

    def repeat(self, prepared: Prepared) -> Ticket[Fence]:
        ticket = Ticket(self._queue, self._fences, partial(Fence, self._opened), (prepared,))
        ticket.slot.submission = prepared.slot.submission
        ticket.slot.reset()
        return ticket

    @contextmanager
    def _within(self, slot: Slot, how: object) -> Iterator[None]:
        """Record between the barriers that every submission has."""
        calls = self._opened.calls
        slot.begin(how)
        calls.vkCmdPipelineBarrier(slot.commands, *self._begin)
        yield
        calls.vkCmdPipelineBarrier(slot.commands, *self._end)
        self._opened.check("vkEndCommandBuffer", slot.commands)

    def _record_timed(self, ticket: Ticket[Slot], commands: Sequence[Command]) -> None:
        opened, buffer = self._opened, ticket.slot.commands
        count = len(commands) + 1
        request = QueryPoolCreateInfo(kind=_TIMESTAMPS, count=count)
        ticket.works = [not isinstance(command, Barrier) for command in commands]
        ticket.stamps = Owned(opened, "vkCreateQueryPool", byref(request))
        stamps, stamp = ticket.stamps.handle, opened.calls.vkCmdWriteTimestamp
        opened.calls.vkCmdResetQueryPool(buffer, stamps, 0, count)
        stamp(buffer, _BOTTOM, stamps, 0)
        between = _between(commands)
        for n, command in enumerate(commands, 1):
            self._record(buffer, (command,), between)
            stamp(buffer, _BOTTOM, stamps, n)

    def _record(
        self,
        buffer: Object,
        commands: Sequence[Command],
        between: tuple[object, ...] | None = None,
    ) -> None:
        calls = self._opened.calls
        push, dispatch, barrier = (
            calls.vkCmdPushConstants,
            calls.vkCmdDispatch,
            calls.vkCmdPipelineBarrier,
        )
        if between is None:
            between = _between(commands)
        bound = pipeline = layout = bound_set = None
        handle, pushed = Handle(), b""
        for command in commands:
            if isinstance(command, Dispatch):
                wanted, words, groups = command[:3]
                # What is bound or pushed already stays so, for as long as the layout is the same.
                if wanted is not bound:
                    bound = wanted
                    if bound.pipeline is not pipeline:
                        pipeline = bound.pipeline
                        calls.vkCmdBindPipeline(buffer, _COMPUTE_POINT, pipeline.handle)
                        if pipeline.layout is not layout:
                            layout, bound_set, pushed = pipeline.layout, None, b""
                            handle = layout.handle
                    if bound.set is not bound_set:
                        bound_set = bound.set
                        calls.vkCmdBindDescriptorSets(
                            buffer, _COMPUTE_POINT, handle, 0, 1, bound_set.place, 0, None
                        )
                if words != pushed:
                    pushed = words
                    push(buffer, handle, COMPUTE_STAGE, 0, len(words), words)
                dispatch(buffer, *groups)
            elif isinstance(command, Barrier):
                barrier(buffer, *between)
            elif isinstance(command, Copy):
                source, source_offset, target, target_offset, nbytes = command[:5]
                region = byref(BufferCopy(source_offset, target_offset, nbytes))
                calls.vkCmdCopyBuffer(buffer, source.buffer, target.buffer, 1, region)
            else:
                block, offset, nbytes, word = command[:4]
                bounds = c_uint64(offset), c_uint64(nbytes)
                calls.vkCmdFillBuffer(buffer, block.buffer, *bounds, word)


def _between(commands: Sequence[Command]) -> tuple[object, ...]:
    """The barrier between commands of a submission: the narrowest that all of them allow."""
    kinds = {*map(type, commands)}
    return _BETWEEN if kinds & {Copy, Fill} else _BETWEEN_KERNELS
