"""What a stream can show."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def is_terminal(stream: TextIO) -> bool:
    """Somebody looks on, at something that can redraw a line."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def in_colour(stream: TextIO) -> bool:
    """https://no-color.org says how to do without."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def can_show(text: str, stream: TextIO | None = None) -> bool:
    """The stream's encoding has these letters."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
