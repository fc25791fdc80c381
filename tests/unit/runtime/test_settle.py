"""What the host waits for before it reads a part of memory."""

from __future__ import annotations

from collections import deque

import pytest

from dml_vk.limits import MINIMUM
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.queue import Queue
from tests.unit.runtime.queues import Runtime, arena, make_plan

pytestmark = pytest.mark.usefixtures("no_modules")


def test_the_host_waits_only_for_work_on_the_part_that_it_reads():
    runtime = Runtime()
    runtime.is_busy = True
    queue = Queue(runtime, MINIMUM, lambda: None)
    memory = Allocation(arena(), 256, 256, deque())
    below, above = (Access.of(memory, at, at, at + 64, True) for at in (0, 128))
    queue.launch(make_plan(), [below])
    with queue.enter():
        queue.send()
    queue.launch(make_plan(), [above])
    word = [Access.of(memory, at, at, at + 4, False) for at in (60, 64, 124, 128)]
    assert not queue.settle(memory, False, word[1])
    assert not queue.settle(memory, True, word[2])
    assert [len(runtime.ran), len(runtime.waited)] == [1, 0]
    assert queue.settle(memory, False, word[0])
    assert [len(runtime.ran), len(runtime.waited)] == [1, 1], "the other is still to come"
    assert queue.settle(memory, False, word[3])
    assert queue.is_idle
