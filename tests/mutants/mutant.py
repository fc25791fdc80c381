"""A mutant: a small fault in a line or two of the sources, and the tests meant to see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLSL = "glsl/"


@dataclass(frozen=True, eq=False)
class Mutant:
    """Text of a file, which is there once, and what is in its place."""

    name: str
    what: str  # goes wrong
    file: str
    before: str
    after: str
    tests: tuple[str, ...]  # files, or file::function
    env: Mapping[str, str] = field(default_factory=dict)  # of the lane where it shows
    options: tuple[str, ...] = ()  # of pytest, likewise

    @property
    def is_shader(self) -> bool:
        return self.file.startswith(GLSL)

    def applied(self, text: str) -> str:
        """Return the text of the file with the fault."""
        count = text.count(self.before)
        if count != 1:
            raise ValueError(f"{self.name}: its text is {count} times in {self.file}, not once")
        return text.replace(self.before, self.after)


def by_name(mutants: Iterable[Mutant]) -> dict[str, Mutant]:
    """Return them by their names, which must be distinct."""
    found: dict[str, Mutant] = {}
    for one in mutants:
        if one.name in found:
            raise ValueError(f"two mutants have the name {one.name}")
        found[one.name] = one
    return found
