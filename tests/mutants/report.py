"""What is printed about mutants, and kept as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.mutant import Mutant
from tests.mutants.running import CAUGHT, SLIPPED, Outcome


def row(one: Outcome) -> str:
    """A line of the table."""
    by = one.by if one.outcome == CAUGHT else one.said.replace("\n", " ")[-90:]
    more = "" if one.stage in ("own", "apply", "build") else f" ({one.stage})"
    return f"{one.name:38} {one.outcome:8} {one.seconds:6.1f} s  {by}{more}"


def summary(found: Sequence[Outcome]) -> str:
    counts = Counter(one.outcome for one in found)
    numbers = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    return f"{len(found)} mutants: {numbers}; {sum(one.seconds for one in found):.0f} s"


def listing(mutants: Sequence[Mutant]) -> str:
    """Names, files, and what goes wrong."""
    return "\n".join(f"{one.name:38} {one.file}\n    {one.what}" for one in mutants)


def write(path: Path, found: Sequence[Outcome]) -> None:
    path.write_text(json.dumps([one.as_json() for one in found], indent=1) + "\n")


def read(path: Path) -> dict[str, str]:
    """The outcomes of an earlier run, by name."""
    return {one["name"]: one["outcome"] for one in json.loads(path.read_text())}


def compared(before: dict[str, str], found: Sequence[Outcome]) -> str:
    """How many of what was caught before is caught now, and what is not."""
    both = [one for one in found if before.get(one.name) == CAUGHT]
    lost = [one.name for one in both if one.outcome != CAUGHT]
    share = f"{len(both) - len(lost)} of {len(both)} that were caught before are caught"
    new = [one.name for one in found if before.get(one.name) == SLIPPED and one.outcome == CAUGHT]
    lines = [share, *[f"    lost: {name}" for name in lost], *[f"    new: {name}" for name in new]]
    return "\n".join(lines)
