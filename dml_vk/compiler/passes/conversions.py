"""Steps of a function whose operations are done in chosen memory formats.

What a function sees stays as it is: its tensors, their strides and what shares memory with what. An
operation that is done in another format has its result in other memory as well, and what does not
go along is given a copy in the memory that the function knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dml_vk.compiler.passes.operations import FORMATS, flexible, label_of, touched, weight_of
from dml_vk.compiler.report.formats import Conversion
from dml_vk.kernels.plan.base import Plan
from dml_vk.layout import Layout
from dml_vk.observe.callers import Caller
from dml_vk.observe.copies import ASKED, Copy, collected
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.view import allocation_bytes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.capture import Capture
from dml_vk.tracing.recorder import recorded
from dml_vk.tracing.step import Launch, Operation, Step

LAUNCH_NS = 10_000.0  # until the next launch may begin


def estimated_ns(steps: Iterable[Step]) -> float:
    """What plans estimate that steps take on one slow core."""
    total = 0.0
    for step in steps:
        if isinstance(step, Launch):
            total += LAUNCH_NS
            if isinstance(step.work, Plan):
                total += step.work.units * step.work.unit_ns * len(step.work.launches)
    return total


class Choice(NamedTuple):
    """How an operation is done."""

    label: int
    converts_weight: bool = False  # to channels_last


@dataclass
class Memory:
    """Where the values of a slot are."""

    spec: Spec | None = None  # of the tensor that has all of it, if an operation made it
    is_there: bool = True  # in the slot itself
    others: dict[Spec, dict[int | None, Tensor]] = field(default_factory=dict)  # copies, by label


def empty_like(capture: Capture, x: Tensor, label: int) -> Tensor:
    """A tensor of the same elements in new memory of a capture, in this format."""
    layout = Layout.packed(x.shape, FORMATS[label])
    memory = capture.new(allocation_bytes(layout, x.dtype))
    return Tensor._over_memory(memory, Spec.of(layout, x.dtype, x.device))


def relabelled(x: Tensor, label: int) -> Tensor | None:
    """The same memory in this format, if it is packed in it; None if it must be copied."""
    layout, moves = x.layout.to(FORMATS[label])
    if moves:
        return None
    return Tensor._over_memory(x.allocation, Spec.of(layout, x.dtype, x.device))


class Slots:
    """Slots of a capture by the tensors that are views of them."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture

    def of(self, x: Tensor) -> int:
        return self._capture.on_slot(x._reads or x.reads).slot

    def is_outer(self, slot: int) -> bool:
        """Whether memory was there before the call."""
        return slot < self._capture.arguments or slot in self._capture.outside


class Conversions:
    """Makes the steps. They are `steps`, and `conversions` the copies among them."""

    def __init__(
        self,
        capture: Capture,
        copies: Sequence[Copy],
        times: Mapping[Operation, tuple[float, ...]],
    ) -> None:
        """Begin with the function's own copies, and what operations take in either format."""
        self.steps: list[Step] = []
        self.conversions: list[Conversion] = []
        self.copies = list(copies)
        self._capture = capture
        self._slots = Slots(capture)
        self._memory: dict[int, Memory] = {}
        self._times = times
        self._item: Operation | Step | None = None  # that is being done

    def run(
        self, items: Sequence[Operation | Step], choices: Sequence[Choice], returned: Iterable[int]
    ) -> None:
        """Do all in order, operations that can be as is chosen for each."""
        capture, left = self._capture, iter(choices)
        before, capture.steps = capture.steps, self.steps
        try:
            with recorded(capture):
                for item in items:
                    self._item = item
                    if not isinstance(item, Operation):
                        self._as_it_is([item])
                    elif flexible(item):
                        self._do(item, next(left))
                    else:
                        self._done(item)
                self._item = None
                for slot in returned:
                    self._bring_back(slot)
        finally:
            capture.steps = before

    def _do(self, operation: Operation, choice: Choice) -> None:
        operands, label = list(operation.operands), choice.label
        for k in flexible(operation):
            operands[k] = self._in(operands[k], label)
        weight = weight_of(operation) if choice.converts_weight else None
        if weight is not None:
            operands[weight] = self._in(operands[weight], 1, is_weight=True)
        anew = operation.out is not None and self._is_anew(operation, label)
        if anew or any(a is not b for a, b in zip(operands, operation.operands)):
            self._repeat(operation, operands, anew=anew)
        else:
            self._done(operation)

    def _done(self, operation: Operation) -> None:
        """Do an operation as the function does it."""
        self._as_it_is(operation.steps)
        if operation.out is None:
            self._memory[self._slots.of(operation.result)] = Memory(operation.result.spec)

    def _is_anew(self, operation: Operation, label: int) -> bool:
        """Whether a result that is written to a tensor goes to new memory instead."""
        assert operation.out is not None
        slot = self._slots.of(operation.out)
        whole = self._of(slot).spec is operation.out.spec and not self._slots.is_outer(slot)
        return whole and relabelled(operation.out, label) is None

    def _repeat(self, operation: Operation, operands: Sequence[object], *, anew: bool) -> None:
        for x, before in zip(operands, operation.operands):
            if isinstance(x, Tensor) and x is before:
                self._bring_back(self._slots.of(x))
        out = None if anew else operation.out
        slot = self._slots.of(operation.result)
        if out is not None:
            self._bring_back(slot)
        begin = len(self.steps)
        result, copies = collected(lambda: operation.do(operands, out))
        for copy in operation.copies:
            self.copies.remove(copy)
        self.copies += copies
        ours = {}
        spec = operation.result.spec
        assert spec is not None
        if out is not None:
            self._of(slot).others.clear()
        elif operation.out is None and _same_places(result.layout, spec.layout):
            ours = {self._slots.of(result): slot}
            self._memory[slot] = Memory(spec)
        else:
            others = {spec: {label_of(result.layout): result}}
            self._memory[slot] = Memory(spec, False, others)
        self._name(begin, operation.caller, ours)

    def _name(self, begin: int, caller: Caller, slots: dict[int, int]) -> None:
        """Give steps that were just made the line of what they do, and other slots."""
        for number in range(begin, len(self.steps)):
            step = self.steps[number]
            assert isinstance(step, Launch)
            accesses = [
                access.on(self._capture.slots[slots.get(access.slot, access.slot)])
                for access in step.accesses
            ]
            self.steps[number] = replace(step, accesses=tuple(accesses), caller=caller)

    def _as_it_is(self, steps: Iterable[Step]) -> None:
        for step in steps:
            for slot, _ in touched(step):
                self._bring_back(slot)
            for slot, writes in touched(step):
                if writes:
                    self._of(slot).others.clear()
            self.steps.append(step)

    def _of(self, slot: int) -> Memory:
        return self._memory.setdefault(slot, Memory())

    def _in(self, x: Tensor, label: int, *, is_weight: bool = False) -> Tensor:
        """Return a tensor of the same values in this format; x itself if it has it."""
        slot, spec = self._slots.of(x), x.spec
        memory = self._of(slot)
        assert spec is not None
        known = memory.others.setdefault(spec, {})
        if label in known:
            return known[label]
        self._bring_back(slot)
        same = x if label_of(x.layout) == label else relabelled(x, label)
        if same is not None:
            return same
        copied = empty_like(self._capture, x, label)
        self._convert(x, copied, is_weight=is_weight)
        known[label] = copied
        return copied

    def _bring_back(self, slot: int) -> None:
        """Make sure that values are in the slot itself."""
        memory = self._of(slot)
        if memory.is_there:
            return
        spec = memory.spec
        assert spec is not None
        itself = self._capture.slots[slot]
        source = next(iter(memory.others[spec].values()))
        self._convert(source, Tensor._over_memory(itself, spec))
        memory.is_there = True

    def _convert(self, source: Tensor, target: Tensor, *, is_weight: bool = False) -> None:
        begin, item = len(self.steps), self._item
        copy_elements("compile", source, target)
        needed_by = item.caller if isinstance(item, (Operation, Launch)) else None
        wanted = target.layout.memory_format or target.layout.order
        self._name(begin, Caller(f"to {wanted}", *(needed_by or ("", "", 0))[1:]), {})
        size = target.layout.numel * target.dtype.itemsize
        times = self._times.get(item, ()) if isinstance(item, Operation) else ()
        spent = estimated_ns(self.steps[begin:])
        formats = source.layout, target.layout
        self.conversions.append(Conversion(*formats, size, spent, needed_by, is_weight, times))
        self.copies.append(("compile", ASKED, *formats, size))


def _same_places(a: Layout, b: Layout) -> bool:
    """Whether two packed layouts of the same sizes have each element at the same place."""
    return a.order == b.order or not b.to(a.order)[1]
