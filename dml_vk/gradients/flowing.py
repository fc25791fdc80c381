"""Memory that gradients flow through, while a function runs: work of other threads would lose them.

A thread has a context of its own, without the tape of the function. What it computes of the
function's values would be constant, so that it must not see them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dml_vk import context
from dml_vk.gradients.memory import Owner
from dml_vk.runtime.arenas import Allocation
from dml_vk.tensor.core import Tensor

_arena: Any = Allocation.__dict__["arena"]  # its slot
_owners: dict[int, Owner] = {}  # tapes, by the id of memory


class Flowing(Allocation):
    """An allocation while a tape notes it: work that the tape does not see is an error."""

    __slots__ = ()

    @property
    def arena(self) -> Any:  # type: ignore[override]
        owner = _owners.get(id(self))
        if owner is not None and not _reaches(context.get().tape, owner):
            raise owner.refused(
                "a value that a gradient flows through must not be used "
                "in another thread without its context"
            )
        return _arena.__get__(self)


class Flows:
    """The memory that a tape watches."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._memory: list[Any] = []

    def add(self, memory: Any) -> None:
        """Watch an allocation, unless another tape does."""
        if type(memory) is Allocation:
            _owners[id(memory)] = self._owner
            memory.__class__ = Flowing
            self._memory.append(memory)

    def end(self) -> None:
        """Let all be as other memory again."""
        while self._memory:
            memory = self._memory.pop()
            memory.__class__ = Allocation
            _owners.pop(id(memory), None)


def forget_reads(operands: Iterable[Any]) -> None:
    """Drop what tensors keep of their accesses: another thread must ask where memory is."""
    for x in operands:
        if type(x) is Tensor and type(x._allocation) is Flowing:
            x._reads = None


def _reaches(tape: Any, owner: Owner) -> bool:
    """Whether a tape is the owner, or is around or a part of what it notes."""
    return tape is not None and (
        tape is owner
        or _reaches(getattr(tape, "parent", None), owner)
        or _reaches(getattr(tape, "outer", None), owner)
    )
