"""A runtime that only writes down what it is asked, and work for a queue over it: no device."""

from __future__ import annotations

import operator
from collections import deque

from dml_vk.kernels.plan import Plan
from dml_vk.runtime.arenas import Allocation, Arena
from dml_vk.runtime.launch import Operand


class Recording:
    def __init__(self, runtime, work):
        self.runtime = runtime
        self.work = [(pipeline, push.tolist()) for pipeline, push in work]

    def eval(self):
        if self.runtime.before_run:
            raise self.runtime.before_run.pop()
        self.runtime.ran.append(self.work)


class Runtime:
    run = staticmethod(operator.methodcaller("eval"))

    def __init__(self):
        self.ran = []  # of each sequence: (pipeline, push words)
        self.before_run = []  # raised instead of the next run
        self.made = 0

    def pipeline(self, blocks, spirv, spec, push, groups):
        self.made += 1
        return (*blocks, spec, groups)

    def record(self, work, timed):
        return Recording(self, work)


def make_plan(units=64, unit_ns=1.0, launches=((0,),), unit_rounds=0):
    push = (0, 0, *(0 for _ in launches[0]), 77)
    bases = (4,) * len(launches[0])
    return Plan("nothing_u32", (64,), push, units, unit_ns, unit_rounds, bases, launches)


def arena(nbytes=4096):
    return Arena("block", nbytes, None)


def operand(where, low, high, writes, base=0):
    return Operand(Allocation(where, 0, 4096, deque()), base, low, high, writes)


def ran(runtime):
    """The first base word of every dispatch, by sequence."""
    return [[push[2] for _, push in work] for work in runtime.ran]
