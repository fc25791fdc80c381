"""`checkpoint`: a function of which nothing is kept, and that is computed again on the way back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.dtypes import uint8
from dml_vk.errors import DTypeError, GradientError
from dml_vk.gradients import trees
from dml_vk.gradients.memory import Alias, Home
from dml_vk.gradients.tape import Entry, Tape
from dml_vk.layout import Layout
from dml_vk.observe.callers import caller
from dml_vk.ops.view import View
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.executor import Do, Operands, Source
from dml_vk.tensor.core import Tensor


def checkpoint(f: Callable[..., object]) -> Callable[..., Any]:
    """Return the same function, of which gradients keep nothing but its operands.

    It is computed again on the way back, with the same random numbers.

    >>> import dml_vk
    >>> block = dml_vk.checkpoint(lambda x: dml_vk.exp(dml_vk.sin(x)))
    >>> dml_vk.grad(lambda x: dml_vk.sum(block(x)))(dml_vk.asarray([0.0])).tolist()
    [1.0]
    """
    if not callable(f):
        raise DTypeError("checkpoint", "f must be callable", f=f)

    def recomputed(*args: object, **kwargs: object) -> Any:
        recorder = context.recorder()
        if not isinstance(recorder, Tape):
            return f(*args, **kwargs)
        # Lists and dicts may be changed before the function is computed again.
        own_args, own_kwargs = trees.replace((args, kwargs), lambda x: x)
        operands: list[object] = []
        trees.replace((args, kwargs), operands.append)
        return _noted(recorder, lambda: f(*own_args, **own_kwargs), operands)

    return functools.wraps(f)(recomputed)


class Again(Tape):
    """The tape of a function that is computed again: it tells what that has from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: dict[int, View] = {}  # the first view of each memory from outside
        self._own: set[int] = set()  # ids of memory that the function allocated

    def operation(
        self,
        function: Callable[..., Tensor],
        params: tuple[object, ...],
        do: Do,
        operands: Operands,
        out: Tensor | None,
    ) -> Tensor:
        self.read(operands)
        result = super().operation(function, params, do, operands, out)
        self._note_new(result, operands)
        return result

    def whole(
        self,
        function: Callable[..., object],
        params: tuple[object, ...],
        operands: Operands,
        out: Tensor | None,
    ) -> Any:
        self.read(operands)
        result = super().whole(function, params, operands, out)
        self._note_new(result, operands)
        return result

    def write(self, do: Callable[[Source, View], None], source: Source, target: View) -> None:
        self.read([source])
        super().write(do, source, target)

    def before_write(self, target: View) -> None:
        if id(target.allocation) not in self._own:
            raise self.refused(
                "a function that is computed again must not write to what it did not make"
            )
        super().before_write(target)

    def allocated(self, memory: MemoryRange) -> None:
        self._own.add(id(memory))

    def _note_new(self, result: object, operands: Sequence[object]) -> None:
        shared = {id(x.allocation) for x in operands if isinstance(x, View)}
        for x in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(x, View) and id(x.allocation) not in shared:
                self.allocated(x.allocation)

    def read(self, operands: Iterable[object]) -> None:
        """Note the memory of operands, unless the function allocated it."""
        for x in operands:
            if isinstance(x, View) and id(x.allocation) not in self._own:
                self.reads.setdefault(id(x.allocation), x)

    def check_read(self, memory: MemoryRange, device: Any) -> None:
        """Note what the host alone reads, as bytes."""
        super().check_read(memory, device)
        self.read([View(device, memory, Layout((memory.nbytes,)), uint8)])

    def join(self, tape: Tape) -> None:
        """Let the tape around this one know the same, if it is computed again too."""
        if isinstance(tape, Again):
            tape._own |= self._own
            tape.read(self.reads.values())

    def replay(self, reads: Iterable[View], saved: Iterable[View]) -> None:
        """Have what was read, which may be overwritten now, be read where it is saved."""
        self._aliases = dict(self._aliases)
        for x, now in zip(reads, saved):
            if now.allocation is not self.origin(x.allocation):
                self._aliases[id(x.allocation)] = Alias(now.allocation, self)


def _noted(tape: Tape, run: Callable[[], object], operands: Iterable[object]) -> Any:
    """Run a function on a tape of its own, whose entries are not kept."""
    inner = tape.part(Again())
    claims: list[Ints] = []
    inner.claims = claims
    inner.read(operands)
    with inner.recording():
        result = run()
    inner.join(tape)
    results = _own(inner, tape, result)
    if not results:
        return result

    def again() -> tuple[Tape, list[Tensor]]:
        repeated = tape.part(Again())
        repeated.replay(reads, entry.saved)
        repeated.claims, repeated.replayed = [], iter(claims)
        with repeated.recording():
            own = _own(repeated, tape, run())
        if len(own) != len(results):
            rule = "the function must do the same when it is computed again"
            raise GradientError("checkpoint", rule, results=len(own), before=len(results))
        return repeated, own

    reads = [*inner.reads.values()]
    saved = [*map(tape.plain, reads)]
    entry = Entry(caller("checkpoint"), [], results, saved, lambda *_: (), is_new=True)
    entry.again = again
    tape.note(entry)
    return result


def _own(inner: Tape, tape: Tape, result: object) -> list[Tensor]:
    """The results whose gradients the inner tape has, and not the outer one."""
    own = {id(x.allocation): x for x in trees.leaves(result) if inner.varies(x)}
    return [_whole(inner.homes[key]) for key in own if key not in tape.homes]


def _whole(home: Home) -> Tensor:
    """All of some memory, as its gradient is laid out."""
    return Tensor(View(home.device, home.memory, home.layout, home.dtype))
