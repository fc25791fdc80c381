"""Memory that gradients flow through: a tape knows values by it, so that views need no rules."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from dml_vk import context
from dml_vk.dtypes import DType
from dml_vk.errors import CHECKPOINT, DeviceMemoryError, GradientError
from dml_vk.layout import Layout
from dml_vk.observe.callers import caller
from dml_vk.ops.view import View
from dml_vk.runtime.arenas import Bytes, MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor

FLOATS = "fc"  # kinds of dtypes that vary


class Owner(Protocol):
    """The tape of a function that has arguments."""

    is_over: bool


class Alias:
    """An argument's memory as the function has it: what it has from outside is another value."""

    __slots__ = ("_owner", "is_fixed", "nbytes", "offset", "origin")

    def __init__(self, origin: MemoryRange, owner: Owner) -> None:
        self.origin = origin
        # The tape of the function, which refers to this: a cycle would have memory freed late.
        self._owner = weakref.ref(owner)
        self.offset = origin.offset
        self.nbytes = origin.nbytes
        self.is_fixed = origin.is_fixed

    @property
    def arena(self) -> Any:
        """Where the memory is, for work that the tape does not do: it must not miss any."""
        if not self._is_over():
            self.check_owner(context.recorder())
        return self.origin.arena

    def _is_over(self) -> bool:
        owner = self._owner()
        return owner is None or owner.is_over

    def check_owner(self, recorder: object) -> None:
        """Raise an error if the tape of the function is not around what is done."""
        owner = self._owner()
        while owner is None or recorder is not owner:
            recorder = getattr(recorder, "outer", None)
            if recorder is None:
                rule = "an argument must not be used after the gradient of its function"
                if not self._is_over():
                    rule = "an argument must not be used in another thread without its context"
                raise refused(rule)

    @property
    def bytes(self) -> Bytes | None:
        return self.origin.bytes

    @property
    def window(self) -> Bytes | None:
        return self.origin.window

    def export(self, holder: object) -> None:
        self.origin.export(holder)


def refused(rule: str) -> GradientError:
    """The error for what a gradient cannot flow through, with the line of the call."""
    entry = caller()
    return GradientError(entry.op, rule, line=f"{entry.file}:{entry.line}")


class Home(NamedTuple):
    """How gradients of some memory are laid out: as the first tensor that had it."""

    device: Device
    memory: MemoryRange  # held, so that no other memory gets its place
    layout: Layout
    dtype: DType
    is_whole: bool  # a result or an argument, and not written part by part


@contextmanager
def advising() -> Iterator[None]:
    """Have errors about memory say how gradients take less."""
    try:
        yield
    except DeviceMemoryError as error:
        error.advise(CHECKPOINT)
        raise


def repeated(layout: Layout) -> list[int]:
    """The dims of which all indexes are one element, as where it was broadcast."""
    sizes = zip(layout.sizes, layout.strides)
    return [dim for dim, (size, step) in enumerate(sizes) if step == 0 and size > 1]


def place_of(memory: MemoryRange) -> tuple[int, int]:
    """Where memory is, as accesses of launches have it too."""
    while isinstance(memory, Alias):
        memory = memory.origin
    return id(memory.arena), memory.offset


def over(view: View, memory: MemoryRange) -> Tensor:
    """The same elements in other memory."""
    return Tensor(View(view.device, memory, view.layout, view.dtype))
