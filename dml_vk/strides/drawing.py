"""Drawings of memory: the cells of a layout in address order, as text or SVG."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.layout import Layout

MOST_CELLS = 4096
LINE_WIDTH = 80
PADDING = "·"
COLOURS = ("#cfe3f7", "#fbdcc4", "#d5ecd0", "#f3d3e3", "#fdf1bf", "#dcd6f0")
CELL_HEIGHT, LETTER_WIDTH = 26, 8
PAPER, INK, MARGIN_INK, LINE_INK = "#ffffff", "#1a1a1a", "#707070", "#666666"


class Cell(NamedTuple):
    """The content of one address."""

    text: str | None  # the element's label, None for padding
    shared: bool  # several indexes have this address
    group: int  # its index in the coloured dim


Line = tuple[int, list[Cell]]  # the address of the first cell, then the cells


def fits(layout: Layout, labels: Sequence[object] | None = None) -> bool:
    """Whether a layout has few enough cells to draw."""
    indexes = math.prod(1 if repeats else size for size, repeats in _axes(layout, labels))
    return max(layout.span, indexes) <= MOST_CELLS


def _axes(layout: Layout, labels: Sequence[object] | None) -> list[tuple[int, bool]]:
    """(size, whether to draw it as a single `*`) per dim.

    Broadcast dims are drawn that way, unless elements have labels.
    """
    return [
        (size, stride == 0 and size > 1 and labels is None)
        for size, stride in zip(layout.sizes, layout.strides)
    ]


def _cells(layout: Layout, labels: Sequence[object] | None, dim: int) -> dict[int, Cell]:
    """Address -> cell, for all addresses of elements."""
    names_at: dict[int, list[str]] = {}
    group: dict[int, int] = {}
    axes = _axes(layout, labels)
    indexes = itertools.product(*[range(1 if repeats else size) for size, repeats in axes])
    for number, index in enumerate(indexes):
        at = layout.offset + sum(i * stride for i, stride in zip(index, layout.strides))
        if labels is None:
            name = ",".join("*" if repeats else str(i) for i, (_, repeats) in zip(index, axes))
            name = name or "()"
        else:
            name = str(labels[number])
        names_at.setdefault(at, []).append(name)
        group.setdefault(at, index[dim] if index else 0)
    shared = any(repeats for _, repeats in axes)
    return {
        at: Cell(_join_names(names), shared or len(names) > 1, group[at])
        for at, names in names_at.items()
    }


def _join_names(names: list[str]) -> str:
    """Join the names of one element, abbreviated if there are many."""
    if len(names) > 1 and names.count(names[0]) == len(names):
        return f"{names[0]}×{len(names)}"
    return "=".join(names if len(names) < 4 else [*names[:2], "…"])


def _lines(layout: Layout, labels: Sequence[object] | None, dim: int = 0) -> list[Line]:
    """Break cells into lines.

    Lines are as long as the largest stride that fits, so that the rows of a tensor are aligned.
    """
    if layout.numel == 0:
        return []
    if not fits(layout, labels):
        raise LayoutError(
            "draw",
            f"cannot draw more than {MOST_CELLS} cells: narrow the layout first",
            sizes=layout.sizes,
            span=layout.span,
        )
    if labels is not None and len(labels) != layout.numel:
        raise LayoutError(
            "draw",
            f"labels must have one item for each of the {layout.numel} elements",
            labels=labels,
        )
    cell_at = _cells(layout, labels, dim)
    first, padding = min(cell_at), Cell(None, False, 0)
    cells = [cell_at.get(at, padding) for at in range(first, first + layout.span)]
    fit = max(1, LINE_WIDTH // (_widest(cells) + 1))
    pitches = [abs(s) for n, s in zip(layout.sizes, layout.strides) if n > 1 and 1 < abs(s) <= fit]
    per_line = fit if len(cells) <= fit else max(pitches, default=fit)
    return [(first + at, cells[at : at + per_line]) for at in range(0, len(cells), per_line)]


def _text(cell: Cell) -> str:
    return PADDING if cell.text is None else cell.text


def _widest(cells: list[Cell]) -> int:
    return max((len(_text(cell)) for cell in cells), default=0)


def as_text(layout: Layout, labels: Sequence[object] | None = None) -> str:
    lines = _lines(layout, labels)
    if not lines:
        return "(empty)"
    width = max(_widest(cells) for _, cells in lines)
    margin = len(str(lines[-1][0]))
    return "\n".join(
        f"{at:>{margin}} | " + " ".join(f"{_text(cell):^{width}}" for cell in cells).rstrip()
        for at, cells in lines
    )


def as_svg(layout: Layout, labels: Sequence[object] | None = None, dim: int = 0) -> str:
    """Draw an SVG with one colour per index of `dim`, and a white background for dark pages."""
    lines = _lines(layout, labels, dim)
    width = 16 + LETTER_WIDTH * max((_widest(cells) for _, cells in lines), default=0)
    margin = 16 + LETTER_WIDTH * len(str(lines[-1][0] if lines else 0))
    across = margin + width * max((len(cells) for _, cells in lines), default=0) + 2
    down = CELL_HEIGHT * len(lines) + 2
    parts = [svg_head(across, down, repr(layout))]
    for row, (at, cells) in enumerate(lines):
        top = 1 + row * CELL_HEIGHT
        parts.append(f'<text x="{margin // 2}" y="{top + 17}" fill="{MARGIN_INK}">{at}</text>')
        for column, cell in enumerate(cells):
            fill = None if cell.text is None else COLOURS[cell.group % len(COLOURS)]
            dashed = cell.shared or cell.text is None
            parts.append(svg_cell(margin + column * width, top, width, _text(cell), fill, dashed))
    return "\n".join([*parts, "</svg>"])


def svg_head(across: int, down: int, title: str) -> str:
    """The start of an SVG: size, font and background."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" '
        f'viewBox="0 0 {across} {down}" fill="{INK}" '
        'font-family="monospace" font-size="12" text-anchor="middle">\n'
        f"<title>{html.escape(title)}</title>\n"
        f'<path d="M0 0H{across}V{down}H0Z" fill="{PAPER}"/>'
    )


def svg_cell(
    left: int, top: int, width: int, text: str, fill: str | None, dashed: bool = False
) -> str:
    """The SVG of one cell."""
    dashes = ' stroke-dasharray="3 2"' if dashed else ""
    return (
        f'<rect x="{left}" y="{top}" width="{width}" height="{CELL_HEIGHT}" '
        f'fill="{fill or "none"}" stroke="{LINE_INK}"{dashes}/>'
        f'<text x="{left + width // 2}" y="{top + 17}">{html.escape(text)}</text>'
    )
