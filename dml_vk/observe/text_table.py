"""Tables and bars in plain text."""

from __future__ import annotations

from collections.abc import Collection, Sequence

_EIGHTHS = " ▏▎▍▌▋▊▉"


def table(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Format cells in columns, two spaces apart; the columns in `right` are right-aligned.

    >>> from dml_vk.observe.text_table import table
    >>> print(table([("op", "ms"), ("add", "2.5"), ("exp", "10.0")], right={1}))
    op     ms
    add   2.5
    exp  10.0
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    )


def bar(share: float, width: int, blocks: bool = True) -> str:
    """Draw a bar that fills this share of the width, in eighths of a block, or in plain `#`.

    Any share above 0 is visible.

    >>> from dml_vk.observe.text_table import bar
    >>> bar(0.5, 5), bar(0.5, 4, blocks=False)
    ('██▌', '##')
    """
    filled = min(max(share, 0.0), 1.0) * width
    if not blocks:
        return "#" * max(round(filled), share > 0)
    whole, eighths = divmod(max(round(8 * filled), share > 0), 8)
    return "█" * whole + _EIGHTHS[eighths].strip()


def marked(text: str, at: int, mark: str) -> str:
    """Put a mark into a bar at this position.

    >>> from dml_vk.observe.text_table import marked
    >>> marked("##", 4, "|"), marked("######", 4, "|")
    ('##  |', '####|#')
    """
    return f"{text[:at]:{at}}{mark}{text[at + 1 :]}"
