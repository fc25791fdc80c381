"""What tests cost, to say how far a run is: the first half of them may take a tenth of its time.

What the tests of a file took in the last run of the same command is kept for this user. Of files
that never ran here a table knows the order of magnitude.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

EARLY = 0.02  # of all work: before that, its pace is not known
# Seconds of a test on some machine, by the folder: only how they compare matters.
COSTS = {
    "dml_vk": 0.1,
    "tests/unit": 0.02,
    "tests/kernel": 0.4,
    "tests/property": 10.0,
    "tests/integration": 4.0,
    "tests/large": 5.0,
}
OTHERWISE = 0.4


def file_of(test: str) -> str:
    return test.partition("::")[0]


class Estimate:
    """How much of a run is done, and how long the rest takes."""

    def __init__(self, tests: Sequence[str], known: Mapping[str, float]) -> None:
        """`known` has seconds a test, by files."""
        self._known = known
        self._left = dict.fromkeys(tests)
        self._all = sum([self._cost(test) for test in self._left])
        self._done = 0.0

    def _cost(self, test: str) -> float:
        file = file_of(test)
        guesses = [cost for folder, cost in COSTS.items() if file.startswith(f"{folder}/")]
        return self._known.get(file, next(iter(guesses), OTHERWISE))

    def finish(self, test: str) -> None:
        if test in self._left:
            del self._left[test]
            self._done += self._cost(test)

    @property
    def share(self) -> float:
        """Of all work, what is done."""
        return min(1.0, self._done / self._all) if self._left else 1.0

    def seconds_left(self, passed: float) -> float | None:
        """As it went on so far; None while that says little."""
        return passed / self.share - passed if self.share >= EARLY else None


def kept(path: Path, run: str) -> dict[str, float]:
    """Seconds a test, by files, of the last run of this command. What is no such file has none."""
    found = _read(path).get(run)
    pairs = found.items() if isinstance(found, dict) else ()
    return {file: one for file, one in pairs if isinstance(one, (int, float)) and one > 0}


def keep(path: Path, run: str, seconds: Mapping[str, float]) -> None:
    """Replace the file at once, since other runs may read it. It is no harm if that fails."""
    whole = {**_read(path), run: {**kept(path, run), **seconds}}
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(whole))
        unfinished.replace(path)


def _read(path: Path) -> dict[str, object]:
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(path.read_text())
        if isinstance(found, dict):
            return found
    return {}
