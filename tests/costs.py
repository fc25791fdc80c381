"""What tests cost, to say how far a run is: the first half of them may take a tenth of its time.

What the tests of a file took in the last run of the same command is kept for this user. Of files
that never ran here a table knows the order of magnitude.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

EARLY = 0.02  # of all work: before that, its pace is not known
# Seconds of a file with one test on some machine, by folders: only how they compare matters.
COSTS = {
    "dml_vk": 0.2,
    "tests/unit": 1.4,
    "tests/kernel": 7.7,
    "tests/property": 5.0,
    "tests/integration": 16.0,
    "tests/large": 50.0,
}
OTHERWISE = 8.0
GROWTH = 1 / 3  # the power of the number of its tests: the more a file has, the less each does


def file_of(test: str) -> str:
    return test.partition("::")[0]


def guessed(file: str, count: int) -> float:
    """The seconds of each of so many tests of a file that never ran here."""
    found = [cost for folder, cost in COSTS.items() if file.startswith(f"{folder}/")]
    return next(iter(found), OTHERWISE) * count**GROWTH / count


class Estimate:
    """How much of a run is done, and how long the rest takes."""

    def __init__(self, tests: Sequence[str], known: Mapping[str, float]) -> None:
        """`known` has seconds a test, by files."""
        self._left = dict.fromkeys(tests)
        counts = Counter(map(file_of, self._left))
        self._cost = {file: known.get(file, guessed(file, n)) for file, n in counts.items()}
        self._all = sum([self._cost[file] * count for file, count in counts.items()])
        self._done = 0.0

    def finish(self, test: str) -> None:
        if test in self._left:
            del self._left[test]
            self._done += self._cost[file_of(test)]

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
