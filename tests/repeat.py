"""A plugin of pytest: a run that fails ends with the command that repeats each failure alone."""

from __future__ import annotations

import os
import shlex

import pytest

OPTIONS = ("all", "clients", "gpu", "large")  # of this suite
# Verbs of ./dev that run the tests they are given, and the variables and options they set.
VERBS = {
    "bench": (),
    "clients": ("--clients",),
    "staged": ("DML_VK_MEMORY",),
    "swiftshader": ("VK_DRIVER_FILES",),
    "test": (),
    "validate": ("DML_VK_VALIDATE",),
}
OWN = ("DML_VK_CACHE", "DML_VK_TESTS_")  # of the suite, not of who runs it
_COMMAND = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Look before a test has changed anything."""
    config.stash[_COMMAND] = _command(config)


def command(config: pytest.Config) -> str:
    """What runs tests as this run does, but for their names."""
    return config.stash[_COMMAND]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each test that failed, and for each file that cannot be imported."""
    stats = terminalreporter.stats
    reports = [*stats.get("failed", ()), *stats.get("error", ())]
    names = dict.fromkeys(report.nodeid for report in reports)
    if names:
        terminalreporter.section("to repeat one alone", "=")
    for name in names:
        terminalreporter.line(f"{command(terminalreporter.config)} {shlex.quote(name)}")


def _command(config: pytest.Config) -> str:
    verb = os.environ.get("DML_VK_TESTS_VERB", "")
    program = "python -m pytest"
    if verb and verb != "gpu":  # on a machine without this environment
        verb = verb if verb in VERBS else "test"  # others run tests of their own
        program = f"./dev {verb}"
    already = VERBS.get(verb, ())
    given = [f"--{name}" for name in OPTIONS if config.getoption(name, False)]
    chosen = [
        f"{name}={shlex.quote(value)}"
        for name, value in sorted(os.environ.items())
        if name == "VK_DRIVER_FILES" or (name.startswith("DML_VK_") and not name.startswith(OWN))
        if name not in already
    ]
    return " ".join([*chosen, program, *[one for one in given if one not in already]])
