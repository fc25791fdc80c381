"""The tape: a recorder that has operations done as without it, and notes how they depend on values.

A value is known by its memory: all views of it are the same value, and need no rules. What is done
on memory without a rule is an error if a gradient would flow there, so that none is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeGuard, TypeVar, cast

import dml_vk.gradients.rules  # noqa: F401 it loads them
from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.array.calls import whole
from dml_vk.errors import GradientError
from dml_vk.gradients.memory import FLOATS, Alias, Home, over, place_of, refused
from dml_vk.gradients.nans import check_no_nan
from dml_vk.gradients.rules.registry import (
    Noted,
    Pullback,
    does_update,
    is_constant,
    no_gradient_of,
    reason_of,
    rule_of,
    whole_pull,
)
from dml_vk.gradients.rules.writes import pull_write, saved_of
from dml_vk.gradients.saved import move
from dml_vk.gradients.watched import Watched
from dml_vk.layout import Layout
from dml_vk.observe.callers import Caller, caller, writes_for_user
from dml_vk.ops.copy import copied, copy_elements
from dml_vk.ops.view import View
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.device_work import DeviceWork
from dml_vk.runtime.executor import Do, Executor, Operands, Records, Source
from dml_vk.runtime.hazards import Access
from dml_vk.tensor.core import Tensor

# Values from saved ones and the gradients of results; None where none flows.
Pull = Callable[[Sequence[Any], Sequence[Tensor | None]], Sequence[Tensor | None]]

Part = TypeVar("Part", bound="Tape")


class Entry:
    """What a tape has noted: results that depend on operands, and how gradients flow back."""

    __slots__ = ("again", "call", "is_new", "name", "operands", "pull", "results", "saved")

    def __init__(
        self,
        call: Caller,
        operands: Sequence[object],
        results: Sequence[View],
        saved: list[Any],
        pull: Pull,
        *,
        is_new: bool,
    ) -> None:
        self.call = call
        self.name = call.op
        self.operands = operands  # as the function has them: their memory tells the values
        self.results = results
        self.saved = saved  # what `pull` needs, as it is outside of the tape
        self.pull = pull
        self.is_new = is_new  # whether the results are all of their memory
        # Notes once more what was not kept: a tape, and the results there.
        self.again: Callable[[], tuple[Tape, list[Tensor]]] | None = None


class Tape:
    """The recorder of a function that is differentiated."""

    is_in_call = False
    notes_writes = True

    def __init__(self) -> None:
        self.outer: Records | None = context.recorder()
        self.capture: Any = None if self.outer is None else self.outer.capture
        self.is_over = True
        self.entries: list[Entry] = []
        self.homes: dict[int, Home] = {}  # of memory that gradients flow through, by its id
        self._places: set[tuple[int, int]] = set()  # of the same
        self._saved: dict[tuple[int, int], list[Entry]] = {}  # who needs what is there
        self._aliases: dict[int, Alias] = {}
        self._parent: Tape | None = None
        self.claims: list[Ints] | None = None  # what generators gave, to be given again
        self.replayed: Iterator[Ints] | None = None
        # A tape around this one sees the same operations.
        is_checked = isinstance(self.outer, Tape) and self.outer.checks_nans
        self.checks_nans = context.get().settings.debug_nans and not is_checked

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Note what this context does. Copies of the context may outlive the `with` block."""
        self.is_over = False
        try:
            with context.within(recorder=self):
                yield
        finally:
            self.is_over = True
            self._places.clear()
            self._saved.clear()

    def outside(self) -> AbstractContextManager[None]:
        """Work is done as if there were no tape."""
        return context.within(recorder=self.outer)

    def part(self, part: Part) -> Part:
        """Have a new tape note what is done now: the values of this one vary for it too."""
        if part.outer is cast(Records, self):
            part.outer, part.capture, part._parent = self.outer, self.capture, self
            part.checks_nans = self.checks_nans
        part.homes.update(self.homes)
        part._places |= self._places
        part._aliases = self._aliases
        return part

    def claim(self, own: Callable[[], Ints]) -> Ints:
        """Return the state that a generator gives, or that it gave when this was done before."""
        if self.replayed is not None:
            words = next(self.replayed)
        else:
            after = self.outer if self._parent is None else self._parent
            words = own() if after is None else after.claim(own)
        if self.claims is not None:
            self.claims.append(words)
        return words

    def argument(self, x: Tensor) -> Tensor:
        """Return an argument as a value of its own, whose gradient is asked for."""
        if x.layout.offset or not x.layout.is_packed:
            with self.outside():
                x = x.clone()
        alias = Alias(x.allocation, self)
        self._aliases[id(alias)] = alias
        own = over(x, alias)
        self.homes[id(alias)] = Home(x.device, alias, x.layout, x.dtype, True)
        self._places.add(place_of(alias))
        return own

    def constant(self, x: Tensor) -> Tensor:
        """Return a tensor as a value of its own, through which no gradient flows."""
        alias = Alias(self.plain(x).allocation, self)
        self._aliases = {**self._aliases, id(alias): alias}
        self._places.discard(place_of(alias))
        self.allocated(alias)
        return over(x, alias)

    def plain(self, x: Any) -> Any:
        """A tensor as it is outside of the tape; anything else as it is."""
        alias = self._aliases.get(id(x.allocation)) if isinstance(x, View) else None
        return x if alias is None else over(x, alias.origin)

    def origin(self, memory: MemoryRange) -> MemoryRange:
        """The memory of a tensor as it is outside of the tape."""
        alias = self._aliases.get(id(memory))
        return memory if alias is None else alias.origin

    def varies(self, x: object) -> TypeGuard[View]:
        """Whether a gradient may flow to this operand."""
        if not isinstance(x, View):
            return False
        if id(x.allocation) not in self.homes:
            if type(x.allocation) is Alias:
                x.allocation.check_owner(self)  # else it is not known what it is
            return False
        if x.dtype.kind in FLOATS:
            return True
        raise self.refused("the bits of numbers have no gradient: use stop_gradient first")

    def operation(
        self,
        function: Callable[..., Tensor],
        params: tuple[object, ...],
        do: Do,
        operands: Operands,
        out: Tensor | None,
    ) -> Tensor:
        terms = (*operands, out) if does_update(function) else operands
        varying = any(map(self.varies, terms))
        rule = rule_of(function) if varying else None
        if varying and rule is None and not is_constant(function):
            reason = reason_of(function)
            if reason is not None:
                raise no_gradient_of(caller().op, reason)
            return function(operands, out, *params)  # whose parts may have rules
        if out is not None:
            self.before_write(out)
        inputs = [self.plain(x) for x in operands]
        saved = inputs
        if out is not None and rule is not None:
            saved = [self._before(x, place_of(out.allocation)) for x in inputs]
        with self.outside():
            if self.outer is None:
                result = do(inputs, self.plain(out))
            else:
                result = self.outer.operation(function, params, do, inputs, self.plain(out))
            if self.checks_nans:
                check_no_nan(caller(), "result", [result])
        if out is not None:
            result = out
            self._written(rule, out)
        else:
            result = self._shared(result, operands)
        if rule is None or not isinstance(result, Tensor) or result.dtype.kind not in FLOATS:
            return result
        if out is None and id(result.allocation) in self.homes:
            return result  # A view of an operand is the same value.
        if terms is not operands:
            saved = [*saved, None]
        self._note(function, params, rule, terms, saved, result, is_new=out is None)
        return result

    def _before(self, x: Any, target: tuple[int, int]) -> Any:
        """An operand as it is before its memory is written to."""
        if not isinstance(x, View) or place_of(x.allocation) != target:
            return x
        with self.outside():
            return Tensor(copied("gradient", x))

    def _written(self, rule: Pullback | None, out: Tensor) -> None:
        if rule is None or out.dtype.kind not in FLOATS:
            self._overwritten(out)

    def _shared(self, result: Tensor, operands: Operands) -> Tensor:
        """Return a result as the function has it, if it is a view of an operand."""
        memory = getattr(result, "allocation", None)
        for x in operands:
            alias = self._aliases.get(id(x.allocation)) if isinstance(x, View) else None
            if isinstance(x, View) and alias is not None and alias.origin is memory:
                return over(result, x.allocation)
        return result

    def whole(
        self,
        function: Callable[..., object],
        params: tuple[object, ...],
        operands: Operands,
        out: Tensor | None,
    ) -> Any:
        """Do and note a function that may have several results, with a rule for all of them."""
        varying = any(map(self.varies, operands))
        rule: Any = rule_of(function) if varying else None
        if varying and rule is None:
            raise self.no_rule()
        inputs = [self.plain(x) for x in operands]
        with self.outside():
            result = whole(function, inputs, None, *params)
            own = result if isinstance(result, tuple) else (result,)
            if self.checks_nans:
                check_no_nan(caller(), "result", own)
        if rule is not None:
            pull = whole_pull(function, params, rule, len(inputs), result)
            self.note(Entry(caller(), operands, own, [*inputs, *own], pull, is_new=True))
        if out is None:
            return result
        copy_elements(caller().op, own[0], out)
        return (out,) if isinstance(result, tuple) else out

    def write(self, do: Callable[[Source, View], None], source: Source, target: View) -> None:
        """Do and note a copy, a conversion or a fill."""
        needed = saved_of(source) if self.varies(source) else None
        self.before_write(target)
        with self.outside():
            do(self.plain(source), self.plain(target))
        if needed is None or target.dtype.kind not in FLOATS:
            self._overwritten(target)
            return
        entry = Entry(caller("copy"), [source], [target], [needed], pull_write, is_new=False)
        self._add(entry, target)

    def note(self, entry: Entry) -> None:
        """Note what is no operation: new results that depend on operands."""
        for result in entry.results:
            self._settle(result, is_new=True)
        self._save(entry)

    def _note(
        self,
        function: Callable[..., object],
        params: tuple[object, ...],
        rule: Pullback,
        operands: Operands,
        inputs: Operands,
        result: Tensor,
        *,
        is_new: bool,
    ) -> None:
        def pull(
            saved: Sequence[Any], cotangents: Sequence[Tensor | None]
        ) -> Sequence[Tensor | None]:
            (cotangent,) = cotangents
            assert cotangent is not None
            *values, own = saved
            return rule(Noted(function, params, tuple(values), own, wanted), cotangent)

        wanted = tuple(map(self.varies, operands))

        saved = [*inputs, self.plain(result)]
        entry = Entry(caller(), operands, [result], saved, pull, is_new=is_new)
        self._add(entry, result)

    def _add(self, entry: Entry, result: View) -> None:
        self._settle(result, is_new=entry.is_new)
        self._save(entry)

    def _settle(self, result: View, *, is_new: bool) -> None:
        """Give memory a home, if it has none: gradients flow through it from now on."""
        memory, layout = result.allocation, result.layout
        if id(memory) not in self.homes:
            count = memory.nbytes // result.dtype.itemsize
            if layout.offset or not layout.is_packed or layout.numel < count:
                layout = Layout((count,))
            self.homes[id(memory)] = Home(result.device, memory, layout, result.dtype, is_new)
            self._places.add(place_of(memory))

    def _save(self, entry: Entry) -> None:
        self.entries.append(entry)
        for x in entry.saved:
            if isinstance(x, View):
                self._saved.setdefault(place_of(x.allocation), []).append(entry)

    def before_write(self, target: View) -> None:
        """Refuse to change what a gradient flows through, and keep what is needed of the rest."""
        memory = target.allocation
        home = self.homes.get(id(memory))
        if home is None:  # From outside, an argument has the memory that it has there.
            flows = any(alias.origin is memory for alias in self._aliases.values())
        else:
            flows = home.is_whole and writes_for_user()
        if flows:
            raise self.refused(
                "a tensor that a gradient flows through must not be written in place"
            )
        self._keep(place_of(target.allocation), target)

    def _keep(self, key: tuple[int, int], target: View) -> None:
        """Copy memory that noted operations need, before it is overwritten."""
        entries = self._saved.pop(key, ())
        if not entries:
            return
        with self.outside():
            new = move(self.plain(target), entries)
        self._saved.setdefault(place_of(new), []).extend(entries)

    def _overwritten(self, target: View) -> None:
        """Note that elements no longer depend on what they did."""
        if id(target.allocation) in self.homes:
            self._add(Entry(caller("fill"), [], [target], [], lambda *_: (), is_new=False), target)

    # What is done without an operation.

    def on(self, device: DeviceWork) -> Executor:
        return Watched(self, device)

    # What the tape of a function that is computed again must know.

    def allocated(self, memory: MemoryRange) -> None:
        """Be told of new memory, apart from that of results."""

    def read(self, operands: Iterable[object]) -> None:
        """Be told of operands."""

    def join(self, tape: Tape) -> None:
        """Tell the tape around this one what this was told."""

    def check_launch(self, accesses: Sequence[Access]) -> None:
        for access in accesses:
            key = id(access.arena), access.start
            if key in self._places:
                raise self.no_rule()
            if access.writes and key in self._saved:
                raise self.refused("what a gradient needs must not be overwritten")

    def check_read(self, memory: MemoryRange, device: Any) -> None:
        if id(memory) in self.homes and caller().op not in _SEEN:
            raise self.refused(
                "a gradient would be lost where the host reads a value: use stop_gradient first"
            )

    def check_change(self, memory: MemoryRange) -> None:
        if id(memory) in self.homes or place_of(memory) in self._saved:
            raise self.refused("the host must not write what a gradient needs")

    def no_rule(self) -> GradientError:
        return self.refused("there is no gradient of this function yet")

    refused = staticmethod(refused)


# Methods that show or test a value, of which nothing can depend on it smoothly.
_SEEN = {f"Tensor.__{name}__" for name in ("bool", "repr", "str", "format")}
