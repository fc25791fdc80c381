"""Submissions that come again, on a runtime that only writes down what it is asked."""

from __future__ import annotations

import pytest

from dml_vk.limits import MINIMUM
from dml_vk.runtime import repeats as repeats_module
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Dispatch
from dml_vk.runtime.queue import Queue
from dml_vk.runtime.repeats import Repeats
from tests.unit.runtime.queues import Runtime, allocation, arena, make_plan, ran

pytestmark = pytest.mark.usefixtures("no_modules")


class Noting(Runtime):
    """One that notes how its tickets come about."""

    keeps_recorded = True

    def __init__(self):
        super().__init__()
        self.asked = []

    def bind(self, pipeline, blocks, ranges=()):
        return pipeline, tuple(blocks)

    def do(self, command):
        pass

    def record(self, commands, timed=False):
        self.asked.append("record")
        return super().record(commands, timed)

    def prepare(self, commands):
        self.asked.append("prepare")
        return super().prepare(commands)

    def repeat(self, prepared):
        self.asked.append("repeat")
        return super().repeat(prepared)


def rounds(queue, memory, count):
    access = Access.of(memory, 0, 0, 16, True)
    plan = make_plan()
    for _ in range(count):
        queue.launch(plan, [access])
        with queue.enter():
            queue.flush()


def test_what_comes_again_is_recorded_twice_and_then_no_more():
    runtime = Noting()
    queue = Queue(runtime, MINIMUM, lambda: None)
    rounds(queue, allocation(arena()), 4)
    assert runtime.asked == ["record", "prepare", "repeat", "repeat", "repeat"]
    assert ran(runtime) == [[0]] * 4


def test_what_was_recorded_for_an_arena_goes_with_it():
    runtime = Noting()
    queue = Queue(runtime, MINIMUM, lambda: None)
    memory = allocation(arena())
    rounds(queue, memory, 2)
    queue.forget(memory.arena)
    assert queue._repeats.alive() == []
    runtime.asked.clear()
    rounds(queue, memory, 2)
    assert runtime.asked == ["record", "prepare", "repeat"]


def test_a_runtime_that_would_record_again_is_not_asked_to_prepare():
    runtime = Noting()
    runtime.keeps_recorded = False
    rounds(Queue(runtime, MINIMUM, lambda: None), allocation(arena()), 3)
    assert runtime.asked == ["record"] * 3


def test_a_forked_child_does_not_destroy_what_is_recorded():
    queue = Queue(Noting(), MINIMUM, lambda: None)
    rounds(queue, allocation(arena()), 2)
    (prepared,) = queue._repeats.alive()
    assert any(prepared is thing for thing in queue.runtime_objects())


def test_little_is_kept(monkeypatch):
    monkeypatch.setattr(repeats_module, "MOST_COMMANDS", 5)
    monkeypatch.setattr(repeats_module, "MOST_SEEN", 4)
    runtime = Noting()
    repeats = Repeats(runtime)
    for count in (1, 2, 6):
        for word in range(10):
            for _ in range(2):
                repeats.ticket([Dispatch("bound", bytes([word, 0, 0, 0]), (1, 1, 1))] * count)
            assert sum(map(len, repeats.alive())) <= 5
            assert len(repeats._seen) <= 4
    assert runtime.asked[-2:] == ["record", "record"], "it is too long"
