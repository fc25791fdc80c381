"""The table of operators: what computes each, on tensors and on values of the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Function = Callable[..., Any]
ONNX = ""  # the domain of ONNX's own operators


class Operator(NamedTuple):
    """What computes an operator.

    `function(node, *inputs)` gets tensors; at the places in `host`, NumPy arrays; and at those in
    `raw`, or at all with `raw=True`, values as they are. Optional inputs that are absent are None.
    It returns a value, or a tuple or list with one for each output.
    """

    function: Function
    first: int  # opset
    host: frozenset[int] | bool
    raw: bool
    is_random: bool
    is_expanded: bool  # by its schema's function

    def wants_host(self, index: int) -> bool:
        return self.host if isinstance(self.host, bool) else index in self.host


OPERATORS: dict[tuple[str, str], Operator] = {}
# Of values of the host, which shapes are computed from: NumPy's operations, all exact.
ON_HOST: dict[str, Function] = {}


def operator(
    *names: str,
    first: int = 1,
    host: tuple[int, ...] | bool = (),
    raw: bool = False,
    of_arrays: bool = False,
    is_random: bool = False,
    is_expanded: bool = False,
    domain: str = ONNX,
) -> Callable[[Function], Function]:
    """Enter a function as that of these operators, from this opset on.

    With `of_arrays=True` it also computes values of the host: all that it calls is in `node.xp`,
    which is NumPy for these.
    """

    def enter(function: Function) -> Function:
        places = host if isinstance(host, bool) else frozenset(host)
        for name in names:
            entry = Operator(function, first, places, raw, is_random, is_expanded)
            OPERATORS[domain, name] = entry
            if of_arrays:
                ON_HOST[name] = function
        return function

    return enter


def on_host(*names: str) -> Callable[[Function], Function]:
    """Enter a function on NumPy arrays, which returns None where it does not apply."""

    def enter(function: Function) -> Function:
        for name in names:
            ON_HOST[name] = function
        return function

    return enter


def find(domain: str, name: str, opset: int) -> Operator | None:
    """Return an operator, if it is supported in this opset."""
    entry = OPERATORS.get((domain, name))
    return entry if entry is not None and entry.first <= opset else None
