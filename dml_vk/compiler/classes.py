"""Functions that look at the class of an object by `type`, which no placeholder can deceive."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

_OURS = ("dml_vk", "numpy")  # which do not, or know of placeholders
_MOST = 256  # functions: what is called by more is not known


def looks_at_classes(function: object) -> bool:
    """Whether a function, or one that it calls by a name, calls `type`."""
    left, seen = [function], set[int]()
    while left and len(seen) < _MOST:
        callee, owner = _plain(left.pop())
        if (
            not isinstance(callee, FunctionType)
            or id(callee) in seen
            or not _is_others(callee.__module__)
        ):
            continue
        seen.add(id(callee))
        names = set[str]()
        for code in _codes(callee.__code__):
            names.update(code.co_names)
            if _loads_type(code) and callee.__globals__.get("type", type) is type:
                return True
        left += _called(callee, owner, names)
    return False


def _plain(function: Any) -> tuple[object, object]:
    """A function without what wraps it, and the object that it is a method of."""
    owner = None
    while True:
        if isinstance(function, MethodType):
            function, owner = function.__func__, function.__self__
        elif isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, (FunctionType, type)):
            return function, owner
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            call = vars(type(function)).get("__call__")
            return (call, function) if isinstance(call, FunctionType) else (None, None)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _loads_type(code: CodeType) -> bool:
    return "type" in code.co_names and any(
        line.argval == "type" and line.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        for line in dis.get_instructions(code)
    )


def _called(function: FunctionType, owner: object, names: set[str]) -> Iterator[object]:
    """What it may call: by a name, from around it, of a module, or of its own object."""
    spaces = [function.__globals__.get(name) for name in names]
    spaces += [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    for thing in spaces:
        if isinstance(thing, ModuleType):
            inner = [vars(thing).get(name) for name in names]
            yield from [each for each in inner if isinstance(each, FunctionType)]
        elif callable(thing):
            yield thing
    if owner is not None:
        methods = [getattr(type(owner), name, None) for name in names]
        yield from [
            MethodType(method, owner) for method in methods if isinstance(method, FunctionType)
        ]


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _is_others(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] not in _OURS
