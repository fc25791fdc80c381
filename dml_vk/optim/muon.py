"""Muon: momentum whose matrices are made orthogonal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dml_vk.array.math.elementwise import sqrt
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics.reductions import sum
from dml_vk.errors import LayoutError
from dml_vk.optim.base import Optimizer, Rate, toward
from dml_vk.tensor.core import Tensor

_A, _B, _C = 3.4445, -4.7750, 2.0315  # of a polynomial that takes singular values near 1
_LEAST = 1e-7


class Muon(Optimizer):
    """Momentum made orthogonal by Newton-Schulz iterations (Jordan, 2024), for matrices.

    Weights of convolutions count as matrices with a row for each output channel. Train other
    parameters, such as biases, with another optimizer.

    >>> import dml_vk
    >>> opt = dml_vk.optim.Muon(0.5)
    >>> x = dml_vk.eye(2)
    >>> x, state = opt.update(x, dml_vk.asarray([[0.0, 1.0], [3.0, 0.0]]), opt.init(x))
    >>> (x[0, 1] < -0.3).item(), (x[1, 0] < -0.3).item()
    (True, True)
    """

    _parts = ("momentum",)

    def __init__(
        self,
        lr: Rate = 0.02,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_steps: int = 5,
        weight_decay: float = 0,
    ) -> None:
        super().__init__(lr)
        self.momentum = self._number("momentum", momentum, 1.0)
        self.nesterov = bool(nesterov)
        self.ns_steps = int(self._number("ns_steps", ns_steps))
        self.weight_decay = self._number("weight_decay", weight_decay)

    def _numbers(self, step: Tensor, rate: Tensor) -> tuple[Any, ...]:
        return rate, 1 - rate * self.weight_decay

    def _apply(
        self, x: Tensor, gradient: Tensor, parts: Sequence[Tensor], *numbers: Any
    ) -> list[Tensor]:
        (average,), (rate, keep) = parts, numbers
        average = toward(average, gradient, 1 - self.momentum)
        direction = toward(gradient, average, self.momentum) if self.nesterov else average
        matrix = direction.reshape((x.shape[0], -1))
        rows, columns = matrix.shape
        matrix = orthogonal(matrix, self.ns_steps) * math.sqrt(max(1, rows / columns))
        moved = (x * keep if self.weight_decay else x) - matrix.reshape(x.shape) * rate
        return [moved, average]

    def _check_parameter(self, what: str, x: Tensor) -> None:
        if x.ndim < 2 or 0 in x.shape:
            rule = "params must be matrices or weights of convolutions, with elements"
            raise LayoutError(what, rule, shape=x.shape)


def orthogonal(matrix: Tensor, steps: int) -> Tensor:
    """A matrix with about the same singular vectors, whose singular values are near 1."""
    is_tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if is_tall else matrix
    x = x / (sqrt(sum(x * x)) + _LEAST)
    for _ in range(steps):
        products = matmul(x, x.T)
        x = x * _A + matmul(products * _B + matmul(products, products) * _C, x)
    return x.T if is_tall else x
