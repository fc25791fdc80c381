"""Errors that say how to call a function which was called as in another library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from dml_vk.errors import DTypeError

F = TypeVar("F", bound=Callable[..., Any])
_OURS = {"dim": ("axis", "axes"), "dims": ("axes", "axis"), "keepdim": ("keepdims",)}


def hinted(function: F) -> F:
    """Let a function answer PyTorch's names and positions of parameters with ours.

    >>> import dml_vk
    >>> dml_vk.sum(dml_vk.ones(3), dim=0)
    Traceback (most recent call last):
    dml_vk.errors.DTypeError: sum: dim is PyTorch's name: here it is axis; got dim=0
    """

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError as error:
            if isinstance(error, DTypeError):
                raise
            hint = _hint(function, args, named)
            if hint is None:
                raise
        raise hint

    return cast(F, call)


def _hint(
    function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]
) -> DTypeError | None:
    """Return what to say of a call that does not match the signature, if anything."""
    own = inspect.signature(function).parameters
    for theirs, names in _OURS.items():
        ours = next((name for name in names if name in own), None)
        if theirs in named and theirs not in own and ours is not None:
            rule = f"{theirs} is PyTorch's name: here it is {ours}"
            return DTypeError(function.__name__, rule, **{theirs: named[theirs]})
    kinds = [one.kind for one in own.values()]
    keywords = [name for name, one in own.items() if one.kind is one.KEYWORD_ONLY]
    most = len(own) - len(keywords)
    if len(args) <= most or inspect.Parameter.VAR_POSITIONAL in kinds or not keywords:
        return None
    rule = f"pass further arguments by name, such as {keywords[0]}="
    return DTypeError(function.__name__, rule, argument=args[most])
