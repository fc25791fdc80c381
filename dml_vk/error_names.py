"""Errors of what a function calls, said in the function's own name."""

from __future__ import annotations

from dml_vk.errors import DmlVkError


class ErrorsAs:
    """Inside the `with`, errors begin with another operation's name.

    >>> from dml_vk.layout import Layout
    >>> with ErrorsAs("reshape"):
    ...     Layout((2, 3)).view(7)
    Traceback (most recent call last):
    dml_vk.errors.LayoutError: reshape: sizes must hold 6 elements, with at most one -1 that only \
one size fits; got sizes=(7,)
    """

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, DmlVkError):
            raise type(error)(f"{self._what}: {str(error).partition(': ')[2]}") from None
