"""A plugin of pytest: in place of dots, how far a long run is and about how long the rest takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests import repeat
from tests.costs import Estimate, file_of, keep, kept

MANY = 200  # tests: a run of fewer has pytest's dots
STEP = 5  # percent, from one line of a log to the next
REDRAWN = 0.5  # seconds, from one line of a terminal to the next


def pytest_sessionstart(session: pytest.Session) -> None:
    """Processes of pytest-xdist have no terminal: all that their tests report comes here."""
    config = session.config
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None and config.get_verbosity() == 0:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        path = Path(home) / "dml_vk" / "tests" / "seconds.json"
        config.pluginmanager.register(Progress(reporter, repeat.command(config), path))


def spoken(seconds: float) -> str:
    """As people say it: to ten seconds, from a minute on."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds / 10) * 10, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


class Progress:
    """It is silent until it knows that there are many tests."""

    def __init__(
        self, reporter: Any, run: str, path: Path, clock: Callable[[], float] = monotonic
    ) -> None:
        """`run` is the command, whose costs are kept in a file at `path`."""
        self._reporter, self._run, self._path, self._clock = reporter, run, path, clock
        self._estimate: Estimate | None = None
        self._taken: dict[str, list[float]] = {}  # seconds, and tests that are done, by files
        self._begun = self._drawn = 0.0
        self._told = 0  # percent
        self._failed: set[str] = set()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        if not self._taken:  # else a process takes the place of one that crashed
            self._begin(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin([item.nodeid for item in session.items])

    def _begin(self, tests: Sequence[str]) -> None:
        if len(tests) >= MANY:
            self._estimate = Estimate(tests, kept(self._path, self._run))
            self._begun = self._drawn = self._clock()
            self._reporter.showfspath = self._reporter._show_progress_info = False

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Any, Any]:
        """Show neither dots nor names while there is a line."""
        category, letter, word = yield
        return (category, letter, word) if self._estimate is None else (category, "", "")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._estimate is None:
            return
        taken = self._taken.setdefault(file_of(report.nodeid), [0.0, 0])
        taken[0] += report.duration
        if report.failed:
            self._failed.add(report.nodeid)
            self._erase()
            word = "ERROR" if report.when in ("setup", "teardown") else "FAILED"
            self._reporter.write_line(f"{word} {report.nodeid}", red=True)
        if report.when not in ("setup", "call"):  # the last one, also of a process that crashed
            taken[1] += 1
            self._estimate.finish(report.nodeid)
            self._show(self._estimate)

    def _show(self, estimate: Estimate) -> None:
        percent, passed = int(100 * estimate.share), self._clock() - self._begun
        left = estimate.seconds_left(passed)
        parts = [f"{percent} %", spoken(passed)]
        parts += [f"about {spoken(left)} left"] if left else []
        parts += [f"{len(self._failed)} failed"] if self._failed else []
        if self._reporter.isatty and self._begun + passed >= self._drawn + REDRAWN:
            self._drawn = self._begun + passed
            self._reporter.rewrite(", ".join(parts), erase=True)
        elif not self._reporter.isatty and percent // STEP > self._told // STEP:
            self._told = percent
            self._reporter.write_line(", ".join(parts))

    def _erase(self) -> None:
        if self._reporter.isatty:
            self._reporter.rewrite("", erase=True)
            self._reporter.rewrite("")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        if self._estimate is not None:
            self._estimate = None  # what comes now is the summary
            self._erase()
            means = {file: taken / done for file, (taken, done) in self._taken.items() if done}
            keep(self._path, self._run, means)
