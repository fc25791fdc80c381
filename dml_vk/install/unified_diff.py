"""Apply a patch, where there may be no `patch` or `git`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dml_vk.errors import DmlVkError

_OLD, _HEADERS = "--- a/", ("diff ", "+++ b/")
_HUNK = re.compile(r"@@ -(\d+),(\d+) \+\d+,(\d+) @@")


def apply(patch: str, folder: Path) -> None:
    """Apply a unified diff to files below a folder: all of it, or nothing.

    It must fit exactly, each hunk at its line. Files are neither made nor deleted.
    """
    rows = iter(patch.splitlines())
    changed: dict[str, list[str]] = {}
    name, grown = "", 0
    for row in rows:
        hunk = _HUNK.match(row)
        if row.startswith(_OLD):
            name, grown = row.removeprefix(_OLD), 0
            changed[name] = _read(folder / name)
        elif hunk:
            first, old, new = map(int, hunk.groups())
            _hunk(changed[name], first - 1 + grown, old, new, rows, name)
            grown += new - old
        elif not row.startswith(_HEADERS):
            raise DmlVkError("kp", "the patch must be a unified diff", row=row)
    for name, lines in changed.items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _read(path: Path) -> list[str]:
    if not path.is_file():
        raise DmlVkError("kp", "the patch must match the source: no such file", file=path.name)
    return path.read_text(encoding="utf-8").splitlines()


def _hunk(lines: list[str], at: int, old: int, new: int, rows: Iterator[str], name: str) -> None:
    """Change `lines` from `at` on; the hunk's rows are as many as its head announces."""
    while old or new:
        row = next(rows, "")
        kind, text = row[:1], row[1:]
        if kind not in (" ", "-", "+"):
            raise DmlVkError("kp", "the patch must be a unified diff", row=row)
        if kind == "+":
            lines.insert(at, text)
        elif lines[at : at + 1] != [text]:
            line = lines[at] if at < len(lines) else None
            rule = "the patch must match the source"
            raise DmlVkError("kp", rule, file=name, line=at + 1, expected=text, found=line)
        elif kind == "-":
            del lines[at]
        at += kind != "-"
        old -= kind != "+"
        new -= kind != "-"
