"""What is said of long work, by a clock that a runtime without a device moves on."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.limits import MINIMUM
from dml_vk.observe import callers, dispatches
from dml_vk.runtime import pipelines, transfer
from dml_vk.runtime.queue import Queue
from tests.unit.runtime.queues import Runtime, arena, make_plan, operand


@pytest.fixture
def clock(monkeypatch, caplog):
    """Each sequence takes so many seconds."""
    monkeypatch.setattr(library, "load_for", lambda module, spec, **given: b"")
    caplog.set_level(logging.INFO, dispatches.logger.name)

    class Clock:
        now, step = 100.0, 0.75

    class Slow(Runtime):
        def wait(self, ticket):
            if ticket not in self.waited:
                Clock.now += Clock.step
            super().wait(ticket)

    for module in (dispatches, pipelines):
        monkeypatch.setattr(module, "perf_counter", lambda: Clock.now)
    Clock.runtime = Slow
    return Clock


def said(caplog):
    messages = [record.message.partition("): ")[2] for record in caplog.records]
    caplog.clear()
    return messages


def work(queue, submissions):
    seen = operand(arena(), 0, 16, True)
    queue.launch(make_plan(40 * submissions, 1e6), [seen])
    queue.flush()


def test_long_work_says_how_far_it_is_every_two_seconds(clock, caplog):
    work(Queue(clock.runtime(), MINIMUM, lambda: None), 8)
    assert said(caplog) == [
        "2.2 s so far, 3 of 8 submissions done, 3.8 s left",
        "4.5 s so far, 6 of 8 submissions done, 1.5 s left",
    ]


def test_short_work_says_nothing(clock, caplog):
    work(Queue(clock.runtime(), MINIMUM, lambda: None), 2)
    assert said(caplog) == []


def test_at_another_level_nothing_is_said(clock, caplog):
    caplog.set_level(logging.WARNING, dispatches.logger.name)
    work(Queue(clock.runtime(), MINIMUM, lambda: None), 8)
    assert said(caplog) == []


@pytest.mark.parametrize("pause", [0.5, 1.5])
def test_flushes_of_one_line_are_one_work_unless_there_is_a_pause(clock, caplog, pause):
    queue = Queue(clock.runtime(), MINIMUM, lambda: None)
    for _ in range(3):
        work(queue, 2)
        clock.now += pause
    expected = "2.2 s so far, 1 of 2 submissions done, 0.8 s left"
    assert said(caplog) == ([expected] if pause == 0.5 else [])


def test_another_line_is_another_work(clock, caplog):
    queue = Queue(clock.runtime(), MINIMUM, lambda: None)
    work(queue, 2)
    queue.launch(make_plan(80, 1e6), [operand(arena(), 0, 16, True)])
    queue.flush()
    assert said(caplog) == []


def test_what_is_left_of_an_interrupted_flush_is_all_there_is(clock, caplog):
    queue, clock.step = Queue(clock.runtime(), MINIMUM, lambda: None), 2.5
    queue._runtime.before_run = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt) as caught:
        work(queue, 4)
    said(caplog)
    assert caught.tb is not None  # It holds the operand.
    queue.flush()
    assert said(caplog)[0] == "2.5 s so far, 1 of 4 submissions done, 7.5 s left"


def test_what_the_package_s_own_commands_call_is_called_by_a_user():
    """Their frames are those of the package's files."""
    found = []
    source = "def called(find): find()"
    package = callers._PACKAGE
    for inner in (f"{package}array/math/elementwise.py", f"{package}commands/demo.py"):
        names = {}
        exec(compile(source, inner, "exec"), names)
        names["called"](lambda: found.append(sys._getframe(0)))
    assert [callers._is_ours(frame.f_back.f_code.co_filename) for frame in found] == [True, False]
    assert not callers._is_ours(package.rstrip("/\\") + "_other/array.py")


@pytest.mark.linux
def test_the_packages_files_are_recognized_however_its_path_is_spelled():
    code = """
import sys
sys.path = [root for root in sys.path if root != {0!r}]
sys.path.insert(0, {0!r}.replace("/", "//"))  # as C:/one and C:\\one mean one folder
from dml_vk.observe import callers, copies
assert "//" in copies.__file__
print(callers._is_ours(copies.record.__code__.co_filename))
"""
    root = str(Path(callers.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code.format(root)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_bytes_on_their_way_say_how_far_they_are(clock, caplog):
    nbytes = 3 * transfer.CHUNK_BYTES - 5
    starts = []
    for at in transfer.chunks(nbytes):
        starts.append(at)
        clock.now += 1.25
    assert starts == [0, transfer.CHUNK_BYTES, 2 * transfer.CHUNK_BYTES]
    assert said(caplog) == ["2.5 s so far, 64 of 95 MiB moved, 1.2 s left"]
    for _ in transfer.chunks(transfer.CHUNK_BYTES):
        clock.now += 10
    assert said(caplog) == []
