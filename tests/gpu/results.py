"""A plugin for pytest: `--results FILE` has a line for each test as soon as it ends.

A report at the end of the run would be lost where time runs out.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--results", type=Path, required=True)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # of pytest-xdist, whose results all come here
        config.pluginmanager.register(Results(config.getoption("results")))


class Results:
    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            crash = getattr(report.longrepr, "reprcrash", None)
            said = crash.message if crash else str(report.longrepr or "")
            line = {"test": report.nodeid, "outcome": report.outcome, "said": said[:300]}
            with self._file.open("a") as file:
                print(json.dumps(line), file=file, flush=True)
