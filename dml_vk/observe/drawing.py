"""Drawings of boxes, arrows and words as SVG, with a white background for dark pages."""

from __future__ import annotations

import html

from dml_vk.strides.drawing import LINE_INK, svg_cell, svg_head

ACCENT = "#b3261e"  # of what a picture is about


class Picture:
    """Shapes at pixels, and the SVG that they make.

    >>> from dml_vk.observe.drawing import Picture
    >>> picture = Picture(100, 40, "a box")
    >>> picture.box(10, 10, 80, 20, "white")
    >>> picture.svg().count("<rect")
    1
    """

    def __init__(self, across: int, down: int, title: str) -> None:
        self._parts = [svg_head(across, down, title)]

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "start",
        size: int = 12,
        bold: bool = False,
        ink: str | None = None,
    ) -> None:
        style = f' font-size="{size}"' + (' font-weight="bold"' if bold else "")
        colour = f' fill="{ink}"' if ink else ""
        shape = f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{style}{colour}>'
        self._parts.append(f"{shape}{html.escape(words)}</text>")

    def cell(self, left: int, top: int, width: int, text: str, fill: str | None) -> None:
        self._parts.append(svg_cell(left, top, width, text, fill, dashed=fill is None))

    def box(
        self, left: float, top: float, across: float, down: float, fill: str, ink: str = LINE_INK
    ) -> None:
        self._parts.append(
            f'<rect x="{left:g}" y="{top:g}" width="{across:g}" height="{down:g}" rx="4" '
            f'fill="{fill}" stroke="{ink}"/>'
        )

    def bar(self, left: float, top: float, across: float, down: float) -> None:
        """Draw a filled bar, such as one whose length is a time."""
        self._parts.append(
            f'<path d="M{left:g} {top:g}h{across:g}v{down:g}h{-across:g}z" fill="{ACCENT}"/>'
        )

    def frame(self, left: int, top: int, across: int, down: int) -> None:
        """Draw an outline around the cell that a picture is about."""
        self._parts.append(
            f'<rect x="{left}" y="{top}" width="{across}" height="{down}" fill="none" '
            f'stroke="{ACCENT}" stroke-width="2.5"/>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw an arrow, which points down or to the right."""
        head = (
            f"M{x2 - 4:g} {y2 - 6:g}L{x2:g} {y2:g}L{x2 + 4:g} {y2 - 6:g}"
            if y2 > y1
            else f"M{x2 - 6:g} {y2 - 4:g}L{x2:g} {y2:g}L{x2 - 6:g} {y2 + 4:g}"
        )
        self._parts.append(
            f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}{head}" fill="none" stroke="{LINE_INK}"/>'
        )

    def svg(self) -> str:
        return "\n".join([*self._parts, "</svg>"])
