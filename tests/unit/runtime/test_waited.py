"""Commands that are waited for: nothing runs any more when the call is over, however it ends."""

from __future__ import annotations

from collections import deque

import pytest

from dml_vk.errors import DeviceError
from dml_vk.limits import MINIMUM
from dml_vk.runtime import waited
from dml_vk.runtime.queue import Queue
from tests.unit.runtime.queues import Runtime, arena, operand


class Waits(Runtime):
    """Raises what a test wants in place of waits, or of submissions."""

    def __init__(self):
        super().__init__()
        self.before_wait = []
        self.flying = deque()
        self.most = 0

    def submit(self, ticket):
        super().submit(ticket)
        self.most = max(self.most, len(self.ran) - len(self.waited))

    def wait(self, ticket):
        if self.before_wait and (error := self.before_wait.pop(0)):
            raise error
        super().wait(ticket)

    def do(self, command):
        pass


@pytest.fixture
def runtime():
    return Waits()


def commands(runtime):
    return [ticket.commands for ticket in runtime.ran]


def test_each_is_waited_for_in_order_while_the_next_one_runs(runtime):
    waited.run(runtime, "abcde", runtime.flying, runtime.record)
    assert commands(runtime) == [["a"], ["b"], ["c"], ["d"], ["e"]]
    assert runtime.waited == runtime.ran
    assert runtime.most == 2
    assert not runtime.flying
    waited.run(runtime, "", runtime.flying, runtime.record)
    assert len(runtime.ran) == 5


@pytest.mark.parametrize("count", range(1, 6))
def test_an_interrupt_waits_for_what_runs(runtime, count):
    runtime.before_wait = [None] * (count - 1) + [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        waited.run(runtime, "abcde", runtime.flying, runtime.record)
    assert runtime.waited == runtime.ran
    assert len(runtime.ran) == min(count + 1, 5)


def test_what_runs_is_known(runtime):
    seen = []
    runtime.do = lambda command: seen.append(runtime.ran[-1] in runtime.flying)
    waited.run(runtime, "abc", runtime.flying, runtime.record)
    assert seen == [True] * 3


def test_a_forked_child_is_told_what_to_leave_alone(runtime):
    queue, seen = Queue(runtime, MINIMUM, lambda: None), []
    runtime.do = lambda command: seen.append(runtime.ran[-1] in queue.runtime_objects())
    with queue.enter():
        queue.run("ab", operand(arena(), 0, 16, True))
    assert seen == [True] * 2


def test_interrupts_in_a_row_change_nothing(runtime):
    runtime.before_wait = [KeyboardInterrupt()] * 4
    with pytest.raises(KeyboardInterrupt):
        waited.run(runtime, "abcde", runtime.flying, runtime.record)
    assert len(runtime.ran) == 2
    assert runtime.waited == runtime.ran


def test_what_was_not_submitted_is_not_waited_for(runtime):
    for error in (KeyboardInterrupt(), DeviceError("device", "no")):
        runtime.before_run = [error]
        with pytest.raises(type(error)):
            waited.run(runtime, "ab", runtime.flying, runtime.record)
        assert runtime.ran == runtime.waited == []


def test_a_source_of_commands_that_fails_leaves_nothing_running(runtime):
    def source():
        yield "a"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        waited.run(runtime, source(), runtime.flying, runtime.record)
    assert runtime.waited == runtime.ran != []


def test_a_lost_device_is_not_waited_for_again(runtime):
    runtime.before_wait = [DeviceError("device", "lost")] * 9
    with pytest.raises(DeviceError, match="lost"):
        waited.run(runtime, "abcde", runtime.flying, runtime.record)
