"""What every runtime must do, asked of Kompute and of the one that the queue's tests use."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DeviceError
from dml_vk.kernels.spirv import glslang
from dml_vk.runtime.interface import Barrier, Copy, Dispatch, Fill
from tests.unit.runtime.queues import Runtime

WORDS = 64
SOURCE = """
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint FACTOR = 1;
layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint first; uint bias; };
void main() {
  uint n = first + gl_WorkGroupID.x;
  dst[n] = FACTOR * src[n] + bias;
}
"""


def scale(blocks, spec, groups, push):
    """The same in Python."""
    (source, target), (factor,), (first, bias) = blocks, spec, push.tolist()
    part = slice(first, first + groups[0])
    target[part] = factor * source[part] + bias


@pytest.fixture(scope="module")
def spirv():
    return glslang.compile(SOURCE)


@pytest.fixture(params=["fake", "kompute"])
def runtime(request, spirv):
    if request.param == "fake":
        return Runtime({spirv: scale})
    device = dml_vk.device()
    device.synchronize()
    return device._runtime


@pytest.fixture
def blocks(runtime):
    words = np.arange(1, WORDS + 1, dtype=np.uint32)
    return [runtime.allocate(words, True), runtime.allocate(np.zeros(WORDS, np.uint32), True)]


def dispatch(runtime, spirv, blocks, factor=3, groups=WORDS, first=0, bias=0):
    pipeline = runtime.pipeline(spirv, (factor,), 2)
    bound = runtime.bind(pipeline, blocks, (groups, 1, 1))
    return Dispatch(bound, np.array([first, bias], np.uint32))


def run(runtime, *commands):
    runtime.wait(runtime.submit(commands))


def test_a_block_holds_what_it_was_made_of_and_is_seen(runtime, blocks):
    view = runtime.view(blocks[0])
    assert view.tolist() == [*range(1, WORDS + 1)]
    view[5] = 77
    assert runtime.view(blocks[0])[5] == 77


def test_a_dispatch_has_its_constants_groups_and_push_words(runtime, blocks, spirv):
    run(runtime, dispatch(runtime, spirv, blocks, 3, 10, first=20, bias=7))
    expected = np.zeros(WORDS, np.uint32)
    expected[20:30] = 3 * np.arange(21, 31) + 7
    assert runtime.view(blocks[1]).tolist() == expected.tolist()


def test_one_pipeline_serves_other_blocks_and_other_groups(runtime, blocks, spirv):
    pipeline = runtime.pipeline(spirv, (2,), 2)
    other = runtime.allocate(np.zeros(WORDS, np.uint32), True)
    push = np.zeros(2, np.uint32)
    for target, groups in ((blocks[1], 5), (other, 9)):
        run(runtime, Dispatch(runtime.bind(pipeline, [blocks[0], target], (groups, 1, 1)), push))
        expected = [2 * n if n <= groups else 0 for n in range(1, WORDS + 1)]
        assert runtime.view(target).tolist() == expected


def test_all_of_a_submission_runs_once_and_before_the_next(runtime, blocks, spirv):
    halves = [dispatch(runtime, spirv, blocks, 3, WORDS // 2, first) for first in (0, WORDS // 2)]
    run(runtime, *halves)
    run(runtime, dispatch(runtime, spirv, [blocks[1], blocks[1]], 2, bias=1))
    assert runtime.view(blocks[1]).tolist() == [6 * n + 1 for n in range(1, WORDS + 1)]


def test_nothing_that_is_submitted_is_lost_while_another_is_waited_for(runtime, blocks, spirv):
    other = runtime.allocate(np.zeros(WORDS, np.uint32), True)
    first = runtime.submit([dispatch(runtime, spirv, blocks)])
    run(runtime, dispatch(runtime, spirv, [blocks[0], other], 5))
    runtime.wait(first)
    assert runtime.view(blocks[1])[1] == 6
    assert runtime.view(other)[1] == 10


COMMANDS = {
    "copy": lambda a, b: [Copy(a, 8, b, 16, 12)],
    "fill": lambda a, b: [Fill(b, 16, 12, 9)],
    "barrier": lambda a, b: [Fill(b, 16, 4, 9), Barrier(), Copy(b, 16, b, 20, 4)],
}
MADE = {"copy": [3, 4, 5], "fill": [9, 9, 9], "barrier": [9, 9, 0]}


@pytest.mark.parametrize("feature", COMMANDS)
def test_a_command_is_done_by_who_has_the_feature_and_refused_by_others(runtime, blocks, feature):
    commands = COMMANDS[feature](*blocks)
    if feature in runtime.features:
        run(runtime, *commands)
        assert runtime.view(blocks[1])[3:8].tolist() == [0, *MADE[feature], 0]
    else:
        with pytest.raises(DeviceError, match=r"^submit: Kompute takes no commands but dispatches"):
            runtime.submit(commands)
        assert not runtime.view(blocks[1]).any()


def test_a_timed_submission_says_what_each_took_or_that_nobody_knows(runtime, blocks, spirv):
    commands = [dispatch(runtime, spirv, blocks, factor) for factor in (2, 3)]
    ticket = runtime.submit(commands, True)
    runtime.wait(ticket)
    times = runtime.microseconds(ticket)
    assert times is None or (len(times) == 2 and min(times) >= 0)
