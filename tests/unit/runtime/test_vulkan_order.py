"""What is in flight, what is used again, and Ctrl-C between any two bytecodes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dml_vk.driver import probe, vulkan
from dml_vk.errors import DeviceMemoryError
from dml_vk.runtime.interface import Barrier, Dispatch, Fill
from dml_vk.runtime.vulkan import engine as engine_module
from dml_vk.runtime.vulkan.engine import Vulkan
from tests.interrupts import interrupted
from tests.unit.runtime.vulkans import Engine

pytestmark = pytest.mark.compiler

FILE = engine_module.__file__


@pytest.fixture(scope="module")
def engine():
    return Engine()


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.calls.results.clear()
    engine.counts[:] = 0


def test_ctrl_c_in_submit_and_wait_neither_loses_nor_repeats(engine):
    for calls in itertools.count():
        ticket = engine.record([engine.counting()])
        came = [interrupted(calls, FILE, engine.submit, ticket)]
        engine.submit(ticket)
        came.append(interrupted(calls, FILE, engine.wait, ticket))
        engine.wait(ticket)
        assert engine.is_done(ticket)
        assert engine.counts[0] == calls + 1
        if not any(came):
            break
    engine.run()
    assert not engine._queue.flight
    assert calls > 50


def test_ctrl_c_in_a_submission_that_fails_is_no_submission(engine):
    for calls in itertools.count():
        ticket = engine.record([engine.counting()])
        engine.calls.results["vkQueueSubmit"] = -2
        try:
            came = interrupted(calls, FILE, engine.submit, ticket)
        except DeviceMemoryError:
            came = False
        was_noted = ticket in engine._queue.flight
        if was_noted:
            with pytest.raises(DeviceMemoryError, match="vkQueueSubmit"):
                engine.wait(ticket)
        engine.calls.results.clear()
        engine.submit(ticket)
        engine.wait(ticket)
        assert engine.counts[0] == calls + 1
        if not came:
            break
    assert calls > 20


def test_what_failed_and_was_interrupted_is_not_done_with_what_came_later(engine):
    ticket = engine.record([engine.counting()])
    engine._queue.flight[ticket] = -2  # as an interrupted `submit` leaves it
    engine.run(engine.counting(1))
    assert engine.counts[:2].tolist() == [0, 1]
    with pytest.raises(DeviceMemoryError, match="vkQueueSubmit"):
        engine.is_done(ticket)
    assert not engine.is_done(ticket)


def test_a_wait_lets_ctrl_c_in_and_goes_on(engine):
    ticket = engine.record([engine.counting()])
    engine.submit(ticket)
    results = [2, 2]
    wait = engine.calls._calls.vkWaitForFences
    engine.calls.vkWaitForFences = lambda *given: results.pop() if results else wait(*given)
    try:
        engine.wait(ticket)
    finally:
        del engine.calls.vkWaitForFences
    assert results == []
    assert engine.counts[0] == 1


def test_a_wait_asks_again_and_again_before_it_sleeps(engine, monkeypatch):
    monkeypatch.setattr(engine, "_spins", True)
    asked = []
    wait = engine.calls._calls.vkWaitForFences

    def answer(device, count, fences, every, patience):
        asked.append(patience.value)
        return 2 if len(asked) < 5 else wait(device, count, fences, every, patience)

    engine.calls.vkWaitForFences = answer
    ticks = iter(range(0, 10**9, 30_000))  # so much time passes between two looks at the clock
    monkeypatch.setattr(engine_module, "perf_counter_ns", lambda: next(ticks))
    ticket = engine.record([engine.counting()])
    engine.submit(ticket)
    try:
        engine.wait(ticket)
    finally:
        del engine.calls.vkWaitForFences
    spun = engine_module.SPIN_NS // 30_000
    assert asked[:spun] == [0] * spun
    assert set(asked[spun:]) == {engine_module.PATIENCE_NS}
    assert engine.counts[0] == 1


def test_a_host_of_one_core_does_not_spin(engine, monkeypatch):
    for cores in (1, 2):
        monkeypatch.setattr(engine_module, "cores", lambda count=cores: count)
        assert Vulkan(probe.select())._spins == (cores > 1)


def test_what_a_later_submission_is_done_with_is_done(engine):
    tickets = [engine.record([engine.counting(n)]) for n in range(3)]
    for ticket in tickets:
        assert not engine.is_done(ticket)
        engine.submit(ticket)
    engine.wait(tickets[1])
    waits = engine.calls.made["vkWaitForFences"]
    assert engine.is_done(tickets[0])
    engine.wait(tickets[0])
    engine.submit(tickets[0])
    assert engine.calls.made["vkWaitForFences"] == waits
    assert tickets[0].commands == tickets[1].commands == ()
    assert tickets[2].commands != ()
    engine.calls.results["vkGetFenceStatus"] = 1
    assert not engine.is_done(tickets[2])
    engine.calls.results.clear()
    engine.wait(tickets[2])
    assert engine.counts[:3].tolist() == [1, 1, 1]


def test_of_two_threads_the_later_may_see_the_end_first(engine):
    first, second, third = (engine.record([engine.counting(n)]) for n in range(3))
    wait = engine.calls._calls.vkWaitForFences
    engine.submit(first)
    engine.submit(second)

    def overtaken(*given):
        del engine.calls.vkWaitForFences
        engine.wait(second)
        engine.submit(third)
        return wait(*given)

    engine.calls.vkWaitForFences = overtaken
    engine.wait(first)
    assert list(engine._queue.flight) == [third]
    assert not third.done
    engine.wait(third)
    assert engine.counts[:3].tolist() == [1, 1, 1]


def test_a_fence_that_is_signalled_is_seen_without_a_wait(engine):
    ticket = engine.record([engine.counting()])
    engine.submit(ticket)
    engine.calls._calls.vkDeviceWaitIdle(engine._opened.handle)
    assert engine.is_done(ticket)
    assert not engine._queue.flight


def test_a_slot_is_used_again_when_its_ticket_is_done_and_dropped(engine):
    engine._recorder._slots._ended.clear()
    first = engine.run(engine.counting())
    slot = first.slot
    assert engine.record([]).slot is not slot
    del first
    assert engine.record([]).slot is slot


def test_a_dropped_ticket_is_kept_until_it_is_done(engine):
    engine._recorder._slots._ended.clear()
    for _ in range(2):
        engine.submit(engine.record([engine.counting()]))
    assert len(engine._queue.flight) == 2
    assert not engine._recorder._slots._ended
    engine.run()
    assert engine.counts[0] == 2
    assert len(engine._recorder._slots._ended) == 3


def test_barriers_stand_at_the_start_at_each_barrier_and_towards_the_host(engine):
    seen = []

    def barrier(commands, before, after, flags, count, memory, *rest):
        seen.append((before, after, memory[0].before, memory[0].after))
        assert (flags, count, rest) == (0, 1, (0, None, 0, None))

    work = engine.counting()
    fill = Fill(engine.block, 0, 64, 5)
    engine.calls.vkCmdPipelineBarrier = barrier
    try:
        for commands in ([work, Barrier(), work], [fill, Barrier(), work]):
            for timed in (False, True):
                engine.record(commands, timed)
    finally:
        del engine.calls.vkCmdPipelineBarrier
    stages, host = 0x800 | 0x1000, 0x4000  # compute shaders and transfers
    writes, accesses = 0x40 | 0x1000, 0x20 | 0x40 | 0x800 | 0x1000
    everything, kernels = (stages, stages, writes, accesses), (0x800, 0x800, 0x40, 0x60)
    to_host = stages, host, writes, 0x6000
    assert seen == [everything, kernels, to_host] * 2 + [everything, everything, to_host] * 2


def test_what_is_bound_or_pushed_already_is_not_again(engine):
    one, other = engine.counting(), engine.counting(step=5)
    assert one.bound.set is other.bound.set, "their memory is the same"
    both = engine.bind(one.bound.pipeline, [engine.allocate(64, "unified")])
    names = "vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants"
    before = [engine.calls.made[name] for name in names]
    third = one._replace(push=np.uint32(3).tobytes())
    engine.run(one, other, third, Dispatch(both, *third[1:]), other, other, one)
    after = [engine.calls.made[name] for name in names]
    assert np.subtract(after, before).tolist() == [5, 3, 3]
    assert engine.counts[:4].tolist() == [1 + 5 + 5 + 5 + 1, 0, 0, 1]


def test_sets_are_used_again_and_pools_grow(engine):
    engine._layouts.clear()
    pools = engine.calls.made["vkCreateDescriptorPool"]

    def work():
        blocks = [engine.allocate(64, "unified") for _ in range(24)]
        for n, block in enumerate(blocks):
            engine.view(block)[:] = n
        bounds = [engine.bind(engine.counting().bound.pipeline, [block]) for block in blocks]
        engine.run(*[Dispatch(bound, np.uint32(3).tobytes(), (1, 1, 1)) for bound in bounds])
        return [engine.view(block)[2:4].tolist() for block in blocks]

    expected = [[n, n + 1] for n in range(24)]
    assert work() == expected
    made = engine.calls.made["vkCreateDescriptorPool"] - pools
    assert made == 2, "of 8 and of 16 sets"
    assert work() == expected
    assert engine.calls.made["vkCreateDescriptorPool"] - pools == made


def test_a_set_is_not_that_of_memory_that_is_gone(engine):
    """Another block may have the identity of one that was freed."""
    pipeline = engine.counting().bound.pipeline
    for n in range(20):
        block = engine.allocate(64, "unified")
        engine.view(block)[:] = n
        bound = engine.bind(pipeline, [block])
        engine.run(Dispatch(bound, np.uint32(1).tobytes(), (1, 1, 1)))
        assert engine.view(block)[:3].tolist() == [n, n + 1, n]
        del block, bound


def test_the_end_of_a_process_waits_for_work_and_saves_what_was_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("DML_VK_CACHE", str(tmp_path))
    engine = Engine()
    with monkeypatch.context() as forked:
        forked.setattr("os.getpid", lambda: 1)
        engine._close()
        assert engine.calls.made["vkDeviceWaitIdle"] == 0
    engine.submit(engine.record([engine.counting()]))
    engine._close()
    assert engine.counts[0] == 1
    assert len(list((tmp_path / "pipelines").iterdir())) == 1
    engine._close()
    assert engine.calls.made["vkDeviceWaitIdle"] == 1


def test_time_is_the_difference_of_meaningful_bits(engine, monkeypatch):
    monkeypatch.setattr(engine, "_tick_us", 0.5)
    monkeypatch.setattr(engine, "_tick_mask", 0xFF)

    class Ticket:
        works = (True, False, True)  # the second is a barrier

        def ticks(self, opened):
            return [0x1_10, 0x2_14, 0x3_16, 0x4_15]

    assert Vulkan.microseconds(engine, Ticket()) == [2.0, 0]


@pytest.mark.parametrize(("period", "bits"), [(0.0, 64), (1.0, 0)])
def test_without_timestamps_nobody_knows_the_time(monkeypatch, period, bits):
    info = replace(probe.select(), timestamp_period=period)
    monkeypatch.setattr(probe, "devices", lambda: (info,))
    families = vulkan.Instance.queue_families

    def without(instance, physical):
        found = families(instance, physical)
        for family in found:
            family.timestamp_bits = bits
        return found

    monkeypatch.setattr(vulkan.Instance, "queue_families", without)
    engine = Vulkan(info)
    ticket = engine.record([], True)
    engine.submit(ticket)
    engine.wait(ticket)
    assert engine.microseconds(ticket) is None
