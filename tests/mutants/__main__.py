"""`./dev mutants [NAME ...] [-k PATTERN]`: small faults, one at a time, and which tests see them.

Each is applied to a copy of the tree, whose own tests then run until the first failure. Without
names, all of them are tried.
"""

from __future__ import annotations

import argparse
import queue
import re
import signal
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutants import MUTANTS, report
from tests.mutants.mutant import Mutant, by_name
from tests.mutants.running import CAUGHT, SLIPPED, Outcome, Runner, end_all
from tests.mutants.tree import Tree

LIMIT = 600.0  # seconds, far more than the tests of a mutant take, also on a slow machine


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    chosen = choose(given.names, given.pattern)
    if given.list:
        print(report.listing(chosen))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("mutants: ended"))
    runner = Runner(given.limit, all_=given.all, whole=given.whole, changes=not given.unchanged)
    found = tried(runner, chosen, given.jobs, given.json)
    print(report.summary(found))
    if given.against:
        print(report.compared(report.read(given.against), found))
    wanted = SLIPPED if given.unchanged else CAUGHT
    return 0 if all(one.outcome == wanted for one in found) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of mutants")
    parser.add_argument("-k", dest="pattern", help="those whose name or file has this in it")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    parser.add_argument(
        "--all", action="store_true", help="what slips is tried on its tests with --all, too"
    )
    parser.add_argument(
        "--whole", action="store_true", help="what slips is then tried on the whole suite"
    )
    parser.add_argument("--unchanged", action="store_true", help="run the tests without the faults")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one run of tests")
    parser.add_argument("--json", type=Path, help="a file for the outcomes")
    parser.add_argument("--against", type=Path, help="such a file of an earlier run, to compare")
    return parser


def choose(names: Sequence[str], pattern: str | None) -> list[Mutant]:
    """Those with these names, and those with the pattern in their names or files, else all."""
    known = by_name(MUTANTS)
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"mutants: there is none named {', '.join(unknown)}; --list says which there are")
    chosen = [one for one in MUTANTS if one.name in names]
    if pattern is not None:
        found = re.compile(pattern)
        chosen += [one for one in MUTANTS if found.search(one.name) or found.search(one.file)]
        if not chosen:
            sys.exit(f"mutants: none has {pattern!r} in its name or file")
    return list(dict.fromkeys(chosen)) if names or pattern is not None else list(MUTANTS)


def tried(runner: Runner, mutants: Sequence[Mutant], jobs: int, path: Path | None) -> list[Outcome]:
    """Try them, in copies of the tree, and say at once what came of each."""
    found: dict[str, Outcome] = {}
    with (
        tempfile.TemporaryDirectory(prefix="dml_vk-mutants-") as folder,
        ThreadPoolExecutor(jobs) as threads,
    ):
        trees: queue.SimpleQueue[Tree] = queue.SimpleQueue()
        for number in range(min(jobs, len(mutants))):
            trees.put(Tree(Path(folder, str(number))))

        def one(mutant: Mutant) -> Outcome:
            tree = trees.get()
            try:
                return runner.run(tree, mutant)
            finally:
                trees.put(tree)

        try:
            for done in as_completed([threads.submit(one, mutant) for mutant in mutants]):
                outcome = done.result()
                found[outcome.name] = outcome
                print(report.row(outcome), flush=True)
                if path is not None:
                    report.write(path, _sorted(found, mutants))
        except BaseException:  # Ctrl-C, or that of who started this
            threads.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise
    return _sorted(found, mutants)


def _sorted(found: dict[str, Outcome], mutants: Sequence[Mutant]) -> list[Outcome]:
    return [found[one.name] for one in mutants if one.name in found]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
