"""Optimizers that follow an average of the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.array.math.elementwise import sign
from dml_vk.errors import RangeError
from dml_vk.optim.base import Optimizer, Rate, toward
from dml_vk.tensor.core import Tensor


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum and weight decay as in PyTorch.

    >>> import dml_vk
    >>> opt = dml_vk.optim.SGD(0.5)
    >>> params = {"x": dml_vk.asarray([1.0, 2.0])}
    >>> params, state = opt.update(params, {"x": dml_vk.asarray([1.0, -1.0])}, opt.init(params))
    >>> params["x"].tolist(), state["step"].item()
    ([0.5, 2.5], 1)
    """

    def __init__(
        self,
        lr: Rate,
        momentum: float = 0,
        nesterov: bool = False,
        weight_decay: float = 0,
    ) -> None:
        super().__init__(lr)
        self.momentum = self._number("momentum", momentum)
        self.nesterov = bool(nesterov)
        self.weight_decay = self._number("weight_decay", weight_decay)
        if self.nesterov and not self.momentum:
            raise RangeError("SGD", "nesterov needs a momentum", momentum=momentum)

    def _used_parts(self) -> tuple[str, ...]:
        return ("momentum",) if self.momentum else ()

    def _apply(
        self, x: Tensor, gradient: Tensor, parts: Sequence[Tensor], *numbers: Any
    ) -> list[Tensor]:
        (rate,) = numbers
        if self.weight_decay:
            gradient = gradient + x * self.weight_decay
        if not self.momentum:
            return [x - gradient * rate]
        average = parts[0] * self.momentum + gradient
        if self.nesterov:
            return [x - (gradient + average * self.momentum) * rate, average]
        return [x - average * rate, average]


class Lion(Optimizer):
    """Steps of equal size along the sign of an average of gradients (Chen et al., 2023).

    >>> import dml_vk
    >>> opt = dml_vk.optim.Lion(0.25)
    >>> x, state = opt.update(x := dml_vk.asarray([1.0, 2.0]), x - 1.5, opt.init(x))
    >>> x.tolist()
    [1.25, 1.75]
    """

    _parts = ("momentum",)

    def __init__(
        self,
        lr: Rate = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0,
    ) -> None:
        super().__init__(lr)
        self.betas = self._betas(betas)
        self.weight_decay = self._number("weight_decay", weight_decay)

    def _numbers(self, step: Tensor, rate: Tensor) -> tuple[Any, ...]:
        return rate, 1 - rate * self.weight_decay

    def _apply(
        self, x: Tensor, gradient: Tensor, parts: Sequence[Tensor], *numbers: Any
    ) -> list[Tensor]:
        (average,), (rate, keep) = parts, numbers
        direction = sign(toward(average, gradient, 1 - self.betas[0]))
        moved = (x * keep if self.weight_decay else x) - direction * rate
        return [moved, toward(average, gradient, 1 - self.betas[1])]
