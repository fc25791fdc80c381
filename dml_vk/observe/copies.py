"""The log of copies, with their operation, reason and source line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from typing import TypeVar

from dml_vk import context
from dml_vk.arguments import Ints, to_bool
from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, MemoryFormat
from dml_vk.observe.callers import users_line
from dml_vk.observe.text_table import table

ASKED, HOST = "asked", "host"  # reasons that strict mode allows
Format = MemoryFormat | Ints
T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """One copy. `source` and `target` are formats, or orders without a name."""

    op: str
    reason: str
    source: Format
    target: Format
    nbytes: int
    file: str
    line: int


class Log:
    """The copies made while it is active."""

    def __init__(self, strict: bool) -> None:
        self.entries: list[Entry] = []
        self.strict = strict

    @property
    def nbytes(self) -> int:
        """The total number of bytes copied."""
        return sum([entry.nbytes for entry in self.entries])

    def summary(self) -> str:
        """A table of the lines that copy, sorted by the number of bytes."""
        lines: dict[tuple[str, int, str, str, str], list[int]] = {}
        for entry in self.entries:
            formats = f"{_named(entry.source)} -> {_named(entry.target)}"
            key = (entry.file, entry.line, entry.op, entry.reason, formats)
            lines.setdefault(key, []).append(entry.nbytes)
        rows = [("op", "reason", "formats", "copies", "bytes", "line")]
        for (file, line, op, reason, formats), sizes in sorted(
            lines.items(), key=lambda item: -sum(item[1])
        ):
            location = f"{file}:{line}"
            rows.append((op, reason, formats, str(len(sizes)), f"{sum(sizes):,}", location))
        return table(rows, right={3, 4})

    def __repr__(self) -> str:
        return f"<trace of {len(self.entries)} copies, {self.nbytes:,} bytes>"


@contextmanager
def trace(strict: bool = False) -> Iterator[Log]:
    """Record every physical copy that is made inside the `with`.

    Its `entries` have the operation, reason, formats, bytes and source line. The reason is "asked"
    for explicit copies (`to`, `contiguous`, `clone`, `copy`, assignments), "host" for uploads and
    downloads, and otherwise what made the copy necessary: "overlap", "layout" or "dtype". With
    `strict`, a copy of the last kind raises an error before it happens, and so does the upload of
    an array or a list beside a tensor.

    >>> import dml_vk
    >>> x = dml_vk.empty((2, 3, 4, 5))
    >>> with dml_vk.trace() as log:
    ...     y = x.to(dml_vk.channels_last)
    >>> [(entry.op, entry.reason, entry.nbytes) for entry in log.entries]
    [('to', 'asked', 480)]
    """
    log = Log(to_bool("trace", "strict", strict))
    with context.within(copies=(*context.get().copies, log)):
        yield log


Copy = tuple[str, str, Layout, Layout, int]


class _Collected(Log):
    """The copies of a call while it is being recorded; each replay logs them."""

    def __init__(self) -> None:
        super().__init__(False)
        self.copies: list[Copy] = []


def collected(function: Callable[[], T]) -> tuple[T, list[Copy]]:
    """Call a function, and return its result and the copies that it records, which are not logged.

    In a context of its own, so that no interrupt leaves the collecting log in place.
    """
    log = _Collected()

    def run() -> T:
        context.change(copies=(log,))
        return function()

    return copy_context().run(run), log.copies


def collecting() -> list[Copy]:
    """The copies that `collected` has so far, in a function that it calls; else none."""
    logs = context.get().copies
    return logs[0].copies if logs and isinstance(logs[0], _Collected) else []


def is_traced() -> bool:
    """Whether copies are recorded now."""
    return bool(context.get().copies)


def record(what: str, reason: str, source: Layout, target: Layout, nbytes: int) -> None:
    """Record a copy that the operation `what` is about to make."""
    logs = context.get().copies
    if not logs:
        return
    if isinstance(logs[0], _Collected):
        logs[0].copies.append((what, reason, source, target, nbytes))
        return
    file, line = users_line()
    entry = Entry(what, reason, _format(source), _format(target), nbytes, file, line)
    if reason not in (ASKED, HOST):
        refuse_if_strict(what, reason, source, nbytes)
    for log in logs:
        log.entries.append(entry)


def refuse_if_strict(what: str, reason: str, source: Layout, nbytes: int) -> None:
    """Raise an error for a copy that is about to be made unasked, if a trace is strict."""
    if any(log.strict for log in context.get().copies):
        file, line = users_line()
        rule = f"implicit copy in a strict trace ({reason})"
        raise LayoutError(what, rule, layout=source, nbytes=nbytes, line=f"{file}:{line}")


def record_host(what: str, source: Layout, target: Layout, nbytes: int) -> None:
    """Record an upload or a download."""
    record(what, HOST, source, target, nbytes)


def record_bytes(what: str, nbytes: int) -> None:
    """Record an upload or a download of bytes without a layout."""
    if context.get().copies:
        record_host(what, Layout((nbytes,)), Layout((nbytes,)), nbytes)


def _format(layout: Layout) -> Format:
    return layout.order if layout.memory_format is None else layout.memory_format


def _named(form: Format) -> str:
    return form.name if isinstance(form, MemoryFormat) else str(form)
