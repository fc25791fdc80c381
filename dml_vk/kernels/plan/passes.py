"""Passes of reductions: how the leaves of results are split into blocks.

The leaves of a result are the elements reduced to it, in logical row-major order of the reduced
dims. A pass reduces each block of leaves to one partial result, and those are the leaves of the
next pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.paths import LINE_BYTES
from dml_vk.limits import Profile
from dml_vk.strides.order import packed_strides

MAX_TREE = 13  # the most levels of the tree that one invocation sums
_MAX_LEAVES = 14  # log2 of the most leaves of one invocation otherwise
_CACHE_BYTES, _L1_BYTES = 2**20, 2**16  # of a CPU: all caches, and the nearest one
_PAIRED_BYTES, _MOST_PAIRED = 16, 9  # of sums of several numbers, whose leaves are chunks
_SHORT_BYTES = 64  # of leaves that one invocation reduces by itself where lanes load together
_TEAM_LANES = 256
_TEAMS_WANTED = 2**12  # so that the processors of a large GPU end at about the same time
# The log2 of the leaves of a team: of a row at least what it reads at once, and of a column less,
# since it does several; how many it reads sooner than another pass begins; and the most.
_ROW_LEAVES, _COLUMN_LEAVES = (12, 15, 16), (8, 12, 14)
_LEAST_SIDE = 4  # columns that are read together
_MOST_COLUMNS = 4  # log2: of as many such, if there are, a team has so few leaves of each
_LEAST_WITHIN = 8  # of a block within one of several dims, whose leaves lie side by side
_MOST_LEFT = 16  # large reductions leave at most 1 / 16 of what they read to the next pass


class Ties(Enum):
    """How a result depends on the order of its leaves."""

    TREE = 0  # by rounding
    INDEX = 1  # it is the index of a leaf
    NONE = 2


class Leaves(NamedTuple):
    """One of the reduced dims."""

    size: int
    step: int


class Work(NamedTuple):
    """A reduction still to do: the dims of its result, and its leaves, outermost first."""

    sizes: Ints
    strides: Ints
    leaves: tuple[Leaves, ...]


class Pass(NamedTuple):
    """One pass of a reduction."""

    sizes: Ints  # of its output
    strides: Ints  # in its source
    indexes: Ints  # strides of the index of the first leaf
    leaves: tuple[Leaves, ...]
    block: int  # leaves per element of the output
    leaf_count: int
    out_strides: Ints  # of the output, if another pass follows
    rest: Work | None  # the work of that pass


@lru_cache(maxsize=1024)
def work_of(sizes: Ints, strides: Ints, dims: Ints, ties: Ties) -> Work:
    """Describe the reduction of these dims."""
    others = [dim for dim in range(len(sizes)) if dim not in dims]
    leaves = [Leaves(sizes[dim], strides[dim]) for dim in sorted(dims)]
    other_sizes, other_strides = [sizes[dim] for dim in others], [strides[dim] for dim in others]
    return Work(tuple(other_sizes), tuple(other_strides), _merged(leaves, ties))


def _merged(leaves: Sequence[Leaves], ties: Ties) -> tuple[Leaves, ...]:
    """Merge adjacent dims, as far as the order of leaves allows."""
    if ties is Ties.NONE:
        leaves = sorted(leaves, key=lambda dim: -dim.step)
    merged: list[Leaves] = []
    for dim in leaves:
        if dim.size == 1:
            continue
        if merged and merged[-1].step == dim.size * dim.step:
            dim = Leaves(dim.size * merged.pop().size, dim.step)
        merged.append(dim)
    return tuple(merged) or (Leaves(1, 0),)


@lru_cache(maxsize=1024)
def next_pass(work: Work, ties: Ties, itemsize: int, partial_bytes: int, profile: Profile) -> Pass:
    """Choose the first pass of a reduction.

    `itemsize` is that of the source, and `partial_bytes` that of the output if another pass
    follows.
    """
    outputs = math.prod(work.sizes)
    count = math.prod([dim.size for dim in work.leaves])
    if suits_teams(count, itemsize, profile):
        return _team_pass(work, ties, outputs, count)
    inner = work.leaves[-1]
    many = outputs >= 2 * profile.units_wanted
    least, most = profile.reduce_chunks
    if ties is Ties.TREE and partial_bytes == _PAIRED_BYTES:
        most = max(most, _MOST_PAIRED)  # Chunks make blocks short, and passes wait for each other.
    # A leaf of float64 takes twice the rounds of a float32, and so does a complex number.
    tree = MAX_TREE - 1 if itemsize >= 8 else MAX_TREE
    longest = (tree if ties is Ties.TREE else _MAX_LEAVES) if many else most
    if not profile.coalesces and outputs * count * itemsize > _CACHE_BYTES:
        limit = _cached_log2(abs(inner.step) * itemsize, ties, itemsize)
        limit = max(limit, (_MOST_LEFT * partial_bytes // itemsize).bit_length() - 1)
        least, most, longest = min(least, limit), min(most, limit), min(longest, limit)
    if len(work.leaves) > 1 and outputs * count >= 2**14 and inner.size >= 16:
        # Blocks within the innermost dim can be read along a row, or across one.
        log2 = min(longest, longest if ties is Ties.NONE else _trailing_zeros(inner.size))
        if log2 >= 4:
            return row_pass(work, ties, log2)
    if count <= 1 << longest:
        return _only_pass(work, count)
    return block_pass(work, ties, max(least, min(most, (count - 1).bit_length() + 1 >> 1)))


def _only_pass(work: Work, count: int) -> Pass:
    zeros = (0,) * len(work.sizes)
    return Pass(work.sizes, work.strides, zeros, work.leaves, count, count, (), None)


def suits_teams(count: int, itemsize: int, profile: Profile) -> bool:
    """Whether workgroups reduce so many leaves together, not invocations each by itself."""
    return profile.coalesces and count * itemsize > _SHORT_BYTES


def team_lanes(profile: Profile) -> int:
    """The invocations of a workgroup that reduces together: a power of two."""
    return min(_TEAM_LANES, 1 << profile.max_invocations.bit_length() - 1)


def _team_pass(work: Work, ties: Ties, outputs: int, count: int) -> Pass:
    """Give a team as many leaves as leave enough teams, and at most one more pass."""
    side = max([size for size, step in zip(work.sizes, work.strides) if step == 1], default=0)
    columns = max(0, min(_MOST_COLUMNS, (side // _LEAST_SIDE).bit_length() - 1))
    wanted = (outputs * count // _TEAMS_WANTED).bit_length() - 1
    fewer = _MOST_COLUMNS - columns
    least, alone, most = [
        min(row, column + fewer) for row, column in zip(_ROW_LEAVES, _COLUMN_LEAVES)
    ]
    log2 = max(least, min(most, wanted - columns))
    inner = work.leaves[-1]
    if count <= 1 << max(log2, alone):
        return _only_pass(work, count)
    if len(work.leaves) > 1:
        zeros = inner.size.bit_length() if ties is Ties.NONE else _trailing_zeros(inner.size)
        if zeros >= _LEAST_WITHIN:
            return row_pass(work, ties, min(log2, zeros))
    return block_pass(work, ties, log2)


def _cached_log2(step_bytes: int, ties: Ties, itemsize: int) -> int:
    """The log2 of the most leaves whose cache lines a CPU keeps until they are used up."""
    if step_bytes >= LINE_BYTES:
        return max(4, (_L1_BYTES // step_bytes).bit_length() - 1)
    # Trees of float64 read few elements at a time. In longer blocks, lanes would start a power of
    # two apart and compete for the same set of cache lines.
    return 8 if ties is Ties.TREE and itemsize == 8 else _MAX_LEAVES


def row_pass(work: Work, ties: Ties, log2: int) -> Pass:
    """Make a pass over blocks within the innermost dim.

    Where the order of leaves matters and there are other dims, blocks must divide it.
    """
    *outer, inner = work.leaves
    block = 1 << log2
    blocks = -(-inner.size // block)
    sizes = (*work.sizes, *[dim.size for dim in outer], blocks)
    strides = (*work.strides, *[dim.step for dim in outer], inner.step * block)
    indexes = [0] * len(sizes)
    indexes[-1] = block
    count = inner.size
    if ties is not Ties.NONE:
        count = math.prod([dim.size for dim in work.leaves])
        for at in range(len(outer)):
            indexes[at - len(outer) - 1] = math.prod([dim.size for dim in work.leaves[at + 1 :]])
    return _partial(work, ties, sizes, strides, tuple(indexes), (inner,), block, count, strides)


def block_pass(work: Work, ties: Ties, log2: int) -> Pass:
    """Make a pass over blocks of all leaves, which may cross dims."""
    if len(work.leaves) == 1:
        return row_pass(work, ties, log2)
    block, count = 1 << log2, math.prod([dim.size for dim in work.leaves])
    sizes = (*work.sizes, -(-count // block))
    indexes = (*(0 for _ in work.sizes), block)
    strides = (*work.strides, 0)
    nesting = (*work.strides, work.leaves[-1].step)
    return _partial(work, ties, sizes, strides, indexes, work.leaves, block, count, nesting)


def _partial(
    work: Work,
    ties: Ties,
    sizes: Ints,
    strides: Ints,
    indexes: Ints,
    leaves: tuple[Leaves, ...],
    block: int,
    count: int,
    nesting: Ints,
) -> Pass:
    """Make a pass that another one follows; its output has the dim order of its source."""
    order = sorted(range(len(sizes)), key=lambda dim: -abs(nesting[dim]) or -math.inf)
    packed = packed_strides(sizes, tuple(order))
    rank = len(work.sizes)
    left = [Leaves(size, step) for size, step in zip(sizes[rank:], packed[rank:])]
    rest = Work(work.sizes, packed[:rank], _merged(left, ties))
    return Pass(sizes, strides, indexes, leaves, block, count, packed, rest)


def _trailing_zeros(number: int) -> int:
    """The trailing zero bits of a positive number."""
    return (number & -number).bit_length() - 1
