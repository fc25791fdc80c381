"""Gradients of functions: `grad` and what else is made of pulling gradients back.

Gradients of the uses of a value are added from the last use to the first, one after the other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from dml_vk import context
from dml_vk.arguments import to_bool, to_int
from dml_vk.array.creation.arrays import ones_like, zeros, zeros_like
from dml_vk.array.manipulation.shapes import stack
from dml_vk.errors import DTypeError, GradientError, RangeError
from dml_vk.gradients import trees
from dml_vk.gradients.memory import advising
from dml_vk.gradients.saved import make_private
from dml_vk.gradients.sums import pulled
from dml_vk.gradients.tape import Tape
from dml_vk.tensor.core import Tensor

Function = Callable[..., Any]


class _Run:
    """A function that has run on a tape: its result, and what gradients are pulled back through."""

    def __init__(
        self,
        function: Function,
        args: Sequence[object],
        chosen: Sequence[int],
        kwargs: dict[str, Any],
    ) -> None:
        self._tape = tape = Tape()
        self.primals = tuple([args[position] for position in chosen])
        own = list(args)
        for position in chosen:
            own[position] = trees.mapped(args[position], tape.argument, lambda x: x)
        self._arguments = trees.leaves(tuple([own[position] for position in chosen]))
        if tape.capture is not None:
            tape.capture.has_gradients = True
        with advising(), tape.recording():
            self._result = function(*own, **kwargs)
        self.result = trees.mapped(self._result, tape.plain, lambda x: x)

    def keep(self) -> None:
        """Keep what is needed on the way back from later writes, as the caller has it too."""
        results: list[Any] = []
        trees.replace(self.result, results.append)
        with self._tape.outside():
            make_private(self._tape.entries, results)

    def pull(self, part: Any, cotangents: Sequence[Tensor], *, once: bool = False) -> list[Tensor]:
        """Return gradients of the arguments' leaves, from those of a part of the result."""
        tape, results = self._tape, trees.leaves(part(self._result))
        with advising():
            gradients = pulled(tape, tape.entries, results, cotangents, self._arguments, once=once)
            return _apart(gradients, cotangents)


def _apart(gradients: Sequence[Tensor], others: Sequence[Tensor]) -> list[Tensor]:
    """Copy what shares memory, so that each gradient can be written to."""
    seen = {id(x.allocation) for x in others}
    own = []
    for x in gradients:
        own.append(x.clone() if id(x.allocation) in seen else x)
        seen.add(id(own[-1].allocation))
    return own


def value_and_grad(
    f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Function:
    """Return a function that returns the value of `f`, a real scalar, and its gradient.

    The gradient is with respect to the argument at `argnums`, or a tuple of those to several. It
    has the tree, shapes, dtypes and memory formats of the argument, and None in place of leaves
    that are no tensors of floats or complex numbers. With `has_aux`, `f` returns a pair, of which
    the second is returned as it is: `((value, aux), gradient)`.

    >>> import dml_vk
    >>> def loss(w, x):
    ...     return dml_vk.sum((w * x - 1.0) ** 2)
    >>> x = dml_vk.asarray([1.0, 2.0])
    >>> value, gradient = dml_vk.value_and_grad(loss)(dml_vk.asarray([3.0, 1.0]), x)
    >>> value.item(), gradient.tolist()
    (5.0, [4.0, 4.0])
    """
    return _differentiated("value_and_grad", f, argnums, has_aux, _value_and_gradient)


def grad(f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Return a function that returns the gradient of `f`, whose result is a real scalar.

    Its arguments are those of `value_and_grad`; with `has_aux` it returns `(gradient, aux)`.

    >>> import dml_vk
    >>> cubes = lambda x: dml_vk.sum(x**3)
    >>> dml_vk.grad(cubes)(dml_vk.asarray([1.0, 2.0])).tolist()
    [3.0, 12.0]
    """
    return _differentiated("grad", f, argnums, has_aux, _gradient)


def _value_and_gradient(result: object, gradient: object, has_aux: bool) -> Any:
    return result, gradient


def _gradient(result: Any, gradient: Any, has_aux: bool) -> Any:
    return (gradient, result[1]) if has_aux else gradient


def _differentiated(
    what: str, f: Function, argnums: object, has_aux: bool, answer: Callable[[Any, Any, bool], Any]
) -> Function:
    has_aux = to_bool(what, "has_aux", has_aux)
    _check_function(what, f)
    positions = _positions(what, argnums)
    several = isinstance(argnums, (tuple, list))

    def differentiated(*args: object, **kwargs: Any) -> Any:
        chosen = positions(len(args))
        run = _Run(f, args, chosen, kwargs)
        if has_aux and not (isinstance(run.result, tuple) and len(run.result) == 2):
            rule = "with has_aux, the function must return a pair"
            raise GradientError(what, rule, result=type(run.result).__name__)
        value = run.result[0] if has_aux else run.result
        _check_scalar(what, value)

        def part(result: Any) -> Any:
            return result[0] if has_aux else result

        own = run.pull(part, [ones_like(value)], once=True)
        filled = trees.filled(run.primals, own)
        return answer(run.result, filled if several else filled[0], has_aux)

    return functools.wraps(f)(differentiated)


def _positions(what: str, argnums: Any) -> Callable[[int], list[int]]:
    """A function of a count of arguments: the positions of those that `argnums` names."""
    several = isinstance(argnums, (tuple, list))
    numbers = [to_int(what, "argnums", number) for number in (argnums if several else (argnums,))]

    def positions(count: int) -> list[int]:
        for number in numbers:
            if not -count <= number < count:
                rule = "argnums must be places of positional arguments"
                raise RangeError(what, rule, argnums=argnums, arguments=count)
        chosen = [number % count for number in numbers]
        if len(set(chosen)) < len(chosen):
            raise RangeError(what, "argnums must not repeat", argnums=argnums)
        return chosen

    return positions


def _check_function(what: str, f: object) -> None:
    if not callable(f):
        raise DTypeError(what, "f must be callable", f=f)


def _check_scalar(what: str, value: object) -> None:
    is_tensor = isinstance(value, Tensor)
    if not (isinstance(value, Tensor) and value.shape == () and value.dtype.kind == "f"):
        rule = "the function must return a real scalar, a tensor of floats without dims"
        raise GradientError(what, rule, result=value if is_tensor else type(value).__name__)


def vjp(f: Function, *primals: object) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return `f(*primals)`, and the function that pulls a gradient of it back to the arguments.

    That function takes a tree of tensors like the result, and returns a tuple with a gradient for
    each argument; it may be called several times. What is written to the arguments or the result
    after that, or to what `f` has from outside, changes nothing in it.

    >>> import dml_vk
    >>> y, pullback = dml_vk.vjp(dml_vk.square, dml_vk.asarray([1.0, 3.0]))
    >>> y.tolist(), pullback(dml_vk.asarray([1.0, 10.0]))[0].tolist()
    ([1.0, 9.0], [2.0, 60.0])
    """
    _check_function("vjp", f)
    run = _Run(f, primals, range(len(primals)), {})
    run.keep()
    return run.result, _pullback(run)


def _pullback(run: _Run) -> Callable[[Any], tuple[Any, ...]]:
    def pullback(cotangent: Any) -> tuple[Any, ...]:
        own = trees.matched("vjp", "cotangent", cotangent, run.result)
        gradients = run.pull(lambda result: result, own)
        filled: tuple[Any, ...] = trees.filled(run.primals, gradients)
        return filled

    return pullback


def jvp(f: Function, primals: Sequence[object], tangents: Sequence[object]) -> tuple[Any, Any]:
    """Return `f(*primals)`, and how it changes if the arguments change by the tangents.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, 3.0])
    >>> y, change = dml_vk.jvp(dml_vk.square, (x,), (dml_vk.asarray([1.0, 10.0]),))
    >>> change.tolist()
    [2.0, 60.0]
    """
    _check_function("jvp", f)
    if not (isinstance(primals, (tuple, list)) and isinstance(tangents, (tuple, list))):
        raise DTypeError("jvp", "primals and tangents must be tuples", primals=type(primals))
    pushed = trees.matched("jvp", "tangents", tuple(tangents), tuple(primals))
    run = _Run(f, primals, range(len(primals)), {})
    result, pullback = run.result, _pullback(run)
    # Pulling back is linear in what is pulled: its own pullback pushes tangents forward.
    zero = trees.mapped(result, zeros_like, lambda _: None)
    (change,) = _pullback(_Run(pullback, (zero,), (0,), {}))(trees.filled(tuple(primals), pushed))
    return result, change


def jacobian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """Return a function that returns all derivatives of the elements of `f`, one row for each.

    The result has the dims of the function's result and then those of the argument. In place of
    each tensor of the function's result is a tree like the argument.

    >>> import dml_vk
    >>> dml_vk.jacobian(dml_vk.square)(dml_vk.asarray([1.0, 3.0])).tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    """
    _check_function("jacobian", f)
    several = isinstance(argnums, (tuple, list))
    positions = _positions("jacobian", argnums)

    def derivatives(*args: object, **kwargs: Any) -> Any:
        numbers = positions(len(args))

        def partial(*chosen: Any) -> Any:
            own = list(args)
            for number, x in zip(numbers, chosen):
                own[number] = x
            return f(*own, **kwargs)

        primals = tuple([args[number] for number in numbers])
        run = _Run(partial, primals, range(len(primals)), {})
        result, pullback = run.result, _pullback(run)
        wanted = trees.leaves(result)

        def rows(number: int) -> Any:
            gradients = _rows(pullback, result, wanted, number)
            return gradients if several else gradients[0]

        numbered = trees.filled(result, range(len(wanted)))
        return trees.replace(numbered, lambda x: None if x is None else rows(x))

    return functools.wraps(f)(derivatives)


def _rows(pullback: Any, result: Any, wanted: Sequence[Tensor], number: int) -> Any:
    """Pull back each element of one tensor of the result, and join the gradients."""
    own = wanted[number]
    if own.dtype.kind == "c":
        rule = "the function must have real results: use vjp for complex ones"
        raise GradientError("jacobian", rule, dtype=own.dtype)
    units = []
    like: Any = None
    for index in range(own.size):
        cotangents = [zeros_like(x) for x in wanted]
        unit = zeros(own.size, own.dtype, device=own.device)
        unit[index] = 1
        cotangents[number] = unit.reshape(own.shape)
        like = pullback(trees.filled(result, cotangents))
        units.append(trees.leaves(like))
    if like is None:
        like = pullback(trees.filled(result, [zeros_like(x) for x in wanted]))
        joined = [
            zeros((*own.shape, *x.shape), x.dtype, device=x.device) for x in trees.leaves(like)
        ]
    else:
        joined = [stack(rows).reshape((*own.shape, *rows[0].shape)) for rows in zip(*units)]
    return trees.filled(like, joined)


def hessian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """Return a function that returns the second derivatives of `f`, whose result is a real scalar.

    >>> import dml_vk
    >>> dml_vk.hessian(lambda x: dml_vk.sum(x**3))(dml_vk.asarray([1.0, 2.0])).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    _check_function("hessian", f)
    return jacobian(grad(f, argnums), argnums)


def stop_gradient(x: object) -> Any:
    """Return the same values, through which no gradient flows; of a tree, each tensor so.

    >>> import dml_vk
    >>> halved = lambda x: dml_vk.sum(x * dml_vk.stop_gradient(x))
    >>> dml_vk.grad(halved)(dml_vk.asarray([1.0, 3.0])).tolist()
    [1.0, 3.0]
    """
    return trees.mapped(x, _stopped, lambda leaf: leaf)


def _stopped(x: Tensor) -> Tensor:
    recorder = context.recorder()
    if not isinstance(recorder, Tape):
        return x
    own = recorder.plain(x)
    with recorder.outside():  # where it stops too, if that is another function's gradient
        stopped = _stopped(own.clone() if id(x.allocation) in recorder.homes else own)
    if stopped is not own:
        recorder.allocated(stopped.allocation)
    return stopped
