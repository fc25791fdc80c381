"""A runtime that only writes down what it is asked, and work for a queue over it: no device."""

from __future__ import annotations

from collections import deque
from typing import get_args

import numpy as np

from dml_vk.kernels.plan.base import Plan
from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Barrier, Copy, Dispatch, Fill, MemoryKind


class Submission:
    """The ticket of a runtime below."""

    def __init__(self, commands):
        self.commands = list(commands)
        self.is_submitted = False
        self.levels = [[]]  # of dispatches: (what is bound, push words)
        for one in commands:
            if isinstance(one, Barrier):
                self.levels.append([])
            elif isinstance(one, Dispatch):
                push = np.frombuffer(one.push, np.uint32).tolist()
                self.levels[-1].append((one.bound, push))


class Runtime:
    """A runtime that dispatches nothing but what it is told in Python, and writes it all down."""

    name = "fake"
    makes_together = True
    keeps_recorded = False
    copy_engine = None
    features = frozenset()
    kinds = frozenset(get_args(MemoryKind))

    def __init__(self, kernels=()):
        self.ran = []  # submissions
        self.waited = []
        self.before_run = []  # raised instead of the next submission
        self.is_busy = False  # nothing that is submitted is done unless somebody waits
        self.pipelines = self.bound = 0
        self.kernels = dict(kernels)  # SPIR-V -> function of blocks, constants, groups, push

    def allocate(self, nbytes, kind):
        return np.zeros(nbytes // 4, np.uint32)

    def import_pages(self, address, nbytes, owner):
        return None

    def view(self, block):
        return block

    def pipeline(self, spirv, spec, push_words, bindings):
        self.pipelines += 1
        return self.kernels.get(spirv), spec

    def bind(self, pipeline, blocks, ranges=()):
        self.bound += 1
        parts = [
            block[start // 4 : (start + nbytes) // 4]
            for block, (start, nbytes) in zip(blocks, ranges)
        ]
        return (*pipeline, parts or blocks)

    def record(self, commands, timed=False):
        return Submission(commands)

    def prepare(self, commands):
        return tuple(commands)

    def repeat(self, prepared):
        return Submission(prepared)

    def submit(self, ticket):
        assert not ticket.is_submitted
        if self.before_run:
            raise self.before_run.pop()
        ticket.is_submitted = True
        self.ran.append(ticket)
        for command in ticket.commands:
            self.do(command)

    def is_submitted(self, ticket):
        return ticket.is_submitted

    def is_done(self, ticket):
        return ticket.is_submitted and (not self.is_busy or ticket in self.waited)

    def wait(self, ticket):
        assert ticket.is_submitted
        self.waited.append(ticket)

    def microseconds(self, ticket):
        return None

    def leak(self, objects):
        self.leaked = list(objects)

    def do(self, command):
        match command:
            case Dispatch((kernel, spec, blocks), push, groups):
                if kernel is not None:
                    kernel(blocks, spec, groups, np.frombuffer(push, np.uint32))
            case Copy(source, start, target, at, nbytes):
                target.view(np.uint8)[at : at + nbytes] = source.view(np.uint8)[start:][:nbytes]
            case Fill(block, offset, nbytes, word):
                block[offset // 4 : (offset + nbytes) // 4] = word


def make_plan(units=64, unit_ns=1.0, launches=((0,),), unit_rounds=0):
    push = (0, 0, *(0 for _ in launches[0]), 77)
    bases = (4,) * len(launches[0])
    return Plan("nothing_u32", (64,), push, units, unit_ns, unit_rounds, bases, launches)


def shader(spirv, words=1):
    """A dispatch of a shader of the user's, with as many words to push."""
    return Dispatched(spirv, (), np.zeros(words, np.uint32), (), (1, 1, 1))


def arena(nbytes=4096):
    return Arena("block", nbytes, None)


HELD = []  # allocations, which what touches them does not keep alive


def allocation(where, at=0, nbytes=4096):
    return Allocation(where, at, nbytes, deque())


def operand(where, low, high, writes, base=0):
    """What touches an allocation that somebody holds."""
    HELD.append(allocation(where))
    return Access.of(HELD[-1], base, low, high, writes)


def pushes(runtime):
    """The push words of every dispatch, by level."""
    return [[push for _, push in level] for one in runtime.ran for level in one.levels]


def ran(runtime):
    """The first base word of every dispatch, by level."""
    return [[push[2] for push in level] for level in pushes(runtime)]
