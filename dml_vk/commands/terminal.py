"""Capabilities of output streams."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal that can redraw a line."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def in_colour(stream: TextIO) -> bool:
    """Whether to use colours; see https://no-color.org."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def can_show(text: str, stream: TextIO | None = None) -> bool:
    """Whether a stream's encoding has these characters."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
