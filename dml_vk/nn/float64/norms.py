"""Softmax, norms and losses in float64: by functions of elements, sums and means.

Each step rounds to float64 and is a launch of its own. Sums and means are those of `sum` and
`mean`: so the result depends on neither layouts nor other rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from dml_vk.arguments import Ints
from dml_vk.array.math.elementwise import (
    abs,
    add,
    exp,
    isfinite,
    log,
    maximum,
    multiply,
    pow,
    reciprocal,
    sqrt,
    square,
    subtract,
    where,
)
from dml_vk.array.statistics.moments import mean
from dml_vk.array.statistics.reductions import max, sum
from dml_vk.nn.activations import finish
from dml_vk.ops.activation import Activation
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.view import View
from dml_vk.tensor.core import Tensor


def softmax(what: str, x: Tensor, axes: Ints, out: Tensor | None) -> Tensor:
    """Return softmax of x, which has elements, or its logarithm."""
    moved = subtract(x, max(x, axis=axes, keepdims=True))
    powers = exp(moved)
    total = sum(powers, axis=axes, keepdims=True)
    if what == "log_softmax":
        return subtract(moved, log(total), out=out)
    return multiply(powers, reciprocal(total), out=out)


def log_sum(x: Tensor, axes: Ints, keepdims: bool, out: Tensor | None) -> Tensor:
    """Return the logarithms of the sums of exp(x), of x with elements."""
    most = max(x, axis=axes, keepdims=True)
    shift = where(isfinite(most), most, 0.0)
    total = log(sum(exp(subtract(x, shift)), axis=axes, keepdims=keepdims))
    return add(total, shift if keepdims else shift.reshape(total.shape), out=out)


def weigh(scores: View) -> None:
    """Replace scores by their softmax over the last dim, or by 0 where all are -infinity."""
    x = Tensor(scores)
    most = max(x, axis=-1, keepdims=True)
    powers = exp(subtract(x, where(most > -inf, most, 0.0), out=x), out=x)
    # At least 1, that of the largest element, if any is seen.
    multiply(powers, reciprocal(maximum(sum(powers, axis=-1, keepdims=True), 1.0)), out=x)


def normalise(
    what: str,
    pair: str,
    x: View,
    target: View,
    axes: Ints,
    affine: Sequence[View | None],
    eps: float,
    activation: Activation | None,
) -> None:
    """Write the norm of rows, whose pairs have one of the names in `dml_vk.ops.rows`."""
    moved = Tensor(x)
    if pair in ("scale", "means"):
        moved = subtract(moved, mean(moved, axis=axes, keepdims=True))
    factor = None if pair == "means" else _factor(pair, moved, axes, eps)
    write(what, moved, factor, target, affine, activation)


def write(
    what: str,
    moved: Tensor,
    factor: Tensor | None,
    target: View,
    affine: Sequence[View | None],
    activation: Activation | None,
) -> None:
    """Write `moved * factor * weight + bias` after the activation."""
    weight, bias = [
        None if view is None else Tensor(copy_if_overlapping(what, view, target)) for view in affine
    ]
    result, out = moved, Tensor(target)
    for step, other in ((multiply, factor), (multiply, weight), (add, bias)):
        if other is not None:
            result = step(result, other, out=out)
    finish(what, result, target, activation)


def scale(variance: Tensor, eps: float) -> Tensor:
    return reciprocal(sqrt(add(variance, eps)))


def _factor(pair: str, x: Tensor, axes: Ints, eps: float) -> Tensor:
    if pair in ("scale", "squares"):
        return scale(mean(square(x), axis=axes, keepdims=True), eps)
    norm = norms(x, axes, 1.0 if pair == "norm_1" else 2.0)
    return reciprocal(maximum(norm, eps))


def norms(x: Tensor, axes: Ints, power: float) -> Tensor:
    """Return the norms along axes, which stay with size 1."""
    if power == inf:
        return max(abs(x), axis=axes, keepdims=True)
    if power == 2:
        return sqrt(sum(square(x), axis=axes, keepdims=True))
    if power == 1:
        return sum(abs(x), axis=axes, keepdims=True)
    return pow(sum(pow(abs(x), power), axis=axes, keepdims=True), 1 / power)
