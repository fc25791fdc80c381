"""Errors of what a function calls, said in the function's own name."""

from __future__ import annotations

import re

from dml_vk.errors import DmlVkError


class ErrorsAs:
    """Inside the `with`, errors begin with another operation's name, and say its arguments' names.

    >>> from dml_vk.error_names import ErrorsAs
    >>> from dml_vk.layout import Layout
    >>> with ErrorsAs("reshape", sizes="shape"):
    ...     Layout((2, 3)).view(7)
    Traceback (most recent call last):
    dml_vk.errors.LayoutError: reshape: sizes must hold 6 elements, with at most one -1 that only \
one size fits; got shape=(7,)
    """

    __slots__ = ("_names", "_what")

    def __init__(self, what: str, **names: str) -> None:
        self._what = what
        self._names = names

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, DmlVkError):
            must, semicolon, got = str(error).partition(": ")[2].partition("; got ")
            for name, own in self._names.items():
                got = re.sub(rf"(^|, ){name}=", rf"\1{own}=", got)
            raise type(error)(f"{self._what}: {must}{semicolon}{got}") from None
