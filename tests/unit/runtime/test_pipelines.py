"""Which pipelines are kept: by their number, and by what a driver holds for them."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier, get_ident

import pytest

from dml_vk.errors import DeviceMemoryError
from dml_vk.limits import MINIMUM
from dml_vk.runtime import pipelines
from dml_vk.runtime.queue import Queue
from tests.hanging import HANGING
from tests.kept import AS_USERS
from tests.unit.runtime.queues import Runtime, arena, make_plan, operand, pushes, shader

pytestmark = pytest.mark.usefixtures("no_modules")


def test_old_pipelines_go_and_never_pile_up(monkeypatch):
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    monkeypatch.setattr(pipelines, "MOST", 3)
    where = arena()
    plans = [replace(make_plan(), spec=(64, 1, number)) for number in range(6)]
    for plan in plans:
        queue.launch(plan, [operand(where, 0, 16, True)])
        assert len(queue.pipelines) <= 3
    for plan in plans[3:]:
        queue.launch(plan, [operand(where, 0, 16, True)])
    assert runtime.pipelines == 6
    queue.launch(plans[0], [operand(where, 0, 16, True)])
    assert runtime.pipelines == 7


def modules(sizes):
    """Operations by modules of the user's, of so many words each."""
    where = arena()
    codes = [number.to_bytes(4, "little") * words for number, words in enumerate(sizes)]

    def run(queue, number):
        operands = [operand(where, 0, 16, True)]
        queue.dispatch(shader(codes[number]), operands)

    return run


def limited(monkeypatch, words):
    """A queue that keeps modules of so many words at most."""
    monkeypatch.setattr(pipelines, "MOST_BYTES", 4 * words * pipelines.HELD_PER_BYTE)
    runtime = Runtime()
    return runtime, Queue(runtime, MINIMUM, lambda: None)


def test_pipelines_are_as_many_as_the_driver_may_hold_bytes_for(monkeypatch):
    runtime, queue = limited(monkeypatch, 800)
    run = modules([100] * 9)
    for number in range(8):
        run(queue, number)
    assert len(queue.pipelines) == 8
    run(queue, 0)  # now 1 is the oldest
    run(queue, 8)
    assert len(queue.pipelines) == 7, "an eighth is let go, so that the next has room"
    for number in (0, *range(3, 9)):
        run(queue, number)
    assert runtime.pipelines == 9
    run(queue, 2)
    assert len(queue.pipelines) == 8, "it has"
    run(queue, 1)
    assert runtime.pipelines == 11


def test_a_large_pipeline_takes_the_room_of_many(monkeypatch):
    runtime, queue = limited(monkeypatch, 800)
    run = modules([100] * 6 + [500, 5000])
    for number in range(6):
        run(queue, number)
    run(queue, 6)
    assert len(queue.pipelines) == 3  # 500, 100 and 100 words
    for number in (4, 5):
        run(queue, number)
    assert runtime.pipelines == 7
    for _ in range(2):  # more than there is room for: it is kept while it is the newest
        run(queue, 7)
        assert len(queue.pipelines) == 1
    assert runtime.pipelines == 8
    run(queue, 0)
    assert (len(queue.pipelines), runtime.pipelines) == (1, 9)
    for number in range(7):
        run(queue, number)
    assert runtime.pipelines == 15
    assert len(queue.pipelines) == 3


def test_one_that_is_too_large_is_looked_up_as_fast_as_any(monkeypatch):
    _, queue = limited(monkeypatch, 800)
    run, forgotten = modules([5000]), []
    monkeypatch.setattr(queue.encoder, "forget", lambda: forgotten.append(1))
    for _ in range(3):
        run(queue, 0)
    assert not forgotten


def test_512_modules_of_10_kilobytes_are_kept(monkeypatch):
    monkeypatch.setattr(pipelines, "MOST", AS_USERS[0])
    monkeypatch.setattr(pipelines, "MOST_BYTES", AS_USERS[1])
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)
    run = modules([2500] * 512)
    for number in (*range(512), 0):
        run(queue, number)
    assert runtime.pipelines == len(queue.pipelines) == 512


def test_no_pipeline_is_made_where_the_driver_has_no_room():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: "all is taken")
    with pytest.raises(DeviceMemoryError, match="no memory to compile a kernel: all is taken"):
        queue.launch(make_plan(), [operand(arena(), 0, 16, True)])
    assert runtime.pipelines == 0


@pytest.mark.parametrize(("late", "threads"), [(False, 3), (True, 1)])
def test_a_program_s_pipelines_are_made_together_where_that_helps(late, threads):
    runtime = Runtime()
    queue = Queue(runtime, replace(MINIMUM, compiles_late=late), lambda: None)
    all_there = Barrier(threads)
    makers = set()
    make = runtime.pipeline

    def slowly(*given):
        makers.add(get_ident())
        all_there.wait(HANGING)  # so that no thread makes two
        return make(*given)

    runtime.pipeline = slowly
    where = arena()
    plans = [replace(make_plan(), spec=(64, 1, number)) for number in range(3)]
    works = [(plan, [operand(where, 0, 16, True)], ()) for plan in [*plans, *plans]]
    with queue.enter():
        queue.prepare(works)
    assert runtime.pipelines == len(queue.pipelines) == 3
    assert len(makers) == threads
    assert (get_ident() in makers) == late


@pytest.mark.parametrize("late", [True, False])
def test_drivers_that_compile_at_the_first_run_begin_when_a_pipeline_is_made(late):
    runtime = Runtime()
    queue = Queue(runtime, replace(MINIMUM, compiles_late=late), lambda: None)
    plan, other = make_plan(), replace(make_plan(), spec=(64, 1, 2))
    where = arena()
    sent = []
    for _ in range(2):
        for number, one in enumerate((plan, plan, other, plan, other)):
            queue.launch(one, [operand(where, 16 * number, 16 * number + 16, True)])
            sent.append(len(runtime.ran))
        queue.flush()
    assert sent == ([1, 1, 2, 2, 2, 3, 3, 3, 3, 3] if late else [0] * 5 + [1] * 5)
    compiled = runtime.ran[: 2 * late]
    assert all(command.groups == (0, 1, 1) for one in compiled for command in one.commands)
    assert [len(level) for level in pushes(runtime)[len(compiled) :]] == [5, 5]


def test_of_pipelines_made_together_none_is_kept_if_one_fails():
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)

    def refused(*given):
        raise DeviceMemoryError("pipeline", "the driver has no memory left for this", bytes=1)

    runtime.pipeline = refused
    where = arena()
    works = [
        (replace(make_plan(), spec=(64, 1, n)), [operand(where, 0, 16, True)], ()) for n in range(3)
    ]
    with queue.enter(), pytest.raises(DeviceMemoryError, match="no memory left"):
        queue.prepare(works)
    assert len(queue.pipelines) == 0


def test_where_no_thread_can_start_pipelines_are_made_one_by_one(monkeypatch):
    runtime = Runtime()
    queue = Queue(runtime, MINIMUM, lambda: None)

    def ending(*given):
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(pipelines.ThreadPoolExecutor, "submit", ending)
    where = arena()
    works = [
        (replace(make_plan(), spec=(64, 1, n)), [operand(where, 0, 16, True)], ()) for n in range(3)
    ]
    with queue.enter():
        queue.prepare(works)
    assert runtime.pipelines == len(queue.pipelines) == 3
