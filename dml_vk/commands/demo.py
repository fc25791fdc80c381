"""`python -m dml_vk demo`."""

from __future__ import annotations

import argparse
import sys
import textwrap
from functools import partial
from typing import TYPE_CHECKING, Any

from dml_vk.commands import bench
from dml_vk.commands.options import add_device, need_numpy, new_file, write
from dml_vk.commands.progress import Progress
from dml_vk.commands.terminal import can_show, in_colour
from dml_vk.install import system

if TYPE_CHECKING:
    from numpy.typing import NDArray

CASES = ["copy", "nchw_to_nhwc", "nhwc_to_nchw", "normalise", "philox_bits"]
SCALE = 6  # pixels per character
NEXT = """\
Where to go next
  docs/tutorial.md         from NumPy to your device in ten minutes
  docs/layouts.md          sizes, strides, views, with pictures
  docs/memory_formats.md   when results are channels_last, and when data is copied
  docs/random.md           the random streams, bit by bit
  {python} -m dml_vk bench   more cases on this device; --plot FILE.svg draws a chart
  {python} -m dml_vk layout 1x3x2x4 --order NHWC   draws the elements in memory
  {python} -m dml_vk doctor  what is installed on this machine, and what is missing"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--save",
        type=partial(new_file, ending=".png"),
        metavar="FILE.png",
        help="write the photo before and after to a file",
    )
    add_device(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run a small job on your device, with a batch of photos, and check it with NumPy."""
    need_numpy("demo")
    from dml_vk.runtime.device import device

    with Progress() as progress:
        progress.step("opening the device")
        with device(arguments.device) as chosen:
            progress.say(*_opening(bench.heading(chosen), chosen.info.type))
            checks, pictures = _job(progress)
            rows = bench.measured(CASES, _sizes(), progress)
    if arguments.save is not None:
        from dml_vk.commands.picture import as_png

        write("demo", arguments.save, as_png(pictures))
        print(f"\nBefore and after: {arguments.save}")
    checks |= {row.name: row.agrees for row in rows}
    print("\nSpeed compared with NumPy, on a batch of float32\n")
    print(_indented(bench.as_table(rows)), "", bench.bandwidth(rows[0]), sep="\n")
    wrong = [name for name, right in checks.items() if not right]
    if wrong:
        print(f"\n{len(wrong)} of {len(checks)} checks FAILED: {', '.join(wrong)}")
        print(f"demo: these checks failed: {', '.join(wrong)}", file=sys.stderr)
        return 1
    print(f"\nAll {len(checks)} checks passed: every result agrees with NumPy.\n")
    print(NEXT.format(python=system.typed(sys.executable)))
    return 0


def _opening(heading: str, kind: str) -> list[str]:
    software = ["It is a software device: the CPU does the work of a GPU, at a CPU's speed."]
    return [f"Device: {heading}", *software * (kind == "cpu")]


def _sizes() -> tuple[int, int, int, int]:
    from dml_vk.commands.picture import HEIGHT, WIDTH
    from dml_vk.commands.tour import PHOTOS

    return PHOTOS, 3, HEIGHT, WIDTH


def _job(progress: Progress) -> tuple[dict[str, bool], NDArray[Any]]:
    """Run and print the steps of the tour; return its checks and the photo before and after."""
    import dml_vk as dv
    from dml_vk.commands import picture, tour

    photo = picture.landscape()
    names: tour.Names = {"dv": dv, "photo": photo}
    results: dict[str, bool] = {}
    line = 1
    with dv.trace() as log:
        for number, step in enumerate(tour.STEPS, 1):
            progress.step(f"step {number} of {len(tour.STEPS)}")
            tour.execute(step.code, line, names)
            checks = step.checks(names)
            progress.say(
                "", *_paragraph(step.about), _listing(step.code, line), f"     {step.shown(names)}"
            )
            progress.say(_verdict(checks))
            results |= checks
            line += len(step.code.splitlines())
    after = picture.seen(names["y"][0].permute(1, 2, 0).numpy())
    pictures = picture.side_by_side(photo, after)
    progress.say("", "The first photo, before and after:", "", _shown(pictures))
    log.entries[:] = [entry for entry in log.entries if entry.file == tour.FILE]
    progress.say("", "What was copied, and by which line:", "", _indented(log.summary()))
    error = tour.refusal(line, names)
    results["refused copy"] = error.startswith("reshape: ")
    progress.say("", "A strict trace rejects implicit copies:", _listing(tour.REFUSED, line))
    progress.say(textwrap.indent("\n".join(textwrap.wrap(error, 92)), "     "))
    return results, pictures


def _shown(pictures: NDArray[Any]) -> str:
    from dml_vk.commands import picture

    if in_colour(sys.stdout) and can_show("▀"):
        return picture.in_colour(pictures, SCALE)
    return picture.in_shades(pictures, SCALE)


def _listing(code: str, line: int) -> str:
    return "\n".join(f"{number:4} {text}" for number, text in enumerate(code.splitlines(), line))


def _paragraph(text: str) -> list[str]:
    return textwrap.wrap(text, 92)


def _verdict(checks: dict[str, bool]) -> str:
    yes, no = ("✓", "✗") if can_show("✓✗") else ("ok", "WRONG")
    marks = [f"{yes if right else no} {name}" for name, right in checks.items()]
    return f"     NumPy: {', '.join(marks)}"


def _indented(text: str) -> str:
    return textwrap.indent(text, "  ")
