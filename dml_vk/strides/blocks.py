"""Blocked layouts such as nChw16c: a dim split into an outer dim and an innermost block.

A blocked layout is an ordinary layout of more dims. The blocked view of (n, c, h, w) under
"nChw16c" has the sizes (n, c // 16, h, w, 16), and an order like any layout.
"""

from __future__ import annotations

import functools
import math
import re
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.errors import LayoutError
from dml_vk.strides.order import LOGICAL_LETTERS

_NAME = re.compile(r"(?:[A-Za-z]|[1-9][0-9]{0,9}[a-z])+")
_PART = re.compile(r"([0-9]*)([A-Za-z])")


Parts = tuple[Ints, Ints, Ints]  # sizes, strides, order


class Blocking(NamedTuple):
    """A parsed name such as "nChw16c"."""

    rank: int  # of the plain layout
    blocks: tuple[tuple[int, int], ...]  # (plain dim, block size), in the order of the view's dims
    order: Ints  # of the blocked view


def is_blocked(name: str) -> bool:
    return not name.isalpha() and any(letter.isdigit() for letter in name)


def parse_blocks(what: str, name: str) -> Blocking:
    """Parse a name: lower case for unblocked dims, capitals for blocked ones, `16c` for a block."""
    if not isinstance(name, str):
        raise LayoutError(what, "a blocked order must be a string", order=name)
    return _parse(what, name)


@functools.lru_cache(maxsize=256)
def _parse(what: str, name: str) -> Blocking:
    matches = _PART.findall(name) if _NAME.fullmatch(name) else []
    parts = [(int(count or 0), letter) for count, letter in matches]
    outer = [letter for count, letter in parts if not count]
    inner = [(count, letter) for count, letter in parts if count]
    logical = [letter for letter in LOGICAL_LETTERS if letter in name.upper()]
    blocked = {letter.upper() for _, letter in inner}
    whole = [letter if letter in blocked else letter.lower() for letter in logical]
    if not (inner and sorted(outer) == sorted(whole)):
        raise LayoutError(
            what,
            f"a blocked order must name each dim of {LOGICAL_LETTERS} once, in capitals if "
            "it is blocked, and each block as <size><letter>, as in 'nChw16c'",
            order=name,
        )
    blocks = tuple((logical.index(letter.upper()), count) for count, letter in inner)
    block_dims = iter(range(len(logical), len(logical) + len(blocks)))
    order = tuple(
        next(block_dims) if count else logical.index(letter.upper()) for count, letter in parts
    )
    return Blocking(len(logical), blocks, order)


def blocked_sizes(what: str, sizes: Ints, blocking: Blocking) -> Ints:
    """The sizes of the blocked view: the plain dims divided by their blocks, then the blocks."""
    if len(sizes) != blocking.rank:
        raise LayoutError(what, f"sizes must have {blocking.rank} dims", sizes=sizes)
    left = list(sizes)
    for dim in {dim for dim, _ in blocking.blocks}:
        whole = math.prod(count for at, count in blocking.blocks if at == dim)
        missing = -left[dim] % whole
        if missing:
            raise LayoutError(
                what,
                f"the size of dim {dim} must be a multiple of {whole}: "
                f"pad it by {missing} to {left[dim] + missing}",
                **{f"sizes[{dim}]": left[dim]},
            )
        left[dim] //= whole
    return (*left, *[count for _, count in blocking.blocks])


def cut(sizes: Ints, strides: Ints, order: Ints, blocking: Blocking) -> Parts:
    """The blocked view of a plain layout, with the same addresses."""
    blocked = blocked_sizes("block", sizes, blocking)
    out, blocks, nest = list(strides), [0] * len(blocking.blocks), list(order)
    for at in reversed(range(len(blocks))):  # the last block written is the innermost
        dim, count = blocking.blocks[at]
        blocks[at] = out[dim]
        out[dim] *= count
        nest.insert(nest.index(dim) + 1, blocking.rank + at)
    return blocked, (*out, *blocks), tuple(nest)


def join(sizes: Ints, strides: Ints, order: Ints, blocking: Blocking) -> tuple[Parts, bool]:
    """(the plain layout of a blocked view, whether it has the same addresses)."""
    rank = blocking.rank
    plain, out, nest = list(sizes[:rank]), list(strides[:rank]), list(order)
    same = True
    for at, (dim, count) in enumerate(blocking.blocks):
        inner = strides[rank + at]
        if count != 1 and plain[dim] == 1:  # the whole dim takes the position of the block
            nest.remove(dim)
            nest[nest.index(rank + at)] = dim
        else:
            nest.remove(rank + at)
            same = same and (count == 1 or out[dim] == count * inner)
        if count != 1:
            plain[dim] *= count
            out[dim] = inner
    return (tuple(plain), tuple(out), tuple(nest)), same
