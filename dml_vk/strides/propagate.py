"""Propagate memory orders from operands to results."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from dml_vk.arguments import Ints
from dml_vk.errors import LayoutError
from dml_vk.strides.address import is_contiguous, is_dense
from dml_vk.strides.order import (
    CHANNELS_LAST,
    follows_channels_last,
    loop_order,
    magnitudes,
    packed_strides,
    row_major,
)


class Strided(Protocol):
    """What propagation needs of an operand."""

    @property
    def sizes(self) -> Ints: ...
    @property
    def strides(self) -> Ints: ...
    @property
    def order(self) -> Ints: ...


def broadcast_sizes(what: str, sizes: tuple[Ints, ...]) -> Ints:
    """Broadcast sizes by NumPy's rule."""
    if sizes and sizes.count(sizes[0]) == len(sizes):
        return sizes[0]
    return _broadcast(what, sizes)


@functools.lru_cache(maxsize=4096)
def _broadcast(what: str, sizes: tuple[Ints, ...]) -> Ints:
    out: list[int] = []
    for at in range(-max(map(len, sizes), default=0), 0):
        size = 1
        for shape in sizes:
            if -at <= len(shape) and shape[at] != 1 and shape[at] != size:
                if size != 1:
                    rule = f"sizes must agree or be 1 in dim {at}"
                    raise LayoutError(what, rule, sizes=sizes)
                size = shape[at]
        out.append(size)
    return tuple(out)


def concatenated_sizes(sizes: Sequence[Ints], dim: int) -> Ints:
    """The sizes of parts joined along `dim`; all others must agree."""
    before, after = sizes[0][:dim], sizes[0][dim + 1 :]
    for shape in sizes:
        if shape[:dim] != before or shape[dim + 1 :] != after or len(shape) != len(sizes[0]):
            raise LayoutError(
                "concatenate", f"sizes must agree in every dim except {dim}", sizes=sizes
            )
    return (*before, sum([shape[dim] for shape in sizes]), *after)


def commutative_elementwise(sizes: Ints, operands: Sequence[Strided]) -> Ints:
    """The order of an elementwise result, independent of the order of operands.

    Operands that have the sizes of the result take precedence over broadcast ones. If there are
    none, those of full rank decide.
    """
    full = [
        operand.order
        for operand in operands
        if operand.sizes == sizes and not _is_broadcast(operand)
    ]
    return _common_order(full or [operand.order for operand in operands], len(sizes))


def commutative_concatenate(operands: Sequence[Strided], rank: int) -> Ints:
    """The order of a concatenation by the same rule, where no part is broadcast by its sizes."""
    full = [operand.order for operand in operands if not _is_broadcast(operand)]
    return _common_order(full or [operand.order for operand in operands], rank)


def _is_broadcast(operand: Strided) -> bool:
    """Whether elements are repeated by stride 0. An empty layout has none to repeat."""
    return 0 in operand.strides and 0 not in operand.sizes


def _common_order(orders: list[Ints], rank: int) -> Ints:
    """Choose an order: channels_last, or else the smallest unnamed one, or else row-major."""
    if orders.count(orders[0]) == len(orders):
        return orders[0]  # the common case
    plain = row_major(rank)
    marked = {order for order in orders if len(order) == rank and order != plain}
    channels_last = CHANNELS_LAST.get(rank)
    return channels_last if channels_last in marked else min(marked, default=plain)


def torch_elementwise(sizes: Ints, operands: Sequence[Strided]) -> tuple[Ints, Ints]:
    """(strides, order) of an elementwise result as in PyTorch's CPU backend."""
    rank = len(sizes)
    plain = row_major(rank)
    strides = [magnitudes(operand.strides) for operand in operands]
    if all(operand.sizes == sizes for operand in operands):
        distinct = set(strides)
        if all(is_contiguous(sizes, own, plain) for own in distinct):
            return packed_strides(sizes, plain), plain
        if rank == 4 and all(is_contiguous(sizes, own, CHANNELS_LAST[4]) for own in distinct):
            return packed_strides(sizes, CHANNELS_LAST[4]), CHANNELS_LAST[4]
        if len(distinct) == 1 and is_dense(sizes, strides[0]):
            return strides[0], operands[0].order
    aligned = tuple(
        [_aligned(sizes, operand.sizes, own) for operand, own in zip(operands, strides)]
    )
    order = loop_order(sizes, aligned)
    return packed_strides(sizes, order), order


def _aligned(sizes: Ints, own: Ints, strides: Ints) -> Ints:
    """Broadcast strides: 0 for missing leading dims and for stretched ones."""
    if own == sizes:
        return strides
    lead = len(sizes) - len(own)
    stretched = [
        0 if size == 1 and full != 1 else stride
        for full, size, stride in zip(sizes[lead:], own, strides)
    ]
    return (0,) * lead + tuple(stretched)


def torch_concatenate(operands: Sequence[Strided], rank: int) -> Ints:
    """The order of PyTorch's `cat`: channels_last if every input suggests it, else row-major."""
    if rank in (4, 5) and all(
        len(operand.sizes) == rank
        and follows_channels_last(operand.sizes, magnitudes(operand.strides), operand.order)
        for operand in operands
    ):
        return CHANNELS_LAST[rank]
    return row_major(rank)
