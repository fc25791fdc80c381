"""No test depends on how fast a machine is: the one limit of time is for what hangs."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, settings

from tests.unit.suite.runs import ROOT

LIMIT = re.compile(r"\b(timeout|deadline)=\{?\d|\.(wait|join|communicate)\(\d|\bsleep\(")


def test_nothing_sleeps_and_limits_are_those_of_what_hangs():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for folder in ("tests", "bench")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if LIMIT.search(text := path.read_text())
        for number, line in enumerate(text.splitlines(), 1)
        if LIMIT.search(line)
    ]
    assert found == []
    seen = ["time.sleep" + "(1)", "run(x, timeout=" + "60)", "thread.join(" + "5)"]
    assert all(map(LIMIT.search, seen))


def test_hypothesis_does_not_look_at_the_clock():
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
