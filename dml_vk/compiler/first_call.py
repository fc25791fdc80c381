"""The first call of a signature: the function is captured, and becomes a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from dml_vk.arguments import Ints
from dml_vk.compiler.classes import looks_at_classes
from dml_vk.compiler.live_numbers import LiveArgument
from dml_vk.compiler.passes.fuse import computed_of
from dml_vk.compiler.program import Program
from dml_vk.compiler.stages import program_of
from dml_vk.compiler.trees import exactly, replace
from dml_vk.errors import ONE_DEVICE, CaptureError, DeviceError
from dml_vk.observe import dispatches
from dml_vk.observe.copies import Copy, collected
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.device import device as open_device
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.capture import Capture
from dml_vk.tracing.recorder import recorded
from dml_vk.tracing.step import Launch, Upload


class Known(NamedTuple):
    """A program, and the numbers on whose values it depends, by their place."""

    pinned: dict[int, object]
    program: Program

    def fits(self, numbers: Sequence[float]) -> bool:
        return all(exactly(numbers[position]) == value for position, value in self.pinned.items())


class _NeedsNumbersError(Exception):
    """The function failed where it had placeholders of numbers."""


@dataclass(frozen=True)
class FirstCall:
    """A function with arguments of a new signature."""

    name: str
    function: Callable[..., Any]
    args: Sequence[object]
    kwargs: dict[str, object]
    static: frozenset[int]  # the places of arguments whose numbers are as they are
    tensors: Sequence[Tensor]
    memory: Sequence[MemoryRange]
    shares: Ints  # for each tensor which memory it has
    gifts: Sequence[int]  # the tensors that are donated
    layout: str | None
    is_fused: bool  # it must be elementwise

    def known(self) -> Known:
        """Capture the function; where it cannot have placeholders of numbers, with the numbers."""
        device = self.tensors[0].device if self.tensors else open_device()
        for x in self.tensors:
            if x.device is not device:
                devices = [x.device for x in self.tensors]
                raise DeviceError(self.name, ONE_DEVICE, devices=devices)
        if not looks_at_classes(self.function):
            try:
                return self._known(_Arguments(self, device, has_numbers=False))
            except _NeedsNumbersError:
                pass
        return self._known(_Arguments(self, device, has_numbers=True))

    def _known(self, inputs: _Arguments) -> Known:
        began, capture = perf_counter(), inputs.capture
        try:
            with recorded(capture):
                result, copies = collected(lambda: self.function(*inputs.args, **inputs.kwargs))
        except CaptureError:
            raise
        except Exception as error:
            if capture.refusal is not None:
                raise capture.refusal from error
            if inputs.has_placeholders:
                raise _NeedsNumbersError from error
            # As without `compile`, what was written before an error stays.
            self._program(inputs, None, ()).run(self.tensors, self.memory, inputs.values)
            raise
        if capture.refusal is not None:  # The function went on with something else.
            raise capture.refusal
        if self.is_fused:
            _check_elementwise(capture)
        program = self._program(inputs, result, copies, self.layout)
        program.capture_seconds = perf_counter() - began
        dispatches.captured(self.name, program.capture_seconds)
        return Known(inputs.pinned, program)

    def _program(
        self, inputs: _Arguments, result: object, copies: Sequence[Copy], layout: str | None = None
    ) -> Program:
        gone = [self.shares[number] for number in self.gifts]
        return program_of(inputs.capture, inputs.tensors, result, copies, gone, layout)


class _Arguments:
    """The arguments without values, and numbers as they are or as placeholders."""

    def __init__(self, call: FirstCall, device: Device, *, has_numbers: bool) -> None:
        self.capture = Capture(device, [allocation.nbytes for allocation in call.memory])
        self.tensors: list[Tensor] = []
        self.values: list[float] = []  # of numbers that are not at static places
        self._shares = call.shares
        self._has_numbers = has_numbers
        self._live: list[LiveArgument] = []
        self._known: dict[int, Tensor] = {}
        fixed = partial(self._without_values, is_static=True)
        self.args = [
            replace(argument, fixed if position in call.static else self._without_values)
            for position, argument in enumerate(call.args)
        ]
        self.kwargs = replace(call.kwargs, self._without_values)

    @property
    def has_placeholders(self) -> bool:
        return not all(number.is_pinned for number in self._live)

    @property
    def pinned(self) -> dict[int, object]:
        """The numbers on whose values the function depended, by their place."""
        if self._has_numbers:
            return dict(enumerate(map(exactly, self.values)))
        return {
            number.operand: exactly(number.pinned()) for number in self._live if number.is_pinned
        }

    def _without_values(self, x: object, *, is_static: bool = False) -> object:
        if isinstance(x, Tensor):
            slot = self.capture.slots[self._shares[len(self.tensors)]]
            spec = Spec.of(x.layout, x.dtype, x.device)
            stand_in = self._known.setdefault(id(x), Tensor._over_memory(slot, spec))
            self.tensors.append(stand_in)
            return stand_in
        if is_static or not (type(x) is int or type(x) is float):
            return x
        self.values.append(x)
        if self._has_numbers:
            return x
        self._live.append(LiveArgument(len(self._live), x))
        return self._live[-1]


def _check_elementwise(capture: Capture) -> None:
    for step in capture.steps:
        if not isinstance(step, Upload) and computed_of(step) is None:
            caller = step.caller if isinstance(step, Launch) else None
            rule = "only elementwise operations can be fused: use compile"
            raise CaptureError("fuse", rule, call=str(caller))
