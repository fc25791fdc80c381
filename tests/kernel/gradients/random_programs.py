"""Random compositions of public functions, smooth almost everywhere, of small values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dml_vk as dv
from dml_vk import nn

Values = list[Any]
Step = Callable[[Any], Callable[[Values], Any]]

MOST = 48  # elements of a value


class Program:
    """Steps, each of which computes one more value of those before it."""

    def __init__(self, rng: np.random.Generator, operands: Sequence[Any], count: int) -> None:
        self.names: list[str] = []
        self._steps: list[Callable[[Values], Any]] = []
        values = list(operands)
        while len(self._steps) < count:
            name = str(rng.choice(list(STEPS)))
            step = STEPS[name](_Draws(rng, values))
            value = step(values)
            if 0 < value.size <= MOST and value.ndim <= 4:
                self.names.append(name)
                self._steps.append(step)
                values.append(value)

    def __call__(self, *operands: Any) -> Any:
        values = list(operands)
        for step in self._steps:
            values.append(step(values))
        # Each value counts, those of the end more, so that no step is left out.
        return sum([dv.sum(dv.sin(x + k)) for k, x in enumerate(values)])


class _Draws:
    """What a step chooses: operands by number, axes, indexes."""

    def __init__(self, rng: np.random.Generator, values: Values) -> None:
        self.rng = rng
        self.values = values

    def number(self, least: int = 0, most: int = 4) -> int:
        """The number of a value of so many dims, or that of a new one without; recent ones more."""
        fitting = [k for k, x in enumerate(self.values) if least <= x.ndim <= most]
        return int(self.rng.choice(fitting[-4:]))

    def axis(self, number: int) -> int:
        return int(self.rng.integers(-self.values[number].ndim, self.values[number].ndim))

    def below(self, size: int) -> int:
        return int(self.rng.integers(size))


def unary(function: Callable[[Any], Any]) -> Step:
    def drawn(draws: Any) -> Callable[[Values], Any]:
        k = draws.number()
        return lambda values: function(values[k])

    return drawn


def along(function: Callable[..., Any]) -> Step:
    """A function of a value and an axis."""

    def drawn(draws: Any) -> Callable[[Values], Any]:
        k = draws.number(1)
        axis = draws.axis(k)
        return lambda values: function(values[k], axis)

    return drawn


def binary(function: Callable[[Any, Any], Any]) -> Step:
    """Of two values that broadcast: the second has dims summed until they do."""

    def drawn(draws: Any) -> Callable[[Values], Any]:
        k, other = draws.number(), draws.number()
        shape, own = draws.values[k].shape, draws.values[other].shape
        pairs = list(zip(shape[::-1], own[::-1]))
        axes = tuple([-1 - d for d, (a, b) in enumerate(pairs) if a != b and 1 not in (a, b)])

        def step(values: Values) -> Any:
            y = values[other]
            return function(values[k], dv.mean(y, axis=axes, keepdims=True) if axes else y)

        return step

    return drawn


def matmul(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(2)
    turned = draws.below(2)
    return lambda values: values[k] @ values[k].mT if turned else values[k].mT @ values[k]


def einsum(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(2)
    form = ["...ij,...kj->...ik", "...ij,...ij->...j", "...ij,...ik->jk"][draws.below(3)]
    return lambda values: dv.einsum(form, values[k], dv.tanh(values[k]))


def permuted(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(2)
    dims = tuple(draws.rng.permutation(draws.values[k].ndim).tolist())
    return lambda values: dv.permute_dims(values[k], dims)


def sliced(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(1)
    parts = [slice(None), slice(None, None, -1), slice(0, None, 2), slice(1, None), 0, None]
    chosen = [parts[draws.below(len(parts))] for _ in draws.values[k].shape]
    sizes = [n for n, part in zip(draws.values[k].shape, chosen) if part is not None]
    key = tuple([slice(None) if p == slice(1, None) and 1 in sizes else p for p in chosen])
    key = key[: draws.values[k].ndim]
    return lambda values: values[k][key]


def reshaped(draws: Any) -> Callable[[Values], Any]:
    k = draws.number()
    size = draws.values[k].size
    wide = [n for n in (2, 3, 4) if size % n == 0] or [1]
    rows = wide[draws.below(len(wide))]
    return lambda values: values[k].reshape(rows, size // rows)


def joined(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(1)
    axis = draws.axis(k)
    function = [dv.concat, dv.stack][draws.below(2)]
    return lambda values: function([values[k], dv.sin(values[k])], axis=axis)


def taken(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(1)
    axis = draws.axis(k)
    index = [draws.below(draws.values[k].shape[axis]) for _ in range(3)]
    return lambda values: dv.take(values[k], index, axis=axis)


def written(draws: Any) -> Callable[[Values], Any]:
    """Into fresh memory, then over a part of it."""
    k = draws.number(1)

    def step(values: Values) -> Any:
        y = dv.zeros(values[k].shape, dtype=values[k].dtype)
        y[...] = values[k]
        y[..., 0] = dv.cos(values[k][..., -1])
        return y

    return step


def padded(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(1, 2)
    widths = [(draws.below(2), draws.below(3)) for _ in draws.values[k].shape]
    mode = ["constant", "edge", "wrap"][draws.below(3)]
    return lambda values: dv.pad(values[k], widths, mode=mode)


def expanded(draws: Any) -> Callable[[Values], Any]:
    k = draws.number(0, 2)
    return lambda values: dv.broadcast_to(values[k], (2, *values[k].shape))


def masked(draws: Any) -> Callable[[Values], Any]:
    k = draws.number()
    limit = float(draws.rng.uniform(-0.5, 0.5))
    return lambda values: dv.where(values[k] > limit, dv.sin(values[k]), dv.cos(values[k]))


def checkpointed(draws: Any) -> Callable[[Values], Any]:
    k = draws.number()
    block = dv.checkpoint(lambda x: dv.exp(-x * x) * dv.sin(x))
    return lambda values: block(values[k])


def norm(x: Any, axis: int) -> Any:
    return dv.sqrt(dv.sum(x * x, axis=axis, keepdims=True) + 1)


STEPS: dict[str, Step] = {
    "add": binary(lambda x, y: x + 2 * y),
    "subtract": binary(lambda x, y: y - x),
    "multiply": binary(lambda x, y: x * dv.tanh(y)),
    "divide": binary(lambda x, y: x / (y * y + 1)),
    "atan2": binary(lambda x, y: dv.atan2(x, y * y + 1)),
    "maximum": binary(dv.maximum),
    "sin": unary(dv.sin),
    "tanh": unary(dv.tanh),
    "exp": unary(lambda x: dv.exp(dv.tanh(x))),
    "log": unary(lambda x: dv.log(x * x + 1)),
    "erf": unary(dv.erf),
    "gelu": unary(dv.gelu),
    "power": unary(lambda x: (x * x + 1) ** 1.5 * 0.1),
    "clip": unary(lambda x: dv.clip(x, -0.7, 0.8)),
    "sum": along(lambda x, axis: dv.sum(x, axis=axis)),
    "mean": along(lambda x, axis: dv.mean(x, axis=axis, keepdims=True)),
    "var": along(lambda x, axis: dv.var(x, axis=axis)),
    "max": along(lambda x, axis: dv.max(x, axis=axis)),
    "prod": along(lambda x, axis: dv.prod(dv.tanh(x), axis=axis)),
    "softmax": along(lambda x, axis: nn.softmax(x, axis=axis)),
    "logsumexp": along(lambda x, axis: nn.logsumexp(x, axis=axis)),
    "cumulative_sum": along(lambda x, axis: dv.cumulative_sum(x, axis=axis)),
    "cumulative_prod": along(lambda x, axis: dv.cumulative_prod(dv.tanh(x), axis=axis)),
    "sort": along(lambda x, axis: dv.sort(x, axis=axis)),
    "flip": along(lambda x, axis: dv.flip(x, axis=axis)),
    "roll": along(lambda x, axis: dv.roll(x, 1, axis=axis)),
    "repeat": along(lambda x, axis: dv.repeat(x, 2, axis=axis)),
    "norm": along(lambda x, axis: x / norm(x, axis)),
    "rows": along(lambda x, axis: nn.rms_norm(x, x.shape[axis % x.ndim :], eps=0.1)),
    "matmul": matmul,
    "einsum": einsum,
    "permute": permuted,
    "slice": sliced,
    "reshape": reshaped,
    "join": joined,
    "take": taken,
    "write": written,
    "pad": padded,
    "expand": expanded,
    "where": masked,
    "checkpoint": checkpointed,
}
