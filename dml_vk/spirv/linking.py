"""Put functions of one module into another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.module import Module

_DOUBLE_BITS = 64


class Piece(NamedTuple):
    """Functions, and what they use by id."""

    root: int
    functions: list[list[Words]]
    declared: dict[int, Words]  # types and constants
    precise: frozenset[int]
    words: int  # of elements: two, or four if some have 128 bits
    scalars: dict[int, int]  # access chains, and the word of the scalars that each leads to


def link(module: Module, piece: Piece, places: Mapping[int, int]) -> int:
    """Add the functions of a piece, and return its root.

    `places` has the word of each scalar in the push block of the module.
    """
    names: dict[int, int] = {}

    def get(old: int) -> int:
        known = names.get(old)
        if known is None:
            line = piece.declared.get(old)
            known = names[old] = module.new() if line is None else _redeclared(module, line, get)
        return known

    pointer = module.type(op.TYPE_POINTER, op.Storage.PUSH_CONSTANT, module.uint)
    for function in piece.functions:
        lines: list[Words] = []
        for line in function:
            if line[0] & 0xFFFF == op.ACCESS_CHAIN and line[2] in piece.scalars:
                path = module.push_path(places[piece.scalars[line[2]]])
                operands = pointer, get(line[2]), module.push, *path
                lines.append(instruction(op.ACCESS_CHAIN, *operands))
            else:
                lines.append(_renamed(module, line, get))
        module.functions[lines[0][2]] = lines
    for name in piece.precise:
        module.decorate(get(name), op.Decoration.NO_CONTRACTION)
    return get(piece.root)


def _redeclared(module: Module, line: Words, get: Callable[[int], int]) -> int:
    """A declaration of another module."""
    kind = line[0] & 0xFFFF
    if kind in op.TYPES:
        ids = range(*op.TYPES[kind].indices(len(line)))
        if kind == op.TYPE_FLOAT and line[2] == _DOUBLE_BITS:
            module.capabilities.add(op.Capability.FLOAT64)
        return module.type(kind, *[get(w) if k in ids else w for k, w in enumerate(line)][2:])
    parts = line[3:] if kind == op.CONSTANT else map(get, line[3:])
    return module.declared_once(kind, get(line[1]), *parts)


def _renamed(module: Module, line: Words, get: Callable[[int], int]) -> Words:
    """An instruction of a function of another module."""
    kind = line[0] & 0xFFFF
    if kind == op.EXT_INST:
        ids: Iterable[int] = (1, 2, *range(5, len(line)))
        line = (*line[:3], module.import_name, *line[4:])
    elif kind in op.LABELLED:
        ids = range(*op.LABELLED[kind].indices(len(line)))
    elif kind == op.SWITCH:
        ids = (1, 2, *range(4, len(line), 2))
    elif kind == op.FUNCTION:
        ids = (1, 2, 4)
    else:
        ids = range(1, op.LITERALS.get(kind, len(line)))
    renamed = list(line)
    for k in ids:
        renamed[k] = get(line[k])
    return tuple(renamed)
