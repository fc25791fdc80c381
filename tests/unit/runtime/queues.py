"""A runtime that only writes down what it is asked, and work for a queue over it: no device."""

from __future__ import annotations

import operator
from collections import deque

import numpy as np

from dml_vk.kernels.plan.base import Plan
from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Copy, Dispatch, Fill


class Submission:
    def __init__(self, runtime, commands):
        self.runtime = runtime
        self.commands = list(commands)
        self.work = [
            (one.bound, one.push.tolist()) for one in commands if isinstance(one, Dispatch)
        ]

    def run(self):
        if self.runtime.before_run:
            raise self.runtime.before_run.pop()
        self.runtime.ran.append(self.work)
        for command in self.commands:
            self.runtime.do(command)


class Runtime:
    """A runtime that dispatches nothing but what it is told in Python, and writes it all down."""

    features = frozenset({"copy", "fill", "barrier"})
    wait = staticmethod(operator.methodcaller("run"))

    def __init__(self, kernels=()):
        self.ran = []  # of each submission: (pipeline, push words)
        self.before_run = []  # raised instead of the next run
        self.made = 0
        self.kernels = dict(kernels)  # SPIR-V -> function of blocks, constants, groups, push

    def allocate(self, words, host):
        return words.copy()

    def view(self, block):
        return block

    def pipeline(self, spirv, spec, push_words):
        return self.kernels.get(spirv), spec

    def bind(self, pipeline, blocks, groups):
        self.made += 1
        return (*pipeline, blocks, groups)

    def submit(self, commands, timed=False):
        return Submission(self, commands)

    def microseconds(self, ticket):
        return None

    def leak(self, objects):
        self.leaked = list(objects)

    def do(self, command):
        match command:
            case Dispatch((kernel, spec, blocks, groups), push):
                if kernel is not None:
                    kernel(blocks, spec, groups, push)
            case Copy(source, start, target, at, nbytes):
                target.view(np.uint8)[at : at + nbytes] = source.view(np.uint8)[start:][:nbytes]
            case Fill(block, offset, nbytes, word):
                block[offset // 4 : (offset + nbytes) // 4] = word


def make_plan(units=64, unit_ns=1.0, launches=((0,),), unit_rounds=0):
    push = (0, 0, *(0 for _ in launches[0]), 77)
    bases = (4,) * len(launches[0])
    return Plan("nothing_u32", (64,), push, units, unit_ns, unit_rounds, bases, launches)


def arena(nbytes=4096):
    return Arena("block", nbytes, None)


HELD = []  # allocations, which what touches them does not keep alive


def allocation(where, at=0, nbytes=4096):
    return Allocation(where, at, nbytes, deque())


def operand(where, low, high, writes, base=0):
    """What touches an allocation that somebody holds."""
    HELD.append(allocation(where))
    return Access.of(HELD[-1], base, low, high, writes)


def ran(runtime):
    """The first base word of every dispatch, by sequence."""
    return [[push[2] for _, push in work] for work in runtime.ran]
