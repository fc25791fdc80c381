"""`python -m dml_vk bench`."""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import platform
import re
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import dml_vk
from dml_vk.commands import chart
from dml_vk.commands.cases import NAMES
from dml_vk.commands.figures import rounded
from dml_vk.commands.options import add_device, at_least_1, need_numpy, new_file, write
from dml_vk.commands.progress import Progress
from dml_vk.commands.terminal import can_show
from dml_vk.observe.text_table import bar, marked, table

if TYPE_CHECKING:
    from dml_vk.commands.cases.case import Case
    from dml_vk.runtime.device import Device

SECONDS = 0.6  # per case
SIZE = 32  # MiB of an operand
BAR = 24
STDOUT = Path("-")
LIBRARIES = ("torch", "cupy")


@dataclass(frozen=True)
class Row:
    """The result of one case. The rate is in GB/s, or GFLOP/s if arithmetic is the bottleneck."""

    name: str
    about: str
    agrees: bool
    ms: float
    numpy_ms: float
    times_numpy: float
    rate: float
    unit: str
    of_copy: float | None  # the bandwidth relative to a plain copy


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--size",
        type=at_least_1,
        metavar="MIB",
        help=f"size of an operand (default {SIZE}; with --gpu more where a GPU computes)",
    )
    parser.add_argument(
        "--cases", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES)
    )
    parser.add_argument(
        "--json",
        nargs="?",
        type=_json_file,
        const=STDOUT,
        metavar="FILE",
        help="write figures, device and versions as JSON; without FILE to stdout, not the table",
    )
    parser.add_argument(
        "names", nargs="*", type=_case, default=[], metavar="NAME", help="the same as --cases NAME"
    )
    svg = partial(new_file, ending=".svg")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--plot", type=svg, metavar="FILE.svg", help="draw a bar chart")
    either.add_argument(
        "--gpu",
        action="store_true",
        help="measure kernels by the device's clock, transfers and calls, and not NumPy",
    )
    either.add_argument(
        "--tiles",
        action="store_true",
        help="time each tile by which workgroups multiply matrices, and mark what plans choose",
    )
    parser.add_argument(
        "--beside",
        type=_libraries,
        metavar="NAMES",
        help="with --gpu: time many more cases beside other libraries, such as torch,cupy",
    )
    parser.add_argument(
        "--match",
        type=_pattern,
        default=re.compile(""),
        metavar="REGEX",
        help="with --beside: only cases with such names",
    )
    add_device(parser)


def _case(text: str) -> str:
    if text not in NAMES:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(NAMES)}")
    return text


def _libraries(text: str) -> tuple[str, ...]:
    names = tuple([name for name in text.split(",") if name])
    if unknown := [name for name in names if name not in LIBRARIES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(LIBRARIES)}")
    return names


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def _json_file(text: str) -> Path:
    return STDOUT if text == str(STDOUT) else new_file(text)


def run(arguments: argparse.Namespace) -> int:
    """Compare the speed of the library with NumPy; each result is checked first."""
    need_numpy("bench")
    from dml_vk.runtime.device import device

    arguments.cases = arguments.names or arguments.cases
    if arguments.tiles:
        return _of_tiles(arguments)
    if arguments.beside is not None and not arguments.gpu:
        print("bench: --beside needs --gpu", file=sys.stderr)
        return 2
    if arguments.beside is not None:
        return _beside(arguments)
    if arguments.gpu:
        return _of_gpu(arguments)
    size = arguments.size or SIZE
    with device(arguments.device) as chosen, Progress() as progress:
        # The plain copy always runs first, since the others are compared with it.
        names = ["copy", *(name for name in NAMES if name in arguments.cases and name != "copy")]
        rows = measured(names, (size, 64, 64, 64), progress)
    shown = [row for row in rows if row.name in arguments.cases]
    report = {**surroundings(chosen), "size_mib": size, "cases": [*map(asdict, shown)]}
    if arguments.json == STDOUT:
        print(json.dumps(report, indent=2))
    else:
        print(f"Device: {heading(chosen)}", bandwidth(rows[0]), "", as_table(shown), sep="\n")
    if arguments.json not in (None, STDOUT):
        write("bench", arguments.json, json.dumps(report, indent=2) + "\n")
    if arguments.plot is not None:
        times = [(row.name, row.times_numpy) for row in shown]
        write("bench", arguments.plot, chart.as_svg(times, heading(chosen)))
    wrong = [row.name for row in rows if not row.agrees]
    if wrong:
        print(f"bench: results differ from NumPy's: {', '.join(wrong)}", file=sys.stderr)
    return int(bool(wrong))


def _of_gpu(arguments: argparse.Namespace) -> int:
    from dml_vk.commands.gpu import markdown, report
    from dml_vk.runtime.device import device

    def save(findings: report.Report) -> None:
        if arguments.json not in (None, STDOUT):
            write("bench", arguments.json, report.as_json(findings))

    names = [name for name in NAMES if name in arguments.cases]
    with device(arguments.device) as chosen, Progress() as progress:
        size = arguments.size or (SIZE if chosen.info.type == "cpu" else report.SIZE)
        parts = report.Parts(surroundings(chosen), save, progress)
        report.measure(parts, chosen, names, size)
    findings = parts.report
    print(report.as_json(findings) if arguments.json == STDOUT else markdown.as_markdown(findings))
    return int(bool(findings["failures"]))


def _of_tiles(arguments: argparse.Namespace) -> int:
    from dml_vk.commands.gpu import tiles
    from dml_vk.runtime.device import device

    if arguments.cases not in (NAMES, ["matmul"]):
        print("bench: --tiles needs matmul", file=sys.stderr)
        return 2
    with device(arguments.device) as chosen, Progress() as progress:
        rows = tiles.measured(chosen, progress)
        report = json.dumps({**surroundings(chosen), "tiles": tiles.as_json(rows)}, indent=2)
        if arguments.json != STDOUT:
            print(f"Device: {heading(chosen)}", "", tiles.as_table(rows), sep="\n")
    if arguments.json == STDOUT:
        print(report)
    elif arguments.json is not None:
        write("bench", arguments.json, report + "\n")
    return 0


def _beside(arguments: argparse.Namespace) -> int:
    from dml_vk.commands.beside import report
    from dml_vk.commands.gpu.report import SIZE as GPU_SIZE
    from dml_vk.runtime.device import device

    def save(findings: dict[str, object]) -> None:
        if arguments.json not in (None, STDOUT):
            write("bench", arguments.json, json.dumps(findings, indent=2) + "\n")

    with device(arguments.device) as chosen, Progress() as progress:
        size = arguments.size or (4 if chosen.info.type == "cpu" else GPU_SIZE)
        about = surroundings(chosen)
        findings = report.measure(
            chosen, arguments.beside, size, arguments.match, progress, save, about
        )
    print(
        json.dumps(findings, indent=2) if arguments.json == STDOUT else report.as_markdown(findings)
    )
    return int(bool(report.failures(findings)))


def measured(names: list[str], sizes: tuple[int, int, int, int], progress: Progress) -> list[Row]:
    """Measure the cases; the first is the copy to which the others are compared."""
    from dml_vk.commands.cases.table import against_numpy

    cases, rows = against_numpy(sizes), list[Row]()
    dml_vk.empty(sizes)  # fails early if the device has not the memory
    for number, name in enumerate(names, 1):
        progress.step(f"{number} of {len(names)}: {name}")
        rows.append(_row(cases[name], rows[0].rate if rows else None))
    return rows


def _row(case: Case, copy_rate: float | None) -> Row:
    from dml_vk.commands.cases.against_numpy import Both
    from dml_vk.commands.measure import medians
    from dml_vk.runtime.device import synchronize

    both = Both(case)

    def ours() -> None:
        both.ours()
        synchronize()

    agrees = both.agree()
    ours()  # warm up kernels, plans and memory
    seconds, numpys = medians([ours, both.numpys], SECONDS)
    rate, unit = case.rate(seconds)
    return Row(
        name=both.name,
        about=both.about,
        agrees=agrees,
        ms=rounded(1e3 * seconds),
        numpy_ms=rounded(1e3 * numpys),
        times_numpy=rounded(numpys / seconds),
        rate=rounded(rate),
        unit=unit,
        of_copy=rounded(rate / (copy_rate or rate)) if unit == "GB/s" else None,
    )


def heading(device: Device) -> str:
    return f"{device.name} ({device.info.type}), {device.info.driver}"


def bandwidth(copy: Row) -> str:
    return f"A plain copy moves {copy.rate:.1f} GB/s on it, read and written together."


def as_table(rows: list[Row]) -> str:
    """A table with one line for each case and a bar of the speed relative to NumPy."""
    pretty = can_show("█▏│")
    mark = "│" if pretty else "|"
    most = max(1.0, *(row.times_numpy for row in rows))
    lines = [("case", "ms", "rate", "", "of copy", "NumPy ms", "times", f"({mark} is NumPy)")]
    lines += [
        (
            row.name if row.agrees else f"{row.name} WRONG",
            f"{row.ms:.2f}",
            f"{row.rate:.3g}",
            row.unit,
            "" if row.of_copy is None else f"{row.of_copy:.2f}",
            f"{row.numpy_ms:.2f}",
            f"{row.times_numpy:.2f}",
            marked(bar(row.times_numpy / most, BAR, pretty), round(BAR / most), mark),
        )
        for row in rows
    ]
    return table(lines, right={1, 2, 4, 5, 6})


def surroundings(device: Device) -> dict[str, object]:
    """The device, versions and platform, on which the figures depend."""
    info = device.info
    versions = {"dml_vk": dml_vk.__version__, "python": platform.python_version()}
    return {
        "device": {
            "name": info.name,
            "type": info.type,
            "driver": info.driver,
            "api_version": ".".join(map(str, info.api_version)),
        },
        "runtime": info.runtime,
        "versions": {**versions, "numpy": _version("numpy"), "kp": _version("kp")},
        "platform": platform.platform(),
    }


def _version(package: str) -> str | None:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return None
