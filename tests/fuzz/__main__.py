"""`python -m tests.fuzz --rounds N --seed S [--only NAME] [--replay SEED:ROUND]`: see watch.py."""

from __future__ import annotations

import argparse
import sys

from tests.fuzz import watch


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000, help="how many calls to make")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the round to begin with")
    parser.add_argument("--only", default="", help="only targets whose names begin so")
    parser.add_argument("--patience", type=float, default=watch.PATIENCE, help="seconds a call has")
    parser.add_argument("--replay", default="", help="SEED:ROUND, that call alone")
    parser.add_argument("--questions", action="store_true", help="what NumPy refuses and we do not")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.replay:
        seed, _, number = given.replay.partition(":")
        given.seed, given.start, given.rounds = int(seed), int(number), 1
    if given.child:
        watch.child(given.seed, given.start, given.rounds, given.only, given.patience)
        return 0
    report = watch.run(given.seed, given.start, given.rounds, given.only, given.patience)
    print(report.text(given.questions))
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
