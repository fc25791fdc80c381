"""Memory orders, the strides they imply, and the orders that strides imply.

An order is a permutation of the dims, outermost first: `(0, 2, 3, 1)` is NHWC.
"""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Sequence
from typing import TypeAlias, Union

from dml_vk.arguments import Ints, to_ints
from dml_vk.errors import LayoutError

OrderLike: TypeAlias = Union["MemoryFormat", str, Sequence[int]]


class MemoryFormat(enum.Enum):
    """Named memory formats, as in PyTorch; each stands for one order at every rank it supports."""

    contiguous_format = "contiguous_format"
    channels_last = "channels_last"
    preserve_format = "preserve_format"

    def __repr__(self) -> str:
        return self.value

    __str__ = __repr__


CHANNELS_LAST: dict[int, Ints] = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
# The same without the batch dim.
UNBATCHED = {
    rank - 1: tuple([dim - 1 for dim in order[1:]]) for rank, order in CHANNELS_LAST.items()
}
LOGICAL_LETTERS = "NCDHW"


@functools.lru_cache(maxsize=64)
def row_major(rank: int) -> Ints:
    return tuple(range(rank))


def to_order(what: str, spec: OrderLike, rank: int) -> Ints:
    """Convert a format, a name such as "NHWC" or a permutation to an order of this rank."""
    if isinstance(spec, MemoryFormat):
        return format_order(what, spec, rank)
    if isinstance(spec, str):
        if spec in MemoryFormat.__members__:
            return format_order(what, MemoryFormat[spec], rank)
        order = name_order(what, spec)
        if len(order) != rank:
            raise LayoutError(what, f"order must name all {rank} dims", order=spec)
        return order
    order = to_ints(what, "order", spec)
    if tuple(sorted(order)) != row_major(rank):
        raise LayoutError(
            what, f"order must contain each dim from 0 to {rank - 1} once", order=order
        )
    return order


def format_order(what: str, memory_format: MemoryFormat, rank: int) -> Ints:
    if memory_format is MemoryFormat.contiguous_format:
        return row_major(rank)
    if memory_format is MemoryFormat.channels_last:
        order = CHANNELS_LAST.get(rank)
        if order is None:
            raise LayoutError(
                what, "rank must be 3 (NWC), 4 (NHWC) or 5 (NDHWC) for channels_last", rank=rank
            )
        return order
    raise LayoutError(
        what,
        "memory_format must be contiguous_format or channels_last",
        memory_format=memory_format,
    )


@functools.lru_cache(maxsize=256)
def name_order(what: str, name: str) -> Ints:
    """Convert a name such as "NHWC", outermost dim first, where logical dims are in NCDHW order."""
    letters = name.upper()
    logical = [letter for letter in LOGICAL_LETTERS if letter in letters]
    if len(logical) != len(letters):
        raise LayoutError(
            what, f"order must use letters of {LOGICAL_LETTERS}, each once", order=name
        )
    return tuple(map(logical.index, letters))


def order_format(order: Ints) -> MemoryFormat | None:
    """The memory format of an order, or None."""
    rank = len(order)
    if order == row_major(rank):
        return MemoryFormat.contiguous_format
    if order == CHANNELS_LAST.get(rank):
        return MemoryFormat.channels_last
    return None


def packed_strides(sizes: Ints, order: Ints) -> Ints:
    """Strides without gaps.

    As in PyTorch, a dim of size 0 counts as size 1 in row-major order, but as 0 in other orders.
    """
    strides = [1] * len(sizes)
    step = 1
    if 0 in sizes and order == row_major(len(sizes)):
        sizes = tuple([size or 1 for size in sizes])
    for dim in reversed(order):
        strides[dim] = step
        step *= sizes[dim]
    return tuple(strides)


def canonical_strides(sizes: Ints, strides: Ints, order: Ints) -> Ints:
    """Replace the strides of size-1 dims, which are arbitrary, by those that the order implies.

    That is `max(1, |stride| * size)` of the next inner dim, and 1 for the innermost. No element's
    address changes.
    """
    out = list(strides)
    step = 1
    for dim in reversed(order):
        size = sizes[dim]
        if size == 1:
            out[dim] = step
        else:
            step = abs(out[dim]) * size or 1
    return tuple(out)


def ascends(sizes: Ints, strides: Ints, order: Ints) -> bool:
    """Whether each stride is at least the extent of the dims inside it, in this order."""
    low = 1
    for dim in reversed(order):
        size, stride = sizes[dim], strides[dim]
        if size == 0 or stride < low:
            return False
        low = stride * size
    return True


def suggests_channels_last(sizes: Ints, strides: Ints) -> bool:
    """Whether PyTorch takes strides for channels_last."""
    # Where C and all of D, H, W are 1, both formats have the same strides. PyTorch then takes them
    # for row-major, unless the strides leave a gap for more channels.
    return (
        ascends(sizes, strides, CHANNELS_LAST[len(sizes)]) and strides[2] * sizes[2] != strides[1]
    )


def follows_channels_last(sizes: Ints, strides: Ints, order: Ints) -> bool:
    """The same for canonical strides, where the order decides ambiguous cases."""
    channels_last = CHANNELS_LAST[len(sizes)]
    if order == channels_last:
        return ascends(sizes, strides, channels_last)
    return suggests_channels_last(sizes, strides)


def magnitudes(strides: Ints) -> Ints:
    """Absolute strides: their signs do not affect the order."""
    return tuple(map(abs, strides)) if strides and min(strides) < 0 else strides


def read_order(sizes: Ints, strides: Ints) -> Ints:
    """The order that strides imply, with those of size-1 dims taken at face value."""
    outer_size = outer = sys.maxsize
    for size, stride in zip(sizes, strides):
        if not 0 < stride <= outer or (stride == outer and size > outer_size):
            return _read_other_order(sizes, strides)
        outer_size, outer = size, stride
    return row_major(len(sizes))  # by far the most common case


@functools.lru_cache(maxsize=4096)
def _read_other_order(sizes: Ints, strides: Ints) -> Ints:
    strides = magnitudes(strides)
    if len(sizes) in (4, 5) and suggests_channels_last(sizes, strides):
        return CHANNELS_LAST[len(sizes)]
    return loop_order(sizes, (strides,))


@functools.lru_cache(maxsize=4096)
def loop_order(sizes: Ints, operands: tuple[Ints, ...]) -> Ints:
    """The order in which PyTorch's elementwise loop nests the dims of operands of one shape.

    It is an insertion sort that starts from row-major. Of two dims the one with the larger stride
    goes outside, as decided by the first operand in which neither stride is 0; with equal strides
    the larger size goes outside. The comparison is not transitive, so the sorting algorithm is
    part of the rule.
    """
    inner_first = list(reversed(row_major(len(sizes))))
    for start in range(1, len(sizes)):
        here = start
        for inner in range(start - 1, -1, -1):
            verdict = _compare(sizes, operands, inner_first[inner], inner_first[here])
            if verdict > 0:
                inner_first[inner], inner_first[here] = inner_first[here], inner_first[inner]
                here = inner
            elif verdict < 0:
                break
    return tuple(reversed(inner_first))


def _compare(sizes: Ints, operands: tuple[Ints, ...], a: int, b: int) -> int:
    """Positive where dim a belongs outside dim b, negative where inside, 0 where undecided."""
    for strides in operands:
        if strides[a] == 0 or strides[b] == 0:
            continue
        if strides[a] != strides[b]:
            return strides[a] - strides[b]
        if sizes[a] > sizes[b]:
            return 1
    return 0
