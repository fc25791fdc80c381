"""Runs pytest on a mutant, and tells whether the tests see it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.mutants.mutant import Mutant
from tests.mutants.tree import Tree

CAUGHT, SLIPPED, WRONG = "caught", "slipped", "wrong"  # wrong: the list of mutants, not a fault
_PASSED, _MISUSED, _NOTHING = 0, 4, 5  # exit statuses of pytest
_SEEN = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - (.*))?$", re.MULTILINE)
_UNKNOWN = re.compile(r"^ERROR: (?:file or directory )?not found: .*$", re.MULTILINE)
_REFUSED = re.compile(r"unrecognized arguments: .*")


_running: set[subprocess.Popen[str]] = set()


@dataclass(frozen=True)
class Outcome:
    """What came of a mutant."""

    name: str
    file: str
    outcome: str
    by: str  # the first test that failed, or what ended the run
    said: str  # by that test
    stage: str  # which tests ran last: "own", "all" or "whole"
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"seconds": round(self.seconds, 1)}


class Runner:
    """How the tests of a mutant are run: its own, and then more if it slips."""

    def __init__(
        self, limit: float, *, all_: bool = False, whole: bool = False, changes: bool = True
    ) -> None:
        self._limit = limit
        self._changes = changes
        self._stages = ["own", *["all"] * all_, *["whole"] * whole]

    def run(self, tree: Tree, mutant: Mutant) -> Outcome:
        began = time.monotonic()
        stage = "build" if mutant.is_shader else "apply"
        found = WRONG, "", ""
        try:
            with tree.mutated(mutant) if self._changes else contextlib.nullcontext():
                for stage in self._stages:
                    found = self._tested(tree, mutant, stage)
                    if found[0] != SLIPPED:
                        break
        except ValueError as error:
            found = WRONG, "", str(error)
        return Outcome(mutant.name, mutant.file, *found, stage, time.monotonic() - began)

    def _tested(self, tree: Tree, mutant: Mutant, stage: str) -> tuple[str, str, str]:
        more = ["--all"] if stage == "all" else []
        tests = mutant.tests if stage != "whole" else ("tests", "dml_vk")
        with tempfile.TemporaryDirectory(prefix="dml_vk-mutant-") as folder:
            status, output = pytest_in(
                tree.folder,
                [*mutant.options, *more, *tests],
                variables(tree.folder, Path(folder)) | mutant.env,
                self._limit,
            )
        return judged(status, output)


def variables(folder: Path, own: Path) -> dict[str, str]:
    """The environment of a run: the package of this folder, also in processes that tests start.

    Kernels and examples that a run keeps are its own. The driver's cache goes by what is compiled.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "DML_VK_CACHE": str(own / "kernels"),
        "DML_VK_TESTS_CACHE": str(own / "kernels"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(own / "hypothesis"),
        "XDG_CACHE_HOME": str(own / "cache"),
        "MESA_SHADER_CACHE_DIR": os.environ.get("MESA_SHADER_CACHE_DIR") or home,
    }


def pytest_in(
    folder: Path, arguments: Sequence[str], environment: dict[str, str], limit: float
) -> tuple[int | None, str]:
    """Run pytest until the first failure; return its exit status, None at the limit, and output."""
    options = ("-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=line")
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that what tests start can be ended with it
        )
        _running.add(process)
        try:
            status: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
            process.wait()
            _running.discard(process)
        output.seek(0)
        return status, output.read()


def end_all() -> None:
    """End what runs in all threads."""
    for process in [*_running]:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End a run, and what its tests have started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def judged(status: int | None, output: str) -> tuple[str, str, str]:
    """(outcome, which test saw it, what that said) of a run."""
    last = "\n".join(output.splitlines()[-3:])
    if status is None:
        return CAUGHT, "the time limit", last
    if status == _PASSED:
        return SLIPPED, "", last
    unknown = _UNKNOWN.search(output) or _REFUSED.search(output)
    if status == _NOTHING or (status == _MISUSED and unknown):
        return WRONG, "", unknown[0] if unknown else "no tests ran"
    seen = _SEEN.search(output)
    if seen:
        return CAUGHT, seen[1], (seen[2] or "")[:200]
    return CAUGHT, f"status {status}", last
