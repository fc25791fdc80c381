"""`checkpoint`: a function of which nothing is kept, and that is computed again on the way back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.errors import DTypeError, GradientError
from dml_vk.gradients import trees
from dml_vk.gradients.memory import Home
from dml_vk.gradients.tape import Entry, Tape
from dml_vk.ops.view import View
from dml_vk.tensor.core import Tensor


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function, of which gradients keep nothing but its operands.

    It is computed again on the way back, with the same random numbers.

    >>> import dml_vk
    >>> block = dml_vk.checkpoint(lambda x: dml_vk.exp(dml_vk.sin(x)))
    >>> dml_vk.grad(lambda x: dml_vk.sum(block(x)))(dml_vk.asarray([0.0])).tolist()
    [1.0]
    """
    if not callable(f):
        raise DTypeError("checkpoint", "f must be callable", f=f)

    def recomputed(*args: Any, **kwargs: Any) -> Any:
        recorder = context.recorder()
        if not isinstance(recorder, Tape):
            return f(*args, **kwargs)
        return _noted(recorder, lambda: f(*args, **kwargs))

    return functools.wraps(f)(recomputed)


def _noted(tape: Tape, run: Callable[[], Any]) -> Any:
    """Run a function on a tape of its own, whose entries are not kept."""
    inner = tape.part()
    claims: list[Ints] = []
    inner.claims = claims
    with inner.recording():
        result = run()
    results = _own(inner, tape, result)
    if not results:
        return result

    def again() -> tuple[Tape, list[Tensor]]:
        repeated = tape.part()
        repeated.claims, repeated.replayed = [], iter(claims)
        with repeated.recording():
            own = _own(repeated, tape, run())
        if len(own) != len(results):
            rule = "the function must do the same when it is computed again"
            raise GradientError("checkpoint", rule, results=len(own), before=len(results))
        return repeated, own

    entry = Entry("checkpoint", [], results, [], lambda *_: (), is_new=True)
    entry.again = again
    tape.note(entry)
    return result


def _own(inner: Tape, tape: Tape, result: Any) -> list[Tensor]:
    """The results whose gradients the inner tape has, and not the outer one."""
    for entry in inner.entries:
        if any(id(x.allocation) in tape.homes for x in entry.results):
            rule = "a function that is computed again must not write to what it did not make"
            raise GradientError("checkpoint", rule, function=entry.name)
    own = {id(x.allocation): x for x in trees.leaves(result) if inner.varies(x)}
    return [_whole(inner.homes[key]) for key in own if key not in tape.homes]


def _whole(home: Home) -> Tensor:
    """All of some memory, as its gradient is laid out."""
    return Tensor(View(home.device, home.memory, home.layout, home.dtype))
