"""`custom_vjp`: a function whose gradient its author says."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from dml_vk import context
from dml_vk.errors import DTypeError, GradientError
from dml_vk.gradients import trees
from dml_vk.gradients.tape import Entry, Tape
from dml_vk.tensor.core import Tensor


class CustomVjp:
    """A function with a gradient of its own; see `custom_vjp`."""

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)
        self._function = f
        self._forward: Callable[..., Any] | None = None
        self._backward: Callable[..., Any] | None = None

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """Set what computes the result with what the way back needs, and the way back."""
        for name, function in (("forward", forward), ("backward", backward)):
            if not callable(function):
                raise DTypeError("defvjp", f"{name} must be callable", **{name: function})
        self._forward, self._backward = forward, backward

    def __call__(self, *args: Any) -> Any:
        recorder = context.recorder()
        operands = trees.leaves(args)
        if not isinstance(recorder, Tape):
            return self._function(*args)
        if self._forward is None or self._backward is None:
            rule = "gradients must be defined first, with defvjp"
            raise GradientError("custom_vjp", rule, function=self.__name__)
        plain = trees.mapped(args, recorder.plain, lambda x: x)
        with recorder.outside():
            answer = self._forward(*plain)
            if not (isinstance(answer, tuple) and len(answer) == 2):
                rule = "forward must return a result and what backward needs"
                raise GradientError("custom_vjp", rule, result=type(answer).__name__)
            result, needed = answer
            # Memory of its own, so that it is another value than an operand that is returned.
            result = trees.mapped(result, Tensor.clone, lambda x: x)
        backward = self._backward

        def pull(
            saved: Sequence[Any], cotangents: Sequence[Tensor | None]
        ) -> Sequence[Tensor | None]:
            own = [
                trees.zeros_like(x) if g is None else g
                for x, g in zip(trees.leaves(result), cotangents)
            ]
            gradients = backward(needed, trees.filled(result, own))
            if not isinstance(gradients, tuple):
                rule = "backward must return a tuple, with a gradient for each argument"
                raise GradientError("custom_vjp", rule, gradients=type(gradients).__name__)
            return trees.gradients_of("custom_vjp", gradients, plain)

        if any(map(recorder.varies, operands)):
            recorder.note(
                Entry("custom_vjp", operands, trees.leaves(result), [], pull, is_new=True)
            )
        return result


def custom_vjp(f: Callable[..., Any]) -> CustomVjp:
    """Return the same function, with `defvjp(forward, backward)` to define its gradient.

    `forward` has the arguments of `f`, and returns its result and anything that `backward` needs.
    `backward` gets that, and the gradient of the result, and returns a tuple with a gradient for
    each argument, or None.

    >>> import dml_vk
    >>> @dml_vk.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, g: (dml_vk.clip(g, -1.0, 1.0),))
    >>> dml_vk.grad(lambda x: dml_vk.sum(clipped(x) ** 2))(dml_vk.asarray([0.25, 3.0])).tolist()
    [0.5, 1.0]
    """
    if not callable(f):
        raise DTypeError("custom_vjp", "f must be callable", f=f)
    return CustomVjp(f)
