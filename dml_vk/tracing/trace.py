"""Traces: what one call did on its device, to be run on other memory and with other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.copies import Copy, record
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.executor import Executor, Records
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.numbers import LiveNumber, NumberWords, Word
from dml_vk.tracing.recorder import Recorder
from dml_vk.tracing.step import Allocate, Launch, Slot


class Trace:
    """Launches over the memory of a call's operands, its result and temporaries.

    Most have one launch, which reads whole operands and writes the result. What it takes is then
    looked up once, and it runs without its steps.
    """

    __slots__ = (
        *("_copies", "_device", "_numbers", "_result", "_slots", "_steps", "_tensors", "spec"),
        *("_last", "_nbytes", "_params", "_plan", "_position", "_reads", "_span", "_what"),
    )

    def __init__(
        self,
        recorder: Recorder,
        reads: dict[int, Access],
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
        self._plan: Plan | None = None  # if it has one launch over whole operands
        self._last: tuple[object, Ints] = None, ()  # the last number, and the params with it
        self._set_single_launch(reads)

    def run(
        self, operands: Sequence[Any], out: Any, recorder: Records | None = None
    ) -> MemoryRange | None:
        """Do it on these operands, or have it recorded; return the memory of a new result."""
        for copy in self._copies:
            record(*copy)
        device: Executor = self._device if recorder is None else recorder.on(self._device)
        plan = self._plan
        if plan is None:
            return self._run_steps(device, operands, out)
        accesses: list[Access] = []
        for number in self._reads:
            x = operands[number]
            accesses.append(x._reads or x.reads)
        params = self._params
        if self._numbers:
            number = operands[self._numbers[0].operand]
            last, params = self._last  # In a loop a constant is the same object again.
            if number is not last:
                params = self._params_of(number)
        if self.spec is None:
            accesses.append(Access.within(out.allocation, self._span))
            device.launch_over(plan, accesses, params)
            return None
        return device.launch_new(self._what, plan, accesses, self._span, self._nbytes, params)

    def _run_steps(self, device: Executor, operands: Sequence[Any], out: Any) -> MemoryRange | None:
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
            accesses = [access.on(memory[access.slot]) for access in step.accesses]
            params = step.params
            if words:
                params = tuple([self._word(words, word) for word in params])
            device.launch(step.plan, accesses, params, step.otherwise, step.what)
            for slot in ended:
                memory[slot] = None
        return None if self.spec is None else memory[self._result]

    def _params_of(self, number: Any) -> Ints:
        """The params of the only launch with the words of its number."""
        at, (placeholder,) = self._position, self._numbers
        params = self._params[:at] + _words_of(placeholder, number) + self._params[at:]
        if type(number) is float or type(number) is int:  # Live numbers change.
            self._last = number, params
        return params

    def _words(self, operands: Sequence[Any]) -> list[Ints]:
        return [_words_of(number, operands[number.operand]) for number in self._numbers]

    def _word(self, words: list[Ints], word: int) -> int:
        if type(word) is not Word:
            return word
        return words[self._numbers.index(word.number)][word.position]

    def _set_single_launch(self, operands: dict[int, Access]) -> None:
        """Look up what the only launch takes, if there is one, and it is over whole operands."""
        steps = [step for step, _ in self._steps]
        launches = [step for step in steps if isinstance(step, Launch)]
        if len(launches) != 1 or len(steps) > 1 + (self.spec is not None):
            return
        (launch,) = launches
        *reads, target = launch.accesses
        whole: dict[Access, int] = {}
        for number, access in operands.items():
            whole.setdefault(access, number)
        operands_read = [whole.get(access) for access in reads]
        if target.slot == self._result and all(access.slot != target.slot for access in whole):
            # A read of the result stands in for a number: the kernel does not read the binding.
            first = min(whole.values(), default=None)
            operands_read = [
                first if access.slot == target.slot else number
                for access, number in zip(reads, operands_read)
            ]
        numbers = tuple([number for number in operands_read if number is not None])
        if target.slot != self._result or launch.otherwise or len(numbers) < len(reads):
            return
        if not reads and self.spec is not None:  # New memory is allocated near what is read.
            return
        words = [position for position, word in enumerate(launch.params) if type(word) is Word]
        first_word = min(words, default=0)
        if len(self._numbers) > 1 or words != [*range(first_word, first_word + len(words))]:
            return
        new = [step for step in steps if isinstance(step, Allocate)]
        self._what, self._nbytes = (new[0].what, new[0].nbytes) if new else (launch.what, 0)
        self._plan = launch.plan
        self._reads = numbers  # indexes of the operands
        self._span = target.base, target.low & ~3, target.high + 3 & ~3, True  # of the result
        # The params without the words of a number, and where these come among them.
        self._params = tuple([word for word in launch.params if type(word) is not Word])
        self._position = first_word


def _words_of(placeholder: NumberWords, number: Any) -> Ints:
    is_live = issubclass(type(number), LiveNumber)
    words: Ints = (
        number.words(placeholder) if is_live else placeholder.pack(*placeholder.known, number)
    )
    return words


def _with_last_uses(
    steps: Sequence[Allocate | Launch], outer: set[int]
) -> list[tuple[Allocate | Launch, list[int]]]:
    """Return each step with the slots that no later step uses, except those in `outer`."""
    pairs = []
    for step in reversed(steps):
        slots = {access.slot for access in step.accesses} if isinstance(step, Launch) else set()
        pairs.append((step, [*slots - outer]))
        outer = outer | slots
    return pairs[::-1]
