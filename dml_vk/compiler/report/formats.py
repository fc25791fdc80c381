"""Which formats were chosen for a compiled function, as text: the copies, and why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.layout import Layout
from dml_vk.observe.callers import Caller
from dml_vk.observe.copies import Copy
from dml_vk.observe.text_table import table


class Conversion(NamedTuple):
    """A copy to another format."""

    source: Layout
    target: Layout
    nbytes: int
    ns: float  # by the estimate
    needed_by: Caller | None  # None for what is returned
    is_weight: bool
    alternatives: tuple[float, ...]  # ns of the operation that needs it, in either format


class Formats(NamedTuple):
    """What was chosen for a function."""

    copies: Sequence[Copy]  # all that it makes
    conversions: Sequence[Conversion]  # those to other formats among them
    times: dict[str | None, float]  # estimated ns by layout; None is the function as it is
    chosen: str | None  # which of them


def described(formats: Formats) -> str:
    """The estimates of all layouts that were compared, and a line for each conversion."""
    times = [f"{_us(ns)} us as {way or 'written'}" for way, ns in formats.times.items()]
    head = f"layout: {formats.chosen or 'as written'}; by the estimates {', '.join(times)}"
    if not formats.conversions:
        return f"{head}; nothing is converted"
    rows = [("converted", "bytes", "us", "for", "as nchw", "as nhwc", "line")]
    rows += map(_row, formats.conversions)
    return f"{head}\n{table(rows, right={1, 2, 4, 5})}"


def _row(conversion: Conversion) -> tuple[str, str, str, str, str, str, str]:
    caller = conversion.needed_by
    name = "the result" if caller is None else caller.op
    row_major, channels_last = (
        map(_us, conversion.alternatives) if conversion.alternatives else ("", "")
    )
    return (
        f"{_named(conversion.source)} -> {_named(conversion.target)}",
        f"{conversion.nbytes:,}",
        _us(conversion.ns),
        f"weight of {name}" if conversion.is_weight else name,
        row_major,
        channels_last,
        "" if caller is None else f"{os.path.basename(caller.file)}:{caller.line}",
    )


def _named(layout: Layout) -> str:
    return str(layout.memory_format or layout.order)


def _us(ns: float) -> str:
    return f"{ns / 1000:,.0f}"
