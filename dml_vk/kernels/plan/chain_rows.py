"""How the elements of a chain are split into rows, units and steps."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.chain import WORD, AccessPattern
from dml_vk.kernels.plan.dims import Dim, dense
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Operand
from dml_vk.limits import Profile

# Of a step across rows: what takes longer, is also long to compile for so many elements.
_MOST_ACROSS_NS = 400.0
_STEPS, _LEAST_STEPS = 4, 4  # of a unit across rows, for each quad that others have


class Row(NamedTuple):
    """How the elements of all operands are split into rows, and rows into units and steps."""

    dims: list[Dim]  # along a row
    outer: list[Dim]  # over rows
    unit: int
    quad: int
    step: int
    across: Sequence[Ints] = ()  # coordinates of the elements of a step that goes across
    quads: int = 0  # see Recipe

    @property
    def extent(self) -> int:
        return math.prod([dim.size for dim in self.dims])


class RowAccess(NamedTuple):
    """How a kernel accesses the elements of all operands, and where words are not whole."""

    patterns: tuple[AccessPattern, ...]
    unit: int
    least: int  # the length of a step at the end of a row
    phase: int | None = None  # see Recipe
    shares: bool = False
    alone: frozenset[int] = frozenset()  # those whose elements are written one by one


def rows_of(
    operands: Sequence[Operand], dims: list[Dim], profile: Profile, writes: int, element_ns: float
) -> Iterable[Row]:
    """All ways to split them, the best first."""
    split = operands, dims, profile, writes
    for row in _across(*split):
        if row.quad <= 4 or row.quad * element_ns <= _MOST_ACROSS_NS:
            yield row
    yield from _along(*split)


def quad_of(operands: Sequence[Operand], writes: int) -> int:
    """The elements that are computed at once."""
    return min(4, QUAD_BYTES // min([operand.itemsize for operand in operands[-writes:]]))


def _along(
    operands: Sequence[Operand], dims: list[Dim], profile: Profile, writes: int
) -> list[Row]:
    """Rows of the innermost dims, as many as may be one, the best number first."""
    quad = quad_of(operands, writes)
    full, inner = dense(dims), dims[0].size
    counts = [1, full] if inner >= quad and inner % quad * 8 <= inner else [full]
    rows = []
    for count in counts if full > 1 else [1]:
        extent = math.prod([dim.size for dim in dims[:count]])
        unit = _fitting(quad * profile.quads_per_unit, quad, extent)
        rows.append(Row(dims[:count], dims[count:], unit, quad, quad))
    return rows


def _fitting(unit: int, least: int, extent: int) -> int:
    """Halve units until little is left of a row."""
    while unit > least and extent % unit * 8 > extent:
        unit //= 2
    return unit


def _across(
    operands: Sequence[Operand], dims: list[Dim], profile: Profile, writes: int
) -> list[Row]:
    """Rows of the second dim, if what is the same along it is not along the first.

    A step is a quad of the first dim, or as many times all of it as quads are. So what belongs to
    channels is read once for many pixels.
    """
    if len(dims) < 2 or not any(
        first and not second for first, second in zip(dims[0].strides, dims[1].strides)
    ):
        return []
    (inner, along, *outer), quad = dims, quad_of(operands, writes)
    times = 1
    if inner.size % quad:
        times = quad // math.gcd(inner.size, quad)
        quad = inner.size * times
        if quad > QUAD_BYTES:
            return []
    steps, left = divmod(along.size, times)
    if left or steps < _LEAST_STEPS:
        return []
    pieces = Dim(tuple([stride * quad for stride in inner.strides]), max(1, inner.size // quad))
    row = Dim(tuple([stride * times for stride in along.strides]), steps)
    unit = _fitting(_STEPS * profile.quads_per_unit, 1, steps)
    across = [(k % inner.size, k // inner.size) for k in range(quad)]
    return [Row([row], [pieces, *outer], unit, quad, 1, across)]


def access_of(
    row: Row, operands: Sequence[Operand], dims: list[Dim], starts: Ints, writes: int
) -> RowAccess:
    """How to access the elements of all operands, of which the last `writes` are written.

    Elements smaller than words are written by whole words where a unit has all of a word. At the
    ends of rows, and where they are not side by side, they are written one by one.
    """

    def patterns_with(phase: int | None) -> tuple[AccessPattern, ...]:
        return tuple(
            [
                _pattern(operand, row, k, dims, starts, operands, phase)
                for k, operand in enumerate(operands)
            ]
        )

    patterns, written = patterns_with(None), range(len(operands) - writes, len(operands))
    small = [k for k in written if operands[k].itemsize < WORD]
    phase = None
    if not row.across:
        moved = [k for k in small if patterns[k].steps == (1,) and patterns[k].align < WORD]
        phase = min(moved, key=lambda k: operands[k].itemsize, default=None)
        if phase is not None:
            shifted = patterns_with(phase)
            if any(shifted[k].align < WORD for k in small if patterns[k].steps == (1,)):
                phase = None  # They start at words at different elements.
            else:
                patterns = shifted
    alone = frozenset(
        [k for k in small if not _follows(patterns[k], row) or patterns[k].align < WORD]
    )
    least = max([WORD // operands[k].itemsize for k in small], default=1)
    if row.across or phase is not None or row.extent % least:
        least = 1
    rows, unit = math.prod([dim.size for dim in row.outer]), row.unit
    if phase is not None:
        unit = _fitting(unit, row.quad, row.extent - WORD // operands[phase].itemsize + 1)
    shares = bool(alone) or (phase is not None and rows > 1)
    return RowAccess(patterns, unit, least, phase, shares, alone)


def _follows(pattern: AccessPattern, row: Row) -> bool:
    """Whether the elements of a step lie side by side."""
    return pattern.across == tuple(range(row.quad)) if row.across else pattern.steps == (1,)


def _pattern(
    operand: Operand,
    row: Row,
    number: int,
    dims: list[Dim],
    starts: Ints,
    operands: Sequence[Operand],
    phase: int | None,
) -> AccessPattern:
    """How to access an operand's elements, if rows start where the words of `phase` do."""
    size = operand.itemsize
    along = [dim.strides[number] for dim in row.dims]
    outer = [dim.strides[number] for dim in row.outer]
    step, at = along[0], 1
    is_even = True
    for stride, dim in zip(along, row.dims):
        is_even &= stride == step * at
        at *= dim.size
    moves = [operand.offset + starts[number], *outer, *(along if row.across else ())]
    if phase is not None:
        # Units start at elements that are known up to words.
        first = operands[phase].offset + starts[phase], *[dim.strides[phase] for dim in row.outer]
        moves = [*map(operator.sub, moves, first), WORD // operands[phase].itemsize]
    align = math.gcd(QUAD_BYTES, *[move * size for move in moves])
    inner = [dim.strides[number] for dim in dims[:2]]
    across = tuple([sum(map(operator.mul, at, inner)) for at in row.across])
    return AccessPattern(size, tuple(outer), (step,) if is_even else tuple(along), align, across)
