"""Steps: what a function does on a device, on memory by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Chain, Computed
from dml_vk.observe.callers import Caller
from dml_vk.observe.copies import Copy
from dml_vk.runtime.arenas import Bytes
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.executor import Check, Do
from dml_vk.runtime.hazards import Access

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor


class Slot:
    """Memory of a trace, by number: each run passes it in or allocates it."""

    __slots__ = ("accesses", "arena", "is_fixed", "nbytes", "number", "offset")

    def __init__(self, number: int, nbytes: int) -> None:
        self.number = number
        self.nbytes = nbytes
        self.arena: Slot = self  # so that accesses refer to the slot
        self.offset = 0
        self.accesses: dict[object, Access] = {}
        self.is_fixed = False

    @property
    def bytes(self) -> Bytes | None:
        raise self.has_no_contents()

    @property
    def window(self) -> Bytes | None:
        raise self.has_no_contents()

    def export(self, holder: object) -> None:
        raise self.has_no_contents()

    def has_no_contents(self) -> Exception:
        return AssertionError("memory of a trace has contents only while it runs")


class Allocate(NamedTuple):
    """Allocate memory for a slot, preferably near that of another."""

    slot: int
    what: str
    nbytes: int
    near: int | None


class Chained(NamedTuple):
    """A launch as a chain, on what it reads and then writes."""

    chain: Chain
    accesses: tuple[Access, ...]
    params: Ints


@dataclass(frozen=True, eq=False)
class Launch:
    """A launch of a plan, or a dispatch of a user's shader."""

    work: Plan | Dispatched
    accesses: tuple[Access, ...]
    params: Ints  # some may be `Word`s
    what: str
    caller: Caller
    groups: tuple[tuple[Launch, ...], ...] = ()
    """What it does at once, if they were several: a kernel, or the launches of a chain, in each."""
    chained: Chained | None = None  # if it is elementwise
    otherwise: Plan | None = None  # instead, if there is no memory for the plan's arguments
    computed: Computed | None = None  # what it does, if it is elementwise and not several yet
    level: int = 0  # of a program, on which it runs

    @property
    def plan(self) -> Plan:
        assert isinstance(self.work, Plan)
        return self.work

    @property
    def parts(self) -> tuple[Launch, ...]:
        return tuple([part for group in self.groups for part in group])


@dataclass(frozen=True, eq=False)
class Upload:
    """Bytes of the host that are written to the start of a part of memory."""

    slot: int
    start: int
    data: Bytes


@dataclass(frozen=True, eq=False)
class Verify:
    """Bytes that the host checks before the trace goes on."""

    memory: Slot
    start: int
    nbytes: int
    check: Check
    shown: tuple[Access, ...] = ()  # what else an error may be of
    level: int = 0

    @property
    def slot(self) -> int:
        return self.memory.number


Step = Launch | Upload | Verify


@dataclass(frozen=True, eq=False)
class Operation:
    """A public operation that a function called, and its steps."""

    function: Callable[..., object]
    params: tuple[object, ...]
    do: Do  # does it on other operands, and `out` or None
    operands: tuple[Any, ...]  # tensors where its function's parameters are, else numbers
    out: Tensor | None
    result: Tensor
    is_known: bool  # whether its result is `out`, or in memory that it has made
    begin: int  # of its steps, among those of the function
    steps: tuple[Step, ...]
    copies: Sequence[Copy]

    @property
    def caller(self) -> Caller:
        return next(step.caller for step in self.steps if isinstance(step, Launch))
