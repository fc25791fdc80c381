"""Which order the result of an operation gets, from the orders of its operands."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from dml_vk.errors import LayoutError, explain
from dml_vk.strides.address import is_contiguous, is_dense
from dml_vk.strides.order import (
    CHANNELS_LAST,
    Ints,
    follows_channels_last,
    loop_order,
    magnitudes,
    packed_strides,
    row_major,
)


class Strided(Protocol):
    """An operand, as far as propagation looks at it."""

    @property
    def sizes(self) -> Ints: ...
    @property
    def strides(self) -> Ints: ...
    @property
    def order(self) -> Ints: ...


def broadcast_sizes(what: str, sizes: tuple[Ints, ...]) -> Ints:
    """NumPy's rule: align to the right; sizes agree, or are 1 and stretch."""
    if sizes and sizes.count(sizes[0]) == len(sizes):
        return sizes[0]
    return _stretched(what, sizes)


@functools.lru_cache(maxsize=4096)
def _stretched(what: str, sizes: tuple[Ints, ...]) -> Ints:
    out: list[int] = []
    for at in range(-max(map(len, sizes), default=0), 0):
        size = 1
        for one in sizes:
            if -at <= len(one) and one[at] != 1 and one[at] != size:
                if size != 1:
                    must = f"sizes must agree or be 1 in dim {at}"
                    raise LayoutError(explain(what, must, sizes=sizes))
                size = one[at]
        out.append(size)
    return tuple(out)


def concatenated_sizes(sizes: Sequence[Ints], dim: int) -> Ints:
    """The parts add up along one dim and agree in all others."""
    before, after = sizes[0][:dim], sizes[0][dim + 1 :]
    for one in sizes:
        if one[:dim] != before or one[dim + 1 :] != after or len(one) != len(sizes[0]):
            raise LayoutError(
                explain("concatenate", f"sizes must agree in every dim but {dim}", sizes=sizes)
            )
    return (*before, sum([one[dim] for one in sizes]), *after)


def commutative_elementwise(sizes: Ints, operands: Sequence[Strided]) -> Ints:
    """The order that wins, whichever way round the operands come.

    Operands that fill the result's sizes outweigh broadcast ones; where there are none, those of
    full rank decide.
    """
    full = [one.order for one in operands if one.sizes == sizes and not _is_broadcast(one)]
    return _dominant(full or [one.order for one in operands], len(sizes))


def commutative_concatenate(operands: Sequence[Strided], rank: int) -> Ints:
    """The same rule for inputs that are joined: all fill their part of the result."""
    full = [one.order for one in operands if not _is_broadcast(one)]
    return _dominant(full or [one.order for one in operands], rank)


def _is_broadcast(operand: Strided) -> bool:
    """Some elements stand for several. In an empty layout none does, whatever its strides."""
    return 0 in operand.strides and 0 not in operand.sizes


def _dominant(orders: list[Ints], rank: int) -> Ints:
    """channels_last before unnamed orders, the smallest of those first, before row-major."""
    if orders.count(orders[0]) == len(orders):
        return orders[0]  # What operands agree on, as they mostly do, needs no weighing.
    plain = row_major(rank)
    marked = {order for order in orders if len(order) == rank and order != plain}
    channels_last = CHANNELS_LAST.get(rank)
    return channels_last if channels_last in marked else min(marked, default=plain)


def torch_elementwise(sizes: Ints, operands: Sequence[Strided]) -> tuple[Ints, Ints]:
    """(strides, order) of an elementwise result as PyTorch's CPU backend chooses them."""
    rank = len(sizes)
    plain = row_major(rank)
    strides = [magnitudes(one.strides) for one in operands]
    if all(one.sizes == sizes for one in operands):
        distinct = set(strides)
        if all(is_contiguous(sizes, own, plain) for own in distinct):
            return packed_strides(sizes, plain), plain
        if rank == 4 and all(is_contiguous(sizes, own, CHANNELS_LAST[4]) for own in distinct):
            return packed_strides(sizes, CHANNELS_LAST[4]), CHANNELS_LAST[4]
        if len(distinct) == 1 and is_dense(sizes, strides[0]):
            return strides[0], operands[0].order
    aligned = tuple([_aligned(sizes, one.sizes, own) for one, own in zip(operands, strides)])
    order = loop_order(sizes, aligned)
    return packed_strides(sizes, order), order


def _aligned(sizes: Ints, own: Ints, strides: Ints) -> Ints:
    """Strides as the loop sees them: 0 for missing leading dims and for stretched ones."""
    if own == sizes:
        return strides
    lead = len(sizes) - len(own)
    stretched = [
        0 if size == 1 and full != 1 else stride
        for full, size, stride in zip(sizes[lead:], own, strides)
    ]
    return (0,) * lead + tuple(stretched)


def torch_concatenate(operands: Sequence[Strided], rank: int) -> Ints:
    """The order of PyTorch's cat: a format that every input suggests, else row-major."""
    if rank in (4, 5) and all(
        len(one.sizes) == rank
        and follows_channels_last(one.sizes, magnitudes(one.strides), one.order)
        for one in operands
    ):
        return CHANNELS_LAST[rank]
    return row_major(rank)
