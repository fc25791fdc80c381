"""Kernels that count the rounds of their own loops, and what they count at each dispatch.

Two counts are made. At the head of each loop of a module that is not to be unrolled, one of the
invocations that are there adds to a word of their subgroup's: so many rounds does a device go that
takes the source at its word. And at the end of `main` stands a loop that counts up to the device's
limit: on a driver that ends loops, what is missing is what its own code took. Numbers are those of
the SPIR-V 1.3 specification.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dml_vk.kernels.plan.base import END, FIRST
from dml_vk.runtime.interface import Barrier, Dispatch
from dml_vk.spirv.instructions import lines_of

_SLOTS = 2**15  # subgroups that are counted: by source, and from here on what is left
_CAPABILITY, _DECORATE, _MEMBER_DECORATE = 17, 71, 72
_BOOL, _INT, _VECTOR, _RUNTIME_ARRAY, _STRUCT, _POINTER = 20, 21, 23, 29, 30, 32
_CONSTANT, _FUNCTION, _VARIABLE, _LOAD, _STORE, _CHAIN = 43, 54, 59, 61, 62, 65
_ADD, _DIVIDE, _SELECT, _LESS, _ATOMIC_ADD, _ELECT = 128, 134, 169, 176, 234, 333
_PHI, _LOOP_MERGE, _LABEL, _BRANCH, _BRANCH_IF, _RETURN = 245, 246, 248, 249, 250, 253
_ENTRY_POINT, _BUILT_IN, _GLOBAL_INVOCATION = 15, 11, 28
_INPUT, _STORAGE, _UNROLL, _GROUP_NON_UNIFORM, _SUBGROUP = 1, 12, 1, 61, 3


def _op(code: int, *operands: int) -> tuple[int, ...]:
    return (len(operands) + 1 << 16 | code, *operands)


class _Module:
    """A module's lines, its ids by what they declare, and new ones."""

    def __init__(self, spirv: bytes) -> None:
        self.words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
        self.lines = list(lines_of(self.words))
        self._next = self.words[3]
        self.declared: list[tuple[int, ...]] = []

    def new(self) -> int:
        self._next += 1
        return self._next - 1

    def known(self, code: int, *operands: int) -> int:
        """What declares just this, which may not be declared twice."""
        for line in (*self.lines, *self.declared):
            if line[0] & 0xFFFF == code and line[2:] == operands:
                return line[1]
        self.declared.append(_op(code, self.new(), *operands))
        return self.declared[-1][1]

    def constant(self, uint: int, value: int) -> int:
        self.declared.append(_op(_CONSTANT, uint, self.new(), value))
        return self.declared[-1][2]


def counting(spirv: bytes, binding: int, subgroup_size: int) -> bytes:
    """The same module, with its counts in one more storage buffer."""
    module = _Module(spirv)
    new = module.new
    uint, truth = module.known(_INT, 32, 0), module.known(_BOOL)
    invocation = next(
        line[1]
        for line in module.lines
        if line[0] & 0xFFFF == _DECORATE and line[2:] == (_BUILT_IN, _GLOBAL_INVOCATION)
    )
    main = next(line[2] for line in module.lines if line[0] & 0xFFFF == _ENTRY_POINT)
    zero, one, size, scope, half = [
        module.constant(uint, value) for value in (0, 1, subgroup_size, _SUBGROUP, _SLOTS)
    ]
    in_uint, in_storage = [module.known(_POINTER, kind, uint) for kind in (_INPUT, _STORAGE)]
    array, block, counts = new(), new(), new()
    module.declared += [_op(_RUNTIME_ARRAY, array, uint), _op(_STRUCT, block, array)]
    pointer = module.known(_POINTER, _STORAGE, block)
    module.declared.append(_op(_VARIABLE, pointer, counts, _STORAGE))
    decorations = [
        *(_op(_DECORATE, array, 6, 4), _op(_DECORATE, block, 2)),
        *(_op(_MEMBER_DECORATE, block, 0, 35, 0), _op(_DECORATE, counts, 34, 0)),
        _op(_DECORATE, counts, 33, binding),
    ]

    def place(lines: list[tuple[int, ...]], further: int) -> int:
        """A pointer to this subgroup's word, so many on."""
        at, number, slot, moved, found = (new() for _ in range(5))
        lines += [
            _op(_CHAIN, in_uint, at, invocation, zero),
            _op(_LOAD, uint, number, at),
            _op(_DIVIDE, uint, slot, number, size),
            _op(_ADD, uint, moved, slot, further),
            _op(_CHAIN, in_storage, found, counts, zero, moved),
        ]
        return found

    def round_begins() -> list[tuple[int, ...]]:
        lines: list[tuple[int, ...]] = []
        elected, more, before = new(), new(), new()
        word = place(lines, zero)
        lines += [
            _op(_ELECT, truth, elected, scope),
            _op(_SELECT, uint, more, elected, one, zero),
            _op(_ATOMIC_ADD, uint, before, word, one, zero, more),
        ]
        return lines

    def what_is_left(label: int) -> list[tuple[int, ...]]:
        lines: list[tuple[int, ...]] = []
        word, wanted, count, more, goes_on = place(lines, half), new(), new(), new(), new()
        head, test, step, end = (new() for _ in range(4))
        return [
            *lines,
            _op(_LOAD, uint, wanted, word),
            *(_op(_BRANCH, head), _op(_LABEL, head)),
            _op(_PHI, uint, count, zero, label, more, step),
            *(_op(_LOOP_MERGE, end, step, 0), _op(_BRANCH, test), _op(_LABEL, test)),
            _op(_LESS, truth, goes_on, count, wanted),
            *(_op(_BRANCH_IF, goes_on, step, end), _op(_LABEL, step)),
            _op(_ADD, uint, more, count, one),
            *(_op(_BRANCH, head), _op(_LABEL, end)),
            _op(_STORE, word, count),
        ]

    body: list[tuple[int, ...]] = []
    in_main, label = False, 0
    for line in module.lines:
        code = line[0] & 0xFFFF
        if code == _FUNCTION:
            in_main = line[2] == main
        elif code == _LABEL:
            label = line[1]
        elif code == _LOOP_MERGE and not line[3] & _UNROLL:
            body += round_begins()
        elif code == _RETURN and in_main:
            body += what_is_left(label)
        body.append(line)
    return _assembled(module, body, decorations)


def _assembled(
    module: _Module, body: list[tuple[int, ...]], decorations: list[tuple[int, ...]]
) -> bytes:
    """In SPIR-V's order: capabilities, decorations, declarations, functions."""
    codes = [line[0] & 0xFFFF for line in body]
    functions = codes.index(_FUNCTION)
    types = next(at for at, code in enumerate(codes) if 19 <= code <= 33)
    # A pointer may stand before what it points to, but no other type may.
    lines = [
        _op(_CAPABILITY, _GROUP_NON_UNIFORM),
        *(body[:types] + decorations + body[types:functions] + module.declared),
        *body[functions:],
    ]
    flat = [word for line in lines for word in line]
    head = (*module.words[:3], module.new(), module.words[4])
    return struct.pack(f"<{5 + len(flat)}I", *head, *flat)


class Counted(NamedTuple):
    """A dispatch: what its plan says that an invocation takes, and what it took."""

    module: str
    said: int
    by_source: int
    by_driver: int


class CountingRuntime:
    """A runtime whose kernels count, one dispatch at a time."""

    keeps_recorded = False

    def __init__(self, device) -> None:
        self._real, self._device = device._runtime, device
        self._counts = self._real.allocate(8 * _SLOTS, "unified")
        self._words = self._real.view(self._counts)
        self.plan = None  # that is being launched
        self.counted = []

    def __getattr__(self, name):
        return getattr(self._real, name)

    def pipeline(self, spirv, spec, push_words, bindings):
        spirv = counting(spirv, bindings, self._device.info.subgroup_size)
        return self._real.pipeline(spirv, spec, push_words, bindings + 1)

    def bind(self, pipeline, blocks, ranges=()):
        ranges = ranges and [*ranges, (0, 8 * _SLOTS)]
        return self._real.bind(pipeline, [*blocks, self._counts], ranges)

    def submit(self, ticket):
        """Nothing: `wait` runs one command after the other."""

    def record(self, commands, timed=False):
        """All but barriers, since each runs alone: what is not unified is copied on the device."""
        return [one for one in commands if not isinstance(one, Barrier)]

    def is_done(self, ticket):
        return False

    def wait(self, ticket):
        for command in ticket:
            if isinstance(command, Dispatch):
                self._count(command)
            else:  # a plain copy or fill, on whose result later loops may depend
                self._run(command)
        ticket.clear()

    def _run(self, command):
        ticket = self._real.record([command])
        self._real.submit(ticket)
        self._real.wait(ticket)

    def _count(self, command):
        push = np.frombuffer(command.push, np.uint32)
        most = self._device.limits.max_rounds
        self._words[:_SLOTS], self._words[_SLOTS:] = 0, most
        self._run(command)
        self.counted.append(
            Counted(
                self.plan.module,
                self.plan.rounds(int(push[END]) - int(push[FIRST]), command.groups[0]),
                int(self._words[:_SLOTS].max()),
                most - int(self._words[_SLOTS:].min()),
            )
        )


def counting_queue(device, monkeypatch) -> Iterator[CountingRuntime]:
    """While it lasts, all that is launched is counted."""
    queue = device.queue
    runtime = CountingRuntime(device)
    add = queue.add

    def add_alone(plan, *given):
        """By calls and launches alike, which are inside the gate."""
        queue.flush()
        runtime.plan = plan
        add(plan, *given)
        queue.flush()

    def flush():
        with queue.enter():
            queue.flush()

    flush()
    with monkeypatch.context() as patched:
        for where in (queue, queue.pipelines, queue._repeats, queue._submitted):
            patched.setattr(where, "_runtime", runtime)
        patched.setattr(queue.pipelines, "_cached", {})
        patched.setattr(queue.pipelines, "_compiling", deque())
        patched.setattr(queue.encoder, "_known", {})
        patched.setattr(queue.encoder, "_same", {})
        patched.setattr(queue, "add", add_alone, raising=False)
        yield runtime
        flush()
