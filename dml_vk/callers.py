"""Who calls: the user's line, and the operation that it asks for, as the stack tells."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

_PACKAGE = str(Path(__file__).parent) + os.sep
# What is made of this package's functions calls them as its users do.
_USERS = tuple([_PACKAGE + name for name in ("__main__.py", f"commands{os.sep}")])
# What NumPy calls of ours, and the parameter that says what was called of NumPy's.
_OF_NUMPY = {"__array_ufunc__": "ufunc", "__array_function__": "func"}


class Caller(NamedTuple):
    """An operation, as the user called it, and the line where he did."""

    op: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.op} ({self.file}:{self.line})"


def users_line() -> tuple[str, int]:
    """The innermost line outside of this package."""
    frame, _ = _border()
    return frame.f_code.co_filename, frame.f_lineno


def caller() -> Caller:
    """What was called from outside of this package, and from where."""
    frame, entry = _border()
    return Caller(_named(entry.f_code, entry.f_locals), frame.f_code.co_filename, frame.f_lineno)


def clear_last_traceback() -> None:
    """Let go of what this package's frames hold, in the traceback that an interpreter keeps."""
    traceback = getattr(sys, "last_traceback", None)
    while traceback is not None:
        if _is_ours(traceback.tb_frame.f_code.co_filename):
            with suppress(RuntimeError):  # It runs still, or again.
                traceback.tb_frame.clear()
        traceback = traceback.tb_next


def _border() -> tuple[FrameType, FrameType]:
    """(the innermost frame of the user's, the one of ours that it called)."""
    frame = entry = sys._getframe(2)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        entry, frame = frame, frame.f_back
    return frame, entry


def _is_ours(file: str) -> bool:
    return file.startswith(_PACKAGE) and not file.startswith(_USERS)


def _named(code: CodeType, values: dict[str, Any]) -> str:
    """The operation that a frame is of.

    Many operations share one body, made by a function for the `operator` or `name` that it knows.
    """
    name = code.co_name
    if name in _OF_NUMPY:
        return f"numpy.{values[_OF_NUMPY[name]].__name__}"
    if "operator" in code.co_freevars:
        return str(values["operator"].name)
    if "name" in code.co_freevars:
        return str(values["name"])
    if code.co_varnames[:1] == ("self",):
        owner = type(values["self"]).__name__
        return owner if name == "__call__" else f"{owner}.{name}"
    return name
