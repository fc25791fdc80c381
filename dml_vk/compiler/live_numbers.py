"""Numbers among the arguments of a compiled function, while it is captured.

As an operand of a tensor, a number stays one that each call gives. Anything else needs its value,
which then becomes part of the signature.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from dml_vk.tensor.core import Tensor
from dml_vk.tracing.numbers import LiveNumber


class LiveArgument(LiveNumber):
    """An int or a float that looks like one wherever somebody asks."""

    __slots__ = ()
    __array_ufunc__ = None  # so that NumPy's arrays leave it to this class

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self._value, name):
            raise AttributeError(name)
        return getattr(self.pinned(), name)


def _unary(name: str, function: Callable[..., object]) -> None:
    def of_value(self: LiveArgument, *rest: object) -> Any:
        return function(self.pinned(), *rest)

    of_value.__name__ = name
    setattr(LiveArgument, name, of_value)


def _binary(name: str, function: Callable[[object, object], object]) -> None:
    def of_values(self: LiveArgument, other: object) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        return function(self.pinned(), _value_of(other))

    def reflected(self: LiveArgument, other: object) -> Any:
        return function(_value_of(other), self.pinned())

    of_values.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    setattr(LiveArgument, f"__{name}__", of_values)
    setattr(LiveArgument, f"__r{name}__", reflected)


def _comparison(name: str, compare: Callable[[object, object], bool]) -> None:
    def compared(self: LiveArgument, other: object) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented
        return compare(self.pinned(), _value_of(other))

    compared.__name__ = f"__{name}__"
    setattr(LiveArgument, f"__{name}__", compared)


def _value_of(number: object) -> object:
    return number.pinned() if type(number) is LiveArgument else number


for _name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "divmod"]:
    _binary(_name, divmod if _name == "divmod" else getattr(operator, _name))
for _name in ["and", "or", "xor", "lshift", "rshift"]:
    _binary(_name, getattr(operator, f"__{_name}__"))
for _name in ["eq", "ne", "lt", "le", "gt", "ge"]:
    _comparison(_name, getattr(operator, _name))
_UNARY: dict[str, Callable[..., object]] = {
    "__neg__": operator.neg, "__pos__": operator.pos, "__abs__": abs, "__invert__": operator.inv,
    "__bool__": bool, "__int__": int, "__float__": float, "__complex__": complex,
    "__index__": operator.index, "__round__": round, "__hash__": hash, "__repr__": repr,
    "__str__": str, "__format__": format, "__trunc__": math.trunc, "__floor__": math.floor,
    "__ceil__": math.ceil,
}  # fmt: skip
for _name, _function in _UNARY.items():
    _unary(_name, _function)
