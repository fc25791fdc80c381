"""The line in place of dots: how far a run is, by what its tests cost, on a clock of its own."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest

from tests.costs import Estimate, keep, kept
from tests.progress import MANY, Progress, spoken
from tests.unit.suite.runs import run

RUN = "./dev test"
QUICK = [f"tests/unit/test_a.py::test[{n}]" for n in range(MANY)]
SLOW = [f"tests/kernel/test_b.py::test[{n}]" for n in range(MANY)]
SECONDS = {"tests/unit/test_a.py": 1.0, "tests/kernel/test_b.py": 9.0}


class Reporter:
    """What is used of pytest's, and all that it showed."""

    showfspath = _show_progress_info = True

    def __init__(self, isatty):
        self.isatty, self.shown = isatty, []

    def write_line(self, text, **markup):
        self.shown.append(text)

    def rewrite(self, text, erase=False):
        self.shown.append(f"\r{text}")


class Run:
    """A run of tests on a clock that only goes when they do."""

    def __init__(self, path, tests, isatty=False):
        self.now = 1000.0
        self.reporter = Reporter(isatty)
        self.plugin = Progress(self.reporter, RUN, path, lambda: self.now)
        items = [SimpleNamespace(nodeid=test) for test in tests]
        self.plugin.pytest_collection_finish(SimpleNamespace(items=items))

    def report(self, test, when, seconds=0.0, failed=False):
        told = SimpleNamespace(nodeid=test, when=when, duration=seconds, failed=failed)
        self.plugin.pytest_runtest_logreport(told)

    def test(self, test, seconds, failed=""):
        self.now += seconds
        for when in ("setup", "call", "teardown"):
            self.report(test, when, seconds if when == "call" else 0.0, failed == when)

    @property
    def shown(self):
        return self.reporter.shown


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "tests" / "seconds.json"
    keep(found, RUN, SECONDS)
    return found


def test_a_log_has_a_line_for_each_twentieth_of_the_work(path):
    """Two hundred tests of a second come first, and nine tenths of the work after them."""
    run = Run(path, QUICK + SLOW)
    for test in QUICK:
        run.test(test, 2.0)  # on a machine that takes twice as long
    assert run.shown == [
        "5 %, 3 min 20 s, about 1 h 3 min left",
        "10 %, 6 min 40 s, about 1 h 0 min left",
    ]
    for test in SLOW:
        run.test(test, 18.0)
    assert len(run.shown) == 20
    assert run.shown[-1] == "100 %, 1 h 6 min"


def test_nothing_is_said_of_the_rest_before_the_pace_is_known(path):
    run = Run(path, QUICK + SLOW, isatty=True)
    for test in QUICK[:39]:
        run.test(test, 2.0)
    assert run.shown[-1] == "\r1 %, 1 min 20 s"
    run.test(QUICK[39], 2.0)
    assert run.shown[-1] == "\r2 %, 1 min 20 s, about 1 h 5 min left"


def test_a_terminal_has_one_line_which_goes_and_failures_have_theirs_at_once(path):
    run = Run(path, SLOW, isatty=True)
    run.test(SLOW[0], 0.25)
    assert run.shown == []
    run.test(SLOW[1], 0.25)
    assert run.shown == ["\r1 %, 0 s"]
    run.test(SLOW[2], 0.25, failed="call")
    erased = ["\r", "\r"]
    assert run.shown[1:] == [*erased, f"FAILED {SLOW[2]}"]
    run.test(SLOW[3], 0.25, failed="teardown")
    assert run.shown[4:] == [*erased, f"ERROR {SLOW[3]}", "\r2 %, 1 s, about 49 s left, 2 failed"]
    run.plugin.pytest_sessionfinish()
    assert run.shown[8:] == erased


def test_a_test_that_fails_twice_is_one_and_a_crash_is_the_end_of_a_test(path):
    run = Run(path, SLOW)
    run.report(SLOW[0], "call", failed=True)
    run.report(SLOW[0], "teardown", failed=True)
    for test in SLOW[1:9]:
        run.test(test, 1.0)
    run.report(SLOW[9], "???", failed=True)
    assert run.shown == [
        f"FAILED {SLOW[0]}",
        f"ERROR {SLOW[0]}",
        f"FAILED {SLOW[9]}",
        "5 %, 8 s, about 2 min 30 s left, 2 failed",
    ]


def test_a_process_that_takes_the_place_of_another_begins_nothing_anew(path):
    run = Run(path, SLOW)
    for test in SLOW[:100]:
        run.test(test, 1.0)
    run.plugin.pytest_xdist_node_collection_finished(SLOW)
    run.test(SLOW[100], 1.0)
    for test in SLOW[101:110]:
        run.test(test, 1.0)
    assert run.shown[-1] == "55 %, 1 min 50 s, about 1 min 30 s left"


def test_few_tests_are_shown_as_pytest_does(path):
    run = Run(path, QUICK[:-1])
    for test in QUICK[:-1]:
        run.test(test, 1.0, failed="call")
    run.plugin.pytest_sessionfinish()
    assert run.shown == []
    assert run.reporter.showfspath
    assert kept(path, RUN) == SECONDS


def test_what_tests_took_is_kept_for_the_next_run_of_the_command(path):
    run = Run(path, SLOW + QUICK)
    for test in SLOW[:4]:
        run.test(test, 2.5)
    run.plugin.pytest_sessionfinish()
    assert kept(path, RUN) == {**SECONDS, "tests/kernel/test_b.py": 2.5}
    assert kept(path, "./dev validate") == {}
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_files_that_never_ran_have_the_cost_of_their_folder():
    tests = ["tests/unit/test_a.py::test", "tests/kernel/test_b.py::test", "other/test_c.py::test"]
    whole, shares = Estimate(tests, {}), []
    for test in tests:
        whole.finish(test)
        whole.finish(test)
        shares.append(whole.share)
    assert shares == pytest.approx([1.4 / 17.1, 9.1 / 17.1, 1.0])
    half = Estimate(tests, {"tests/unit/test_a.py": 15.7})
    half.finish(tests[0])
    assert half.share == pytest.approx(0.5)
    assert half.seconds_left(7.0) == pytest.approx(7.0)


def test_the_more_tests_a_file_has_the_less_each_does():
    """Of one with eight, all take twice as long as the one of a file that has no other."""
    tests = ["tests/unit/test_a.py::test", *[f"tests/unit/test_b.py::test[{n}]" for n in range(8)]]
    estimate = Estimate(tests, {})
    estimate.finish(tests[0])
    assert estimate.share == pytest.approx(1 / 3)


@pytest.mark.parametrize("text", ["", "[1]", '{"./dev test": 3}', '{"./dev test": {"a": "b"}}'])
def test_a_file_that_is_something_else_is_no_error(tmp_path, text):
    path = tmp_path / "seconds.json"
    path.write_text(text)
    assert kept(path, RUN) == {}
    keep(path, RUN, {"a.py": 2.0})
    assert json.loads(path.read_text())[RUN] == {"a.py": 2.0}
    keep(path / "below a file", RUN, {"a.py": 3.0})


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        *((0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (194, "3 min 10 s")),
        *((3594, "59 min 50 s"), (3596, "1 h 0 min"), (7384, "2 h 3 min")),
    ],
)
def test_times_are_said_as_people_say_them(seconds, said):
    assert spoken(seconds) == said


TESTS = f"""
import pytest
@pytest.mark.parametrize("n", range({MANY}))
def test_one(n): assert n != 7
"""


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids="-".join)
def test_a_long_run_of_pytest_shows_it_in_place_of_dots(tmp_path, processes):
    said = run(tmp_path, TESTS, *processes)
    lines = [line for line in said if re.match(r"\d+ %, ", line)]
    form = r"\d+ %, \d+ s(, about \d+ s left)?(, 1 failed)?"
    assert all(re.fullmatch(form, line) for line in lines)
    assert [int(line.split()[0]) for line in lines] == list(range(5, 101, 5))
    assert [line for line in said if line.startswith(".") or "[100%]" in line] == []
    failed = [number for number, line in enumerate(said) if line.startswith("FAILED test_some")]
    assert said[failed[0]] == "FAILED test_some.py::test_one[7]"
    assert failed[0] < said.index(lines[-1]) < failed[1], "at once, and in pytest's summary"
    ((command, taken),) = json.loads((tmp_path / "dml_vk/tests/seconds.json").read_text()).items()
    assert (command, [*taken]) == ("python -m pytest", ["test_some.py"])


@pytest.mark.parametrize("option", ["-q", "-v"])
def test_who_asks_for_less_or_more_has_what_pytest_shows(tmp_path, option):
    assert not any(" %, " in line for line in run(tmp_path, TESTS, option))
