"""Rows of a chain by steps that neighbouring invocations do side by side, as suits a GPU."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.chain import WORD, AccessPattern
from dml_vk.kernels.plan.chain_rows import Row, RowAccess, access_of, quad_of
from dml_vk.kernels.plan.dims import Dim
from dml_vk.kernels.plan.flat import resident
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand
from dml_vk.limits import Profile

_AHEAD, _MOST_QUADS = 4, 4  # quads of all that is read, and steps of a unit
# What a unit computes is written out for each of its elements: what takes longer, is also long to
# compile, and hides its loads.
_MOST_UNIT_NS = 400.0


def apart_of(
    operands: Sequence[Operand],
    dims: list[Dim],
    starts: Ints,
    profile: Profile,
    writes: int,
    element_ns: float,
) -> tuple[Row, RowAccess] | None:
    """The rows, and how they are accessed; None where invocations walk along rows better.

    A step is a quad where all rows consist of quads, or where those of what is written do and the
    rest is broadcast, of which a cache has what is read again. Else it is an element, or a word of
    the smallest that are written.
    """
    if not profile.coalesces:
        return None
    least = quad_of(operands, writes)
    moved = [operand.itemsize for operand in operands if any(operand.strides)]
    quad = max(least, QUAD_BYTES // max(moved, default=QUAD_BYTES))
    if quad * element_ns > _MOST_UNIT_NS:
        quad = least
    word = max(1, WORD // min([operand.itemsize for operand in operands[-writes:]]))
    rows = dims[:1], dims[1:]
    ways = [(*rows, quad), (*rows, least), (dims, [], quad), (dims, [], word)]
    for along, outer, step in ways:
        row = Row(along, outer, step, step, step)
        if outer and row.extent % step:
            continue
        access = access_of(row, operands, dims, starts, writes)
        if access.shares or access.phase is not None or row.extent < step:
            continue
        if step != word and not _is_quick(access.patterns, step, dims, writes):
            continue
        read = [
            step * pattern.itemsize
            for k, pattern in enumerate(access.patterns[:-writes])
            if any(dim.strides[k] for dim in dims)
        ]
        quads, steps = _MOST_QUADS, math.prod([dim.size for dim in dims]) // step
        while quads > 1 and (
            quads * sum(read) > _AHEAD * QUAD_BYTES
            or steps < quads * resident(profile)
            or quads * step * element_ns > _MOST_UNIT_NS
        ):
            quads //= 2
        return row._replace(quads=quads), access
    return None


def _is_quick(patterns: Sequence[AccessPattern], step: int, dims: list[Dim], writes: int) -> bool:
    """Whether a step's elements are side by side in memory, but for those that are broadcast."""
    for k, pattern in enumerate(patterns):
        nbytes = min(QUAD_BYTES, step * pattern.itemsize)
        beside = pattern.steps == (1,) and not pattern.align % nbytes
        broadcast = k < len(patterns) - writes and not all(dim.strides[k] for dim in dims)
        if not beside and not broadcast:
            return False
    return True
