"""A capture: the steps of a function that is compiled, and the memory that they use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.errors import CaptureError, DeviceError, DmlVkError
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.copies import collecting
from dml_vk.runtime.arenas import Arena, Bytes, MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.executor import Check, Do, Operands
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.numbers import NumberWords
from dml_vk.tracing.recorder import Recorder
from dml_vk.tracing.step import Operation, Slot, Step, Upload, Verify

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor


class Placeholder(Slot):
    """Memory that has no address yet, and no contents that the host could see."""

    __slots__ = ()

    def has_no_contents(self) -> Exception:
        capture = current()
        return self.used_late() if capture is None else capture.needs_values()

    def __getattr__(self, name: str) -> Any:
        """Raise an error where a device takes it for an arena."""
        raise self.used_late()

    def used_late(self) -> CaptureError:
        rule = "a tensor of a compiled function cannot be used after it, unless it was returned"
        return CaptureError("compile", rule, nbytes=self.nbytes)


class Capture(Recorder):
    """The executor while a function is compiled."""

    def __init__(self, device: Device, arguments: Iterable[int], *, is_trial: bool = False) -> None:
        """Begin with arguments of these sizes in bytes.

        A trial is on tensors of another capture, to see what steps would take.
        """
        super().__init__(
            device, [Placeholder(number, nbytes) for number, nbytes in enumerate(arguments)]
        )
        self.steps: list[Step] = []
        self.operations: list[Operation] = []
        self.is_in_call = False
        self.capture = self
        self.arguments = len(self.slots)
        self.outside: dict[int, MemoryRange] = {}  # by number: memory that was there before
        self.claims: list[Callable[[], Ints]] = []  # of six words each, in order
        self.has_gradients = False  # whether a function was differentiated
        self.refusal: DmlVkError | None = None  # the first error of what cannot be captured
        self._numbers: dict[tuple[Arena, int], int] = {}  # of what is outside, by its place
        self._own: set[int] = set()
        self._is_trial = is_trial
        self._owned: list[object] = []  # keeps their ids

    def new(self, nbytes: int) -> Placeholder:
        slot = Placeholder(len(self.slots), nbytes)
        self.slots.append(slot)
        return slot

    def on(self, device: object) -> Capture:
        if device is not self.device:
            rule = "a compiled function runs on one device"
            raise self.spoil(DeviceError("compile", rule, device=device, program=self.device))
        return self

    def allocate(self, what: str, nbytes: int, near: MemoryRange | None = None) -> MemoryRange:
        """Make a slot: a program allocates all its memory at once, before its steps."""
        return self.new(nbytes)

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        otherwise: Plan | None = None,
        what: str = "launch",
    ) -> None:
        if plan.units:
            self._add(otherwise or plan, accesses, params, what)

    def written(
        self, allocation: MemoryRange, start: int, nbytes: int
    ) -> AbstractContextManager[Bytes]:
        return self._upload(allocation, start, nbytes)

    def upload(self, data: Bytes, allocation: MemoryRange, start: int = 0) -> None:
        with self._upload(allocation, start, data.size) as view:
            view[:] = data

    def verify(
        self,
        allocation: MemoryRange,
        start: int,
        nbytes: int,
        check: Check,
        shown: Sequence[Access] = (),
    ) -> None:
        assert isinstance(allocation, Slot)
        reads = tuple([self.on_slot(access) for access in shown])
        self.steps.append(Verify(allocation, start, nbytes, check, reads))

    def operation(
        self,
        function: Callable[..., Tensor],
        params: tuple[object, ...],
        do: Do,
        operands: Operands,
        out: Tensor | None,
    ) -> Tensor:
        begin, slots = len(self.steps), len(self.slots)
        log = collecting()
        logged = len(log)
        self.is_in_call = True
        try:
            result = do(operands, out)
        finally:
            self.is_in_call = False
        steps, settings = tuple(self.steps[begin:]), context.get().settings
        if not steps:
            return result

        def again(operands: Operands, out: Tensor | None) -> Tensor:
            with context.within(settings=settings):
                return do(operands, out)

        memory = getattr(result, "allocation", None)
        is_new = isinstance(memory, Slot) and memory.number >= slots
        is_known = out is not None or is_new
        noted = function, params, again, tuple(operands), out, result, is_known
        self.operations.append(Operation(*noted, begin, steps, log[logged:]))
        return result

    def own(self, thing: object) -> None:
        """Note a thing that was made in the function, and is made anew at each call."""
        self._own.add(id(thing))
        self._owned.append(thing)

    def is_own(self, thing: object) -> bool:
        return id(thing) in self._own

    def claimed(self, claim: Callable[[], Ints]) -> Ints:
        """Return placeholders for six words, which each call claims."""
        number = NumberWords(~len(self.claims), None, ())
        self.claims.append(claim)
        return number.words(6)

    def on_slot(self, access: Access) -> Access:
        arena = access.arena
        if isinstance(arena, Placeholder):
            if not self.has(arena):
                raise self.spoil(arena.used_late())
            return access
        slot, start = self.slots[self._outside(access)], access.start
        base, low, high, writes = access.span
        return Access.within(slot, (base - start, low - start, high - start, writes))

    def refused(self, rule: str) -> DmlVkError:
        return self.spoil(super().refused(rule))

    def spoil(self, error: DmlVkError) -> DmlVkError:
        """Have this error, of what cannot be captured, raised in the end even if it is caught."""
        if self.refusal is None:
            self.refusal = error
        return error

    @contextmanager
    def _upload(self, allocation: MemoryRange, start: int, nbytes: int) -> Iterator[Bytes]:
        if not isinstance(allocation, Placeholder):
            raise self.refused("the host cannot write memory from outside in a compiled function")
        if not self.has(allocation):
            raise self.spoil(allocation.used_late())
        data = np.empty(nbytes, np.uint8)
        yield data
        self.steps.append(Upload(allocation.number, start, data))

    def has(self, slot: Slot) -> bool:
        """Whether a slot is of this capture, and not of another, which has others by its number."""
        mine = self.slots[slot.number : slot.number + 1]
        return self._is_trial or (len(mine) == 1 and mine[0] is slot)

    def _outside(self, access: Access) -> int:
        key = access.arena, access.start
        number = self._numbers.get(key)
        if number is None:
            allocation = access.arena.live[access.start]()
            assert allocation is not None
            number = self._numbers[key] = self.new(allocation.nbytes).number
            self.outside[number] = allocation
        return number


def current() -> Capture | None:
    """The capture that records what this context does, or None."""
    recorder = context.recorder()
    capture: Capture | None = None if recorder is None else recorder.capture
    return capture


def is_captured() -> bool:
    """Whether what this context does is recorded for a program."""
    return current() is not None


def own(thing: object) -> None:
    """Note a thing that is made while a function is captured, and so made anew at each call."""
    capture = current()
    if capture is not None:
        capture.own(thing)


def check_known(thing: object) -> None:
    """Raise an error if the state of a thing from outside is asked for in a captured function."""
    capture = current()
    if capture is not None and not capture.is_own(thing):
        raise capture.needs_values()


def claimed(thing: object, claim: Callable[[], Ints]) -> Ints:
    """Claim six words of a thing's state, or for a program what stands for them."""
    capture, recorder = current(), context.recorder()

    def words() -> Ints:
        return claim() if capture is None or capture.is_own(thing) else capture.claimed(claim)

    return words() if recorder is None else recorder.claim(words)
