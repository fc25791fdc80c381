"""A small kernel on a runtime, whose results show how often and in which order it ran."""

from __future__ import annotations

import numpy as np

from dml_vk.runtime.interface import Barrier, Dispatch

STEP = """
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint ROUNDS = 1;
layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint factor; };
void main() {
  uint n = gl_WorkGroupID.x, value = dst[n];
  for (uint round = 0; round < ROUNDS; ++round) value = factor * value + src[n];
  dst[n] = value;
}
"""
WORDS = 16
ROUNDS, DISPATCHES = 60_000, 50  # of work that takes a tenth of a second or more
WORK = ROUNDS * DISPATCHES


class Made:
    """Two blocks, of ones and of zeros, and a kernel: dst = factor * dst + src, some rounds."""

    def __init__(self, runtime, spirv):
        self.runtime, self.spirv = runtime, spirv
        self.source, self.target = (runtime.allocate(4 * WORDS, "unified") for _ in range(2))
        runtime.view(self.source)[:] = 1
        self.seen = runtime.view(self.target)
        self.seen[:] = 0

    def step(self, factor=1, rounds=1, groups=WORDS):
        pipeline = self.runtime.pipeline(self.spirv, (rounds,), 1, 2)
        bound = self.runtime.bind(pipeline, [self.source, self.target])
        return Dispatch(bound, np.uint32(factor).tobytes(), (groups, 1, 1))

    def slow(self, times=1):
        """Work of a single invocation, which takes as long on any number of cores."""
        one = self.step(rounds=ROUNDS, groups=1)
        return [command for _ in range(DISPATCHES * times) for command in (one, Barrier())]

    def start(self, *commands):
        ticket = self.runtime.record(commands)
        self.runtime.submit(ticket)
        return ticket

    def run(self, *commands):
        self.runtime.wait(self.start(*commands))
