"""What the steps found, as one JSON file and one page of Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dml_vk.commands.gpu import markdown

Report = dict[str, Any]


def read_json(path: Path) -> Any:
    """What a step wrote, if it came to that; a file may end early."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def read_tests(path: Path) -> Report:
    """How many tests ended how, and those that failed with what they said."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    outcomes = Counter(line["outcome"] for line in lines)
    failed = {line["test"]: line["said"] for line in lines if line["outcome"] == "failed"}
    return {**{name: outcomes[name] for name in ("passed", "failed", "skipped")}, "tests": failed}


def failures(report: Report) -> list[str]:
    """All that is wrong, each in a line."""
    told = [f"{step['name']}: {step['ended']}" for step in report["steps"]]
    told = [line for line in told if not line.endswith(": passed")]
    for name, found in report["bits"].items():
        told += [f"bits, {name}: {wrong}" for wrong in (*found["wrong"], *found["errors"])]
    for name, found in report["tests"].items():
        told += [f"tests, {name}: {test}: {said}" for test, said in found["tests"].items()]
    for name, found in report["bench"].items():
        told += [f"bench, {name}: {failure}" for failure in found["failures"]]
    return told


def as_markdown(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {', '.join(one['name'] for one in report['devices']) or 'No device'}"
    yield ""
    rows = [(one["name"], one["ended"], f"{one['seconds']:.1f}") for one in report["steps"]]
    whole = sum(one["seconds"] for one in report["steps"])
    yield from markdown.table(("step", "ended", "s"), [*rows, ("all", "", f"{whole:.1f}")])
    if report["arithmetic"]:
        yield ""
        told = (f"{key.replace('_', ' ')}: {yes}" for key, yes in report["arithmetic"].items())
        yield f"Arithmetic: {', '.join(told)}."
    for name, found in report["bits"].items():
        wrong = len(found["wrong"]) + len(found["errors"])
        yield ""
        yield f"Equal bits, `{name}`: {found['compared']} cases compared, {wrong} wrong."
    for name, found in report["tests"].items():
        yield ""
        counts = ", ".join(f"{found[how]} {how}" for how in ("passed", "failed", "skipped"))
        yield f"Kernel tests, `{name}`: {counts}."
    for found in report["bench"].values():
        yield ""
        yield markdown.as_markdown({**found, "failures": []})
    for line in failures(report):
        yield f"- FAILED: {line}"
