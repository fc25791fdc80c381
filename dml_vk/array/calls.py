"""Calls: what a function does is recorded once for each signature, and then run.

`call` runs the function on placeholders for its operands and records its launches as a trace. They
depend only on the signature: the function and its parameters, the operands' layouts, dtypes and
devices, which of them share memory with the result, and whether results must be exact. Every call,
including the first, runs a trace on the operands' memory.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from dml_vk import context
from dml_vk.array.host_operands import with_dtypes
from dml_vk.errors import DmlVkError, DTypeError
from dml_vk.observe.copies import collected
from dml_vk.ops.view import View
from dml_vk.runtime.executor import Operands, Records
from dml_vk.runtime.hazards import Access
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import is_scalar, plain
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.numbers import FloatNumber, IntNumber, LiveNumber
from dml_vk.tracing.recorder import Recorder, recorded
from dml_vk.tracing.step import Slot
from dml_vk.tracing.trace import Trace

MOST = 4096  # cached traces; the cache is cleared when it is full

# Takes the operands, `out` or None, and parameters.
Function = Callable[..., Tensor]

_traces: dict[tuple[object, ...], Trace] = {}
_UNKEYED = object()


def call(
    function: Function, operands: Operands, out: Tensor | None = None, *params: object
) -> Tensor:
    """Return `function(operands, out, *params)`, recorded or run from its trace.

    The function must not read elements or the values of numbers among the operands. Its result is
    `out`, which it reads only as one of the operands, or new. Parameters are hashable, and equal
    parameters mean the same.
    """
    now = context.get()
    shares = None if out is None else _target_key(operands, out)
    parts = [function, params, shares, now.settings.exact]
    for x in operands:
        parts.append((type(x) is Tensor and x._spec) or _key(x))
    key = tuple(parts)
    trace = _traces.get(key)
    if trace is None:
        if _UNKEYED in key:
            if any(map(is_scalar, operands)):
                near = next((x for x in operands if type(x) is Tensor), None)
                same = map(plain, operands) if near is None else with_dtypes(operands, near)
                return call(function, tuple(same), out, *params)
            recorder = now.recorder
            if recorder is not None and recorder.notes_writes and not recorder.is_over:
                # A complex number is an operand that only a tape notes.
                return _noted(recorder, function, function, operands, out, params)
            # No operands, which is an error, or part of another call, which is being recorded.
            return function(operands, out, *params)
        with suppress(DmlVkError):
            trace = _traced(function, operands, out, params)
        if trace is None:
            # Raise the error again, with the operands themselves instead of placeholders.
            return function(operands, out, *params)
        if len(_traces) >= MOST:
            _traces.clear()
        _traces[key] = trace
    recorder = now.recorder
    if recorder is not None:
        if recorder.is_over:
            recorder = None
        elif not recorder.is_in_call:
            return _noted(recorder, function, partial(call, function), operands, out, params)
    memory = trace.run(operands, out, recorder)
    if memory is None:
        assert out is not None
        return out
    return Tensor._over_memory(memory, trace.spec)


def composed(function: Function, operands: Operands, out: Tensor | None, *params: object) -> Tensor:
    """Return `function(operands, out, *params)`, whose calls are one operation to a recorder."""
    recorder = context.recorder()
    if recorder is None or recorder.is_in_call:
        return function(operands, out, *params)
    return _noted(recorder, function, function, operands, out, params)


def whole(
    function: Callable[..., object], operands: Operands, out: Tensor | None, *params: object
) -> Any:
    """Return `function(operands, out, *params)`, which is one operation to a tape alone.

    It may return several tensors as a tuple. `out` is for a single one.
    """
    recorder = context.recorder()
    if recorder is None or recorder.is_over or not recorder.notes_writes:
        return function(operands, out, *params)
    return recorder.whole(function, params, operands, out)


def _noted(
    recorder: Records,
    function: Function,
    run: Function,
    operands: Operands,
    out: Tensor | None,
    params: tuple[object, ...],
) -> Tensor:
    """Let a recorder note an operation of a function, which `run` does."""

    def do(operands: Operands, out: Tensor | None) -> Tensor:
        return run(operands, out, *params)

    return recorder.operation(function, params, do, operands, out)


def _key(x: Any) -> object:
    kind = type(x)
    if kind is Tensor:
        return x._spec or x.spec or _UNKEYED
    if kind is float or kind is int:
        return kind
    if issubclass(kind, LiveNumber):
        return x.kind
    return x if kind is bool else _UNKEYED


def _target_key(operands: Operands, out: object) -> object:
    """Return the key of `out`: its spec, and which operands it shares memory with."""
    spec = _key(out)
    if type(out) is not Tensor or spec is _UNKEYED:
        return _UNKEYED
    memory = out._allocation
    if memory.is_fixed:  # The function raises the error.
        return _UNKEYED
    return spec, *[type(x) is Tensor and x._allocation is memory for x in operands]


def _traced(
    function: Function, operands: Operands, out: Tensor | None, params: tuple[object, ...]
) -> Trace:
    """Record a function on placeholders: a slot for each operand and one for `out`."""
    last = len(operands)
    slots = [Slot(number, 0) for number in range(last + 1)]
    stand_ins: list[Any] = []
    reads: dict[int, Access] = {}
    shared, target = slots[last], None
    device = None if out is None else out.device

    def stand_in(x: Tensor, slot: Slot) -> Tensor:
        slot.nbytes = x.allocation.nbytes
        return Tensor(View(x.device, slot, x.layout, x.dtype))

    for number, x in enumerate(operands):
        if type(x) is Tensor:
            device, slot = device or x.device, slots[number]
            if out is not None and x.allocation is out.allocation:
                slot = shared = slot if shared is slots[last] else shared
            stand_ins.append(stand_in(x, slot))
            reads[number] = stand_ins[-1].reads
        elif type(x) is bool:
            stand_ins.append(x)
        else:
            stand_ins.append(IntNumber(1) if isinstance(x, int) else FloatNumber(1))
            stand_ins[-1].operand = number
    if out is not None:
        target = stand_in(out, shared)
    if device is None:
        raise DTypeError("call", "at least one operand must be a Tensor", operands=tuple(operands))
    recorder = Recorder(device, slots)
    with recorded(recorder):
        result, copies = collected(lambda: function(tuple(stand_ins), target, *params))
    memory: Any = result.allocation
    is_new = result is not target
    spec = Spec.of(result.layout, result.dtype, result.device) if is_new else None
    return Trace(recorder, reads, memory, spec, copies)
