"""What a queue does of its work after an interrupt, and whom it refuses meanwhile: no device."""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import replace

import pytest

from dml_vk.errors import DeviceError
from dml_vk.kernels.plan.base import Plan
from dml_vk.limits import MINIMUM
from dml_vk.runtime import queue as queue_module
from dml_vk.runtime.arenas import Allocation, ranges
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.queue import Queue
from tests.unit.runtime.queues import (
    Runtime,
    allocation,
    arena,
    make_plan,
    operand,
    pushes,
    ran,
    shader,
)

pytestmark = pytest.mark.usefixtures("no_modules")


def test_an_interrupt_loses_nothing_and_repeats_nothing():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    seen = operand(where, 0, 16, True)
    for number in range(4):
        queue.launch(make_plan(), [replace(seen, base=4 * number)])
    runtime.before_run = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        queue.flush()
    assert ran(runtime) == []
    queue.launch(make_plan(), [operand(where, 0, 16, True, 16)])
    assert ran(runtime) == [[0], [1], [2], [3]], "what is left is submitted before anything new"
    queue.flush()
    assert ran(runtime) == [[0], [1], [2], [3], [4]]


def test_an_interrupt_right_after_a_submission_does_not_repeat_it(monkeypatch):
    runtime = Runtime()
    runtime.is_busy = True
    queue = Queue(runtime, MINIMUM, lambda: None)
    held = operand(arena(), 0, 16, True)
    for number in range(3):
        queue.launch(make_plan(30, 0.99e6), [replace(held, base=4 * number)])
    plain = runtime.submit

    def interrupt(ticket):
        plain(ticket)
        if len(runtime.ran) == 2:
            monkeypatch.setattr(runtime, "submit", plain)
            raise KeyboardInterrupt

    monkeypatch.setattr(runtime, "submit", interrupt)
    with pytest.raises(KeyboardInterrupt):
        queue.flush()
    queue.flush()
    assert ran(runtime) == [[0], [1], [2]]
    assert runtime.waited == runtime.ran


def test_an_interrupt_while_waiting_loses_nothing(monkeypatch):
    runtime = Runtime()
    runtime.is_busy = True
    queue = Queue(runtime, MINIMUM, lambda: None)
    queue.launch(make_plan(80, 0.99e6), [operand(arena(), 0, 16, True)])
    plain = runtime.wait

    def interrupt(ticket):
        monkeypatch.setattr(runtime, "wait", plain)
        raise KeyboardInterrupt

    monkeypatch.setattr(runtime, "wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        queue.flush()
    assert not queue.is_idle
    queue.flush()
    assert queue.is_idle
    assert len(runtime.ran) == 2
    assert runtime.waited == runtime.ran


def interrupted(runtime, queue):
    runtime.before_run = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        queue.flush()


def test_what_an_interrupt_leaves_is_done_as_far_as_somebody_needs_it():
    """Of a chain up to what is held, all; of what nobody holds, nothing."""
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    a, b, c, d, lost = [Allocation(where, 256 * k, 256, deque()) for k in range(5)]
    for number, (source, target) in enumerate([(a, b), (b, c), (c, d), (a, lost), (lost, lost)]):
        operands = [Access.of(source, 0, 0, 256, False), Access.of(target, 0, 0, 256, True)]
        push = (0, 0, 0, 0, number)
        plan = Plan("nothing_u32", (64,), push, 64, 1.0, 0, (4, 4), ((0, 0),))
        queue.launch(plan, operands)
    del a, b, d, lost, source, target, operands
    interrupted(runtime, queue)
    assert runtime.ran == []
    queue.flush()
    assert [[push[4] for push in level] for level in pushes(runtime)] == [[0], [1]]
    queue.flush()
    assert len(runtime.ran) == 1
    assert c.nbytes == 256


def test_what_an_interrupt_leaves_of_a_long_launch_is_dropped_with_its_result():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    held, lost = allocation(arena()), allocation(arena())
    for memory in (held, lost):
        queue.launch(make_plan(48, 0.99e6), [Access.of(memory, 0, 0, 16, True)])
    del memory, lost
    interrupted(runtime, queue)
    queue.flush()
    cut = [tuple(push[:2]) for level in pushes(runtime) for push in level]
    assert cut == [(0, 40), (40, 48)]
    assert held.nbytes == 4096


def test_work_left_by_an_interrupt_is_dropped_if_its_memory_was_reused():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    for at in (0, 256):
        queue.launch(make_plan(), [Access.of(Allocation(where, at, 256, deque()), 0, 0, 256, True)])
    interrupted(runtime, queue)
    later = Access.of(Allocation(where, 0, 64, deque()), 0, 0, 64, True)
    queue.launch(make_plan(units=77), [later])
    queue.flush()
    assert [push[1] for level in pushes(runtime) for push in level] == [77]


def test_an_interrupt_before_a_batch_is_split_leaves_it_growing(monkeypatch):
    runtime, where = Runtime(), arena()
    queue = Queue(runtime, MINIMUM, lambda: None)
    held = Allocation(where, 0, 256, deque())
    queue.launch(make_plan(), [Access.of(held, 0, 0, 256, True)])

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(queue_module, "split", interrupt)
        with pytest.raises(KeyboardInterrupt):
            queue.flush()
    later = Allocation(where, 256, 256, deque())
    queue.launch(make_plan(), [Access.of(later, 0, 0, 256, True)])
    interrupted(runtime, queue)
    queue.flush()
    assert ran(runtime) == [[0, 64]]
    assert (held.nbytes, later.nbytes) == (256, 256)


def test_a_kernel_of_the_users_comes_after_what_an_interrupt_leaves():
    runtime, where = Runtime(), arena()
    queue, held = Queue(runtime, MINIMUM, lambda: None), allocation(where)
    queue.launch(make_plan(), [Access.of(held, 0, 0, 16, True)])
    interrupted(runtime, queue)
    queue.dispatch(shader(b"spirv"), [Access.of(held, 0, 0, 16, True)])
    assert ran(runtime) == [[0]]
    queue.flush()
    assert len(runtime.ran) == 2


def test_allocations_without_a_place_are_not_live():
    where = arena()
    held = [Allocation(where, at, nbytes, deque()) for at, nbytes in ((512, 0), (0, 100), (-1, 9))]
    held.append(Allocation(where, 256, 100, deque()))
    held.pop()
    assert sorted(ranges(where.live.values())) == [(0, 100), (512, 513)]


def test_the_last_traceback_holds_nothing_of_ours(monkeypatch):
    """An interactive interpreter keeps it, and with it what was interrupted."""
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)

    def touch(queue, memory, units=64):
        queue.launch(make_plan(units=units), [Access.of(memory, 0, 0, 16, True)])

    def users():
        mine = allocation(arena())
        names = {"queue": queue, "target": allocation(arena()), "touch": touch}
        source = "def op(queue, target):\n touch(queue, target)\n queue.flush()"
        exec(compile(source, queue_module.__file__, "exec"), names)
        touch(queue, mine, 77)
        names["op"](queue, names.pop("target"))

    runtime.before_run = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt) as caught:
        users()
    monkeypatch.setattr(sys, "last_traceback", caught.tb, raising=False)
    queue.flush()
    assert [push[1] for level in pushes(runtime) for push in level] == [77]


@pytest.mark.parametrize("during", ["bind", "submit"])
def test_what_interrupts_a_thread_inside_is_refused(during):
    """As a signal handler or a finalizer would come: between two lines of the very same thread."""
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = arena()
    plain = getattr(runtime, during)
    refused = []

    def interrupted(*arguments):
        for call in (
            lambda: queue.launch(make_plan(), [operand(where, 0, 16, True)]),
            lambda: queue.settle(allocation(where), write=False),
        ):
            with pytest.raises(DeviceError, match="by a signal handler or finalizer"):
                call()
            refused.append(during)
        return plain(*arguments)

    setattr(runtime, during, interrupted)
    queue.launch(make_plan(), [operand(where, 0, 16, True)])
    with queue.enter():
        queue.flush()
    assert len(refused) == 2
    assert ran(runtime) == [[0]]


@pytest.mark.parametrize("is_submitted", [False, True])
def test_an_interrupt_between_the_submissions_of_a_replay_loses_and_repeats_nothing(
    is_submitted, monkeypatch
):
    runtime = Runtime()
    runtime.is_busy = True
    queue = Queue(runtime, MINIMUM, lambda: None)
    held = operand(arena(), 0, 16, True)
    works = [(make_plan(30, 0.99e6), [replace(held, base=4 * number)], ()) for number in range(3)]
    with queue.enter():
        made = queue.prepare(works)
        recorded = queue.recorded(made)
    assert len(made) == 3
    plain = runtime.submit

    def interrupt(ticket):
        is_second = len(runtime.ran) == 1
        if is_submitted or not is_second:
            plain(ticket)
        if is_second:
            monkeypatch.setattr(runtime, "submit", plain)
            raise KeyboardInterrupt

    monkeypatch.setattr(runtime, "submit", interrupt)
    with queue.enter(), pytest.raises(KeyboardInterrupt):
        queue.replay(made, recorded, [held])
    assert ran(runtime) == [[0], [1]][: 1 + is_submitted]
    with queue.enter():
        queue.replay(made, recorded, [held])
        queue.flush()
    assert ran(runtime) == [[0], [1], [2]] * 2
    assert runtime.waited[-1] is runtime.ran[-1]
