"""What all optimizers have in common: trees, the count of steps, the learning rate.

The state is a dict: "step", an int32 without dims, and trees like that of the parameters. Where
the formula asks for the count of steps, "count" is a tree too: None for a leaf that moved in each
step, as most do, which then share what depends on the step; an int32 for one that missed any.

A step is one program, also in eager mode, so that a parameter is read and written once. Numbers
that depend on the step are computed on the device, in the dtype of what they are applied to: so
they have the same bits in a program that repeats.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from dml_vk.array.creation.arrays import full_like, ones, zeros
from dml_vk.array.math.elementwise import astype, expm1, multiply, negative
from dml_vk.compiler.compiled import Compiled, compile
from dml_vk.dtypes import DType, float32, float64, int32
from dml_vk.errors import DTypeError, RangeError, explain
from dml_vk.optim.leaves import (
    check_gradient,
    is_trained,
    leaves_beside,
    leaves_of,
    with_leaves,
)
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import plain, to_number

Rate = float | Tensor | Callable[[Tensor], Any]
Tensors = list[Tensor]
_UNCHANGED = "an optimizer is immutable: create another, or give update(lr=) a rate for a step"


class Optimizer(ABC):
    """An optimizer: its numbers, and what it does to one tensor."""

    _parts: ClassVar[tuple[str, ...]] = ()  # the names of the state's trees
    _first = 0.0  # what their elements are before the first step

    def __init__(self, lr: Rate) -> None:
        self.lr = lr if callable(lr) or isinstance(lr, Tensor) else self._number("lr", lr)

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self):  # programs hold these numbers, and would not follow
            raise AttributeError(explain(type(self).__name__, _UNCHANGED, **{name: value}))
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_program"}

    @functools.cached_property
    def _program(self) -> Compiled:
        return compile(self._advance)

    def init(self, params: object) -> dict[str, Any]:
        """Return the state before the first step: `step`, and trees like that of the parameters.

        The state of float16 is float32. Leaves that are no floats are None in it.
        """
        leaves = leaves_of(params)
        near = next((leaf for leaf in leaves if isinstance(leaf, Tensor)), None)
        state: dict[str, Any] = {
            "step": zeros((), int32, device=None if near is None else near.device)
        }
        for name in self._used_parts():
            state[name] = with_leaves(params, [self._start(leaf) for leaf in leaves])
        if self._is_counting():
            state["count"] = with_leaves(params, [None] * len(leaves))
        return state

    def update(
        self, params: object, grads: Any, state: dict[str, Any], lr: Rate | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the parameters and the state after a step along these gradients.

        Leaves that are no floats, and those whose gradient is None, stay as they are: the step does
        not count for these, though it does for rates. `lr` takes the place of the optimizer's own
        for this step.
        """
        what = f"{type(self).__name__}.update"
        names = self._used_parts() + ("count",) * self._is_counting()
        if not isinstance(state, dict) or set(state) != {"step", *names}:
            rule = f"state must be a dict of {', '.join(['step', *names])}, as init returns it"
            raise DTypeError(what, rule, state=list(state) if isinstance(state, dict) else state)
        leaves = leaves_of(params)
        slopes = leaves_beside(what, "grads", params, grads)
        parts = [leaves_beside(what, name, params, state[name]) for name in names]
        trained = [k for k, leaf in enumerate(leaves) if is_trained(leaf)]
        moving = [k for k in trained if slopes[k] is not None]
        counts = parts.pop() if self._is_counting() else [None] * len(leaves)
        for k in trained if self._is_counting() else ():
            if slopes[k] is None and counts[k] is None:
                counts[k] = state["step"].clone()
        for k in moving:
            check_gradient(what, leaves[k], slopes[k])
            self._check_parameter(what, leaves[k])
        rate = self.lr if lr is None else lr
        if callable(rate):
            rate = rate(state["step"])
        rate = to_live(what, "lr", rate)
        olds = [[each[k] for k in moving] for each in (leaves, slopes, counts, *parts)]
        step, *changed = self._program(state["step"], rate, *olds)
        for each, news in zip((leaves, *parts, counts), changed):
            for k, new in zip(moving, news):
                each[k] = new
        trees = [with_leaves(params, each) for each in (leaves, *parts, counts)]
        return trees[0], {"step": step, **dict(zip(names, trees[1:]))}

    def _advance(
        self,
        step: Tensor,
        rate: object,
        params: Tensors,
        grads: Tensors,
        counts: list[Tensor | None],
        *parts: Tensors,
    ) -> list[Any]:
        """The step after this one, the new parameters, the new parts of the state and counts."""
        now = step + 1

        def numbers_of(step: Tensor, dtype: DType) -> tuple[Any, ...]:
            return self._numbers(astype(step, dtype), as_tensor(rate, dtype, step))

        shared: dict[DType, tuple[Any, ...]] = {}
        changed: list[list[object]] = [[] for _ in range(len(parts) + 2)]
        for x, gradient, count, *own in zip(params, grads, counts, *parts):
            dtype = wide(x.dtype)
            if count is not None:
                count = count + 1
                numbers = numbers_of(count, dtype)
            elif dtype in shared:
                numbers = shared[dtype]
            else:
                numbers = shared[dtype] = numbers_of(now, dtype)
            x_wide, *own = self._apply(
                astype(x, dtype, copy=False), astype(gradient, dtype, copy=False), own, *numbers
            )
            for each, new in zip(changed, [astype(x_wide, x.dtype, copy=False), *own, count]):
                each.append(new)
        return [now, *changed]

    def _numbers(self, step: Tensor, rate: Tensor) -> tuple[Any, ...]:
        """The numbers of a step, without dims, which all tensors of a dtype share."""
        return (rate,)

    @abstractmethod
    def _apply(
        self, x: Tensor, gradient: Tensor, parts: Sequence[Tensor], *numbers: object
    ) -> list[Tensor]:
        """The new parameter, and what is new of its state."""

    def _is_counting(self) -> bool:
        """Whether the numbers depend on the step, which then counts for each leaf."""
        return False

    def _used_parts(self) -> tuple[str, ...]:
        return self._parts

    def _start(self, leaf: Any) -> Tensor | None:
        """The first state of a leaf."""
        return full_like(leaf, self._first, dtype=wide(leaf.dtype)) if is_trained(leaf) else None

    def _check_parameter(self, what: str, x: Tensor) -> None:  # noqa: B027 most take any
        """Check that a tensor can be trained."""

    def _number(self, name: str, value: object, most: float = math.inf) -> float:
        """Return a finite number of at least 0; a most that is given is not reached."""
        what = type(self).__name__
        number = float(to_number(what, name, value))
        if not 0 <= number < most:
            rule = f"{name} must be at least 0 and less than {most:g}"
            raise RangeError(what, rule, **{name: value})
        return number

    def _betas(self, betas: object) -> tuple[float, float]:
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            raise DTypeError(type(self).__name__, "betas must be two numbers", betas=betas)
        first, second = [self._number("betas", beta, 1.0) for beta in betas]
        return first, second

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in vars(self).items() if name[0] != "_"]
        return f"{type(self).__name__}({', '.join(shown)})"


def wide(dtype: DType) -> DType:
    """The dtype in which a step is computed."""
    return float64 if dtype is float64 else float32


def to_live(what: str, name: str, number: Any) -> Any:
    """Return a number, of a tensor too, without reading its value."""
    if not isinstance(number, (int, float)):  # `plain` would read one that a program is given
        number = plain(number)
    is_right = isinstance(number, (int, float)) and not isinstance(number, bool)
    if isinstance(number, Tensor):
        is_right = not number.shape and number.dtype.kind in "iuf"
    if is_right:
        return number
    raise DTypeError(what, f"{name} must be a real number", **{name: number})


def as_tensor(number: Any, dtype: DType, near: Tensor) -> Tensor:
    """A number without dims on a device, which a program takes anew at each call."""
    if isinstance(number, Tensor):
        return astype(number, dtype, copy=False)
    return multiply(ones((), dtype, device=near.device), number)  # `full` would read its value


def correction(beta: float, step: Tensor) -> Tensor:
    """1 - beta**step, without the loss of digits of that difference."""
    return negative(expm1(multiply(step, math.log(beta) if beta else -math.inf)))


def toward(x: Tensor, y: Tensor, weight: float) -> Tensor:
    """The mean of x and y in which y has this weight."""
    return x + (y - x) * weight
