"""Recorders: what a function does on a device becomes steps, and is not done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.errors import ONE_DEVICE, CaptureError, DeviceError, DmlVkError
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.callers import caller
from dml_vk.runtime.arenas import Bytes, MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.executor import Check, Do, Operands, Source
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.step import Allocate, Launch, Slot

if TYPE_CHECKING:
    from dml_vk.ops.view import View
    from dml_vk.tensor.core import Tensor

T = TypeVar("T")


class Recorder:
    """The executor while one call is recorded. The first slots are those of its operands."""

    is_in_call = True
    is_over = True  # but within `recorded`
    notes_writes = False
    capture: Any = None

    def __init__(self, device: Device, slots: Iterable[Slot]) -> None:
        self.device = device
        self.slots = list(slots)
        self.operands = len(self.slots)  # and `out`
        self.steps: list[Any] = []

    def new(self, nbytes: int) -> Slot:
        slot = Slot(len(self.slots), nbytes)
        self.slots.append(slot)
        return slot

    def on(self, device: object) -> Recorder:
        if device is not self.device:
            raise DeviceError("call", ONE_DEVICE, devices=(self.device, device))
        return self

    def on_slot(self, access: Access) -> Access:
        """Return an access to memory as one to its slot."""
        if not isinstance(access.arena, Slot):
            raise self.needs_values()  # What a trace reads must be among its operands.
        return access

    def allocate(self, what: str, nbytes: int, near: MemoryRange | None = None) -> MemoryRange:
        slot, number = self.new(nbytes), near.number if isinstance(near, Slot) else None
        self.steps.append(Allocate(slot.number, what, nbytes, number))
        return slot

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        otherwise: Plan | None = None,
        what: str = "launch",
    ) -> None:
        self._add(plan, accesses, params, what, otherwise)

    def launch_new(
        self,
        what: str,
        plan: Plan,
        accesses: list[Access],
        span: tuple[int, int, int, bool],
        nbytes: int,
        params: Ints,
    ) -> MemoryRange:
        near = accesses[0].arena
        memory = self.allocate(what, nbytes, near if isinstance(near, Slot) else None)
        accesses.append(Access.within(memory, span))
        self._add(plan, accesses, params, what)
        return memory

    def launch_over(self, plan: Plan, accesses: Sequence[Access], params: Ints) -> None:
        self.launch(plan, accesses, params)

    def dispatch(self, work: Dispatched, accesses: Sequence[Access]) -> None:
        self._add(work, accesses, (), "kernel")

    def mapped(
        self, allocation: MemoryRange, write: bool, part: Access | None = None
    ) -> Bytes | None:
        raise self.needs_values()

    def download(self, allocation: MemoryRange, start: int, data: Bytes) -> None:
        raise self.needs_values()

    def pieces(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> Iterator[tuple[int, Bytes]]:
        raise self.needs_values()

    def written(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> AbstractContextManager[Bytes]:
        raise self.needs_values()

    def upload(self, data: Bytes, allocation: MemoryRange, start: int = 0) -> None:
        raise self.needs_values()

    def verify(
        self,
        allocation: MemoryRange,
        start: int,
        nbytes: int,
        check: Check,
        shown: Sequence[Access] = (),
    ) -> None:
        raise self.needs_values()

    def operation(
        self,
        function: Callable[..., Tensor],
        params: tuple[object, ...],
        do: Do,
        operands: Operands,
        out: Tensor | None,
    ) -> Tensor:
        return do(operands, out)

    def whole(
        self,
        function: Callable[..., T],
        params: tuple[object, ...],
        operands: Operands,
        out: Tensor | None,
    ) -> T:
        return function(operands, out, *params)

    def claim(self, own: Callable[[], Ints]) -> Ints:
        return own()

    def write(self, do: Callable[[Source, View], None], source: Source, target: View) -> None:
        do(source, target)

    def needs_values(self) -> DmlVkError:
        return self.refused("values are not known while a function is compiled")

    def refused(self, rule: str) -> DmlVkError:
        """Return the error for what cannot be recorded."""
        entry = caller()
        return CaptureError(entry.op, rule, line=f"{entry.file}:{entry.line}")

    def _add(
        self,
        work: Plan | Dispatched,
        accesses: Sequence[Access],
        params: Ints,
        what: str,
        otherwise: Plan | None = None,
    ) -> None:
        on_slots = tuple([self.on_slot(access) for access in accesses])
        computed = work.computed if isinstance(work, Plan) else None
        self.steps.append(
            Launch(work, on_slots, params, what, caller(), otherwise=otherwise, computed=computed)
        )


@contextmanager
def recorded(recorder: Recorder) -> Iterator[None]:
    """Record what this context does on devices in the `with` block.

    A copy of the context, as a task has it, may outlive the block. It then works on devices.
    """
    recorder.is_over = False
    try:
        with context.within(recorder=recorder):
            yield
    finally:
        recorder.is_over = True
