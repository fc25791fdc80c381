"""How a call of NumPy's function becomes one of ours: parameters by place and by name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ExtensionFileLoader
from operator import attrgetter
from typing import Any

import numpy as np

import dml_vk
from dml_vk.errors import DTypeError, explain

ours: Any = dml_vk  # Its names come when they are asked for.
NOT_GIVEN: Any = np._NoValue  # how NumPy says that nothing is
CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
# What options may say that nobody has to heed: as much as nothing, or how to do it.
_IDLE: dict[str, tuple[Any, ...]] = {
    "axisa": (-1,),
    "axisb": (-1,),
    "axisc": (-1,),
    "casting": ("same_kind",),
    "copy": (True, False),
    "kind": ("quicksort", "heapsort", "mergesort", "stable"),
    "mode": ("raise",),
    "order": ("K",),
    "ndmin": (0,),
    "overwrite_input": (True, False),
    "rowwise": ("C",),
    "set": ("sort", "table"),
    "sorted": (True, False),
    "sparse": (False,),
    "subok": (True, False),
    "where": (True,),
}


def says_nothing(name: str, value: Any) -> bool:
    """An option is given, but as if it were not."""
    if value is None or value is NOT_GIVEN:
        return True
    plain = value.item() if isinstance(value, np.generic) else value
    return any(type(plain) is type(one) and plain == one for one in _IDLE.get(name, ()))


def public_name(function: Any) -> str:
    """Where users find it, such as `scipy.special.gammaln`, of which NumPy knows the last only."""
    name = function.__name__
    home = getattr(function, "__module__", None) or "numpy"
    modules = {one: module for one, module in list(sys.modules.items()) if _has(module, function)}
    if home not in modules:
        # Not of who imported it, but of the library that it is compiled for.
        makers = {
            one.partition(".")[0]
            for one, module in modules.items()
            if isinstance(module.__loader__, ExtensionFileLoader)
        }
        public = [one for one in modules if "._" not in f".{one}" and one.split(".")[0] in makers]
        home = min(public, key=len, default=home)
    return f"{home}.{name}"


def _has(module: Any, function: Any) -> bool:
    return getattr(module, "__dict__", {}).get(function.__name__) is function


def no_such(what: str) -> DTypeError:
    must = "there must be a function for tensors: np.asarray(x) has the same numbers on the host"
    return DTypeError(explain(what, must, function=what))


def check_names(what: str, allowed: Iterable[str], given: Iterable[str]) -> None:
    wrong = set(given) - set(allowed)
    if wrong:
        must = f"its options must be among {', '.join(sorted(allowed))}"
        raise DTypeError(explain(what, must, named=tuple(sorted(wrong))))


def check_casting(what: str, casting: Any) -> None:
    if not isinstance(casting, str) or casting not in CASTINGS:
        must = f"casting must be one of {', '.join(CASTINGS)}"
        raise DTypeError(explain(what, must, casting=casting))


class Call:
    """A function of NumPy's with its parameters, and how they go into one of ours.

    The parameters come in NumPy's order, from `*` on by name only. Those before `/` are handed on
    by place, `...` any number of them, the others by name: `a=b` is called b by us, and `-a` must
    say nothing, as `-a=b` what says nothing where b is asked.
    """

    def __init__(self, name: str, parameters: str, function: str | Callable[..., Any]) -> None:
        self.what, self.function = f"numpy.{name}", function
        placed, _, rest = parameters.partition("/")
        self.placed = placed.split()
        words = [word.partition("=") for word in rest.split() if word != "*"]
        self.named = {name: own or name for name, _, own in words if name[0] != "-"}
        self.idle = {name[1:]: own or name[1:] for name, _, own in words if name[0] == "-"}
        positional = rest.partition("*")[0].split()
        words = [word.lstrip("-").partition("=") for word in positional]
        self.places = [*self.placed, *[name for name, _, _ in words]]

    def __call__(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        given = dict(named)
        if self.placed != ["..."]:
            if len(args) > len(self.places):
                must = f"arguments by place must be {', '.join(self.places)} at most"
                raise DTypeError(explain(self.what, must, arguments=len(args)))
            given.update(zip(self.places, args))
            args = tuple([given.pop(name) for name in self.placed])
        for name, kind in self.idle.items():
            value = given.pop(name, None)
            if not says_nothing(kind, value):
                raise DTypeError(explain(self.what, f"{name} must be left out", **{name: value}))
        check_names(self.what, self.named, given)
        given = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        function = self.function
        if isinstance(function, str):
            function = attrgetter(function)(ours)
        return function(*args, **{self.named[name]: value for name, value in given.items()})
