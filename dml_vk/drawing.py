"""Pictures of memory: the cells of a layout in address order, as text and as SVG."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dml_vk.errors import LayoutError, explain

if TYPE_CHECKING:
    from dml_vk.layout import Layout

MOST_CELLS = 4096
LINE_WIDTH = 80
PADDING = "·"
COLOURS = ("#cfe3f7", "#fbdcc4", "#d5ecd0", "#f3d3e3", "#fdf1bf", "#dcd6f0")
CELL_HEIGHT, LETTER_WIDTH = 26, 8


class Cell(NamedTuple):
    """What lies at one address."""

    text: str  # the element's label, "" for padding
    shared: bool  # more than one index reads it
    group: int  # its index in the first dim


Line = tuple[int, list[Cell]]  # the address of the first cell, the cells


def fits(layout: Layout, labels: Sequence[object] | None = None) -> bool:
    """A picture of more cells would help nobody."""
    return max(layout.span, math.prod(map(len, _axes(layout, labels)))) <= MOST_CELLS


def _axes(layout: Layout, labels: Sequence[object] | None) -> list[Sequence[int | str]]:
    """What each index runs over: a broadcast dim is one `*`, unless its elements have labels."""
    return [
        "*" if stride == 0 and size > 1 and labels is None else range(size)
        for size, stride in zip(layout.sizes, layout.strides)
    ]


def _lines(layout: Layout, labels: Sequence[object] | None) -> list[Line]:
    """Lines as long as the largest stride that fits, so that rows of a tensor stand in columns."""
    if not fits(layout, labels):
        raise LayoutError(
            explain(
                "draw",
                f"a picture has at most {MOST_CELLS} cells, narrow the layout first",
                sizes=layout.sizes,
                span=layout.span,
            )
        )
    if labels is not None and len(labels) != layout.numel:
        raise LayoutError(explain("draw", f"there must be {layout.numel} labels", labels=labels))
    found: dict[int, list[str]] = {}
    group: dict[int, int] = {}
    indexes = itertools.product(*_axes(layout, labels))
    for number, index in enumerate(indexes):
        ints = [0 if i == "*" else int(i) for i in index]
        at = layout.offset + sum(i * stride for i, stride in zip(ints, layout.strides))
        name = ",".join(map(str, index)) or "()" if labels is None else str(labels[number])
        names = found.setdefault(at, [])
        if name not in names:
            names.append(name)
        group.setdefault(at, ints[0] if ints else 0)
    cells = []
    first = min(found, default=layout.offset)
    for at in range(first, first + layout.span):
        names = found.get(at, [])
        text = "=".join(names if len(names) < 4 else [*names[:2], "…"])
        cells.append(Cell(text, "*" in text or "=" in text, group.get(at, 0)))
    fit = max(1, LINE_WIDTH // (_widest(cells) + 1))
    pitches = [abs(s) for n, s in zip(layout.sizes, layout.strides) if n > 1 and 1 < abs(s) <= fit]
    per_line = fit if len(cells) <= fit else max(pitches, default=fit)
    return [(first + at, cells[at : at + per_line]) for at in range(0, len(cells), per_line)]


def _widest(cells: list[Cell]) -> int:
    return max((len(cell.text) for cell in cells), default=0)


def as_text(layout: Layout, labels: Sequence[object] | None = None) -> str:
    lines = _lines(layout, labels)
    if not lines:
        return "(empty)"
    width = max(_widest(cells) for _, cells in lines)
    margin = len(str(lines[-1][0]))
    return "\n".join(
        f"{at:>{margin}} | "
        + " ".join(f"{cell.text or PADDING:^{width}}" for cell in cells).rstrip()
        for at, cells in lines
    )


def as_svg(layout: Layout) -> str:
    lines = _lines(layout, None)
    width = 16 + LETTER_WIDTH * max((_widest(cells) for _, cells in lines), default=0)
    margin = 16 + LETTER_WIDTH * len(str(lines[-1][0] if lines else 0))
    across = margin + width * max((len(cells) for _, cells in lines), default=0) + 2
    down = CELL_HEIGHT * len(lines) + 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" '
        'font-family="monospace" font-size="12" text-anchor="middle">',
        f"<title>{html.escape(repr(layout))}</title>",
    ]
    for row, (at, cells) in enumerate(lines):
        top = 1 + row * CELL_HEIGHT
        parts.append(f'<text x="{margin // 2}" y="{top + 17}" fill="#888">{at}</text>')
        for column, cell in enumerate(cells):
            left = margin + column * width
            text = html.escape(cell.text) or PADDING
            fill = COLOURS[cell.group % len(COLOURS)] if cell.text else "none"
            dashes = ' stroke-dasharray="3 2"' if cell.shared or not cell.text else ""
            parts.append(
                f'<rect x="{left}" y="{top}" width="{width}" height="{CELL_HEIGHT}" '
                f'fill="{fill}" stroke="#666"{dashes}/>'
                f'<text x="{left + width // 2}" y="{top + 17}">{text}</text>'
            )
    return "\n".join([*parts, "</svg>"])
