"""Find the user's source line on the stack, and the operation that it calls."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple, TypeVar, cast

from dml_vk import context

F = TypeVar("F", bound=Callable[..., Any])
# As the import system spells it, which code objects repeat: a Path would tidy it up.
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
# Parts of this package that count as its users.
_USERS = tuple([_PACKAGE + name for name in ("__main__.py", f"commands{os.sep}")])
# Methods that NumPy calls, and their parameter with the function that the user called.
_PROTOCOLS = {"__array_ufunc__": "ufunc", "__array_function__": "func"}


class Caller(NamedTuple):
    """An operation that the user called, and the source line of the call."""

    op: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.op} ({self.file}:{self.line})"


def users_line() -> tuple[str, int]:
    """The innermost source line outside this package."""
    frame, _ = _border()
    return frame.f_code.co_filename, frame.f_lineno


def caller(op: str | None = None) -> Caller:
    """The operation that was called from outside this package, and the line of the call."""
    frame, entry = _border()
    op = op or context.get().purpose or _named(entry.f_code, entry.f_locals)
    return Caller(op, frame.f_code.co_filename, frame.f_lineno)


_WRITERS: set[CodeType] = set()


def writes(function: F) -> F:
    """Mark a public function or method that writes to an operand which is not its `out`."""
    _WRITERS.add(cast(FunctionType, function).__code__)
    return function


def writes_for_user() -> bool:
    """Whether the operation that the user called was told to write to a tensor of the user's."""
    _, entry = _border()
    values = entry.f_locals
    named = [values, *[value for value in values.values() if type(value) is dict]]
    has_out = any(each.get("out") is not None for each in named)
    return has_out or entry.f_code in _WRITERS


@contextmanager
def named(purpose: str) -> Iterator[None]:
    """Let this be the operation of what is called in the `with` block.

    >>> from dml_vk.observe.callers import caller, named
    >>> with named("Conv(conv1)"):
    ...     print(caller().op)
    Conv(conv1)
    """
    with context.within(purpose=purpose):
        yield


def clear_last_traceback() -> None:
    """Release what this package's frames hold in the interpreter's last traceback."""
    traceback = getattr(sys, "last_traceback", None)
    while traceback is not None:
        if _is_ours(traceback.tb_frame.f_code.co_filename):
            with suppress(RuntimeError):  # the frame is still running
                traceback.tb_frame.clear()
        traceback = traceback.tb_next


def _border() -> tuple[FrameType, FrameType]:
    """(the user's innermost frame, the frame of this package that it called)."""
    frame = entry = sys._getframe(2)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        entry, frame = frame, frame.f_back
    return frame, entry


def _is_ours(file: str) -> bool:
    return file.startswith(_PACKAGE) and not file.startswith(_USERS)


def _named(code: CodeType, values: dict[str, Any]) -> str:
    """The operation of a frame.

    Many operations share one body, a closure over the `function` or `operator` that identifies
    them.
    """
    name = code.co_name
    if name in _PROTOCOLS:
        return f"numpy.{values[_PROTOCOLS[name]].__name__}"
    if "function" in code.co_freevars:
        return str(values["function"].__name__)
    if "operator" in code.co_freevars:
        return str(values["operator"].name)
    if code.co_varnames[:1] == ("self",):
        owner = type(values["self"]).__name__
        return owner if name == "__call__" else f"{owner}.{name}"
    return name
