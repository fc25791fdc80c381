"""A table of dispatch times by operation, printed at exit: DML_VK_LOG=summary."""

from __future__ import annotations

import logging
import os
import sys

from dml_vk.observe.text_table import table


class Summary(logging.Handler):
    """A log handler that adds up dispatch times, and prints them when logging shuts down."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._times: dict[str, list[float]] = {}  # by operation: how many, and microseconds
        self._pid = 0  # of the process that they are of

    def emit(self, record: logging.LogRecord) -> None:
        dispatch = getattr(record, "dispatch", None)
        if dispatch is not None:
            if not self._times:
                self._pid = os.getpid()
            times = self._times.setdefault(dispatch.asked.caller.op, [0, 0.0])
            times[0] += 1
            times[1] += dispatch.microseconds

    def text(self) -> str:
        """Format the table, sorted by total time."""
        count, whole = map(sum, zip(*self._times.values()))
        rows = [("operation", "dispatches", "total ms", "mean us", "share")]
        for op, (dispatches, total) in sorted(self._times.items(), key=lambda item: -item[1][1]):
            rows.append(_row(op, dispatches, total, whole))
        rows.append(_row("all", count, whole, whole))
        return table(rows, right={1, 2, 3, 4})

    def close(self) -> None:
        # A forked child would print its parent's times.
        if self._times and os.getpid() == self._pid:
            print(f"dml_vk: time by operation\n{self.text()}", file=sys.stderr)
        self._times = {}
        super().close()


def _row(op: str, count: float, total: float, whole: float) -> tuple[str, str, str, str, str]:
    share = f"{100 * total / whole:.0f} %" if whole else ""
    return op, str(int(count)), f"{total / 1000:.2f}", f"{total / count:.1f}", share
