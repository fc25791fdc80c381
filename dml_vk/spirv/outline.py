"""How a module loads or stores the words of a buffer."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words
from dml_vk.spirv.module import Member, Module

_TO_ELEMENT = 6  # words of an access chain to an element of the array in a block


class Outline(NamedTuple):
    """What a module does at a binding, if that is to load or to store words, and its push block."""

    words: int  # loaded or stored at the binding, in the text of the module
    widest: int  # the most at once, and the least
    narrowest: int
    push: tuple[Member, ...]


def outline_of(module: Module, binding: int, is_read: bool) -> Outline | None:
    """Describe a module; None if it does more at a binding than to load, or store, words."""
    blocks = module.blocks(binding)
    chains: dict[int, int] = {}  # words of what each leads to
    words = 0
    for line in chain.from_iterable(module.functions.values()):
        kind = line[0] & 0xFFFF
        if kind == op.ACCESS_CHAIN and line[3] in blocks:
            chains[line[2]] = module.width(line[1]) if len(line) == _TO_ELEMENT else 0
            continue
        if kind == (op.LOAD if is_read else op.STORE) and line[3 if is_read else 1] in chains:
            words += chains[line[3 if is_read else 1]]
            line = line[:3]
            used: Words = line[1:2] if is_read else line[2:3]
        else:
            used = line[1 : op.LITERALS.get(kind)]
        if any(name in blocks or name in chains for name in used):
            return None
    if not words or 0 in chains.values():
        return None
    return Outline(words, max(chains.values()), min(chains.values()), tuple(module.members))
