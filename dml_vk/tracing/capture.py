"""A capture: the steps of a function, recorded for a program, and the memory that they use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

from dml_vk.arguments import Ints
from dml_vk.errors import CaptureError, DmlVkError
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Chain
from dml_vk.observe.callers import Caller, caller
from dml_vk.runtime.arenas import Allocation, Arena, Bytes
from dml_vk.runtime.device import Check, Device
from dml_vk.runtime.encode import Dispatched
from dml_vk.runtime.hazards import Access
from dml_vk.tracing.step import NumberWords, Slot, SlotAccess


class Placeholder(Slot):
    """Memory that has no address yet, and no contents that the host could see."""

    __slots__ = ()

    @property
    def bytes(self) -> Bytes | None:
        raise needs_values()

    def __getattr__(self, name: str) -> Any:
        """Raise an error where a device takes it for an arena."""
        rule = "a tensor of a compiled function cannot be used after it, unless it was returned"
        raise CaptureError("compile", rule, nbytes=self.nbytes)


def needs_values() -> DmlVkError:
    return refused("values are not known while a function is compiled")


def refused(rule: str) -> DmlVkError:
    entry = caller()
    return spoil(CaptureError(entry.op, rule, line=f"{entry.file}:{entry.line}"))


def spoil(error: DmlVkError) -> DmlVkError:
    """Have this error, of what cannot be captured, raised in the end even if it is caught."""
    capture = current.get()
    if capture is not None and capture.refusal is None:
        capture.refusal = error
    return error


class Chained(NamedTuple):
    """A launch as a chain, on what it reads and then writes."""

    chain: Chain
    accesses: tuple[SlotAccess, ...]
    params: Ints


@dataclass(frozen=True, eq=False)
class Work:
    """A launch of a plan, or a dispatch of a user's shader."""

    work: Plan | Dispatched
    accesses: tuple[SlotAccess, ...]
    params: Ints  # some may be `Word`s
    what: str
    caller: Caller
    groups: tuple[tuple[Work, ...], ...] = ()
    """What it does at once, if they were several: a kernel, or the launches of a chain, in each."""
    chained: Chained | None = None  # if it is elementwise

    @property
    def parts(self) -> tuple[Work, ...]:
        return tuple([part for group in self.groups for part in group])


@dataclass(frozen=True, eq=False)
class Upload:
    """Bytes of the host that are written to the start of a part of memory."""

    slot: int
    start: int
    data: Bytes


@dataclass(frozen=True, eq=False)
class Verify:
    """Bytes that the host checks before the program goes on."""

    slot: int
    start: int
    nbytes: int
    check: Check


Step = Work | Upload | Verify


class Capture:
    """The steps of one function, and the memory that they use: by number, as in `SlotAccess`."""

    def __init__(self, device: Device, arguments: Iterable[int]) -> None:
        """Begin with arguments of these sizes in bytes."""
        self.device = device
        self.steps: list[Step] = []
        self.slots = [Placeholder(number, nbytes) for number, nbytes in enumerate(arguments)]
        self.arguments = len(self.slots)
        self.outside: dict[int, Allocation] = {}  # by number: memory that was there before
        self.claims: list[Callable[[], Ints]] = []  # of six words each, in order
        self._numbers: dict[tuple[Arena, int], int] = {}  # of what is outside, by its place
        self._own: set[int] = set()
        self._owned: list[object] = []  # keeps their ids
        self.is_paused = False
        self.refusal: DmlVkError | None = None  # the first error of what cannot be captured

    def new(self, nbytes: int) -> Placeholder:
        slot = Placeholder(len(self.slots), nbytes)
        self.slots.append(slot)
        return slot

    def own(self, thing: object) -> None:
        """Note a thing that was made in the function, and is made anew at each call."""
        self._own.add(id(thing))
        self._owned.append(thing)

    def is_own(self, thing: object) -> bool:
        return id(thing) in self._own

    def claimed(self, claim: Callable[[], Ints]) -> Ints:
        """Return placeholders for six words, which each call claims."""
        number = NumberWords(~len(self.claims), None, ())
        self.claims.append(claim)
        return number.words(6)

    def span(self, access: Access) -> SlotAccess:
        arena: Any = access.arena
        if isinstance(arena, Placeholder):
            return SlotAccess(arena.number, *access.span)
        number, start = self._outside(access), access.start
        base, low, high, writes = access.span
        return SlotAccess(number, base - start, low - start, high - start, writes)

    def _outside(self, access: Access) -> int:
        place = access.arena, access.start
        number = self._numbers.get(place)
        if number is None:
            live = access.arena.live.copy()  # at one moment: other threads add to it and remove
            notes = [note for note in live if note.offset == access.start]
            found = [one for one in (note() for note in notes) if one is not None]
            slot = self.new(found[0].nbytes)
            number = self._numbers[place] = slot.number
            self.outside[number] = found[0]
        return number


current: ContextVar[Capture | None] = ContextVar("dml_vk.capture", default=None)


def is_captured() -> bool:
    """Whether what this context does is recorded for a program."""
    capture = current.get()
    return capture is not None and not capture.is_paused


def own(thing: object) -> None:
    """Note a thing that is made while a function is captured, and so made anew at each call."""
    capture = current.get()
    if capture is not None and not capture.is_paused:
        capture.own(thing)


def check_known(thing: object) -> None:
    """Raise an error if the state of a thing from outside is asked for in a captured function."""
    capture = current.get()
    if capture is not None and not capture.is_own(thing):
        raise needs_values()


def claimed(thing: object, claim: Callable[[], Ints]) -> Ints:
    """Claim six words of a thing's state, or for a program what stands for them."""
    capture = current.get()
    return claim() if capture is None or capture.is_own(thing) else capture.claimed(claim)
