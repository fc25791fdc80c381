"""Errors that say how to call a function which was called as in another library."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from dml_vk.errors import DTypeError

F = TypeVar("F", bound=Callable[..., Any])
_OURS = {"dim": ("axis", "axes"), "dims": ("axes", "axis"), "keepdim": ("keepdims",)}
_ANSWERED = {ours for names in _OURS.values() for ours in names}
_MISSING = object()


def hinted(function: F) -> F:
    """Let a function answer PyTorch's names and positions of parameters with ours.

    What it returns has the same parameters and takes any others, to answer them. A function of
    `*args` and `**named` would do, and not have to be compiled, but it would take three times as
    long to pass them on: as long as a view takes. Functions of any number of operands take none.

    >>> import dml_vk
    >>> dml_vk.sum(dml_vk.ones(3), dim=0)
    Traceback (most recent call last):
    dml_vk.errors.DTypeError: sum: dim is PyTorch's name: here it is axis; got dim=0
    """
    code = function.__code__
    placed = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    defaults = list(function.__defaults__ or ())
    asked = [name for name in placed[: len(placed) - len(defaults)] if name in _ANSWERED]
    if asked:  # the last one that must be given, which is given by another name
        defaults.insert(0, _MISSING)
    first = len(placed) - len(defaults)
    parts = [f"{name}=0" if k >= first else name for k, name in enumerate(placed)]
    if code.co_posonlyargcount:
        parts.insert(code.co_posonlyargcount, "/")
    keyword_defaults = function.__kwdefaults__ or {}
    parts += [
        "*more",
        *[f"{name}=0" if name in keyword_defaults else name for name in named],
        "**theirs",
    ]
    passed = ", ".join([*placed, *[f"{name}={name}" for name in named]])
    wrong = " or ".join(["more", "theirs", *[f"{name} is missing" for name in asked]])
    text = (
        f"def {function.__name__}({', '.join(parts)}):\n"
        f"    if {wrong}:\n"
        f"        return answer(function, [{', '.join(placed)}], more, theirs)\n"
        f"    return function({passed})\n"
    )
    space: dict[str, Any] = {"answer": _explain, "function": function, "missing": _MISSING}
    exec(compile(text, f"{__file__}:call", "exec"), space)  # of the package, but no line of it
    call = space[function.__name__]
    call.__defaults__, call.__kwdefaults__ = tuple(defaults), function.__kwdefaults__
    return cast(F, functools.update_wrapper(call, function))


def _explain(
    function: Callable[..., object],
    placed: Sequence[object],
    more: Sequence[object],
    theirs: Mapping[str, object],
) -> None:
    """Raise what there is to say of a call that does not match the signature."""
    code = function.__code__
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    for name, ours in _OURS.items():
        known = next((candidate for candidate in ours if candidate in own), None)
        if name in theirs and known is not None:
            rule = f"{name} is PyTorch's name: here it is {known}"
            raise DTypeError(function.__name__, rule, **{name: theirs[name]})
    if more and code.co_kwonlyargcount:
        rule = f"pass further arguments by name, such as {own[code.co_argcount]}="
        raise DTypeError(function.__name__, rule, argument=more[0])
    passed = [candidate for candidate in placed if candidate is not _MISSING]
    function(*passed, *more, **theirs)  # so that Python says what is wrong
