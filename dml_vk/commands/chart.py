"""A bar chart as SVG, readable on light and on dark pages."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

LEFT, WIDTH, RIGHT = 130, 480, 60  # widths of names, bars and numbers
TOP, LINE, BOTTOM = 64, 24, 26
MOST_LINES = 12  # grid lines
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #333 }
.title { font-size: 14px; font-weight: 600 }
.grid { stroke: #8884; stroke-width: 1 }
.one { stroke: #888; stroke-width: 1.5 }
.faster { fill: #2f7fd1 }
.slower { fill: #c9762b }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd }
  .faster { fill: #5ea3ea }
  .slower { fill: #dc9450 }
}
""".strip()


def as_svg(times: Sequence[tuple[str, float]], title: str) -> str:
    """Draw bars from 1 to each number on a logarithmic axis; to the right is faster than NumPy.

    >>> from dml_vk.commands.chart import as_svg
    >>> as_svg([("add", 2.0)], "a device").count("<rect")
    1
    """
    powers = [math.log2(number) for _, number in times]
    low, high = math.floor(min(-1.0, *powers)), math.ceil(max(1.0, *powers))
    step = -(-(high - low) // MOST_LINES)
    bottom = TOP + LINE * len(times)

    def across(power: float) -> float:
        return LEFT + WIDTH * (power - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} '
        f'{bottom + BOTTOM}" width="{LEFT + WIDTH + RIGHT}" role="img">',
        f"<title>{html.escape(title)}: times as fast as NumPy</title>",
        f"<style>{_STYLE}</style>",
        f'<text class="title" x="{LEFT}" y="20">times as fast as NumPy</text>',
        f'<text x="{LEFT}" y="40">{html.escape(title)}</text>',
    ]
    for power in [power for power in range(low, high + 1) if power % step == 0]:
        kind = "grid" if power else "one"
        x = across(power)
        name = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        parts.append(f'<line class="{kind}" x1="{x:g}" y1="{TOP - 6}" x2="{x:g}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:g}" y="{bottom + 18}" text-anchor="middle">{name}</text>')
    for row, (name, number) in enumerate(times):
        y = TOP + LINE * row
        x1, x2 = sorted([across(0), across(math.log2(number))])
        kind = "faster" if number >= 1 else "slower"
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{html.escape(name)}</text>',
            f'<rect class="{kind}" x="{x1:.2f}" y="{y + 2}" width="{x2 - x1:.2f}" height="16"/>',
            f'<text x="{LEFT + WIDTH + 8}" y="{y + 14}">{number:.2f}</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])
