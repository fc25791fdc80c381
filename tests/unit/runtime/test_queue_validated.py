"""Under the validation layer, dispatches bind exact ranges, so that the layer sees true hazards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dml_vk.limits import MINIMUM
from dml_vk.runtime.arenas import Arena
from dml_vk.runtime.queue import Queue
from tests.unit.runtime.queues import Runtime, arena, make_plan, operand, pushes, shader

pytestmark = pytest.mark.usefixtures("no_modules")


def test_under_validation_dispatches_bind_what_they_access(monkeypatch):
    monkeypatch.setenv("DML_VK_VALIDATE", "1")
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where, plan = Arena(np.arange(4096), 16384, None), make_plan()
    for at in (0, 1024, 2048):  # the second launch of a plan is encoded anew
        queue.launch(plan, [operand(where, at + 256, at + 276, True, at + 264)])
    queue.flush()
    assert pushes(runtime) == [[[0, 64, 2, 77]] * 3]
    parts = [bound[-1][0].tolist() for bound, _ in runtime.ran[0].levels[0]]
    assert parts == [[*range(at, at + 5)] for at in (64, 320, 576)]


def test_under_validation_what_is_replayed_binds_what_it_accesses_too(monkeypatch):
    monkeypatch.setenv("DML_VK_VALIDATE", "1")
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    where = Arena(np.arange(4096), 16384, None)
    one, other = operand(where, 256, 276, True, 264), operand(where, 1024, 1040, True, 1024)
    with queue.enter():
        made = queue.prepare([(make_plan(), [one], ()), (shader(b"spirv", 4), [other], ())])
        queue.replay(made, queue.recorded(made), [one, other])
    assert [len(level) for level in runtime.ran[0].levels] == [1, 1]
    ((bound, _),) = runtime.ran[0].levels[0]
    assert bound[-1][0].tolist() == [*range(64, 69)]


def test_under_validation_what_binds_whole_arenas_runs_alone(monkeypatch):
    def order():
        runtime = Runtime()
        queue = Queue(runtime, MINIMUM, lambda: None)
        where = arena()
        longer = replace(make_plan(), push=(0,) * 8)
        one, other, third, fourth = (operand(where, n, n + 16, True, n) for n in (0, 256, 512, 768))
        queue.launch(make_plan(), [one])
        queue.launch(longer, [other], (), operand(where, 1024, 1040, False))
        queue.launch(make_plan(), [third])
        queue.dispatch(shader(b"spirv", 4), [fourth])
        queue.launch(make_plan(), [operand(where, 1280, 1296, True, 1280)])
        queue.flush()
        return [len(level) for level in runtime.ran[0].levels]

    assert order() == [5]
    monkeypatch.setenv("DML_VK_VALIDATE", "1")
    assert order() == [1] * 5
