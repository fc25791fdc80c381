"""Reshapes without copies, and merging of dims."""

from __future__ import annotations

import functools
import math

from dml_vk.arguments import Ints
from dml_vk.errors import LayoutError
from dml_vk.strides.order import packed_strides, read_order, row_major


@functools.lru_cache(maxsize=4096)
def view(sizes: Ints, strides: Ints, new: Ints) -> tuple[Ints, Ints | None, Ints]:
    """(sizes, strides, order) of a reshape to new sizes; strides are None where it needs a copy."""
    new = infer_size(new, math.prod(sizes))
    out = view_strides(sizes, strides, new)
    return new, out, () if out is None else read_order(new, out)


def infer_size(sizes: Ints, numel: int) -> Ints:
    """Infer a -1, and check that the number of elements is unchanged."""
    known = math.prod([size for size in sizes if size != -1])
    if sizes.count(-1) == 1 and known > 0 and numel % known == 0:
        return tuple([numel // known if size == -1 else size for size in sizes])
    if known != numel or min(sizes, default=0) < 0:
        raise LayoutError(
            "view",
            f"sizes must multiply to {numel}, with at most one -1 to infer",
            sizes=sizes,
        )
    return sizes


def view_strides(sizes: Ints, strides: Ints, new: Ints) -> Ints | None:
    """The strides of a reshape to `new` sizes, or None where it needs a copy."""
    if 0 in sizes:
        return packed_strides(new, row_major(len(new)))
    if not sizes:
        return (1,) * len(new)
    out = [0] * len(new)
    at = len(new) - 1
    base, run, filled = strides[-1], 1, 1
    for dim in range(len(sizes) - 1, -1, -1):
        run *= sizes[dim]
        if dim and (sizes[dim - 1] == 1 or strides[dim - 1] == run * base):
            continue  # This dim continues the run of evenly spaced elements.
        while at >= 0 and (filled < run or new[at] == 1):
            out[at] = filled * base
            filled *= new[at]
            at -= 1
        if filled != run:
            return None
        if dim:
            base, run, filled = strides[dim - 1], 1, 1
    return tuple(out)


def in_items(
    sizes: Ints, strides: Ints, offset: int, before: int, after: int
) -> tuple[Ints, Ints, int] | None:
    """Reinterpret memory with another item size: (sizes, strides, offset).

    Item sizes are powers of two. The last dim grows or shrinks. None where that dim is not packed,
    or sizes, strides or the offset are no multiples of the new item size.
    """
    if before == after:
        return sizes, strides, offset
    if not sizes or (strides[-1] != 1 != sizes[-1] and 0 not in sizes):
        return None
    if after < before:
        more = before // after
        outer = tuple([stride * more for stride in strides[:-1]])
        return (*sizes[:-1], sizes[-1] * more), (*outer, 1), offset * more
    fewer = after // before
    steps = [stride for size, stride in zip(sizes[:-1], strides) if size > 1]
    if sizes[-1] % fewer or (0 not in sizes and any(step % fewer for step in (*steps, offset))):
        return None
    outer = tuple([stride // fewer for stride in strides[:-1]])
    return (*sizes[:-1], sizes[-1] // fewer), (*outer, 1), offset // fewer


@functools.lru_cache(maxsize=4096)
def coalesce(sizes: Ints, operands: tuple[Ints, ...]) -> tuple[Ints, tuple[tuple[Ints, Ints], ...]]:
    """Merge adjacent dims as far as all operands allow: (sizes, (strides, order) per operand).

    Each operand has the same addresses in the same sequence as before.
    """
    merged: list[int] = []
    columns: list[Ints] = []  # per dim, its stride in every operand
    for size, column in zip(sizes, zip(*operands)):
        if size == 1:
            continue
        if columns and columns[-1] == tuple([stride * size for stride in column]):
            merged[-1] *= size
            columns[-1] = column
        else:
            merged.append(size)
            columns.append(column)
    if 0 in sizes:
        merged, columns = [0], [(1,) * len(operands)]
    left = tuple(merged)
    strides = tuple(zip(*columns)) if columns else ((),) * len(operands)
    return left, tuple([(own, read_order(left, own)) for own in strides])
