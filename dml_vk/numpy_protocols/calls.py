"""Translate calls of NumPy's functions to calls of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.machinery import ExtensionFileLoader
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dml_vk.errors import DTypeError

if TYPE_CHECKING:
    import dml_vk

    ours = dml_vk
else:
    # Not fully imported yet: its attributes are looked up late.
    ours = sys.modules["dml_vk"]
NOT_GIVEN: object = np._NoValue  # NumPy's marker of arguments that are not given
# Values of options that can be ignored: defaults, and choices of algorithm.
_IGNORABLE: dict[str, Arguments] = {
    "axisa": (-1,),
    "axisb": (-1,),
    "axisc": (-1,),
    "casting": ("same_kind",),
    "kind": ("quicksort", "heapsort", "mergesort", "stable"),
    "order": ("K",),
    "ndmin": (0,),
    "overwrite_input": (True, False),
    "set": ("sort", "table"),
    "sorted": (True, False),
    "subok": (True, False),
    "where": (True,),
    "writeable": (False,),
}


def has_no_effect(name: str, value: object) -> bool:
    """Whether an option has a value that can be ignored."""
    if value is None or value is NOT_GIVEN:
        return True
    plain = value.item() if isinstance(value, np.generic) else value
    return any(
        type(plain) is type(ignorable) and plain == ignorable
        for ignorable in _IGNORABLE.get(name, ())
    )


@lru_cache(256)
def public_name(function: np.ufunc | Adapter) -> str:
    """The public qualified name of a function, such as `scipy.special.gammaln`.

    Ufuncs only know the last part of it, so this searches all modules, and is cached.
    """
    name = function.__name__
    home = getattr(function, "__module__", None) or "numpy"
    modules = {path: module for path, module in list(sys.modules.items()) if _has(module, function)}
    if home not in modules:
        # Other libraries may import it too: choose the one that has it in an extension module.
        owners = {
            path.partition(".")[0]
            for path, module in modules.items()
            if isinstance(module.__loader__, ExtensionFileLoader)
        }
        public = [
            path for path in modules if "._" not in f".{path}" and path.split(".")[0] in owners
        ]
        home = min(public, key=len, default=home)
    return f"{home}.{name}"


def _has(module: object, function: np.ufunc | Adapter) -> bool:
    return getattr(module, "__dict__", {}).get(function.__name__) is function


def no_such(what: str) -> DTypeError:
    rule = "not available for tensors: use np.asarray(x) to run it on the host"
    return DTypeError(what, rule, function=what)


def check_names(what: str, allowed: Iterable[str], names: Iterable[str]) -> None:
    wrong = set(names) - set(allowed)
    if wrong:
        known = ", ".join(sorted(allowed))
        rule = f"options must be among {known}" if known else "there are no options here"
        raise DTypeError(what, rule, named=tuple(sorted(wrong)))


Adapter: TypeAlias = Callable[..., Any]
Arguments: TypeAlias = tuple[Any, ...]
Options: TypeAlias = dict[str, Any]


class Call:
    """A function of NumPy's, and the function of ours that implements it.

    `parameters` are in NumPy's order, keyword-only ones after `*`. Those before `/` are passed on
    by position, where `...` is any number of them, and the others by name. `a=b` is passed on as
    b. `-a` is not passed on, and must have a value that can be ignored; `-a=b` one that can be
    ignored for b.
    """

    def __init__(self, name: str, parameters: str, function: str | Adapter) -> None:
        self.what, self.function = f"numpy.{name}", function
        placed, _, rest = parameters.partition("/")
        self.placed = placed.split()
        words = [word.partition("=") for word in rest.split() if word != "*"]
        self.named = {name: own or name for name, _, own in words if name[0] != "-"}
        self.ignored = {name[1:]: own or name[1:] for name, _, own in words if name[0] == "-"}
        positional = rest.partition("*")[0].split()
        words = [word.lstrip("-").partition("=") for word in positional]
        self.positional = [*self.placed, *[name for name, _, _ in words]]

    def __call__(self, args: Arguments, named: Options) -> object:
        options = dict(named)
        if self.placed != ["..."]:
            if len(args) > len(self.positional):
                rule = f"only {', '.join(self.positional)} may be positional"
                raise DTypeError(self.what, rule, arguments=len(args))
            options.update(zip(self.positional, args))
            args = tuple([options.pop(name) for name in self.placed])
        for name, kind in self.ignored.items():
            value = options.pop(name, None)
            if not has_no_effect(kind, value):
                raise DTypeError(self.what, f"{name} is not supported", **{name: value})
        check_names(self.what, self.named, options)
        options = {name: value for name, value in options.items() if value is not NOT_GIVEN}
        function = self.function
        if isinstance(function, str):
            function = attrgetter(function)(ours)
        return function(*args, **{self.named[name]: value for name, value in options.items()})
