"""Tensors composed of pieces of another one: rolled and padded.

The result keeps the format of the tensor. Pieces are copied directly to their positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from dml_vk.arguments import Axes, Ints, is_one, several, to_axis, to_int, to_ints, to_tuple
from dml_vk.array.calls import composed
from dml_vk.array.creation.arrays import filled, full
from dml_vk.array.manipulation.padding_statistics import MODES as COMPUTED
from dml_vk.array.manipulation.padding_statistics import pad_by_dims
from dml_vk.array.manipulation.shapes import broadcast_arrays, broadcast_to, stack
from dml_vk.dtypes import DType
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout, coalesce
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.view import View, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import result_over, to_tensor
from dml_vk.tracing.formats import operation

MODES = ("constant", "reflect", "edge", "circular", "symmetric", "wrap", *COMPUTED)
Pair = tuple[int, int]


class Piece(NamedTuple):
    """Indexes of one dim: `length` indexes of the result from `to`, of the source from `start`.

    `step` is that of the source: 1, -1, or 0 to repeat one index.
    """

    to: int
    start: int
    length: int
    step: int = 1


@hinted
def roll(
    x: Tensor,
    /,
    shift: int | Sequence[int],
    axis: Axes | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Shift elements cyclically along dims.

    Without `axis`, they are shifted in logical row-major order through the whole tensor.

    >>> import dml_vk
    >>> dml_vk.roll(dml_vk.asarray([1, 2, 3, 4]), 1).tolist()
    [4, 1, 2, 3]
    """
    x = to_tensor("roll", "x", x)
    boxes: Iterable[tuple[Piece, ...]]
    if axis is None:
        distance = to_int("roll", "shift", shift)
        result = result_over("roll", x.layout.like(), x.dtype, x, out)
        source = copy_if_overlapping("roll", x, result)
        if x.size:
            # Merge dims, since each may double the number of boxes.
            a, b = coalesce(source.layout, result.layout)
            source, target = with_layout(source, a), with_layout(result, b)
            _copy_boxes("roll", source, target, _roll_boxes(a.sizes, distance))
        return result
    shifts = _shifts(x, shift, axis)
    result = result_over("roll", x.layout.like(), x.dtype, x, out)
    source = copy_if_overlapping("roll", x, result)
    boxes = product(*[_roll_pieces(size, by) for size, by in zip(x.shape, shifts)])
    _copy_boxes("roll", source, result, boxes)
    return result


def pad(
    x: Tensor,
    /,
    widths: ArrayLike,
    *,
    value: float = 0,
    mode: str = "constant",
    constant_values: ArrayLike | None = None,
    stat_length: ArrayLike | None = None,
    end_values: ArrayLike = 0,
    out: Tensor | None = None,
) -> Tensor:
    """Add elements before and after the tensor along its dims.

    `widths` is a number, (before, after), or such a pair for each dim. The added elements are
    `value`, or in other modes: "edge": the nearest element; "reflect": the element at the same
    distance on the other side of the edge; "symmetric": the same, counting the edge itself; "wrap",
    or "circular": the elements at the opposite end. The last three add at most as many elements as
    there are, "reflect" one less. `constant_values` are, in place of `value`, a number, one for
    before and one for after, or such a pair for each dim; those of later dims take corners.

    "maximum", "minimum", "mean" and "median" are those along the dim, of the nearest `stat_length`
    elements or all, which integers round to even; "linear_ramp" ends with `end_values`; the
    elements of "empty" are undefined. These arguments have the forms of `constant_values`.

    >>> import dml_vk
    >>> dml_vk.pad(dml_vk.asarray([1, 2, 3]), (1, 2), mode="reflect").tolist()
    [2, 1, 2, 3, 2, 1]
    """
    x = to_tensor("pad", "x", x)
    pairs = _pairs(widths, x.ndim)
    if not isinstance(mode, str) or mode not in MODES:
        rule = f"mode must be one of {', '.join(MODES)}"
        raise RangeError("pad", rule, mode=mode)
    if mode in COMPUTED:
        return pad_by_dims(x, pairs, mode, stat_length, end_values, out)
    if constant_values is None and isinstance(value, Tensor):
        constant_values = value
    if mode == "constant" and _are_written(constant_values, x.dtype):
        return _pad((x,), out, pairs, mode, value, constant_values)
    return composed(_pad, (x,), out, pairs, mode, value, constant_values)


@operation(flexible="all")
def _pad(
    operands: Sequence[Tensor],
    out: Tensor | None,
    pairs: Sequence[Pair],
    mode: str,
    value: float,
    constant_values: ArrayLike | None,
) -> Tensor:
    (x,) = operands
    pieces = [_pad_pieces(mode, size, *pair) for size, pair in zip(x.shape, pairs)]
    sizes = tuple([before + size + after for size, (before, after) in zip(x.shape, pairs)])
    layout = Layout.packed(sizes, x.layout.order)
    result = result_over("pad", layout, x.dtype, x, out)
    source = copy_if_overlapping("pad", x, result)
    if mode == "constant" and constant_values is None:
        for slab in slabs(result.layout, x.shape, pairs):
            filled(result.over(slab), "pad", value)
    _copy_boxes("pad", source, result, product(*pieces))
    if mode == "constant" and constant_values is not None:
        _fill_ends(result, pairs, constant_values)
    return result


def _fill_ends(
    result: Tensor, pairs: Sequence[tuple[int, int]], constant_values: ArrayLike
) -> None:
    """Write a number for each dim and end, dim by dim."""
    try:
        if _are_written(constant_values, result.dtype):
            whole = broadcast_to(_stacked(constant_values, result), (result.ndim, 2))
            values: Any = [(row[0], row[1]) for row in map(whole.__getitem__, range(result.ndim))]
        else:
            values = np.broadcast_to(constant_values, (result.ndim, 2)).tolist()
    except (ValueError, LayoutError):
        rule = "constant_values must be a number, a pair, or one pair per dim"
        raise LayoutError("pad", rule, constant_values=constant_values) from None
    with ErrorsAs("pad"):
        for dim, ((before, after), (first, last)) in enumerate(zip(pairs, values)):
            start = result.shape[dim] - after
            for index, length, value in ((0, before, first), (start, after, last)):
                result.over(result.layout.narrow(dim, index, length))[...] = value


def _are_written(values: object, dtype: DType) -> bool:
    """Whether they are operands of writes, through which a gradient flows, and not numbers."""
    return dtype.kind in "fc" and _has_tensors(values)


def _has_tensors(values: object) -> bool:
    if isinstance(values, (list, tuple)):
        return any(map(_has_tensors, values))
    return isinstance(values, Tensor)


def _stacked(values: Any, near: Tensor) -> Tensor:
    """Return lists of tensors and numbers as one tensor."""
    if isinstance(values, Tensor):
        return values
    if isinstance(values, (list, tuple)):
        rows = broadcast_arrays(*[_stacked(row, near) for row in values])
        return stack(rows)
    return full((), values, near.dtype, device=near.device)


def _copy_boxes(what: str, source: View, target: View, boxes: Iterable[Sequence[Piece]]) -> None:
    """Copy boxes of a tensor, each a piece of every dim."""
    for box in boxes:
        a, b = source.layout, target.layout
        for dim, (to, start, length, step) in enumerate(box):
            b = b.narrow(dim, to, length)
            if step == 1:
                a = a.narrow(dim, start, length)
            elif step == 0:
                a = a.narrow(dim, start, 1)
                a = a.expand((*a.sizes[:dim], length, *a.sizes[dim + 1 :]))
            else:
                a = a.narrow(dim, start - length + 1, length).flip(dim)
        copy_elements(what, with_layout(source, a), with_layout(target, b))


def _roll_pieces(size: int, shift: int) -> list[Piece]:
    by = shift % max(1, size)
    return [piece for piece in (Piece(by, 0, size - by), Piece(0, size - by, by)) if piece.length]


def _roll_boxes(sizes: Ints, shift: int) -> Iterator[tuple[Piece, ...]]:
    """Return the boxes into which a shift in flattened row-major order splits a tensor.

    Each dim is shifted by a digit of the shift, and by one more where the inner dims wrapped.
    """
    boxes: list[tuple[tuple[Piece, ...], int]] = [((), 0)]
    for size in reversed(sizes):
        shift, digit = divmod(shift, size)
        grown = []
        for pieces, carry in boxes:
            by = digit + carry
            if by < size:
                grown.append(((Piece(by, 0, size - by), *pieces), 0))
            if by:
                grown.append(((Piece(0, size - by, by), *pieces), 1))
        boxes = grown
    return (pieces for pieces, _ in boxes)


def _shifts(x: Tensor, shift: int | Sequence[int], axis: Axes) -> list[int]:
    """Return the shift of each dim. Shifts of a dim that is named more than once are added."""
    named = to_tuple("roll", "axis", several(axis))
    by = to_ints("roll", "shift", several(shift))
    if len(by) == 1:
        by *= len(named)
    if len(named) == 1:
        named *= len(by)
    if len(by) != len(named):
        rule = "shift must be an integer, or one per axis"
        raise LayoutError("roll", rule, shift=shift, axis=axis)
    shifts = [0] * x.ndim
    for dim, count in zip(named, by):
        shifts[to_axis("roll", "axis", dim, x.ndim)] += count
    return shifts


def _pairs(widths: ArrayLike, rank: int) -> list[Pair]:
    """Return (before, after) for each dim."""
    rule = "widths must be a non-negative integer, a pair, or one pair per dim"
    try:
        listed = to_tuple("pad", "widths", several(widths))
        rows = [to_ints("pad", "widths", several(row)) for row in listed]
    except LayoutError:
        raise LayoutError("pad", rule, widths=widths) from None
    if all(map(is_one, listed)):
        rows = [tuple([row[0] for row in rows])]
    pairs = [row * 2 if len(row) == 1 else row for row in rows]
    pairs *= rank if len(pairs) == 1 else 1
    if len(pairs) != rank or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise LayoutError("pad", rule, widths=widths, rank=rank)
    return [(before, after) for before, after in pairs]


def _pad_pieces(mode: str, size: int, before: int, after: int) -> list[Piece]:
    """Return the pieces of one dim; constant padding is not one of them."""
    most = {
        "reflect": max(0, size - 1),
        **dict.fromkeys(("symmetric", "circular", "wrap"), size),
        "edge": before + after if size else 0,
    }
    if mode in most and max(before, after) > most[mode]:
        rule = f"in this mode, size {size} can be padded by at most {most[mode]}"
        raise LayoutError("pad", rule, widths=(before, after), mode=mode)
    end = before + size
    pieces = [Piece(before, 0, size)]
    if mode == "edge":
        pieces += [Piece(0, 0, before, 0), Piece(end, size - 1, after, 0)]
    elif mode == "reflect":
        pieces += [Piece(0, before, before, -1), Piece(end, size - 2, after, -1)]
    elif mode == "symmetric":
        pieces += [Piece(0, before - 1, before, -1), Piece(end, size - 1, after, -1)]
    elif mode in ("circular", "wrap"):
        pieces += [Piece(0, size - before, before), Piece(end, 0, after)]
    return [piece for piece in pieces if piece.length]


def slabs(layout: Layout, sizes: Ints, pairs: Sequence[Pair]) -> Iterator[Layout]:
    """Yield layouts that cover what lies outside a box of these sizes, each element once."""
    for dim, (before, after) in enumerate(pairs):
        end = before + sizes[dim]
        for start, length in ((0, before), (end, after)):
            if length:
                yield layout.narrow(dim, start, length)
        layout = layout.narrow(dim, before, sizes[dim])
