"""Programs: the launches of a compiled function on memory by number, run again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.compiler.donation import Donation
from dml_vk.compiler.passes.aliasing import check_order
from dml_vk.compiler.passes.liveness import Step
from dml_vk.compiler.passes.memory import Sharing
from dml_vk.compiler.report.formats import Formats
from dml_vk.compiler.results import Results
from dml_vk.errors import CHECKPOINT, DeviceMemoryError
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.builds import Builds
from dml_vk.observe.copies import Copy, record
from dml_vk.runtime.arenas import Arena, MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Prepared
from dml_vk.runtime.schedule import Submission
from dml_vk.tensor.core import Tensor
from dml_vk.tracing.capture import Capture, Placeholder
from dml_vk.tracing.numbers import NumberWords, Word
from dml_vk.tracing.step import Launch, Verify

Words = Mapping[NumberWords, Ints]  # what placeholders stand for in a call
MOST_RECORDED = 8  # places of memory for which a part of a program stays recorded


class Recorded(NamedTuple):
    """The submissions of a part for one place of its memory."""

    submissions: list[Submission]
    prepared: list[Prepared] | None
    accesses: list[Access]


class Part:
    """Launches up to a check, or to the end."""

    def __init__(self, launches: Sequence[Launch], numbers: Mapping[int, int]) -> None:
        """Take launches on slots; `numbers` tells which memory each slot has."""
        self.launches = launches
        self.verify: Verify | None = None
        self.recorded: dict[tuple[object, ...], Recorded] = {}
        # The accesses of each launch, with the number of the memory.
        self._accesses = [
            [(numbers[access.slot], access.span) for access in launch.accesses]
            for launch in launches
        ]
        self._varies = any(type(word) is Word for launch in launches for word in launch.params)
        spans: dict[tuple[int, bool], tuple[int, int]] = {}
        for access in (access for launch in launches for access in launch.accesses):
            key = numbers[access.slot], access.writes
            low, high = spans.get(key, (access.low, access.high))
            spans[key] = min(low, access.low), max(high, access.high)
        self._spans = [
            (number, (low, low, high, writes)) for (number, writes), (low, high) in spans.items()
        ]

    def measure(self, device: Device, memory: Sequence[MemoryRange], words: Words) -> list[float]:
        """Run the launches one by one, and return the time of each in microseconds."""
        queue, works = device.queue, self._works(memory, words)
        with queue.enter():
            return [queue.measure(queue.prepare([work])) for work in works]

    def run(self, device: Device, memory: Sequence[MemoryRange], words: Words) -> None:
        """Submit the launches. The caller holds the gate."""
        queue = device.queue
        where: list[object] = []
        for allocation in memory:
            where += (allocation.arena, allocation.offset)
        key = tuple(where)
        recorded = None if self._varies else self.recorded.get(key)
        if recorded is None or queue.is_logged:
            submissions = queue.prepare(self._works(memory, words))
            accesses = [Access.within(memory[number], span) for number, span in self._spans]
            prepared = None if self._varies else queue.recorded(submissions)
            recorded = Recorded(submissions, prepared, accesses)
            if prepared is not None:
                if len(self.recorded) >= MOST_RECORDED:
                    self.recorded.pop(next(iter(self.recorded)))
                self.recorded[key] = recorded
        queue.replay(*recorded)

    def forget(self, arena: Arena) -> None:
        for key in [key for key in self.recorded if arena in key]:
            del self.recorded[key]

    def _works(
        self, memory: Sequence[MemoryRange], words: Words
    ) -> Iterator[tuple[Plan | Dispatched, list[Access], Ints]]:
        for launch, numbered in zip(self.launches, self._accesses):
            params = launch.params
            if self._varies:
                params = tuple([_value(word, words) for word in params])
            accesses = [Access.within(memory[number], span) for number, span in numbered]
            yield launch.work, accesses, params


def _value(word: int, words: Words) -> int:
    return words[word.number][word.position] if type(word) is Word else word


class Program:
    """What a function does for arguments of one signature."""

    def __init__(
        self,
        capture: Capture,
        results: Results,
        steps: Iterable[Step],
        sharing: Sharing,
        copies: Sequence[Copy],
        formats: Formats | None = None,
    ) -> None:
        """Make it of steps in their order; slots that are not outside have shared blocks."""
        self.device = capture.device
        self.formats = formats  # that were chosen, if any were asked for
        self._copies = copies if formats is None else formats.copies
        self._results = results
        self._claims = capture.claims
        self._has_gradients = capture.has_gradients
        # Memory by number: the arguments, what is outside, and blocks of results and temporaries.
        outside = sorted(capture.outside)
        known = [*range(capture.arguments), *outside]
        self._memory = {slot: number for number, slot in enumerate(known)}
        self._memory |= {slot: len(known) + block for slot, block in sharing.of.items()}
        self._blocks = [(block.nbytes, block.donor) for block in sharing.blocks]
        self._outside = [capture.outside[slot] for slot in outside]
        self._outside_ids = set(map(id, self._outside))
        fixed = [slot for slot in results.slots if capture.slots[slot].is_fixed]
        self._fixed = [self._memory[slot] for slot in fixed]
        self.temporary_bytes = sharing.temporary_bytes
        self.parts = self._parts(steps)
        words = [word for part in self.parts for launch in part.launches for word in launch.params]
        numbers = dict.fromkeys([word.number for word in words if type(word) is Word])
        self._numbers = [number for number in numbers if number.operand >= 0]
        self.times: list[float] = []  # of each launch in microseconds, once it was measured
        self.capture_seconds = 0.0
        self.builds: Builds | None = None  # of the first run
        self.device.queue.programs.add(self)

    def uses(self, allocation: MemoryRange) -> bool:
        """Whether memory is that of a tensor that the function takes from outside."""
        return id(allocation) in self._outside_ids

    def forget(self, arena: Arena) -> None:
        """Drop what is recorded for an arena."""
        for part in self.parts:
            part.forget(arena)

    def alive(self) -> list[list[Prepared] | None]:
        """All objects of the runtime that are held here."""
        return [recorded.prepared for part in self.parts for recorded in part.recorded.values()]

    def run(
        self,
        tensors: Sequence[Tensor],
        memory: Sequence[MemoryRange],
        numbers: Sequence[float],
        donation: Donation | None = None,
        *,
        is_measured: bool = False,
    ) -> object:
        """Run it on the arguments' memory, which `tensors` are views of, and their numbers.

        If it `is_measured`, launches run one by one, and `times` has how long each took.
        """
        for copy in self._copies:
            record(*copy)
        device = self.device
        allocations: list[MemoryRange] = [*memory, *self._outside]
        near = allocations[0].arena if allocations else None
        try:
            with device.queue.enter():
                for nbytes, donor in self._blocks:
                    if donor is not None and donation is not None and donor in donation.free:
                        allocations.append(memory[donor])
                    else:
                        allocations.append(device.memory.allocate("compile", nbytes, near))
        except DeviceMemoryError as error:
            if self._has_gradients:
                error.advise(CHECKPOINT)
            raise
        if donation is not None:
            tensors = donation.taken(tensors)
        words = {key: key.pack(*key.known, numbers[key.operand]) for key in self._numbers}
        times: list[float] = []
        for number, claim in enumerate(self._claims):
            words[NumberWords(~number, None, ())] = claim()
        for part in self.parts:
            if is_measured:
                times += part.measure(device, allocations, words)
            else:
                with device.queue.enter():
                    part.run(device, allocations, words)
            if part.verify is not None:
                self._verify(part.verify, allocations)
        self.times = times or self.times
        for number in self._fixed:  # It is only read, as it was in the function.
            allocations[number].is_fixed = True
        returned = [
            Tensor._over_memory(allocations[self._memory[slot]], spec)
            for slot, spec in self._results.made
        ]
        return self._results.build(tensors, returned)

    def _verify(self, verify: Verify, memory: Sequence[MemoryRange]) -> None:
        data = np.empty(verify.nbytes, np.uint8)
        self.device.download(memory[self._memory[verify.slot]], verify.start, data)

        def real(allocation: MemoryRange) -> MemoryRange:
            if isinstance(allocation, Placeholder):
                return memory[self._memory[allocation.number]]
            return allocation

        verify.check(data, real)

    def _parts(self, steps: Iterable[Step]) -> list[Part]:
        parts: list[Part] = []
        launches: list[Launch] = []
        for step in steps:
            if isinstance(step, Launch):
                check_order(step, self._memory)
                launches.append(step)
            else:
                parts.append(Part(launches, self._memory))
                parts[-1].verify = step
                launches = []
        if launches:
            parts.append(Part(launches, self._memory))
        return parts
