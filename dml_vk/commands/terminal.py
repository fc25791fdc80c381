"""Capabilities of output streams."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import byref, c_uint32, c_void_p
from typing import TextIO

_ESCAPES = 4  # ENABLE_VIRTUAL_TERMINAL_PROCESSING


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal that can redraw a line."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and _takes_escapes(stream)


def _takes_escapes(stream: TextIO) -> bool:
    """Whether a terminal interprets escape sequences, which a Windows console must be told to."""
    if sys.platform != "win32":
        return True
    import msvcrt

    try:
        console = c_void_p(msvcrt.get_osfhandle(stream.fileno()))
    except OSError:  # a terminal in Python, such as an editor's
        return True
    kernel32, mode = ctypes.WinDLL("kernel32"), c_uint32()
    known = kernel32.GetConsoleMode(console, byref(mode))
    return bool(known and kernel32.SetConsoleMode(console, c_uint32(mode.value | _ESCAPES)))


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
