"""Who measures coverage traces the tests: a test that traces gives that back."""

from __future__ import annotations

import sys
from pathlib import Path

from tests import interrupts

TESTS = Path(interrupts.__file__).parent


def test_only_one_place_traces():
    others = {Path(interrupts.__file__), Path(__file__)}
    tracing = [path for path in TESTS.rglob("*.py") if "sys.settrace" in path.read_text()]
    assert set(tracing) <= others


def test_what_traced_before_an_interrupt_traces_after_it():
    def work():
        return None

    def trace(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        came = interrupts.interrupted(0, __file__, work)
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert came
    assert after is trace
