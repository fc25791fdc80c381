"""A device under a tape: it does its work, unless a gradient would be lost by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.runtime.arenas import Bytes, MemoryRange
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.executor import Check
from dml_vk.runtime.hazards import Access

if TYPE_CHECKING:
    from dml_vk.gradients.tape import Tape
    from dml_vk.runtime.device_work import DeviceWork


class Watched:
    """The executor of what is done on a device outside of noted operations."""

    def __init__(self, tape: Tape, device: DeviceWork) -> None:
        self._tape = tape
        self._device = device

    def allocate(self, what: str, nbytes: int, near: MemoryRange | None = None) -> MemoryRange:
        with self._tape.outside():
            near = None if near is None else self._tape.origin(near)
            memory = self._device.allocate(what, nbytes, near)
        self._tape.allocated(memory)
        return memory

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        otherwise: Plan | None = None,
        what: str = "launch",
    ) -> None:
        self._tape.check_launch(accesses)
        with self._tape.outside():
            self._device.launch(plan, accesses, params, otherwise, what)

    def launch_new(
        self,
        what: str,
        plan: Plan,
        accesses: list[Access],
        span: tuple[int, int, int, bool],
        nbytes: int,
        params: Ints,
    ) -> MemoryRange:
        raise AssertionError("calls are operations, which a tape has done elsewhere")

    def launch_over(self, plan: Plan, accesses: Sequence[Access], params: Ints) -> None:
        raise AssertionError("calls are operations, which a tape has done elsewhere")

    def dispatch(self, work: Dispatched, accesses: Sequence[Access]) -> None:
        self._tape.check_launch(accesses)
        with self._tape.outside():
            self._device.dispatch(work, accesses)

    def mapped(
        self, allocation: MemoryRange, write: bool, part: Access | None = None
    ) -> Bytes | None:
        self._tape.check_read(allocation, self._device)
        if write:
            self._tape.check_change(allocation)
        with self._tape.outside():
            memory: Bytes | None = self._device.mapped(self._tape.origin(allocation), write, part)
        return memory

    def written(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> AbstractContextManager[Bytes]:
        self._tape.check_change(allocation)
        with self._tape.outside():
            memory: AbstractContextManager[Bytes] = self._device.written(
                self._tape.origin(allocation), start, nbytes
            )
        return memory

    def upload(self, data: Bytes, allocation: MemoryRange, start: int = 0) -> None:
        self._tape.check_change(allocation)
        with self._tape.outside():
            self._device.upload(data, self._tape.origin(allocation), start)

    def download(self, allocation: MemoryRange, start: int, data: Bytes) -> None:
        self._tape.check_read(allocation, self._device)
        with self._tape.outside():
            self._device.download(self._tape.origin(allocation), start, data)

    def pieces(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> Iterator[tuple[int, Bytes]]:
        self._tape.check_read(allocation, self._device)
        with self._tape.outside():
            pieces: Iterator[tuple[int, Bytes]] = self._device.pieces(
                self._tape.origin(allocation), start, nbytes
            )
        return pieces

    def verify(
        self,
        allocation: MemoryRange,
        start: int,
        nbytes: int,
        check: Check,
        shown: Sequence[Access] = (),
    ) -> None:
        with self._tape.outside():
            self._device.verify(self._tape.origin(allocation), start, nbytes, check, shown)
