"""Traces: what one call did on its device, to be run on other memory and with other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.copies import Copy, record
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.executor import Executor
from dml_vk.runtime.executor import Recorder as Recording
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.numbers import LiveNumber, NumberWords, Word
from dml_vk.tracing.recorder import Recorder
from dml_vk.tracing.step import Allocate, Launch, Slot, SlotAccess


@dataclass(slots=True, eq=False)
class OneLaunch:
    """The common kind of trace: one launch that reads whole operands and writes the result."""

    reads: Ints  # indexes of the operands
    plan: Plan
    span: tuple[int, int, int]  # the access to the result: base, low and high, in bytes
    nbytes: int
    params: Ints  # without the words of a number
    place: int  # of the words of a number among the params
    what: str


class Trace:
    """Launches over the memory of a call's operands, its result and temporaries."""

    __slots__ = (
        *("_copies", "_device", "_numbers", "_one", "_result", "_slots", "_steps", "_tensors"),
        "spec",
    )

    def __init__(
        self,
        recorder: Recorder,
        reads: dict[int, SlotAccess],
        result: Slot,
        spec: Any,
        copies: Sequence[Copy],
    ) -> None:
        """Make a trace of what a recorder has.

        `reads` is how a kernel reads all of an operand, for each that is a tensor, by index; the
        slot of `out` is number `len(operands)`. `spec` is that of the result, None if it is `out`.
        """
        steps = recorder.steps
        launches = [step for step in steps if isinstance(step, Launch)]
        words = [word for step in launches for word in step.params if type(word) is Word]
        self.spec = spec
        self._device = recorder.device
        self._copies = copies
        self._numbers: list[NumberWords] = list(dict.fromkeys([word.number for word in words]))
        self._steps = _with_last_uses(steps, {*range(recorder.operands), result.number})
        self._slots = len(recorder.slots)
        self._tensors = tuple(reads)
        self._result = result.number
        self._one = self._one_launch(reads)

    def run(
        self, operands: Sequence[Any], out: Any, recorder: Recording | None = None
    ) -> Allocation | None:
        """Do it on these operands, or have it recorded; return the memory of a new result."""
        for copy in self._copies:
            record(*copy)
        device: Executor = self._device if recorder is None else recorder.on(self._device)
        one = self._one
        if one is None:
            return self._run_steps(device, operands, out)
        accesses: list[Access] = []
        for number in one.reads:
            x = operands[number]
            accesses.append(x._reads or x.reads)
        params = one.params
        if self._numbers:
            (words,) = self._words(operands)
            params = params[: one.place] + words + params[one.place :]
        if self.spec is None:
            accesses.append(Access.of(out.allocation, *one.span, True))
            device.launch(one.plan, accesses, params)
            return None
        return device.launch_new(one.what, one.plan, accesses, one.span, one.nbytes, params)

    def _run_steps(self, device: Executor, operands: Sequence[Any], out: Any) -> Allocation | None:
        words = self._words(operands)
        memory: list[Any] = [None] * self._slots
        for number in self._tensors:
            memory[number] = operands[number].allocation
        memory[len(operands)] = None if out is None else out.allocation
        for step, ended in self._steps:
            if isinstance(step, Allocate):
                near = None if step.near is None else memory[step.near]
                memory[step.slot] = device.allocate(step.what, step.nbytes, near)
                continue
            accesses = [one.of(memory[one.slot]) for one in step.accesses]
            params = step.params
            if words:
                params = tuple([self._word(words, word) for word in params])
            device.launch(step.plan, accesses, params, step.otherwise, step.what)
            for slot in ended:
                memory[slot] = None
        return None if self.spec is None else memory[self._result]

    def _words(self, operands: Sequence[Any]) -> list[Ints]:
        return [_words_of(one, operands[one.operand]) for one in self._numbers]

    def _word(self, words: list[Ints], word: int) -> int:
        if type(word) is not Word:
            return word
        return words[self._numbers.index(word.number)][word.place]

    def _one_launch(self, operands: dict[int, SlotAccess]) -> OneLaunch | None:
        steps = [step for step, _ in self._steps]
        launches = [step for step in steps if isinstance(step, Launch)]
        if len(launches) != 1 or len(steps) > 1 + (self.spec is not None):
            return None
        (launch,) = launches
        *reads, target = launch.accesses
        whole: dict[SlotAccess, int] = {}
        for number, access in operands.items():
            whole.setdefault(access, number)
        found = [whole.get(access) for access in reads]
        if target.slot == self._result and all(one.slot != target.slot for one in whole):
            # A read of the result stands in for a number: the kernel does not read the binding.
            first = min(whole.values(), default=None)
            found = [
                first if one.slot == target.slot else number for one, number in zip(reads, found)
            ]
        numbers = tuple([number for number in found if number is not None])
        if target.slot != self._result or launch.otherwise or len(numbers) < len(found):
            return None
        if not found and self.spec is not None:  # New memory is allocated near what is read.
            return None
        rest = tuple([word for word in launch.params if type(word) is not Word])
        words = [place for place, word in enumerate(launch.params) if type(word) is Word]
        place = min(words, default=0)
        if len(self._numbers) > 1 or words != [*range(place, place + len(words))]:
            return None
        made = [step for step in steps if isinstance(step, Allocate)]
        what, nbytes = (made[0].what, made[0].nbytes) if made else (launch.what, 0)
        span = target.base, target.low & ~3, target.high + 3 & ~3
        return OneLaunch(numbers, launch.plan, span, nbytes, rest, place, what)


def _words_of(made: NumberWords, number: Any) -> Ints:
    if issubclass(type(number), LiveNumber):
        words: Ints = number.words(made)
        return words
    found: Ints = made.pack(*made.known, number)
    return found


def _with_last_uses(
    steps: Sequence[Allocate | Launch], kept: set[int]
) -> list[tuple[Allocate | Launch, list[int]]]:
    """Return each step with the slots that no later step uses, except those in `kept`."""
    found = []
    for step in reversed(steps):
        slots = {one.slot for one in step.accesses} if isinstance(step, Launch) else set()
        found.append((step, [*slots - kept]))
        kept = kept | slots
    return found[::-1]
