"""`./dev gpu`: steps that fail, die or hang are told, and the report has what the others found."""

from __future__ import annotations

import dataclasses
import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu import __main__ as command
from tests.gpu import machine, pack, report, steps
from tests.gpu.steps import Step
from tests.hanging import HANGING

WRITES = "import json, sys; json.dump(json.loads(sys.argv[2]), open(sys.argv[1], 'w'))"
BITS = {"compared": 3, "wrong": [{"case": "add-int8", "first": 7}], "errors": []}
COPIES = {"nbytes": 2**20, "rate": 9.0, "by_kernel": 9.0, "by_command": 4.5, "clock": "host"}
BENCH = {"failures": ["facts: lost"], "copy_rate": COPIES}
TESTS = """
def test_right(): pass
def test_wrong(): assert 2 == 3
"""
# Prints, says so in the pipe that it is given, and waits for a signal.
WAITS = """
import signal, sys
print(1, flush=True)
pipe = open(sys.argv[1], "w")
print(end="x", file=pipe, flush=True)
signal.pause()
"""
LIMIT = 50.0


def step(name, code, *arguments, seconds=HANGING):
    return Step(name, (sys.executable, "-c", code, *arguments), seconds)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """What hurries on a machine that is lent has time here."""
    monkeypatch.setattr(command, "SECONDS", 10 * HANGING)
    monkeypatch.setattr(machine, "LISTING", HANGING)
    monkeypatch.setattr(machine, "INSTALLING", HANGING)


@pytest.fixture
def stopped(monkeypatch, tmp_path):
    """Run a step that is late as soon as it writes to the pipe that it is given."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    class Late(subprocess.Popen):
        def wait(self, timeout=None):
            if timeout == LIMIT:
                assert select.select([reading], [], [], HANGING)[0]
                assert os.read(reading, 1) == b"x"
                raise subprocess.TimeoutExpired(self.args, timeout)
            return super().wait(timeout)

    def run(code, grace):
        monkeypatch.setattr(steps.subprocess, "Popen", Late)
        monkeypatch.setattr(steps, "GRACE", grace)
        slow = step("slow", code, str(pipe), WAITS, seconds=LIMIT)
        record = steps.run(slow, {}, 10 * HANGING, tmp_path / "log")
        # It is at its end when nobody has it open to write.
        assert select.select([reading], [], [], HANGING)[0] == [reading]
        assert os.read(reading, 1) == b""
        return record["ended"], record["tail"]

    yield run
    os.close(reading)


@pytest.fixture
def prepared(monkeypatch):
    """A machine that needs no set-up, with one device."""

    def prepare(wheels, work):
        return Path(sys.executable)

    found = {}, [{"name": "A GPU", "type": "discrete"}]
    monkeypatch.setattr(machine, "make_python", prepare)
    monkeypatch.setattr(machine, "lacking", lambda python, carried, work: {})
    monkeypatch.setattr(machine, "find_driver", lambda python, environment, work: found)


def test_what_fails_or_dies_is_told_and_the_others_run(prepared, monkeypatch, tmp_path, capsys):
    def made(python, work, out, kompute):
        yield step("dies", "import os; os.abort()")
        yield step("fails", "raise SystemExit(3)")
        yield step("bits", WRITES, str(work / "bits-vulkan.json"), json.dumps(BITS))
        yield step("bench", WRITES, str(work / "bench-vulkan.json"), json.dumps(BENCH))
        (tmp_path / "test_some.py").write_text(TESTS)
        told = ("--results", str(work / "tests-vulkan.jsonl"))
        plugins = ("-p", "no:cacheprovider", "-n", "1", "-p", "tests.gpu.results", *told)
        some = (sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), *plugins)
        yield Step("tests", (*some, str(tmp_path / "test_some.py")), HANGING)
        (work / "bits-kompute.json").write_text('{"compared": ')
        yield step("says", "print('hello')")

    monkeypatch.setattr(command, "steps", made)
    assert command.main(["--out", str(tmp_path), "--wheels", str(tmp_path)]) == 1
    found = json.loads((tmp_path / "gpu.json").read_text())
    ended = {one["name"]: one["ended"] for one in found["steps"]}
    assert ended == {
        "set-up": "passed",
        "dies": "died by SIGABRT",
        "fails": "failed with 3",
        "tests": "failed with 1",
        **dict.fromkeys(("bits", "bench", "says"), "passed"),
    }
    assert found["steps"][-1]["tail"].endswith("hello\n")
    assert found["bits"] == {"vulkan": BITS}
    assert found["tests"] == {
        "vulkan": {
            "passed": 1,
            "failed": 1,
            "skipped": 0,
            "tests": {"test_some.py::test_wrong": "assert 2 == 3"},
        }
    }
    assert report.failures(found) == [
        *("dies: died by SIGABRT", "fails: failed with 3", "tests: failed with 1"),
        f"bits, vulkan: {BITS['wrong'][0]}",
        "tests, vulkan: test_some.py::test_wrong: assert 2 == 3",
        "bench, vulkan: facts: lost",
    ]
    page = (tmp_path / "gpu.md").read_text()
    assert page.startswith("# A GPU\n\n| step | ended | s |\n")
    copied = "at 9 GB/s (by kernel 9, by command 4.5), by the host's clock.\n"
    assert f"\nIt copies 1 MiB from its memory to its memory {copied}" in page
    assert page.count("- FAILED: ") == 6
    assert capsys.readouterr().out == page + "\n"
    assert "=== says\nhello\n" in (tmp_path / "gpu.log").read_text()


def test_a_run_in_which_all_is_well_ends_with_0(prepared, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "steps", lambda *given: [step("a", "")])
    assert command.main(["--out", str(tmp_path)]) == 0
    assert sys.executable in machine._interpreters()


def test_a_step_is_stopped_in_time_with_all_that_it_started(stopped):
    code = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
subprocess.run([sys.executable, "-c", sys.argv[2], sys.argv[1]])
"""
    assert stopped(code, 0.1) == (f"stopped after {LIMIT:.0f} s", "1\n")


def test_a_step_that_is_stopped_may_tell_what_it_knows(stopped):
    code = f"try:\n    exec({WAITS!r})\nexcept KeyboardInterrupt: print('so far')"
    assert stopped(code, HANGING) == (f"stopped after {LIMIT:.0f} s", "1\nso far\n")


def test_a_step_is_stopped_by_the_clock(monkeypatch, tmp_path):
    monkeypatch.setattr(steps, "LEAST", 0.1)
    monkeypatch.setattr(steps, "GRACE", 0.1)
    log = tmp_path / "log"
    late = steps.run(step("hangs", "import signal; signal.pause()", seconds=0.2), {}, HANGING, log)
    assert late["ended"] == "stopped after 0 s"
    left_out = steps.run(step("late", "print(1)"), {}, 0.1, log)
    assert left_out["ended"] == "not begun: no time is left"


def test_without_wheels_or_a_driver_the_report_says_so(monkeypatch, tmp_path):
    assert command.main(["--out", str(tmp_path), "--wheels", str(tmp_path / "none")]) == 1
    page = (tmp_path / "gpu.md").read_text()
    assert page.startswith("# No device\n")
    assert "--pack gathers them" in page
    monkeypatch.setattr(machine, "_devices", lambda python, environment: [])
    with pytest.raises(machine.UnusableError, match="VK_DRIVER_FILES"):
        machine.find_driver(Path(sys.executable), {}, tmp_path)


def test_the_first_python_that_takes_the_wheels_is_used(monkeypatch, tmp_path):
    (tmp_path / "pip-1.whl").write_text("")
    asked = []

    def run(command, environment, seconds):
        asked.append(command)
        installs_into_old = "pip" in command and asked[-2][0] == "/old"
        wrong = command[0] == "/no/venv" or installs_into_old
        return subprocess.CompletedProcess(command, int(wrong), "", f"not with {command[0]}")

    monkeypatch.setattr(machine, "_run", run)
    monkeypatch.setattr(machine, "_interpreters", lambda: ["/no/venv", "/old", "/good", "/late"])
    assert machine.make_python(tmp_path, tmp_path) == tmp_path / "venv" / "bin" / "python"
    makers = [command[0] for command in asked if "venv" in command]
    assert makers == ["/no/venv", "/old", "/good"]
    assert asked[-1][-1] == "kp"
    monkeypatch.setattr(machine, "_interpreters", lambda: ["/no/venv", "/old"])
    with pytest.raises(machine.UnusableError, match="carried wheels: /no/venv: not with /no/venv;"):
        machine.make_python(tmp_path, tmp_path)


def test_a_gpu_is_sought_beyond_the_places_of_the_loader(monkeypatch, tmp_path):
    folder = tmp_path / "maker" / "share" / "vulkan" / "icd.d"
    folder.mkdir(parents=True)
    (folder / "gpu.json").write_text("{}")
    monkeypatch.delenv("VK_DRIVER_FILES", raising=False)
    monkeypatch.setattr(machine, "MANIFESTS", (str(tmp_path / "*" / "share/vulkan/icd.d"),))
    cpu, gpu = {"name": "A CPU", "type": "cpu"}, {"name": "A GPU", "type": "discrete"}

    def devices(python, environment):
        return [gpu] if "gpu.json" in environment.get("VK_DRIVER_FILES", "") else [cpu]

    monkeypatch.setattr(machine, "_devices", devices)
    more, found = machine.find_driver(Path("python"), {"LD_LIBRARY_PATH": "/own"}, tmp_path)
    assert found == [gpu]
    paths = more["LD_LIBRARY_PATH"].split(os.pathsep)
    assert (paths[0], paths[-1]) == (str(tmp_path / "maker" / "lib64"), "/own")
    # Where no driver has a GPU, the loader's own search is good enough.
    (folder / "gpu.json").rename(folder / "cpu.json")
    assert machine.find_driver(Path("python"), {}, tmp_path) == ({}, [cpu])
    named = json.loads((tmp_path / f"{machine.LIBRARIES[0]}.json").read_text())
    assert named["ICD"]["library_path"] == machine.LIBRARIES[0]
    # What the user names is what is used.
    (folder / "cpu.json").rename(folder / "gpu.json")
    monkeypatch.setenv("VK_DRIVER_FILES", "/some.json")
    assert machine.find_driver(Path("python"), {}, tmp_path) == ({}, [cpu])


def test_devices_are_those_of_the_driver_and_libraries_those_that_lack(monkeypatch, tmp_path):
    assert machine._devices(Path(sys.executable), {})[0]["name"]
    none = {name: str(tmp_path / "none.json") for name in machine._named(tmp_path)}
    assert machine._devices(Path(sys.executable), none) == []
    hanging = machine._run([sys.executable, "-c", "import signal; signal.pause()"], {}, 0.5)
    assert (hanging.returncode, hanging.stderr) == (1, "it took more than 0 s")
    carried = tmp_path / "carried"
    carried.mkdir()
    for name in (pack.LOADER, "libnobodyhasthis.so.1", "libnobodyhasthis.so.1.copyright"):
        (carried / name).write_text("")
    environment = machine.lacking(Path(sys.executable), carried, tmp_path)
    own = Path(environment["LD_LIBRARY_PATH"].split(os.pathsep)[0])
    assert [path.name for path in own.iterdir()] == ["libnobodyhasthis.so.1"]


def test_the_steps_come_in_order_of_importance(tmp_path):
    def names(kompute):
        made = command.steps(Path(sys.executable), tmp_path, tmp_path, kompute)
        return [one.name for one in made]

    alone = ["doctor", "arithmetic", "bits, vulkan", "bench, vulkan", "tests, vulkan"]
    alone += ["pytest-benchmark", "tiles"]
    assert names(False) == alone
    assert names(True) == [*alone, "bits, kompute", "bench, kompute", "tests, kompute"]
    for path in (*command.TESTS, *command.TESTS_OF_OTHER):
        file, _, name = path.removeprefix("--ignore=").removeprefix("--deselect=").partition("::")
        assert (command.ROOT / file).exists()
        assert not name or f"def {name}(" in (command.ROOT / file).read_text()
    arithmetic = list(command.steps(Path(sys.executable), tmp_path, tmp_path, False))[1]
    patiently = dataclasses.replace(arithmetic, seconds=HANGING)
    assert steps.run(patiently, {}, 2 * HANGING, tmp_path / "log")["ended"] == "passed"
    assert json.loads((tmp_path / "arithmetic.json").read_text())["rounds"] is True


def test_what_is_packed_beside_wheels(monkeypatch, tmp_path):
    library = pack.loaded(pack.LOADER)
    monkeypatch.setattr(pack, "DOCUMENTS", tmp_path / "doc")
    (tmp_path / "doc" / "libvulkan1").mkdir(parents=True)
    (tmp_path / "doc" / "libvulkan1" / "copyright").write_text("Apache-2.0")
    pack.carry(library, tmp_path)
    assert (tmp_path / pack.LOADER).read_bytes() == library.read_bytes()
    assert (tmp_path / f"{pack.LOADER}.copyright").read_text() == "Apache-2.0"
    assert pack.soname("libfmt.so.9") == "libfmt.so.9"
    assert pack.find_python("3.99") is None
    assert pack.find_python(".".join(map(str, sys.version_info[:2]))) == sys.executable
    assert command.main(["--pack", str(tmp_path / "new"), "--python", "3.99"]) == 1
