"""Activations that are an argument of another operation."""

from __future__ import annotations

from collections.abc import Callable

from dml_vk.array.math.operations import computed
from dml_vk.dtypes import float64
from dml_vk.gradients.rules.registry import Noted, rule_of
from dml_vk.kernels.operators import OPERATORS
from dml_vk.ops.activation import Activation
from dml_vk.tensor.core import Tensor


def before(
    activation: Activation | None, noted: Noted, cotangent: Tensor, again: Callable[[], Tensor]
) -> Tensor:
    """Return the cotangent of what an activation was applied to, which `again` computes again.

    That of relu is seen from the result.
    """
    if activation is None:
        return cotangent
    pullback = rule_of(computed)
    assert pullback is not None
    x = noted.result if activation.name == "relu" else again()
    words = activation.doubles if x.dtype is float64 else activation.words
    applied = Noted(computed, (OPERATORS[activation.name], words), (x,), noted.result)
    (gradient,) = pullback(applied, cotangent)
    assert gradient is not None
    return gradient
