"""Commands that Kompute submits again and again are recorded once, whatever comes in between."""

from __future__ import annotations

import pytest

from dml_vk.runtime import kompute
from tests.interrupts import interrupted
from tests.kernel.runtime.steps import WORDS, WORK

pytestmark = [pytest.mark.compiler, pytest.mark.kompute]


def test_what_comes_again_is_recorded_once(runtime, made, monkeypatch):
    recorded, record = [], runtime.record
    monkeypatch.setattr(runtime, "record", lambda *of: recorded.append(of) or record(*of))
    prepared = runtime.prepare([made.step(2)])
    runs = []
    for count in range(1, 6):
        runs.append(runtime.repeat(prepared))
        assert not runtime.is_submitted(runs[-1])
        assert not runtime.is_done(runs[-1])
        for _ in range(2):  # which runs it once
            runtime.submit(runs[-1])
            runtime.wait(runs[-1])
        assert made.seen.tolist() == [2**count - 1] * WORDS
    assert len(recorded) == 1
    assert all(map(runtime.is_done, runs))


def test_a_run_is_done_while_a_later_one_of_its_commands_runs(runtime, made):
    prepared = runtime.prepare(made.slow())
    runs = []
    for _ in range(3):
        if len(runs) == 1:
            runtime.wait(runs[0])
        runs.append(runtime.repeat(prepared))
        runtime.submit(runs[-1])
    assert runtime.is_done(runs[0])
    runtime.wait(runs[0])
    assert runs[1].sequence is runs[0].sequence
    runtime.wait(runs[2])
    assert all(map(runtime.is_done, runs))
    assert made.seen[0] == 3 * WORK


def test_a_run_that_was_not_submitted_is_not_taken_for_the_one_before(runtime, made):
    prepared = runtime.prepare([made.step(2)])
    first = runtime.repeat(prepared)
    runtime.submit(first)
    runtime.wait(first)
    waits, other = runtime.repeat(prepared), runtime.repeat(prepared)
    runtime.submit(other)
    runtime.wait(other)
    assert made.seen.tolist() == [3] * WORDS
    assert not runtime.is_submitted(waits)
    runtime.submit(waits)
    runtime.wait(waits)
    assert made.seen.tolist() == [7] * WORDS


def test_what_comes_again_is_recorded_once_more_after_a_run_is_lost(runtime, made, monkeypatch):
    recorded, record = [], runtime.record
    monkeypatch.setattr(runtime, "record", lambda *of: recorded.append(of) or record(*of))
    prepared = runtime.prepare([made.step(2)])
    runtime.repeat(prepared)  # is never submitted
    for count in range(1, 4):
        run = runtime.repeat(prepared)
        runtime.submit(run)
        runtime.wait(run)
        assert made.seen.tolist() == [2**count - 1] * WORDS
    assert len(recorded) == 2


def test_ctrl_c_in_a_run_neither_loses_nor_repeats_it(runtime, made):
    prepared = runtime.prepare([made.step(2)])
    expected, came = 0, []
    for at in range(12):
        ticket = runtime.repeat(prepared)
        came.append(interrupted(at, kompute.__file__, ticket.submit))
        runtime.submit(ticket)
        runtime.wait(ticket)
        expected = 2 * expected + 1
        assert made.seen.tolist() == [expected] * WORDS
    assert any(came)
