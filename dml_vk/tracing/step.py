"""Recordings: the launches of a call, to be replayed on other memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.limits import Profile
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.device import Device
from dml_vk.runtime.hazards import Access


class Slot:
    """A placeholder for memory that each call passes in or allocates."""

    __slots__ = ("arena", "is_fixed", "nbytes", "number", "offset")

    def __init__(self, number: int, nbytes: int) -> None:
        self.number = number
        self.nbytes = nbytes
        self.arena = self  # so that accesses refer to the slot
        self.offset = 0
        self.is_fixed = False


class Number:
    """A placeholder for a Python number, whose value is known only at each call."""

    operand: int


class IntNumber(Number, int):
    """A placeholder for an int."""


class FloatNumber(Number, float):
    """A placeholder for a float."""


class Word(int):
    """A placeholder for one word of a number."""

    number: NumberWords
    place: int


class NumberWords(NamedTuple):
    """How to make the words of a number that is an operand."""

    operand: int
    pack: Any  # makes them from the operation's name, the argument's name, the dtype and the value
    known: tuple[Any, ...]  # these arguments except the value

    def words(self, count: int) -> Ints:
        made = []
        for place in range(count):
            word = Word()
            word.number, word.place = self, place
            made.append(word)
        return tuple(made)


class LiveNumber:
    """A number that each call of a program gives."""

    __slots__ = ("kind", "operand")

    def __init__(self, operand: int, kind: type) -> None:
        self.operand = operand
        self.kind = kind  # int or float

    # What asks for the class of an instance gets that of the number.
    __class__ = property(lambda self: self.kind)

    def words(self, made: NumberWords) -> Ints:
        """Return placeholders for the words that are made of this number."""
        count = len(made.pack(*made.known, 1))
        return NumberWords(self.operand, made.pack, made.known).words(count)

    def pinned(self) -> Any:
        """The value, on which the program depends from now on."""
        raise NotImplementedError


def with_values(value: Any) -> Any:
    """Return nested lists and tuples with the values of live numbers in their place."""
    if issubclass(type(value), LiveNumber):
        return value.pinned()
    if type(value) is list or type(value) is tuple:
        return type(value)([with_values(one) for one in value])
    return value


class Allocate(NamedTuple):
    """Allocate memory for a slot, preferably near that of another."""

    slot: int
    what: str
    nbytes: int
    near: int | None


class SlotAccess(NamedTuple):
    """An access to a slot, in bytes from its start."""

    slot: int
    base: int
    low: int
    high: int
    writes: bool

    def of(self, allocation: Allocation) -> Access:
        return Access.of(allocation, self.base, self.low, self.high, self.writes)


class Launch(NamedTuple):
    """A launch on slots."""

    plan: Plan
    accesses: tuple[SlotAccess, ...]
    params: Ints  # some may be `Word`s
    otherwise: Plan | None
    what: str


class Recording(Device):
    """A device that records what operations do instead of doing it."""

    def __init__(self, device: Device, slots: int) -> None:
        self.info = device.info
        self.real = device
        self.steps: list[Allocate | Launch] = []
        self.slots = slots  # so far; the first are those of the operands

    @property
    def profile(self) -> Profile:
        return self.real.profile

    def allocate(self, what: str, nbytes: int, near: Allocation | None = None) -> Allocation:
        slot, beside = Slot(self.slots, nbytes), cast("Slot | None", near)
        self.slots += 1
        place = None if beside is None else beside.number
        self.steps.append(Allocate(slot.number, what, nbytes, place))
        return cast(Allocation, slot)

    def launch(
        self,
        plan: Plan,
        accesses: Sequence[Access],
        params: Ints = (),
        otherwise: Plan | None = None,
        what: str = "launch",
    ) -> None:
        touched: list[Any] = list(accesses)
        over = [SlotAccess(one.arena.number, *one.span) for one in touched]
        self.steps.append(Launch(plan, tuple(over), params, otherwise, what))
