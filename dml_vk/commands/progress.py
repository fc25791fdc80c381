"""Progress messages on stderr for long work."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from dml_vk.commands.terminal import is_terminal

PATIENCE = 2.0  # seconds before the first message
REDRAWN = 0.5  # seconds between updates
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows the current step: on a terminal one line, redrawn; elsewhere one line per step.

    >>> from dml_vk.commands.progress import Progress
    >>> with Progress() as progress:
    ...     progress.step("counting")
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        patience: float = PATIENCE,
        redrawn: float = REDRAWN,
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock, self._patience, self._redrawn = clock, patience, redrawn
        self._redraws = is_terminal(self._stream)
        self._text = self._printed = ""
        self._drawn = ""  # the current line on the terminal
        self._begun = clock()
        self._lock = threading.Lock()
        self._over = threading.Event()
        # A thread updates the time during steps that are a single call.
        self._thread = threading.Thread(target=self._update, daemon=True)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        self.clear()

    def step(self, text: str) -> None:
        """Set the current step."""
        with self._lock:
            self._text = text
            self._show()

    def clear(self) -> None:
        """Clear the line, so that permanent lines can be printed."""
        with self._lock:
            if self._drawn:
                self._stream.write(_CLEAR)
                self._stream.flush()
                self._drawn = ""

    def say(self, *lines: str) -> None:
        """Print permanent lines on stdout."""
        self.clear()
        print(*lines, sep="\n", flush=True)

    def _update(self) -> None:
        while not self._over.wait(self._redrawn):
            with self._lock:
                self._show()

    def _show(self) -> None:
        passed = self._clock() - self._begun
        if passed < self._patience or not self._text:
            return
        line = f"[{passed:.0f} s] {self._text}"
        if self._redraws and line != self._drawn:
            columns = shutil.get_terminal_size().columns
            self._stream.write(_CLEAR + line[: columns - 1])
            self._drawn = line
        if not self._redraws and self._printed != self._text:
            self._stream.write(line + "\n")
            self._printed = self._text
        self._stream.flush()
