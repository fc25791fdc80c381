"""Hold the subjects of new commits: imperative, and not longer than git's own tools show."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

MOST = 72  # characters
BRANCHES = "origin/main", "origin/HEAD"  # where those of others are
# What looks like a past or a progress, and is a command.
COMMANDS = {"Bring", "Embed", "Feed", "Need", "Proceed", "Seed", "Shed", "Speed", "Spring"}


def faults(subjects: Iterable[str]) -> Iterator[str]:
    """What is wrong with these subjects, a line each."""
    for subject in subjects:
        first = subject.split(" ", 1)[0]
        if len(subject) > MOST:
            yield f"{subject!r} has {len(subject)} characters: at most {MOST}"
        if not re.match("[A-Z]", subject):
            yield f"{subject!r} does not begin with a capital letter"
        if subject.endswith("."):
            yield f"{subject!r} ends with a full stop"
        if re.fullmatch("[A-Z][a-z]+(ed|ing)", first) and first not in COMMANDS:
            yield f"{subject!r} is not imperative: say what the commit does, as in 'Add ...'"


def new_subjects() -> list[str] | None:
    """Those of commits since this branch left the main one; None where that is not known."""
    for branch in BRANCHES:
        command = ["git", "log", "--no-merges", "--format=%s", f"{branch}..HEAD"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.splitlines()
    return None


def main() -> int:
    try:
        subjects = new_subjects()
    except FileNotFoundError:  # git
        subjects = None
    if subjects is None:
        print("subjects of commits: not looked at, since there is no branch of others")
        return 0
    found = list(faults(subjects))
    print("\n".join([*found, f"subjects of {len(subjects)} commits: {len(found)} faults"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
