"""Devices while a function is captured: what it does on them is recorded, and not done."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, cast

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.errors import DeviceError
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.callers import caller
from dml_vk.runtime import device as devices
from dml_vk.runtime.arenas import Allocation, Bytes
from dml_vk.runtime.device import Check, Device
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.capture import (
    Capture,
    Placeholder,
    Upload,
    Verify,
    Work,
    current,
    needs_values,
    refused,
    spoil,
)

_switching = threading.RLock()
_captures = 0


class Capturing(Device):
    """A device while some context captures: for that context it records, for others it works.

    Devices become of this class for that time, so that they take none to look whether they are.
    Another thread may be in one of these methods when a device becomes a `Device` again: so they
    call nothing of this class, nor `super()`, which looks for it.
    """

    def allocate(self, what: str, nbytes: int, near: Allocation | None = None) -> Allocation:
        capture = _recording(self)
        if capture is None:
            return Device.allocate(self, what, nbytes, near)
        return cast(Allocation, capture.new(nbytes))

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        otherwise: Plan | None = None,
        what: str = "launch",
    ) -> None:
        capture = _recording(self)
        if capture is None:
            Device.launch(self, plan, accesses, params, otherwise, what)
        elif plan.units:
            _add(capture, otherwise or plan, accesses, params, what)

    def launch_new(
        self,
        what: str,
        plan: Plan,
        accesses: list[Access],
        span: tuple[int, int, int],
        nbytes: int,
        params: Ints,
    ) -> Allocation:
        capture = _recording(self)
        if capture is None:
            return Device.launch_new(self, what, plan, accesses, span, nbytes, params)
        memory = cast(Allocation, capture.new(nbytes))
        accesses.append(Access.of(memory, *span, True))
        _add(capture, plan, accesses, params, what)
        return memory

    def dispatch(self, work: Dispatched, accesses: Sequence[Access]) -> None:
        capture = _recording(self)
        if capture is None:
            Device.dispatch(self, work, accesses)
        else:
            _add(capture, work, accesses, (), "kernel")

    def mapped(
        self, allocation: Allocation, write: bool, part: Access | None = None
    ) -> Bytes | None:
        if _recording(self) is not None:
            raise needs_values()
        return Device.mapped(self, allocation, write, part)

    def download(self, allocation: Allocation, start: int, data: Bytes) -> None:
        if _recording(self) is not None:
            raise needs_values()
        Device.download(self, allocation, start, data)

    def pieces(
        self, allocation: Allocation, start: int, nbytes: int
    ) -> Iterator[tuple[int, Bytes]]:
        if _recording(self) is not None:
            raise needs_values()
        return Device.pieces(self, allocation, start, nbytes)

    def written(
        self, allocation: Allocation, start: int, nbytes: int
    ) -> AbstractContextManager[Bytes]:
        capture = _recording(self)
        if capture is None:
            return Device.written(self, allocation, start, nbytes)
        return _upload(capture, allocation, start, nbytes)

    def upload(self, data: Bytes, allocation: Allocation, start: int = 0) -> None:
        capture = _recording(self)
        if capture is None:
            Device.upload(self, data, allocation, start)
        else:
            with _upload(capture, allocation, start, data.size) as view:
                view[:] = data

    def verify(self, allocation: Allocation, start: int, nbytes: int, check: Check) -> None:
        capture = _recording(self)
        if capture is None:
            Device.verify(self, allocation, start, nbytes, check)
        else:
            slot = cast(Any, allocation).number
            capture.steps.append(Verify(slot, start, nbytes, check))

    def not_captured(self) -> AbstractContextManager[None]:
        capture = _recording(self)
        return nullcontext() if capture is None else _paused(capture)


def _recording(device: Device) -> Capture | None:
    """Return the capture that records what this context does on the device, or None."""
    capture = current.get()
    if capture is None or capture.is_paused:
        return None
    if capture.device is not device:
        rule = "a compiled function runs on one device"
        raise spoil(DeviceError("compile", rule, device=device, program=capture.device))
    return capture


def _add(
    capture: Capture,
    work: Plan | Dispatched,
    accesses: Sequence[Access],
    params: Ints,
    what: str,
) -> None:
    touched = tuple([capture.span(one) for one in accesses])
    capture.steps.append(Work(work, touched, params, what, caller()))


@contextmanager
def _upload(capture: Capture, allocation: Any, start: int, nbytes: int) -> Iterator[Bytes]:
    if not isinstance(allocation, Placeholder):
        raise refused("the host cannot write memory from outside in a compiled function")
    data = np.empty(nbytes, np.uint8)
    yield data
    capture.steps.append(Upload(allocation.number, start, data))


@contextmanager
def _paused(capture: Capture) -> Iterator[None]:
    capture.is_paused = True
    try:
        yield
    finally:
        capture.is_paused = False


@contextmanager
def outside() -> Iterator[None]:
    """Do at once what the `with` block does on devices, also while a function is captured."""
    capture = current.get()
    if capture is None or capture.is_paused:
        yield
    else:
        with _paused(capture):
            yield


@contextmanager
def captured(capture: Capture) -> Iterator[None]:
    """Record what this context does on devices in the `with` block."""
    global _captures
    before = current.get()
    with _switching:
        _captures += 1
    try:
        for one in devices.opened():
            one.__class__ = Capturing
        current.set(capture)
        yield
    finally:
        current.set(before)
        with _switching:
            _captures -= 1
            if not _captures:
                for one in devices.opened():
                    one.__class__ = Device
