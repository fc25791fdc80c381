"""The registry of rules: what is known of an operation's gradients, by its function.

The function is the one that `array.calls.call` and `composed` get. A rule is for the operation as a
whole. An operation without any entry that is composed of others passes gradients through these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from dml_vk.errors import GradientError
from dml_vk.observe.callers import caller
from dml_vk.tensor.core import Tensor


class Noted(NamedTuple):
    """A public operation that a tape has noted."""

    function: Callable[..., Any]
    params: tuple[Any, ...]
    operands: tuple[Any, ...]  # tensors and numbers
    result: Tensor
    wanted: tuple[bool, ...] = ()  # which operands' gradients are needed; all if it is empty

    def wants(self, operand: int) -> bool:
        return not self.wanted or self.wanted[operand]


Pullback = Callable[[Noted, Tensor], Sequence[Tensor | None]]
P = TypeVar("P", bound=Pullback)

_rules: dict[Callable[..., object], Pullback] = {}
_reasons: dict[Callable[..., object], str] = {}
_updates: set[Callable[..., object]] = set()
_constant: set[Callable[..., Any]] = set()


def rule(*functions: Callable[..., Any]) -> Callable[[P], P]:
    """Register `pullback(noted, cotangent)` of these functions.

    It returns a gradient for each operand, of its shape and dtype, or None where nothing flows. The
    cotangent has the shape and dtype of the result. It is made of public functions, so that it can
    be differentiated itself, and reads no values.
    """

    def decorate(pullback: P) -> P:
        _rules.update(dict.fromkeys(functions, pullback))
        return pullback

    return decorate


def no_gradient(*functions: Callable[..., object], reason: str) -> None:
    """Refuse to differentiate these functions, with this reason, if a gradient would flow there."""
    _reasons.update(dict.fromkeys(functions, reason))


def zero_gradient(*functions: Callable[..., object]) -> None:
    """Say of functions that their results do not vary: gradients are zero wherever defined."""
    _constant.update(functions)


def rule_of(function: Callable[..., object]) -> Pullback | None:
    return _rules.get(function)


def reason_of(function: Callable[..., object]) -> str | None:
    """Why a function cannot be differentiated, or None."""
    return _reasons.get(function)


def no_gradient_of(op: str, reason: str) -> GradientError:
    """The error for a function that cannot be differentiated, with the reason."""
    entry = caller()
    rule = "there is no gradient of this function"
    return GradientError(op, rule, reason=reason, line=f"{entry.file}:{entry.line}")


def is_constant(function: Callable[..., object]) -> bool:
    return function in _constant


def updates(*functions: Callable[..., Any]) -> None:
    """Say of functions that they write a part of `out`: it is one more operand to their rules."""
    _updates.update(functions)


def does_update(function: Callable[..., object]) -> bool:
    return function in _updates


def whole_pull(
    function: Callable[..., object],
    params: tuple[Any, ...],
    pullback: Callable[[Noted, Any], Sequence[Tensor | None]],
    count: int,
    result: Any,
) -> Callable[[Sequence[Any], Sequence[Tensor | None]], Sequence[Tensor | None]]:
    """Return what calls the rule of a whole function, which has tuples for several results.

    It is given `count` operands and the results, and a cotangent for each, or None.
    """
    is_tuple = isinstance(result, tuple)

    def pull(saved: Sequence[Any], cotangents: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        values, own = tuple(saved[:count]), tuple(saved[count:])
        if is_tuple:
            noted = Noted(function, params, values, cast(Tensor, own))
            return pullback(noted, tuple(cotangents))
        return pullback(Noted(function, params, values, own[0]), cotangents[0])

    return pull
