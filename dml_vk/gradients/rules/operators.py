"""Elementwise operators: their derivatives, by name; a test asks each row of the table.

A gradient is that of PyTorch: of a function of complex numbers, the product with the conjugate of
the derivative.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dml_vk.array.creation.arrays import full, zeros_like
from dml_vk.array.data_types import real
from dml_vk.array.math import elementwise as m
from dml_vk.array.math import operations
from dml_vk.dtypes import float32, float64
from dml_vk.gradients.rules.registry import Noted, no_gradient_of, rule
from dml_vk.gradients.rules.shapes import fitted
from dml_vk.kernels.operators import Operator
from dml_vk.tensor.core import Tensor


class Applied(NamedTuple):
    """An operator that was applied: numbers are promoted, as tensors of the common dtype."""

    operands: tuple[Any, ...]
    result: Any
    gradient: Any  # of the result
    params: tuple[float, ...]


_F: Any = m  # whose functions are made of the table
_LN2, _LN10, _ROOT_PI = math.log(2), math.log(10), math.sqrt(math.pi)
_ROOT_2PI = math.sqrt(2 * math.pi)
Rule = Callable[[Applied], Sequence[Tensor | None]]
Factor = Callable[[Any, Any, tuple[float, ...]], Any]
RULES: dict[str, Rule] = {}
# Results that do not vary between the points where they jump.
CONSTANT = ("floor", "ceil", "trunc", "round", "trunc_divide", "floor_divide")
REFUSED = {
    "digamma": "trigamma, its derivative, is not there",
    "nextafter": "its result is a neighbour of the operand",
}


def _times(factor: Factor) -> Rule:
    """The rule of a function of one operand, from its derivative as a function of x and y."""

    def pull(at: Applied) -> Sequence[Tensor | None]:
        return (m.multiply(at.gradient, _conj_of(factor(at.operands[0], at.result, at.params))),)

    return pull


def _where(condition: Any, gradient: Any) -> Any:
    return m.where(condition, gradient, 0)


def _masked(condition: Callable[[object, tuple[float, ...]], Any]) -> Rule:
    return lambda at: (_where(condition(at.operands[0], at.params), at.gradient),)


FACTORS: dict[str, Factor] = {
    "square": lambda x, y, p: x * 2,
    "reciprocal": lambda x, y, p: -(y * y),
    "sqrt": lambda x, y, p: _F.divide(0.5, y),
    "rsqrt": lambda x, y, p: -0.5 * (y / x),
    "exp": lambda x, y, p: y,
    "exp2": lambda x, y, p: y * _LN2,
    "expm1": lambda x, y, p: y + 1,
    "log": lambda x, y, p: _F.reciprocal(x),
    "log2": lambda x, y, p: _F.divide(1 / _LN2, x),
    "log10": lambda x, y, p: _F.divide(1 / _LN10, x),
    "log1p": lambda x, y, p: _F.reciprocal(x + 1),
    "sin": lambda x, y, p: _F.cos(x),
    "cos": lambda x, y, p: -_F.sin(x),
    "tan": lambda x, y, p: y * y + 1,
    "asin": lambda x, y, p: _F.reciprocal(_F.sqrt(1 - x * x)),
    "acos": lambda x, y, p: -_F.reciprocal(_F.sqrt(1 - x * x)),
    "atan": lambda x, y, p: _F.reciprocal(x * x + 1),
    "sinh": lambda x, y, p: _F.cosh(x),
    "cosh": lambda x, y, p: _F.sinh(x),
    "tanh": lambda x, y, p: 1 - y * y,
    "asinh": lambda x, y, p: _F.reciprocal(_F.sqrt(x * x + 1)),
    "acosh": lambda x, y, p: _F.reciprocal(_F.sqrt(x - 1) * _F.sqrt(x + 1)),
    "atanh": lambda x, y, p: _F.reciprocal(1 - x * x),
    "erf": lambda x, y, p: _F.exp(-(x * x)) * (2 / _ROOT_PI),
    "erfc": lambda x, y, p: _F.exp(-(x * x)) * (-2 / _ROOT_PI),
    "gammaln": lambda x, y, p: _F.digamma(x),
    "i0e": lambda x, y, p: _F.i1e(x) - _F.sign(x) * y,
    "i1e": lambda x, y, p: m.where(
        _F.equal(x, 0), 0.5, _F.i0e(x) - y * (_F.sign(x) + _F.divide(1, x))
    ),
    "leaky_relu": lambda x, y, p: m.where(_F.greater(x, 0), _constant_one(x), p[0]),
    "elu": lambda x, y, p: m.where(_F.greater(x, 0), 1.0, _F.exp(_below(x)) * p[0]),
    "celu": lambda x, y, p: m.where(_F.greater(x, 0), 1.0, _F.exp(_below(x) / p[0])),
    "scaled_elu": lambda x, y, p: m.where(
        _F.greater(x, 0), p[1], _F.exp(_below(x)) * (p[0] * p[1])
    ),
    "gelu": lambda x, y, p: (
        (_F.erf(x * math.sqrt(0.5)) + 1) * 0.5 + x * _F.exp(x * x * -0.5) / _ROOT_2PI
    ),
    "sigmoid": lambda x, y, p: y * (1 - y),
    "swish": lambda x, y, p: _swish(x, _F.sigmoid(x * p[0]), p[0]),
    "hard_swish": lambda x, y, p: _hard_swish(x, x * p[0] + p[1], p[0]),
    "softplus": lambda x, y, p: _F.sigmoid(x * p[0]),
    "parametric_softplus": lambda x, y, p: _F.sigmoid(x * p[1]) * (p[0] * p[1]),
    "softsign": lambda x, y, p: _F.reciprocal(_F.square(abs(x) + 1)),
    "scaled_tanh": lambda x, y, p: (1 - _F.square(_F.tanh(x * p[1]))) * (p[0] * p[1]),
    "linear": lambda x, y, p: p[0],
}
RULES.update({name: _times(factor) for name, factor in FACTORS.items()})
MASKS: dict[str, Callable[[Any, tuple[float, ...]], Any]] = {
    "relu": lambda x, p: ~_F.less_equal(x, 0),  # NaN passes gradients
    "thresholded_relu": lambda x, p: ~_F.less_equal(x, p[0]),
    "shrink": lambda x, p: ~_F.less_equal(abs(x), p[1]),
    "clip": lambda x, p: _F.logical_and(_F.greater_equal(x, p[0]), _F.less_equal(x, p[1])),
}
RULES.update({name: _masked(mask) for name, mask in MASKS.items()})


def _constant_one(x: Tensor) -> Tensor:
    """A tensor, so that the slope beside it is not rounded to float32."""
    return full((), 1.0, float64 if x.dtype is float64 else float32, device=x.device)


def _below(x: Any) -> Any:
    """The numbers below 0; at 0 nothing flows back."""
    return _where(_F.less(x, 0), x)


def _swish(x: object, y: Any, scale: float) -> Any:
    return y + x * y * (1 - y) * scale


def _hard_swish(x: Any, inner: Any, alpha: float) -> Any:
    inside = _F.logical_and(_F.greater(inner, 0), _F.less(inner, 1))
    return _F.minimum(_F.maximum(inner, 0), 1) + _where(inside, x * alpha)


def of(*names: str) -> Callable[[Rule], Rule]:
    def decorate(pull: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, pull))
        return pull

    return decorate


@of("hard_sigmoid")
def _hard_sigmoid(at: Applied) -> Sequence[Tensor | None]:
    (x,), (alpha, beta) = at.operands, at.params
    inner = x * alpha + beta
    inside = _F.logical_and(_F.greater(inner, 0), _F.less(inner, 1))
    return (_where(inside, at.gradient * alpha),)


@of("positive")
def _positive(at: Applied) -> Sequence[Tensor | None]:
    return (at.gradient,)


@of("negative")
def _negative(at: Applied) -> Sequence[Tensor | None]:
    return (-at.gradient,)


@of("conj")
def _conj(at: Applied) -> Sequence[Tensor | None]:
    return (m.conj(at.gradient),)


@of("abs")
def _abs(at: Applied) -> Sequence[Tensor | None]:
    (x,) = at.operands
    return (at.gradient * _direction(x),)


@of("sign")
def _sign(at: Applied) -> Sequence[Tensor | None]:
    """That of a complex number turns with it; that of a real one does not vary."""
    (x,) = at.operands
    if x.dtype.kind != "c":
        return (None,)
    y = _direction(x)
    along = y * real(m.conj(y) * at.gradient)
    return (m.where(_F.equal(x, 0), zeros_like(x), (at.gradient - along) / abs(x)),)


def _direction(x: Any) -> Any:
    """The sign of x: a number of the size 1, or 0."""
    if x.dtype.kind != "c":
        return _F.sign(x)
    size = abs(x)
    return x / m.where(_F.equal(size, 0), 1.0, size)


def _tensors(at: Applied) -> list[Any]:
    """The operands, numbers as tensors: functions of one operand take no numbers."""
    near = at.gradient
    return [
        x if isinstance(x, Tensor) else full((), x, near.dtype, device=near.device)
        for x in at.operands
    ]


@of("add")
def _add(at: Applied) -> Sequence[Tensor | None]:
    return at.gradient, at.gradient


@of("subtract")
def _subtract(at: Applied) -> Sequence[Tensor | None]:
    return at.gradient, -at.gradient


@of("multiply")
def _multiply(at: Applied) -> Sequence[Tensor | None]:
    a, b = at.operands
    return at.gradient * _conj_of(b), at.gradient * _conj_of(a)


@of("divide")
def _divide(at: Applied) -> Sequence[Tensor | None]:
    _, b = at.operands
    first = at.gradient / _conj_of(b)
    return first, -(first * _conj_of(at.result))


@of("remainder")
def _remainder(at: Applied) -> Sequence[Tensor | None]:
    return at.gradient, -(at.gradient * _F.floor_divide(*at.operands))


@of("fmod")
def _fmod(at: Applied) -> Sequence[Tensor | None]:
    return at.gradient, -(at.gradient * _F.trunc(_F.divide(*at.operands)))


@of("mean_of_two")
def _mean_of_two(at: Applied) -> Sequence[Tensor | None]:
    half = at.gradient * 0.5
    return half, half


@of("difference_square")
def _difference_square(at: Applied) -> Sequence[Tensor | None]:
    first = at.gradient * ((at.operands[0] - at.operands[1]) * 2)
    return first, -first


@of("copysign")
def _copysign(at: Applied) -> Sequence[Tensor | None]:
    x, _ = _tensors(at)
    return at.gradient * (_F.sign(x) * _F.sign(at.result)), None


@of("maximum", "minimum")
def _extreme(at: Applied) -> Sequence[Tensor | None]:
    a, b = at.operands
    tied = m.where(_F.equal(a, b), at.gradient * 0.5, at.gradient)
    # The one that is not the result gets nothing; NaN is neither above nor below.
    first = m.where(_F.not_equal(a, at.result) & ~_F.isnan(at.result), 0, tied)
    second = m.where(_F.not_equal(b, at.result) & ~_F.isnan(at.result), 0, tied)
    return first, second


@of("hypot")
def _hypot(at: Applied) -> Sequence[Tensor | None]:
    return tuple([at.gradient * (x / at.result) for x in at.operands])


@of("atan2")
def _atan2(at: Applied) -> Sequence[Tensor | None]:
    y, x = at.operands
    size = x * x + y * y
    share = _where(_F.not_equal(size, 0), at.gradient / m.where(_F.equal(size, 0), 1.0, size))
    return share * x, -(share * y)


@of("logaddexp")
def _logaddexp(at: Applied) -> Sequence[Tensor | None]:
    a, b = at.operands
    # Equal infinities are not apart either.
    apart = m.where(_F.equal(a, b), 0, a - b)
    return at.gradient * _F.sigmoid(apart), at.gradient * _F.sigmoid(-apart)


@of("heaviside")
def _heaviside(at: Applied) -> Sequence[Tensor | None]:
    return None, _where(_F.equal(at.operands[0], 0), at.gradient)


@of("xlogy")
def _xlogy(at: Applied) -> Sequence[Tensor | None]:
    x, y = _tensors(at)
    first = at.gradient * _F.log(y)
    is_nothing = _F.logical_and(_F.equal(x, 0), _F.less_equal(y, 0))
    return m.where(is_nothing, 0, first), at.gradient * (x / y)


@of("pow")
def _pow(at: Applied) -> Sequence[Tensor | None]:
    x, power = _tensors(at)
    first = power * _F.pow(x, power - 1)
    first = m.where(_F.equal(power, 0), zeros_like(first), first)
    is_zero = _F.equal(x, 0)
    if x.dtype.kind != "c":
        is_zero = is_zero & _F.greater_equal(power, 0)
    second = at.result * _F.log(x)
    second = m.where(is_zero, zeros_like(second), second)
    return at.gradient * m.conj(first), at.gradient * m.conj(second)


@of("whole_power")
def _whole_power(at: Applied) -> Sequence[Tensor | None]:
    x, power = at.operands
    if power == 0:  # Where x is 0, the other power is infinite.
        return None, None
    return at.gradient * (_F.pow(x, power - 1) * power), None


@of("relu_grad")
def _relu_grad(at: Applied) -> Sequence[Tensor | None]:
    return None, _where(_F.greater(at.operands[0], 0), at.gradient)


@of("parameterized_relu")
def _parameterized_relu(at: Applied) -> Sequence[Tensor | None]:
    x, slope = at.operands
    is_above = _F.greater(x, 0)
    return (
        m.where(is_above, at.gradient, at.gradient * slope),
        m.where(is_above, 0, at.gradient * x),
    )


@rule(operations.computed)
def computed(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    operator, words = noted.params
    name = operator.name
    if name in REFUSED:
        raise no_gradient_of(name, REFUSED[name])
    if name in CONSTANT:
        return (None,) * len(noted.operands)
    if name not in RULES:
        raise no_gradient_of(name, "it has no rule")
    operands = tuple([_promoted(x, cotangent) for x in noted.operands])
    applied = Applied(operands, noted.result, cotangent, _numbers(operator, noted, words))
    gradients = RULES[name](applied)
    return [
        None if gradient is None else fitted(gradient, x)
        for gradient, x in zip(gradients, noted.operands)
    ]


def _promoted(x: object, cotangent: Tensor) -> Any:
    """An operand in the dtype that was computed, but for a complex one of a real result."""
    if not isinstance(x, Tensor):
        return x
    if x.dtype.kind == "c" and cotangent.dtype.kind != "c":
        return x
    return m.astype(x, cotangent.dtype, copy=False)


def _conj_of(x: Any) -> Any:
    if isinstance(x, Tensor):
        return m.conj(x)
    return x.conjugate() if isinstance(x, complex) else x


def _numbers(operator: Operator, noted: Noted, words: Sequence[int]) -> tuple[float, ...]:
    """The parameters of an operator, from the words of its launch."""
    count = len(operator.parameters)
    if not count:
        return ()
    code = "d" if noted.operands[0].dtype is float64 else "f"
    return struct.unpack_from(f"<{count}{code}", struct.pack(f"<{len(words)}I", *words))


@rule(m._cast)
def _cast(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return (fitted(cotangent, noted.operands[0]),)


@rule(m._select)
def _select(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    condition, first, second = noted.operands
    nothing = zeros_like(cotangent)
    return (
        None,
        fitted(m.where(condition, cotangent, nothing), first) if _is_float(first) else None,
        fitted(m.where(condition, nothing, cotangent), second) if _is_float(second) else None,
    )


def _is_float(x: object) -> bool:
    return isinstance(x, Tensor) and x.dtype.kind in "fc"
