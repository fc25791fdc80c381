"""A program: the steps of a function on memory by number, made once and repeated."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.compiler.donation import Donation
from dml_vk.compiler.live_numbers import LiveArgument
from dml_vk.compiler.passes.aliasing import check_order
from dml_vk.compiler.passes.constants import with_constants
from dml_vk.compiler.passes.fuse import fused
from dml_vk.compiler.passes.inline import attached
from dml_vk.compiler.passes.liveness import Step, levels, needed
from dml_vk.compiler.passes.memory import shared
from dml_vk.compiler.report.formats import Formats
from dml_vk.compiler.trees import Leaf, build, replace
from dml_vk.errors import CaptureError
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.builds import Builds
from dml_vk.observe.copies import Copy, record
from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.device import Device
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Prepared
from dml_vk.runtime.schedule import Submission
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.capture import Capture, Placeholder
from dml_vk.tracing.numbers import NumberWords, Word
from dml_vk.tracing.step import Launch, SlotAccess, Verify

Words = Mapping[NumberWords, Ints]  # what placeholders stand for in a call
MOST_RECORDED = 8  # places of memory for which a part of a program stays recorded


class Job(NamedTuple):
    """One launch on the memory of a program, by number."""

    launch: Launch
    accesses: tuple[SlotAccess, ...]
    level: int

    @property
    def work(self) -> Plan | Dispatched:
        return self.launch.work


class Recorded(NamedTuple):
    """The submissions of a part for one place of its memory."""

    submissions: list[Submission]
    prepared: list[Prepared] | None
    accesses: list[Access]


class Part:
    """Launches up to a check, or to the end."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.verify: Verify | None = None
        self.recorded: dict[tuple[Any, ...], Recorded] = {}
        self._varies = any(type(word) is Word for job in jobs for word in job.launch.params)
        spans: dict[tuple[int, bool], tuple[int, int]] = {}
        for job in jobs:
            for one in job.accesses:
                low, high = spans.get((one.slot, one.writes), (one.low, one.high))
                spans[one.slot, one.writes] = min(low, one.low), max(high, one.high)
        self._spans = [
            SlotAccess(slot, low, low, high, writes)
            for (slot, writes), (low, high) in spans.items()
        ]

    def measure(self, device: Device, memory: Sequence[Any], words: Words) -> list[float]:
        """Run the launches one by one, and return the time of each in microseconds."""
        queue, works = device.queue, self._works(memory, words)
        with queue.enter():
            return [queue.measure(queue.prepare([work])) for work in works]

    def run(self, device: Device, memory: Sequence[Any], words: Words) -> None:
        """Submit the launches. The caller holds the gate."""
        queue = device.queue
        places: list[Any] = []
        for one in memory:
            places += (one.arena, one.offset)
        key = tuple(places)
        recorded = None if self._varies else self.recorded.get(key)
        if recorded is None or queue.is_logged:
            made = queue.prepare(self._works(memory, words))
            accesses = [one.of(memory[one.slot]) for one in self._spans]
            prepared = None if self._varies else queue.recorded(made)
            recorded = Recorded(made, prepared, accesses)
            if prepared is not None:
                if len(self.recorded) >= MOST_RECORDED:
                    self.recorded.pop(next(iter(self.recorded)))
                self.recorded[key] = recorded
        queue.replay(*recorded)

    def forget(self, arena: Arena) -> None:
        for key in [key for key in self.recorded if arena in key]:
            del self.recorded[key]

    def _works(
        self, memory: Sequence[Allocation], words: Words
    ) -> Iterator[tuple[Plan | Dispatched, list[Access], Ints]]:
        for launch, accesses, _ in self.jobs:
            params = launch.params
            if self._varies:
                params = tuple([_value(word, words) for word in params])
            yield launch.work, [one.of(memory[one.slot]) for one in accesses], params


def _value(word: int, words: Words) -> int:
    return words[word.number][word.position] if type(word) is Word else word


class Program:
    """What a function does for arguments of one signature."""

    def __init__(
        self,
        capture: Capture,
        given: Sequence[Tensor],
        result: Any,
        copies: Sequence[Copy],
        donated: Collection[int] = (),
        formats: Formats | None = None,
    ) -> None:
        """Make it of what a function did when it was given these tensors without values.

        `donated` are the slots of arguments that are not used after a call.
        """
        self.device = capture.device
        self._copies = copies if formats is None else formats.copies
        self.formats = formats  # that were chosen, if any were asked for
        self._arguments = capture.arguments
        self._claims = capture.claims
        self._results: list[tuple[int, Spec]] = []  # slot and spec of each tensor
        self._given = len(given)
        self._leaves = {id(x): Leaf(number) for number, x in enumerate(given)}
        self._result = replace(result, partial(self._leaf, capture))
        slots = capture.slots
        returned = {slot for slot, _ in self._results}
        captured = with_constants(capture, returned)
        self._outside = dict(capture.outside)
        outer = {*range(self._arguments), *self._outside, *returned}
        profile = self.device.profile
        steps = fused(needed(captured, outer), outer, profile)
        steps = attached(steps, outer, profile)
        level = levels(steps, slots)
        steps = [step for _, step in sorted(zip(level, steps), key=lambda pair: pair[0])]
        # Memory by number: the arguments, what is outside, and blocks of results and temporaries.
        taken = [*range(self._arguments), *sorted(self._outside)]
        own = sorted(returned.difference(taken))
        free = set(donated) - returned
        sharing = shared(steps, sorted(level), slots, own, free, taken)
        self._memory = {slot: number for number, slot in enumerate(taken)}
        self._memory |= {slot: len(taken) + block for slot, block in sharing.of.items()}
        self._blocks = [(one.nbytes, one.donor) for one in sharing.blocks]
        self._kept = [self._outside[slot] for slot in sorted(self._outside)]
        self._kept_ids = set(map(id, self._kept))
        self._fixed = [self._memory[slot] for slot in returned if slots[slot].is_fixed]
        self.temporary_bytes = sharing.temporary_bytes
        self.parts = self._parts(steps, sorted(level))
        words = [word for part in self.parts for job in part.jobs for word in job.launch.params]
        made = dict.fromkeys([word.number for word in words if type(word) is Word])
        self._numbers = [one for one in made if one.operand >= 0]
        self.times: list[float] = []  # of each launch in microseconds, once it was measured
        self.capture_seconds = 0.0
        self.builds: Builds | None = None  # of the first run
        self.device.queue.programs.add(self)

    def uses(self, allocation: Allocation) -> bool:
        """Whether memory is that of a tensor that the function takes from outside."""
        return id(allocation) in self._kept_ids

    def forget(self, arena: Arena) -> None:
        """Drop what is recorded for an arena."""
        for part in self.parts:
            part.forget(arena)

    def alive(self) -> list[Any]:
        """All objects of the runtime that are held here."""
        return [one.prepared for part in self.parts for one in part.recorded.values()]

    def run(
        self,
        tensors: Sequence[Tensor],
        memory: Sequence[Allocation],
        numbers: Sequence[float],
        donation: Donation | None = None,
        *,
        is_measured: bool = False,
    ) -> Any:
        """Run it on the arguments' memory, which `tensors` are views of, and their numbers.

        If it `is_measured`, launches run one by one, and `times` has how long each took.
        """
        for copy in self._copies:
            record(*copy)
        device = self.device
        places: list[Allocation] = [*memory, *self._kept]
        near = places[0].arena if places else None
        with device.queue.enter():
            for nbytes, donor in self._blocks:
                if donor is not None and donation is not None and donor in donation.free:
                    places.append(memory[donor])
                else:
                    places.append(device.memory.allocate("compile", nbytes, near))
        if donation is not None:
            tensors = donation.taken(tensors)
        words = {one: one.pack(*one.known, numbers[one.operand]) for one in self._numbers}
        times: list[float] = []
        for number, claim in enumerate(self._claims):
            words[NumberWords(~number, None, ())] = claim()
        for part in self.parts:
            if is_measured:
                times += part.measure(device, places, words)
            else:
                with device.queue.enter():
                    part.run(device, places, words)
            if part.verify is not None:
                self._verify(part.verify, places)
        self.times = times or self.times
        for number in self._fixed:  # It is only read, as it was in the function.
            places[number].is_fixed = True
        made = [
            Tensor._over_memory(places[self._memory[slot]], spec) for slot, spec in self._results
        ]
        return build(self._result, [*tensors, *made])

    def _verify(self, verify: Verify, places: Sequence[Allocation]) -> None:
        data = np.empty(verify.nbytes, np.uint8)
        self.device.download(places[self._memory[verify.slot]], verify.start, data)

        def real(memory: Any) -> Allocation:
            if isinstance(memory, Placeholder):
                memory = places[self._memory[memory.number]]
            found: Allocation = memory
            return found

        verify.check(data, real)

    def _leaf(self, capture: Capture, tensor: Any) -> Any:
        if type(tensor) is LiveArgument:
            return tensor.pinned()
        if isinstance(tensor, (Iterator, AsyncIterator, Awaitable)):
            rule = "a compiled function must not return what computes later, such as a generator"
            raise CaptureError("compile", rule, result=type(tensor).__name__)
        if not isinstance(tensor, Tensor):
            return tensor
        memory: Any = tensor.allocation
        if id(tensor) in self._leaves:
            return self._leaves[id(tensor)]
        if not isinstance(memory, Placeholder):
            return tensor  # from outside
        if not capture.has(memory):
            raise memory.used_late()
        self._results.append((memory.number, Spec.of(tensor.layout, tensor.dtype, tensor.device)))
        leaf = self._leaves[id(tensor)] = Leaf(self._given + len(self._results) - 1)
        return leaf

    def _parts(self, steps: Sequence[Step], level: Sequence[int]) -> list[Part]:
        parts: list[Part] = []
        jobs: list[Job] = []
        for step, at in zip(steps, level):
            if isinstance(step, Launch):
                check_order(step, self._memory)
                accesses = [one._replace(slot=self._memory[one.slot]) for one in step.accesses]
                jobs.append(Job(step, tuple(accesses), at))
            else:
                parts.append(Part(jobs))
                parts[-1].verify = step
                jobs = []
        if jobs:
            parts.append(Part(jobs))
        return parts
