"""Programs as SVG: kernels as boxes on their levels, and arrows to those that follow."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dml_vk.compiler.report.explain import head_of, launches_of, rows_of
from dml_vk.observe.drawing import Picture
from dml_vk.strides.drawing import COLOURS, LETTER_WIDTH, MARGIN_INK

if TYPE_CHECKING:
    from dml_vk.compiler.program import Program
    from dml_vk.tracing.step import Launch

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
        top = max([box.top + box.down for box in boxes], default=top + 2 * _LINE) + _GAP
        drawings.append((program, boxes))
    heads = [_MARGIN + LETTER_WIDTH * len(head_of(program)) for program in programs]
    ends = [box.left + box.across for _, boxes in drawings for box in boxes]
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
    launches = launches_of(program)
    top = boxes[0].top if boxes else 0
    picture.text(_PAD, top - _LINE, head_of(program), bold=True)
    for source, target in dependences(launches):
        start, end = boxes[source], boxes[target]
        middle = start.left + start.across / 2, end.left + end.across / 2
        picture.arrow(middle[0], start.top + start.down, middle[1], end.top)
    longest = max(program.times, default=0.0)
    for number, (launch, box) in enumerate(zip(launches, boxes)):
        picture.box(*box[:4], _FUSED if launch.parts else _SINGLE)
        if longest:
            share = program.times[number] / longest
            width = max(1, round(share * (box.across - 2 * _PAD)))
            picture.bar(box.left + _PAD, box.top + box.down - _BAR - 1, width, _BAR)
        for line, text in enumerate(box.lines):
            middle_of = box.left + box.across / 2, box.top + _LINE * (line + 1)
            picture.text(*middle_of, text, anchor="middle", bold=not line)
    for level, at in {launch.level: box.top for launch, box in zip(launches, boxes)}.items():
        picture.text(_PAD, at + _LINE, f"level {level}", ink=MARGIN_INK)


def dependences(launches: Sequence[Launch]) -> list[tuple[int, int]]:
    """Pairs of launches, of which the second reads or changes what the first wrote."""
    wrote: dict[int, list[tuple[int, int, int]]] = {}  # for each slot, the last ones first
    pairs = []
    for number, launch in enumerate(launches):
        sources = set()
        for access in launch.accesses:
            for source, low, high in wrote.get(access.slot, ()):
                if low < access.high and access.low < high:
                    sources.add(source)
                    if low <= access.low and access.high <= high:
                        break  # what was there before is not left
        pairs += [(source, number) for source in sorted(sources)]
        for access in launch.accesses:
            if access.writes:
                wrote.setdefault(access.slot, []).insert(0, (number, access.low, access.high))
    return pairs
