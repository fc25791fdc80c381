"""`bench --gpu --beside`: all cases, and the table of what they took."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dml_vk.commands.beside.measured import Row, measured
from dml_vk.commands.cases.libraries import opened
from dml_vk.commands.cases.table import cases
from dml_vk.commands.gpu.markdown import table
from dml_vk.commands.progress import Progress
from dml_vk.runtime.device import Device

AGREES = 1e-2  # a larger relative difference is a fault: half a float16 product's


def measure(
    device: Device,
    names: tuple[str, ...],
    size: int,
    wanted: re.Pattern[str],
    progress: Progress,
    save: Callable[[dict[str, object]], None],
    about: dict[str, object],
) -> dict[str, Any]:
    """Time the cases with names that match, of operands up to `size` MiB, by these libraries."""
    libraries, lacking = opened(names, device)
    findings: dict[str, Any] = {
        **about,
        "size_mib": size,
        "libraries": {library.name: library.about for library in libraries},
        "lacking": lacking,
        "cases": [],
    }
    chosen = [case for case in cases(max(1, size // 4)) if wanted.search(case.name)]
    for number, case in enumerate(chosen, 1):
        progress.step(f"{number} of {len(chosen)}: {case.name}")
        findings["cases"].append(measured(case, libraries))
        save(findings)
    return findings


def as_markdown(findings: dict[str, object]) -> str:
    return "\n".join(_lines(findings))


def _lines(findings: dict[str, Any]) -> Iterator[str]:
    libraries = "; ".join(findings["libraries"].values())
    yield f"{libraries}. Operands of up to {findings['size_mib']} MiB."
    yield from (f"Left out: {why}." for why in findings["lacking"])
    yield ""
    others = [name for name in findings["libraries"] if name != "dml_vk"]
    heads = ["case", "dml_vk ms", "rate", "with its wait", "first call"]
    for name in others:
        heads += [f"{name} ms", f"dml_vk is so many times as fast as {name}"]
    yield from table(heads, [_row(row, others) for row in findings["cases"]])
    if told := failures(findings):
        yield ""
        yield from (f"- FAILED: {line}" for line in told)


def _row(row: Row, others: Sequence[str]) -> list[str]:
    ours = row.get("dml_vk", {})
    rate = f"{ours['rate']:.4g} {ours['unit']}" if "rate" in ours else ""
    cells = [row["case"], _ms(ours, "ms"), rate, _ms(ours, "one_ms"), _ms(ours, "first_ms")]
    for name in others:
        theirs = row.get(name, {})
        both = "ms" in ours and "ms" in theirs
        cells += [_ms(theirs, "ms"), f"{theirs['ms'] / ours['ms']:.3g}" if both else ""]
    return cells


def _ms(times: Row, name: str) -> str:
    return f"{times[name]:.4g}" if name in times else "failed" if "error" in times else ""


def failures(findings: dict[str, Any]) -> list[str]:
    """What went wrong with our own calls, and which results differ from another library's."""
    told = []
    for row in findings["cases"]:
        error = row.get("error") or row.get("dml_vk", {}).get("error")
        if error:
            told.append(f"{row['case']}: {error}")
        for name, difference in row.get("differs", {}).items():
            if isinstance(difference, str) or not difference <= AGREES:
                told.append(f"{row['case']}: differs from {name} by {difference}")
    return told
