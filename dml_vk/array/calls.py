"""Calls: the launches of a function are recorded once for each signature, and then replayed.

`call` runs the function on placeholders for its operands and records its launches. They depend only
on the signature: the function and its parameters, the operands' layouts, dtypes and devices, which
of them share memory with the result, and whether results must be exact. Every call, including the
first, replays a recording on the operands' memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.array.host_operands import with_dtypes
from dml_vk.errors import DmlVkError
from dml_vk.exactness import chosen
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.copies import collected, record
from dml_vk.ops.view import View
from dml_vk.runtime.device import Device
from dml_vk.runtime.hazards import Access
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import is_scalar, plain
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.step import (
    Allocate,
    FloatNumber,
    IntNumber,
    Launch,
    LiveNumber,
    NumberWords,
    Recording,
    Slot,
    SlotAccess,
    Word,
)

MOST = 4096  # cached calls; the cache is cleared when it is full

# Takes the operands, `out` or None, and parameters.
Function = Callable[..., Tensor]

# What sees the calls of a context: a function and its parameters, how to call it on operands and
# an `out`, and with which it was called. It calls it.
Watcher = Callable[
    [Function, "tuple[Any, ...]", Callable[[Sequence[Any], Any], Tensor], Sequence[Any], Any],
    Tensor,
]

_calls: dict[tuple[Any, ...], Call] = {}
_UNKEYED = object()
_watcher: ContextVar[Watcher | None] = ContextVar("dml_vk.calls", default=None)
_switching = threading.RLock()
_watched = 0


def call(function: Function, operands: Sequence[Any], out: Any = None, *params: Any) -> Tensor:
    """Return `function(operands, out, *params)`, recorded or replayed.

    The function must not read elements or the values of numbers among the operands. Its result is
    `out`, which it reads only as one of the operands, or new. Parameters are hashable, and equal
    parameters mean the same.
    """
    place = None if out is None else _place(operands, out)
    parts = [function, params, place, chosen.get().exact]
    for x in operands:
        parts.append((type(x) is Tensor and x._spec) or _key(x))
    key = tuple(parts)
    known = _calls.get(key)
    if known is None:
        if _UNKEYED in key:
            if any(map(is_scalar, operands)):
                near = next((x for x in operands if type(x) is Tensor), None)
                same = map(plain, operands) if near is None else with_dtypes(operands, near)
                return call(function, tuple(same), out, *params)
            # No operands, which is an error, or part of another call, which is being recorded.
            return function(operands, out, *params)
        with suppress(DmlVkError):
            known = _recorded(function, operands, out, params)
        if known is None:
            # Raise the error again, with the operands themselves instead of placeholders.
            return function(operands, out, *params)
        if len(_calls) >= MOST:
            _calls.clear()
        _calls[key] = known
    return known.replay(operands, out)


def _key(x: Any) -> Any:
    kind = type(x)
    if kind is Tensor:
        return x._spec or x.spec or _UNKEYED
    if kind is float or kind is int:
        return kind
    if issubclass(kind, LiveNumber):
        return x.kind
    return x if kind is bool else _UNKEYED


def _place(operands: Sequence[Any], out: Any) -> Any:
    """Return the key of `out`: its spec, and which operands it shares memory with."""
    spec = _key(out)
    if type(out) is not Tensor or spec is _UNKEYED:
        return _UNKEYED
    memory = out.allocation
    if memory.is_fixed:  # The function raises the error.
        return _UNKEYED
    return spec, *[type(x) is Tensor and x.allocation is memory for x in operands]


def _recorded(function: Function, operands: Sequence[Any], out: Any, params: Any) -> Call:
    recordings: dict[Device, Recording] = {}
    stand_ins: list[Any] = []
    last = len(operands)
    place = shared = None

    def stand_in(x: Tensor, slot: Any) -> Tensor:
        device = recordings.setdefault(x.device, Recording(x.device, last + 1))
        return Tensor(View(device, slot, x.layout, x.dtype))

    for number, x in enumerate(operands):
        if type(x) is Tensor:
            slot = Slot(number, x.allocation.nbytes)
            if out is not None and x.allocation is out.allocation:
                slot = shared = shared or slot
            stand_ins.append(stand_in(x, slot))
        elif type(x) is bool:
            stand_ins.append(x)
        else:
            stand_ins.append(IntNumber(1) if isinstance(x, int) else FloatNumber(1))
            stand_ins[-1].operand = number
    if out is not None:
        place = stand_in(out, shared or Slot(last, out.allocation.nbytes))
    result, copies = collected(lambda: function(tuple(stand_ins), place, *params))
    made = Call(copies, stand_ins, result, is_new=result is not place)
    made.function, made.params = function, params
    return made


@dataclass(slots=True, eq=False)
class OneLaunch:
    """The common kind of call: one launch that reads whole operands and writes the result."""

    reads: Ints  # indexes of the operands
    plan: Plan
    span: tuple[int, int, int]  # the access to the result: base, low and high, in bytes
    nbytes: int
    params: Ints  # without the words of a number
    place: int  # of the words of a number among the params
    what: str


class Call:
    """A recorded call: launches over the memory of its operands, its result and temporaries."""

    __slots__ = (
        *("_copies", "_device", "_numbers", "_one", "_result", "_slots", "_spec", "_steps"),
        *("function", "params"),
    )
    function: Function
    params: tuple[Any, ...]

    def __init__(
        self, copies: Sequence[Any], stand_ins: Sequence[Any], result: Tensor, *, is_new: bool
    ) -> None:
        recording: Any = result.device
        memory: Any = result.allocation
        launches = [step for step in recording.steps if type(step) is Launch]
        words = [word for step in launches for word in step.params if type(word) is Word]
        self._device: Device = recording.real
        self._copies = copies
        self._numbers: list[NumberWords] = list(dict.fromkeys([word.number for word in words]))
        self._steps = _with_last_uses(recording.steps, {*range(len(stand_ins) + 1), memory.number})
        self._slots = recording.slots
        self._result = memory.number
        self._spec = Spec.of(result.layout, result.dtype, self._device) if is_new else None
        self._one = self._one_launch(stand_ins)

    def replay(self, operands: Sequence[Any], out: Any) -> Tensor:
        for copy in self._copies:
            record(*copy)
        one = self._one
        if one is None:
            return self._replay_steps(operands, out)
        accesses: list[Access] = []
        for number in one.reads:
            x = operands[number]
            accesses.append(x._reads or x.reads)
        params = one.params
        if self._numbers:
            (words,) = self._words(operands)
            params = params[: one.place] + words + params[one.place :]
        if self._spec is None:
            accesses.append(Access.of(out.allocation, *one.span, True))
            self._device.launch(one.plan, accesses, params)
            result: Tensor = out
            return result
        memory = self._device.launch_new(one.what, one.plan, accesses, one.span, one.nbytes, params)
        return Tensor._over_memory(memory, self._spec)

    def _words(self, operands: Sequence[Any]) -> list[Ints]:
        return [_words_of(one, operands[one.operand]) for one in self._numbers]

    def _replay_steps(self, operands: Sequence[Any], out: Any) -> Tensor:
        device, words = self._device, self._words(operands)
        memory: list[Any] = [x.allocation if type(x) is Tensor else None for x in operands]
        memory.append(None if out is None else out.allocation)
        memory += [None] * (self._slots - len(memory))
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
        if self._spec is not None:
            return Tensor._over_memory(memory[self._result], self._spec)
        result: Tensor = out
        return result

    def _word(self, words: list[Ints], word: int) -> int:
        if type(word) is not Word:
            return word
        return words[self._numbers.index(word.number)][word.place]

    def _one_launch(self, stand_ins: Sequence[Any]) -> OneLaunch | None:
        steps = [step for step, _ in self._steps]
        launches = [step for step in steps if isinstance(step, Launch)]
        if len(launches) != 1 or len(steps) > 1 + (self._spec is not None):
            return None
        (launch,) = launches
        *reads, target = launch.accesses
        whole: dict[SlotAccess, int] = {}
        for number, x in enumerate(stand_ins):
            if type(x) is Tensor:
                slot: Any = x.allocation
                whole.setdefault(SlotAccess(slot.number, *x.reads.span), number)
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
        if not found and self._spec is not None:  # New memory is allocated near what is read.
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


def shown(function: Function, operands: Sequence[Any], out: Any, *params: Any) -> Tensor:
    """Return `function(operands, out, *params)`. Who watches sees its calls as one."""
    watcher = _watcher.get()
    if watcher is None:
        return function(operands, out, *params)

    def do(operands: Sequence[Any], out: Any) -> Tensor:
        return function(operands, out, *params)

    return watcher(function, params, do, operands, out)


def _shown(known: Call, operands: Sequence[Any], out: Any) -> Tensor:
    watcher = _watcher.get()
    if watcher is None:
        return _replay(known, operands, out)

    def do(operands: Sequence[Any], out: Any) -> Tensor:
        return call(known.function, operands, out, *known.params)

    return watcher(known.function, known.params, do, operands, out)


_replay = Call.replay


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Show the calls that this context makes in the `with` block.

    Calls are replayed by another function for that time, so that they take none to look whether
    anybody watches.
    """
    global _watched

    def once(*given: Any) -> Tensor:
        token = _watcher.set(None)
        try:
            return watcher(*given)
        finally:
            _watcher.reset(token)

    with _switching:
        _watched += 1
    token = _watcher.set(once)
    try:
        setattr(Call, "replay", _shown)  # noqa: B010
        yield
    finally:
        _watcher.reset(token)
        with _switching:
            _watched -= 1
            if not _watched:
                setattr(Call, "replay", _replay)  # noqa: B010


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
