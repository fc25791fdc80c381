"""Arguments that a compiled function may have for good: their memory becomes that of results."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Any, cast

from dml_vk.arguments import Ints
from dml_vk.compiler.trees import flatten
from dml_vk.errors import CaptureError
from dml_vk.observe.callers import caller
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.spec import Spec


class Gone:
    """In place of the memory of a tensor that was donated."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Raise an error where it is used, but not for what Python looks for in any object."""
        if name.startswith("__"):
            raise AttributeError(name)
        entry = caller()
        rule = "x was donated to a compiled function and can no longer be used"
        raise CaptureError(entry.op, rule, line=f"{entry.file}:{entry.line}")


class Donation:
    """The donated arguments of one call."""

    def __init__(self, numbers: Collection[int], memory: list[MemoryRange], shares: Ints) -> None:
        """Take tensors by number; each is over the memory of the number in `shares`.

        What another library holds lives as long as the tensor, which stays as it is.
        """
        self._numbers = [number for number in numbers if not _is_exported(memory[shares[number]])]
        places = [shares[number] for number in self._numbers]
        self.free = {position for position in places if _references(memory, position) == _ALONE}
        """Memory, by number, to which only the list and the tensor refer."""

    def taken(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Take the memory away from the donated tensors, and return tensors that have it."""
        replaced = list(tensors)
        for number in self._numbers:
            x = replaced[number]
            replaced[number] = Tensor._over_memory(
                x.allocation, Spec.of(x.layout, x.dtype, x.device)
            )
            x._allocation = cast(MemoryRange, _GONE)
            x._reads = None
        return replaced


def donated(
    what: str,
    args: Sequence[object],
    places: Collection[int],
    tensors: Sequence[Tensor],
    shares: Ints,
) -> list[int]:
    """The numbers of the tensors that are, or are in, the arguments at these places."""
    gifts: list[Tensor] = []
    for position in places:
        if 0 <= position < len(args):
            flatten(args[position], gifts, None)
    ids = set(map(id, gifts))
    numbers = [number for number, x in enumerate(tensors) if id(x) in ids]
    for number in numbers:
        if shares.count(shares[number]) > 1:
            rule = "a donated argument must share no memory with other arguments"
            raise CaptureError(what, rule, shape=tensors[number].shape)
    return numbers


def _is_exported(memory: MemoryRange) -> bool:
    is_exported: bool = memory.arena.exports.has(memory.offset)
    return is_exported


def _references(things: Sequence[object], number: int) -> int:
    return sys.getrefcount(things[number])


_GONE = Gone()
_ALONE = _references([object()], 0) + 1
