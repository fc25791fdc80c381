"""What functions say of memory formats: whether a program may choose another one for a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Formats(NamedTuple):
    """Which operands of a function may be in another format, and who asks for it."""

    flexible: str = ""  # "first" of its tensors, "all" that have as many dims as the result, or ""
    images: bool = False  # whether `compile(layout=...)` may ask for a format
    weight: int | None = None  # the operand that is a weight, read faster in channels_last


_NOT_FLEXIBLE = Formats()


def operation(
    *, flexible: str, images: bool = False, weight: int | None = None
) -> Callable[[F], F]:
    """Say of a function for `call` that it depends on layouts through its operands alone."""

    def decorate(function: F) -> F:
        vars(function)["formats"] = Formats(flexible, images, weight)
        return function

    return decorate


def formats_of(function: Callable[..., object]) -> Formats:
    formats: Formats = vars(function).get("formats", _NOT_FLEXIBLE)
    return formats
