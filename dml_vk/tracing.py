"""The log of physical copies: which operation copied what, why, and on which line of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from dml_vk.callers import users_line
from dml_vk.errors import LayoutError, explain
from dml_vk.layout import Layout, MemoryFormat
from dml_vk.strides.order import Ints, to_bool
from dml_vk.text_table import table

ASKED, HOST = "asked", "host"  # reasons of which strict mode says nothing
Format = MemoryFormat | Ints


@dataclass(frozen=True)
class Entry:
    """One copy. `source` and `target` are formats, or orders that have no name."""

    op: str
    reason: str
    source: Format
    target: Format
    nbytes: int
    file: str
    line: int


class Log:
    """The copies made while it is on."""

    def __init__(self, strict: bool) -> None:
        self.entries: list[Entry] = []
        self.strict = strict

    @property
    def nbytes(self) -> int:
        """All that was copied."""
        return sum([entry.nbytes for entry in self.entries])

    def summary(self) -> str:
        """A table of the lines that copy, those that copy most first."""
        lines: dict[tuple[str, int, str, str, str], list[int]] = {}
        for entry in self.entries:
            way = f"{_named(entry.source)} -> {_named(entry.target)}"
            key = (entry.file, entry.line, entry.op, entry.reason, way)
            lines.setdefault(key, []).append(entry.nbytes)
        rows = [("op", "reason", "formats", "copies", "bytes", "line")]
        for (file, line, op, reason, way), sizes in sorted(
            lines.items(), key=lambda item: -sum(item[1])
        ):
            place = f"{file}:{line}"
            rows.append((op, reason, way, str(len(sizes)), f"{sum(sizes):,}", place))
        return table(rows, right={3, 4})

    def __repr__(self) -> str:
        return f"<trace of {len(self.entries)} copies, {self.nbytes:,} bytes>"


_logs: ContextVar[tuple[Log, ...]] = ContextVar("dml_vk.trace", default=())


@contextmanager
def trace(strict: bool = False) -> Iterator[Log]:
    """Record every physical copy that is made inside the `with`.

    Its `entries` say op, reason, formats, bytes and the line. The reason is "asked" for what is
    asked for by name (`to`, `contiguous`, `clone`, `copy`, assignments), "host" for uploads and
    downloads, and else what made the copy necessary: "overlap", "layout" or "dtype". With `strict`,
    a copy of the last kind is an error before it happens.

    >>> import dml_vk
    >>> x = dml_vk.empty((2, 3, 4, 5))
    >>> with dml_vk.trace() as log:
    ...     y = x.to(dml_vk.channels_last)
    >>> [(entry.op, entry.reason, entry.nbytes) for entry in log.entries]
    [('to', 'asked', 480)]
    """
    log = Log(to_bool("trace", "strict", strict))
    token = _logs.set((*_logs.get(), log))
    try:
        yield log
    finally:
        _logs.reset(token)


def record(what: str, reason: str, source: Layout, target: Layout, nbytes: int) -> None:
    """A copy is about to be made, by the operation `what`."""
    logs = _logs.get()
    if not logs:
        return
    file, line = users_line()
    entry = Entry(what, reason, _format(source), _format(target), nbytes, file, line)
    if reason not in (ASKED, HOST) and any(log.strict for log in logs):
        must = f"copies must be asked for by name in a strict trace ({reason})"
        raise LayoutError(explain(what, must, layout=source, nbytes=nbytes, line=f"{file}:{line}"))
    for log in logs:
        log.entries.append(entry)


def record_host(what: str, source: Layout, target: Layout, nbytes: int) -> None:
    """An upload or a download."""
    record(what, HOST, source, target, nbytes)


def record_bytes(what: str, nbytes: int) -> None:
    """An upload or a download of what has no layout."""
    if _logs.get():
        record_host(what, Layout((nbytes,)), Layout((nbytes,)), nbytes)


def _format(layout: Layout) -> Format:
    return layout.order if layout.memory_format is None else layout.memory_format


def _named(form: Format) -> str:
    return form.name if isinstance(form, MemoryFormat) else str(form)
