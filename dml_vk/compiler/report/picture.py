"""Programs as SVG: kernels as boxes on their levels, and arrows to those that follow."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dml_vk.compiler.report.explain import head_of, jobs_of, rows_of
from dml_vk.observe.drawing import Picture
from dml_vk.strides.drawing import COLOURS, LETTER_WIDTH, MARGIN_INK

if TYPE_CHECKING:
    from dml_vk.compiler.program import Job, Program

LETTERS = 30  # in a line of a box, at most
MOST_LINES = 4  # of the operations that a kernel does
_LINE, _PAD, _GAP, _MARGIN, _BAR = 16, 10, 44, 76, 4
_FUSED, _SINGLE = COLOURS[2], COLOURS[0]


class Box(NamedTuple):
    """A kernel at its place."""

    left: int
    top: int
    across: int
    down: int
    lines: list[str]


def drawn(programs: Sequence[Program]) -> str:
    """Draw programs below each other."""
    drawings, top = [], 0
    for program in programs:
        boxes = _boxes(program, top + 2 * _LINE)
        top = max([one.top + one.down for one in boxes], default=top + 2 * _LINE) + _GAP
        drawings.append((program, boxes))
    heads = [_MARGIN + LETTER_WIDTH * len(head_of(program)) for program in programs]
    ends = [one.left + one.across for _, boxes in drawings for one in boxes]
    picture = Picture(max([*heads, *ends], default=0) + _PAD, top, "A compiled function")
    for program, boxes in drawings:
        _draw(picture, program, boxes)
    return picture.svg()


def _boxes(program: Program, top: int) -> list[Box]:
    """The boxes of all launches, in rows by level."""
    levels: dict[int, list[list[str]]] = {}
    for row in rows_of(program):
        levels.setdefault(int(row[0]), []).append(_lines(row))
    boxes = []
    for _, together in sorted(levels.items()):
        left, down = _MARGIN, 0
        for lines in together:
            across = 2 * _PAD + LETTER_WIDTH * max(map(len, lines))
            boxes.append(Box(left, top, across, _LINE * len(lines) + _PAD, lines))
            left += across + _GAP // 2
            down = max(down, boxes[-1].down)
        top += down + _GAP
    return boxes


def _lines(row: Sequence[str]) -> list[str]:
    _, kernel, does, read, written, time, _ = row
    told = textwrap.wrap(does, LETTERS)
    if len(told) > MOST_LINES:
        told[MOST_LINES - 1 :] = ["..."]
    moved = [f"read {read}", f"written {written} bytes"]
    return [_cut(kernel), *told, *moved, *([f"{time} us"] if time else [])]


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 3]}..."


def _draw(picture: Picture, program: Program, boxes: Sequence[Box]) -> None:
    jobs = jobs_of(program)
    top = boxes[0].top if boxes else 0
    picture.text(_PAD, top - _LINE, head_of(program), bold=True)
    for source, target in dependences(jobs):
        one, other = boxes[source], boxes[target]
        middle = one.left + one.across / 2, other.left + other.across / 2
        picture.arrow(middle[0], one.top + one.down, middle[1], other.top)
    longest = max(program.times, default=0.0)
    for number, (job, box) in enumerate(zip(jobs, boxes)):
        picture.box(*box[:4], _FUSED if job.launch.parts else _SINGLE)
        if longest:
            share = program.times[number] / longest
            width = max(1, round(share * (box.across - 2 * _PAD)))
            picture.bar(box.left + _PAD, box.top + box.down - _BAR - 1, width, _BAR)
        for line, text in enumerate(box.lines):
            place = box.left + box.across / 2, box.top + _LINE * (line + 1)
            picture.text(*place, text, anchor="middle", bold=not line)
    for level, at in {job.level: box.top for job, box in zip(jobs, boxes)}.items():
        picture.text(_PAD, at + _LINE, f"level {level}", ink=MARGIN_INK)


def dependences(jobs: Sequence[Job]) -> list[tuple[int, int]]:
    """Pairs of launches, of which the second reads or changes what the first wrote."""
    wrote: dict[int, list[tuple[int, int, int]]] = {}  # for each slot, the last ones first
    found = []
    for number, job in enumerate(jobs):
        accesses = job.launch.accesses
        sources = set()
        for one in accesses:
            for source, low, high in wrote.get(one.slot, ()):
                if low < one.high and one.low < high:
                    sources.add(source)
                    if low <= one.low and one.high <= high:
                        break  # what was there before is not left
        found += [(source, number) for source in sorted(sources)]
        for one in accesses:
            if one.writes:
                wrote.setdefault(one.slot, []).insert(0, (number, one.low, one.high))
    return found
