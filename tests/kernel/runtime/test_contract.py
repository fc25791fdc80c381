"""What every runtime must do, asked of each of them and of the one that the queue's tests use."""

from __future__ import annotations

import functools
import gc

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DeviceMemoryError
from dml_vk.runtime.interface import Barrier, Copy, Dispatch, Fill
from dml_vk.runtime.kompute import Kompute
from dml_vk.runtime.vulkan.engine import Vulkan
from dml_vk.spirv import glslang
from tests.unit.runtime.queues import Runtime

pytestmark = pytest.mark.compiler

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


@functools.cache
def opened(kind):
    return {"kompute": Kompute, "vulkan": Vulkan}[kind](dml_vk.device().info)


@pytest.fixture(params=["fake", "kompute", "vulkan"])
def runtime(request, spirv):
    return Runtime({spirv: scale}) if request.param == "fake" else opened(request.param)


def block(runtime, words, kind="unified"):
    made = runtime.allocate(4 * len(words), kind)
    runtime.view(made)[:] = words
    return made


@pytest.fixture
def blocks(runtime):
    return [block(runtime, range(1, WORDS + 1)), block(runtime, [0] * WORDS)]


def dispatch(runtime, spirv, blocks, factor=3, groups=WORDS, first=0, bias=0):
    bound = runtime.bind(runtime.pipeline(spirv, (factor,), 2, 2), blocks)
    return Dispatch(bound, np.array([first, bias], np.uint32).tobytes(), (groups, 1, 1))


def submit(runtime, *commands):
    ticket = runtime.record(commands)
    runtime.submit(ticket)
    return ticket


def run(runtime, *commands):
    runtime.wait(submit(runtime, *commands))


@pytest.mark.parametrize("kind", ["upload", "readback", "unified"])
def test_the_host_sees_what_it_writes_to_mapped_memory(runtime, kind):
    made = block(runtime, range(1, WORDS + 1), kind)
    view = runtime.view(made)
    assert (view.dtype, view.shape) == (np.uint32, (WORDS,))
    view[5] = 77
    assert runtime.view(made)[4:7].tolist() == [5, 77, 7]


def test_a_view_keeps_its_memory(runtime, blocks, spirv):
    view = runtime.view(blocks[1])
    run(runtime, dispatch(runtime, spirv, blocks))
    blocks.clear()
    gc.collect()
    others = [block(runtime, [9] * WORDS) for _ in range(4)]
    assert view.tolist() == [3 * n for n in range(1, WORDS + 1)]
    assert len(others) == 4


def test_there_is_each_kind_that_it_names(runtime):
    assert runtime.kinds >= {"device", "upload", "readback", "unified"}
    for kind in runtime.kinds:
        assert runtime.allocate(256, kind) is not None


def test_the_host_writes_what_the_device_has(runtime, spirv, blocks):
    """A device without such memory is written as well, as far as there is any that is mapped."""
    kind = "bar" if "bar" in runtime.kinds else "unified"
    source = block(runtime, range(WORDS), kind)
    for offset in (0, 5):
        runtime.view(source)[:] = np.arange(WORDS) + offset
        run(runtime, dispatch(runtime, spirv, [source, blocks[1]]))
        assert runtime.view(blocks[1]).tolist() == [3 * (n + offset) for n in range(WORDS)]


def test_bytes_come_and_go_through_memory_of_the_device(runtime):
    source = block(runtime, range(WORDS), "upload")
    device, target = (runtime.allocate(4 * WORDS, kind) for kind in ("device", "readback"))
    copies = Copy(source, 0, device, 0, 4 * WORDS), Copy(device, 0, target, 0, 4 * WORDS)
    run(runtime, copies[0], Barrier(), copies[1])
    assert runtime.view(target).tolist() == [*range(WORDS)]


def test_ranges_of_blocks_are_bound(runtime, spirv):
    blocks = [block(runtime, range(3 * WORDS)), block(runtime, [7] * (3 * WORDS))]
    ranges = [(8 * WORDS, 4 * WORDS), (4 * WORDS, 4 * WORDS)]  # the third part, and the second
    bound = runtime.bind(runtime.pipeline(spirv, (2,), 2, 2), blocks, ranges)
    run(runtime, Dispatch(bound, np.array([0, 1], np.uint32).tobytes(), (WORDS, 1, 1)))
    doubled = [2 * n + 1 for n in range(2 * WORDS, 3 * WORDS)]
    assert runtime.view(blocks[1]).tolist() == [7] * WORDS + doubled + [7] * WORDS


def test_a_dispatch_has_its_constants_groups_and_push_words(runtime, blocks, spirv):
    run(runtime, dispatch(runtime, spirv, blocks, 3, 10, first=20, bias=7))
    expected = np.zeros(WORDS, np.uint32)
    expected[20:30] = 3 * np.arange(21, 31) + 7
    assert runtime.view(blocks[1]).tolist() == expected.tolist()


def test_one_pipeline_serves_other_blocks_and_other_groups(runtime, blocks, spirv):
    pipeline = runtime.pipeline(spirv, (2,), 2, 2)
    other = block(runtime, [0] * WORDS)
    for target, groups in ((blocks[1], 5), (other, 9)):
        bound = runtime.bind(pipeline, [blocks[0], target])
        run(runtime, Dispatch(bound, bytes(8), (groups, 1, 1)))
        expected = [2 * n if n <= groups else 0 for n in range(1, WORDS + 1)]
        assert runtime.view(target).tolist() == expected


def test_commands_between_barriers_see_earlier_writes(runtime, blocks, spirv):
    """Each reads what the one before has written: kernels, copies and fills in all orders."""
    first, second = blocks
    third = block(runtime, [0] * WORDS)
    there, back = (
        dispatch(runtime, spirv, pair, factor, bias=bias)
        for pair, factor, bias in (((second, third), 2, 1), ((third, second), 3, 5))
    )
    commands = [
        Copy(first, 0, second, 0, 4 * WORDS),  # n
        there,  # 2 n + 1
        back,  # 6 n + 8
        Fill(second, 16, 8, 100),
        there,  # 12 n + 17
        Copy(third, 4, first, 0, 4 * WORDS - 4),
        Fill(third, 0, 4 * WORDS, 6),
        back,  # 23
    ]
    run(runtime, *[one for command in commands for one in (Barrier(), command)][1:])
    n = np.arange(1, WORDS + 1)
    made = 12 * n + 17
    made[4:6] = 201
    assert runtime.view(first).tolist() == [*made[1:], WORDS]
    assert runtime.view(second).tolist() == [23] * WORDS


def test_copies_move_any_bytes_and_fills_any_words(runtime, blocks):
    run(runtime, Copy(blocks[0], 9, blocks[1], 18, 5), Fill(blocks[1], 64, 12, 0xDEADBEEF))
    expected = np.zeros(4 * WORDS, np.uint8)
    expected[18:23] = np.arange(1, WORDS + 1, dtype=np.uint32).view(np.uint8)[9:14]
    expected.view(np.uint32)[16:19] = 0xDEADBEEF
    assert runtime.view(blocks[1]).view(np.uint8).tolist() == expected.tolist()


def test_submissions_run_in_order_and_see_each_other(runtime, blocks, spirv):
    third = block(runtime, [0] * WORDS)
    tickets = [
        submit(runtime, dispatch(runtime, spirv, blocks, 3)),
        submit(runtime, Copy(blocks[1], 0, third, 0, 4 * WORDS)),
        submit(runtime, dispatch(runtime, spirv, [third, blocks[1]], 2, bias=1)),
    ]
    runtime.wait(tickets[-1])
    assert all(map(runtime.is_done, tickets))
    assert runtime.view(blocks[1]).tolist() == [6 * n + 1 for n in range(1, WORDS + 1)]


def test_what_the_host_wrote_before_a_submission_is_seen(runtime, blocks, spirv):
    ticket = runtime.record([dispatch(runtime, spirv, blocks)])
    runtime.view(blocks[0])[:] = range(WORDS)
    runtime.submit(ticket)
    runtime.wait(ticket)
    assert runtime.view(blocks[1]).tolist() == [3 * n for n in range(WORDS)]


def test_a_ticket_knows_whether_it_was_submitted_and_is_done(runtime, blocks, spirv):
    ticket = runtime.record([dispatch(runtime, spirv, blocks)])
    assert not runtime.is_submitted(ticket)
    runtime.submit(ticket)
    assert runtime.is_submitted(ticket)
    for _ in range(2):
        runtime.wait(ticket)
        assert runtime.is_done(ticket)
    assert runtime.view(blocks[1])[1] == 6


def test_what_is_prepared_runs_as_often_as_it_is_submitted(runtime, blocks, spirv):
    back = dispatch(runtime, spirv, blocks[::-1], factor=1)
    prepared = runtime.prepare([dispatch(runtime, spirv, blocks), Barrier(), back])
    tickets = [runtime.repeat(prepared) for _ in range(4)]
    assert not any(map(runtime.is_submitted, tickets))
    del prepared, back
    for ticket in tickets:  # under way at the same time
        runtime.submit(ticket)
    runtime.wait(tickets[-1])
    assert runtime.is_done(tickets[-1])
    assert runtime.view(blocks[0]).tolist() == [81 * n for n in range(1, WORDS + 1)]


def test_what_is_recorded_and_dropped_never_runs(runtime, blocks, spirv):
    runtime.record([dispatch(runtime, spirv, blocks)])
    gc.collect()
    run(runtime, Fill(blocks[0], 0, 4, 5))
    assert not runtime.view(blocks[1]).any()


def test_a_ticket_that_dies_in_a_cycle_takes_nothing_with_it(runtime, blocks, spirv):
    """As in the traceback of an error, where the collector finalizes all that the cycle holds."""
    cycle = [runtime.record([dispatch(runtime, spirv, blocks)])]
    cycle.append(cycle)
    del cycle
    gc.collect()
    tickets = [runtime.record([dispatch(runtime, spirv, blocks, n)]) for n in range(1, 5)]
    for ticket in tickets:
        runtime.submit(ticket)
        runtime.wait(ticket)
    assert runtime.view(blocks[1])[1] == 8


def test_a_submission_keeps_what_it_uses(runtime, spirv):
    source, target = block(runtime, range(WORDS)), block(runtime, [0] * WORDS)
    view = runtime.view(target)
    ticket = submit(runtime, dispatch(runtime, spirv, [source, target]))
    del source, target
    gc.collect()
    runtime.wait(ticket)
    assert view.tolist() == [3 * n for n in range(WORDS)]


def test_many_tickets_are_under_way_at_once(runtime, blocks, spirv):
    tickets = [
        submit(runtime, dispatch(runtime, spirv, blocks, 1, 1, first=n, bias=n))
        for n in range(WORDS)
    ]
    for ticket in tickets[::-1]:
        runtime.wait(ticket)
    assert runtime.view(blocks[1]).tolist() == [2 * n + 1 for n in range(WORDS)]


def test_a_timed_submission_says_what_each_took_if_the_device_has_a_clock(runtime, blocks, spirv):
    commands = [dispatch(runtime, spirv, blocks, factor) for factor in (2, 3)]
    ticket = runtime.record([commands[0], Barrier(), commands[1]], True)
    runtime.submit(ticket)
    runtime.wait(ticket)
    times = runtime.microseconds(ticket)
    if isinstance(runtime, Runtime) or not dml_vk.device().info.timestamp_period:
        assert times is None
    else:
        assert len(times) == 2
        assert min(times) >= 0


@pytest.mark.parametrize("kind", ["kompute", "vulkan"])
def test_memory_that_cannot_be_had_is_an_error_and_all_goes_on(kind, spirv):
    runtime = opened(kind)
    with pytest.raises(DeviceMemoryError, match="memory"):
        runtime.allocate(2**46, "device")
    blocks = [block(runtime, range(WORDS)), block(runtime, [0] * WORDS)]
    run(runtime, dispatch(runtime, spirv, blocks))
    assert runtime.view(blocks[1])[5] == 15
