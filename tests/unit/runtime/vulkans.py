"""A device by ctypes whose calls are counted, and fail where a test wants them to."""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np

from dml_vk.driver import probe
from dml_vk.runtime.interface import Barrier, Dispatch
from dml_vk.runtime.vulkan.engine import Vulkan
from dml_vk.spirv import glslang

SOURCE = """
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint STEP = 1;
layout(binding = 0) buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint at; };
void main() { dst[at] += STEP; }
"""


@functools.cache
def spirv():
    return glslang.compile(SOURCE)


class Calls:
    """The calls of a device, in between."""

    def __init__(self, calls):
        self._calls = calls
        self.made = Counter()  # by name
        self.results = {}  # name -> what it returns without being called

    def __getattr__(self, name):
        return functools.partial(self._call, name)

    def _call(self, name, *arguments):
        if name in self.results:
            return self.results[name]
        self.made[name] += 1
        return getattr(self._calls, name)(*arguments)

    def alive(self):
        """How many objects are alive, by the name of the call that made each."""
        ends = {"vkAllocateMemory": "vkFreeMemory", "vkCreateComputePipelines": "vkDestroyPipeline"}
        counts = {
            name: count - self.made[ends.get(name) or name.replace("Create", "Destroy")]
            for name, count in self.made.items()
            if name.startswith("vkCreate") or name == "vkAllocateMemory"
        }
        return {name: count for name, count in counts.items() if count}


class Engine(Vulkan):
    """A device with one block, in which work counts."""

    def __init__(self):
        super().__init__(probe.select())
        self._spins = False
        self.calls = self._opened.calls = Calls(self._opened.calls)
        self.block = self.allocate(64, "unified")
        self.counts = self.view(self.block)
        self.counts[:] = 0

    def counting(self, at=0, step=1):
        """What adds `step` to a word of the block."""
        bound = self.bind(self.pipeline(spirv(), (step,), 1, 1), [self.block])
        return Dispatch(bound, np.uint32(at).tobytes(), (1, 1, 1))

    def run(self, *commands, timed=False):
        ticket = self.record([one for each in commands for one in (each, Barrier())], timed)
        self.submit(ticket)
        self.wait(ticket)
        return ticket
