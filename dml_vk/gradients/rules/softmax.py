"""Gradients of softmax and its relatives."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.elementwise import equal, exp, multiply, subtract, where
from dml_vk.array.statistics.reductions import reduced_axes, sum
from dml_vk.gradients.rules.fitting import like, wide
from dml_vk.gradients.rules.registry import Noted, rule, zero_gradient
from dml_vk.nn.softmax import _finished, _first_largest, _log_sum
from dml_vk.tensor.core import Tensor

zero_gradient(_first_largest)


@rule(_finished)
def softmax_family(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """For softmax y: y * (g - sum(g * y)); for its logarithm: g - exp(y) * sum(g)."""
    what, _, axis = noted.params
    (x,) = noted.operands
    axes = reduced_axes(what, x, axis)
    y, g = wide(noted.result), wide(cotangent)
    if what == "softmax":
        gradient = through_softmax(y, g, axes)
    else:
        gradient = subtract(g, multiply(exp(y), sum(g, axis=axes, keepdims=True)))
    return [like(gradient, x)]


def through_softmax(y: Tensor, g: Tensor, axes: tuple[int, ...]) -> Tensor:
    return multiply(y, subtract(g, sum(multiply(g, y), axis=axes, keepdims=True)))


@rule(_log_sum)
def log_sum(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    """Of rows of -infinity the gradient is 0; PyTorch has NaN."""
    axis, _ = noted.params
    (x,) = noted.operands
    axes = reduced_axes("logsumexp", x, axis)
    shape = [1 if dim in axes else size for dim, size in enumerate(x.shape)]
    y, g = [reshape(wide(each), shape) for each in (noted.result, cotangent)]
    y = where(equal(y, -inf), 0.0, y)
    return [like(multiply(g, exp(subtract(wide(x), y))), x)]
