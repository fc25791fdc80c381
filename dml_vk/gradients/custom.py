"""`custom_vjp`: a function whose gradient its author says."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from dml_vk import context
from dml_vk.errors import DTypeError, GradientError
from dml_vk.gradients import trees
from dml_vk.gradients.tape import Entry, Tape
from dml_vk.observe.callers import caller
from dml_vk.tensor.core import Tensor


class CustomVjp:
    """A function with a gradient of its own; see `custom_vjp`."""

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)
        self._function = f
        self._forward: Callable[..., object] | None = None
        self._backward: Callable[..., object] | None = None

    def defvjp(self, forward: Callable[..., object], backward: Callable[..., object]) -> None:
        """Set what computes the result with what the way back needs, and the way back."""
        for name, function in (("forward", forward), ("backward", backward)):
            if not callable(function):
                raise DTypeError("defvjp", f"{name} must be callable", **{name: function})
        self._forward, self._backward = forward, backward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recorder = context.recorder()
        if not isinstance(recorder, Tape):
            return self._function(*args, **kwargs)
        if self._forward is None or self._backward is None:
            rule = "gradients must be defined first, with defvjp"
            raise GradientError("custom_vjp", rule, function=self.__name__)
        if kwargs:
            args = self._positional(args, kwargs)
        operands = trees.leaves(args)
        recorder.read(operands)
        plain = trees.replace(args, recorder.plain)
        guard = recorder.part(type(recorder)())
        answer = _called(guard, self._forward, plain)
        guard.join(recorder)
        if not (isinstance(answer, tuple) and len(answer) == 2):
            rule = "forward must return a result and what backward needs"
            raise GradientError("custom_vjp", rule, result=type(answer).__name__)
        saved: list[Any] = []
        needed = trees.replace(answer[1], lambda x: _taken_out(x, saved))
        with recorder.outside():
            # Memory of its own, so that it is another value than an operand that is returned.
            result = trees.mapped(answer[0], Tensor.clone, lambda x: x)
        for x in trees.leaves(result):
            recorder.allocated(x.allocation)
        backward = self._backward

        def pull(
            saved: Sequence[Any], cotangents: Sequence[Tensor | None]
        ) -> Sequence[Tensor | None]:
            own = [
                trees.zeros_like(x) if g is None else g
                for x, g in zip(trees.leaves(result), cotangents)
            ]
            values = iter(saved)
            again = trees.replace(needed, lambda x: next(values) if x is _SAVED else x)
            operands = again, trees.filled(result, own)
            gradients = _called(recorder.part(Tape()), backward, operands)
            if not isinstance(gradients, tuple):
                rule = "backward must return a tuple, with a gradient for each argument"
                raise GradientError("custom_vjp", rule, gradients=type(gradients).__name__)
            if len(gradients) != len(plain):
                rule = "backward must return as many gradients as there are arguments"
                counts = {"gradients": len(gradients), "arguments": len(plain)}
                raise GradientError("custom_vjp", rule, **counts)
            return trees.gradients_of("custom_vjp", gradients, plain)

        if any(map(recorder.varies, operands)):
            results = trees.leaves(result)
            recorder.note(Entry(caller("custom_vjp"), operands, results, saved, pull, is_new=True))
        return result

    def _positional(self, args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[Any, ...]:
        """Arguments in the order of the parameters, as forward and backward have them."""
        bound = inspect.signature(self._function).bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            rule = "arguments must not be for keywords alone"
            raise GradientError("custom_vjp", rule, keywords=tuple(bound.kwargs))
        return bound.args


_SAVED = object()  # in place of a tensor that an entry has saved


def _taken_out(x: object, saved: list[object]) -> Any:
    if not isinstance(x, Tensor):
        return x
    saved.append(x)
    return _SAVED


def _called(guard: Tape, function: Callable[..., object], args: tuple[Any, ...]) -> Any:
    """Call a function; refuse what it has of the tape's values apart from its arguments."""
    own = trees.replace(args, lambda x: guard.constant(x) if isinstance(x, Tensor) else x)
    with guard.recording():
        result = function(*own)
    if guard.entries or any(map(guard.varies, trees.leaves(result))):
        rule = "a value that a gradient flows through must be an argument, and not from outside"
        raise GradientError("custom_vjp", rule, function=getattr(function, "__name__", function))
    return trees.replace(result, guard.plain)


def custom_vjp(f: Callable[..., object]) -> CustomVjp:
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
