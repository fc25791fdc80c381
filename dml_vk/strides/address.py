"""What addresses a strided box reaches: density, contiguity, and whether any address repeats."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

from dml_vk.errors import LayoutError, explain
from dml_vk.strides.order import Ints, row_major

# One dim of an overlap question: (stride, size), stride > 0 and size >= 2.
Steps = list[tuple[int, int]]


def check_lowest(sizes: Ints, strides: Ints, offset: int) -> None:
    below = -sum([min(0, stride) * (size - 1) for size, stride in zip(sizes, strides)])
    if offset < below:
        raise LayoutError(
            explain(
                "Layout",
                f"no address may be negative, with these strides offset must be at least {below}",
                offset=offset,
                sizes=sizes,
                strides=strides,
            )
        )


def is_contiguous(sizes: Ints, strides: Ints, order: Ints) -> bool:
    """Packed in exactly this order; what size-1 dims say does not count.

    Empty layouts are row-major contiguous whatever their strides, and get no such grace elsewhere.
    """
    step = 1
    for dim in reversed(order):
        size = sizes[dim]
        if size != 1:
            if strides[dim] != step:
                return 0 in sizes and order == row_major(len(sizes))
            step *= size
    return True


def is_dense(sizes: Ints, strides: Ints) -> bool:
    """One address per element and no gaps, in whatever order and direction."""
    if 0 in sizes:
        return True
    step = 1
    for stride, size in sorted((abs(s), n) for n, s in zip(sizes, strides) if n != 1):
        if stride != step:
            return False
        step *= size
    return True


@functools.lru_cache(maxsize=1024)
def overlaps(sizes: Ints, strides: Ints) -> bool:
    """Two different indexes reach the same address. Exact for every input.

    Two indexes that meet differ by a vector d with sum(d[k] * stride[k]) == 0 and
    |d[k]| < size[k], not all zero. First each dim is bounded by what the others allow, which
    settles two dims always and all views of packed memory. What is left is searched from two
    sides: half as many additions as the product of (2 * size - 1) over either half of the dims,
    and one half's sums kept. At rank 8 and 2**32 elements that is at worst 10**6 of each, and
    0.5 s; the worst of any rank, 32 dims of size 2 without a common rhythm, takes 2 * 10**7.
    """
    if 0 in sizes:
        return False
    dims = [(abs(stride), size) for size, stride in zip(sizes, strides) if size != 1]
    return any(stride == 0 for stride, _ in dims) or _meets(dims)


def _meets(dims: Steps) -> bool:
    dims = _tightened(dims)
    if len(dims) < 2:
        return False
    strides = [stride for stride, _ in dims]
    reach = sum(stride * (size - 1) for stride, size in dims) // math.gcd(*strides)
    if len(set(strides)) < len(dims) or math.prod(size for _, size in dims) > reach + 1:
        return True  # d = (1, -1), or more indexes than addresses to put them at.
    near, far = _halves(dims)
    if _meets(near) or _meets(far):
        return True
    return not set(_differences(near)).isdisjoint(_differences(far))


def _tightened(dims: Steps) -> Steps:
    """Shrink each dim to the differences d that the other dims can make up for."""
    # One more pass than there are dims is plenty in practice. Stopping early leaves work for the
    # search and never changes the answer; going on could take as many passes as a dim is long.
    for _ in range(len(dims) + 1):
        before = dims
        for k, (stride, size) in enumerate(dims):
            others = dims[:k] + dims[k + 1 :]
            common = math.gcd(*[s for s, _ in others])
            if not common:
                return []
            step = common // math.gcd(common, stride)  # d must be a multiple of this
            room = sum(s * (n - 1) for s, n in others) // stride  # and no larger than this
            most = min(size - 1, room) // step
            if most == 0:
                dims = others
                break
            dims = [*dims[:k], (stride * step, most + 1), *dims[k + 1 :]]
        if dims == before:
            break
    return dims


def _halves(dims: Steps) -> tuple[Steps, Steps]:
    """Two groups of dims with about as many differences each, the smaller first."""
    groups: list[Steps] = [[], []]
    counts = [1, 1]
    for stride, size in sorted(dims, key=lambda dim: -dim[1]):
        smaller = counts.index(min(counts))
        groups[smaller].append((stride, size))
        counts[smaller] *= 2 * size - 1
    first = counts.index(min(counts))
    return groups[first], groups[1 - first]


def _differences(dims: Steps) -> Iterator[int]:
    """|sum(d[k] * stride[k])| for every |d[k]| < size[k], d not zero; -d is not asked again."""
    if not dims:
        return
    (stride, size), *rest = dims
    yield from range(stride, stride * size, stride)
    steps = range(stride * (1 - size), stride * size, stride)
    for total in set(_differences(rest)):
        for step in steps:
            yield abs(total + step)
