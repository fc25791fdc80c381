"""Optimizers that divide by the size that gradients had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.array.math.elementwise import sqrt
from dml_vk.optim.base import Optimizer, Rate, correction, toward
from dml_vk.tensor.core import Tensor


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2014) as in PyTorch, which adds weight decay to the gradients.

    >>> import dml_vk
    >>> opt = dml_vk.optim.Adam(0.5)
    >>> x = dml_vk.asarray([1.0, 2.0])
    >>> x, state = opt.update(x, dml_vk.asarray([0.25, -4.0]), opt.init(x))
    >>> [round(number, 4) for number in x.tolist()], sorted(state)
    ([0.5, 2.5], ['count', 'exp_avg', 'exp_avg_sq', 'step'])
    """

    _parts = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
    ) -> None:
        super().__init__(lr)
        self.betas = self._betas(betas)
        self.eps = self._number("eps", eps)
        self.weight_decay = self._number("weight_decay", weight_decay)

    def _is_counting(self) -> bool:
        return True

    def _numbers(self, step: Tensor, rate: Tensor) -> tuple[Any, ...]:
        first, second = self.betas
        return rate, rate / correction(first, step), sqrt(correction(second, step))

    def _decayed(self, x: Tensor, gradient: Tensor, rate: Tensor) -> tuple[Tensor, Tensor]:
        return x, gradient + x * self.weight_decay

    def _apply(
        self, x: Tensor, gradient: Tensor, parts: Sequence[Tensor], *numbers: Any
    ) -> list[Tensor]:
        (average, square), (rate, size, scale) = parts, numbers
        if self.weight_decay:
            x, gradient = self._decayed(x, gradient, rate)
        average = toward(average, gradient, 1 - self.betas[0])
        square = square * self.betas[1] + gradient * gradient * (1 - self.betas[1])
        moved = x - average / (sqrt(square) / scale + self.eps) * size
        return [moved, average, square]


class AdamW(Adam):
    """Adam whose weight decay is no part of the gradients (Loshchilov and Hutter, 2017).

    >>> import dml_vk
    >>> opt = dml_vk.optim.AdamW(0.5, weight_decay=0.5)
    >>> x = dml_vk.asarray([1.0, 2.0])
    >>> x, state = opt.update(x, dml_vk.asarray([0.25, -4.0]), opt.init(x))
    >>> [round(number, 4) for number in x.tolist()]
    [0.25, 2.0]
    """

    def __init__(
        self,
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(lr, betas, eps, weight_decay)

    def _decayed(self, x: Tensor, gradient: Tensor, rate: Tensor) -> tuple[Tensor, Tensor]:
        return x * (1 - rate * self.weight_decay), gradient


class RMSprop(Optimizer):
    """Gradients divided by the root of an average of their squares, as in PyTorch.

    >>> import dml_vk
    >>> opt = dml_vk.optim.RMSprop(0.5, alpha=0.75)
    >>> x = dml_vk.asarray([1.0, 2.0])
    >>> x, state = opt.update(x, dml_vk.asarray([0.25, -4.0]), opt.init(x))
    >>> [abs(round(number, 4)) for number in x.tolist()]
    [0.0, 3.0]
    """

    def __init__(
        self,
        lr: Rate = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
    ) -> None:
        super().__init__(lr)
        self.alpha = self._number("alpha", alpha, 1.0)
        self.eps = self._number("eps", eps)
        self.weight_decay = self._number("weight_decay", weight_decay)
        self.momentum = self._number("momentum", momentum)
        self.centered = bool(centered)

    def _used_parts(self) -> tuple[str, ...]:
        parts = ("square_avg", "grad_avg" * self.centered, "momentum" * bool(self.momentum))
        return tuple([name for name in parts if name])

    def _apply(
        self, x: Tensor, gradient: Tensor, parts: Sequence[Tensor], *numbers: Any
    ) -> list[Tensor]:
        (square, *rest), (rate,) = parts, numbers
        if self.weight_decay:
            gradient = gradient + x * self.weight_decay
        square = square * self.alpha + gradient * gradient * (1 - self.alpha)
        changed, spread = [square], square
        if self.centered:
            mean = toward(rest[0], gradient, 1 - self.alpha)
            changed.append(mean)
            spread = square - mean * mean
        direction = gradient / (sqrt(spread) + self.eps)
        if self.momentum:
            direction = rest[-1] * self.momentum + direction
            changed.append(direction)
        return [x - direction * rate, *changed]


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares, as in PyTorch.

    >>> import dml_vk
    >>> opt = dml_vk.optim.Adagrad(0.5)
    >>> x = dml_vk.asarray([1.0, 2.0])
    >>> x, state = opt.update(x, dml_vk.asarray([0.25, -4.0]), opt.init(x))
    >>> x.tolist()
    [0.5, 2.5]
    """

    _parts = ("sum",)

    def __init__(
        self,
        lr: Rate = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
    ) -> None:
        super().__init__(lr)
        self.lr_decay = self._number("lr_decay", lr_decay)
        self.weight_decay = self._number("weight_decay", weight_decay)
        self.initial_accumulator_value = self._number(
            "initial_accumulator_value", initial_accumulator_value
        )
        self.eps = self._number("eps", eps)
        self._first = self.initial_accumulator_value

    def _is_counting(self) -> bool:
        return bool(self.lr_decay)

    def _numbers(self, step: Tensor, rate: Tensor) -> tuple[Any, ...]:
        return (rate / (1 + (step - 1) * self.lr_decay) if self.lr_decay else rate,)

    def _apply(
        self, x: Tensor, gradient: Tensor, parts: Sequence[Tensor], *numbers: Any
    ) -> list[Tensor]:
        (total,), (rate,) = parts, numbers
        if self.weight_decay:
            gradient = gradient + x * self.weight_decay
        total = total + gradient * gradient
        return [x - gradient / (sqrt(total) + self.eps) * rate, total]
