"""Properties of the addresses of a layout: density, contiguity, and overlap."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

from dml_vk.arguments import Ints
from dml_vk.errors import LayoutError
from dml_vk.strides.order import row_major

# Dims in overlap tests: (stride, size) with stride > 0 and size >= 2.
Steps = list[tuple[int, int]]


def check_lowest(sizes: Ints, strides: Ints, offset: int) -> None:
    below = -sum([min(0, stride) * (size - 1) for size, stride in zip(sizes, strides)])
    if offset < below:
        raise LayoutError(
            "Layout",
            f"addresses cannot be negative: with these strides, offset must be at least {below}",
            offset=offset,
            sizes=sizes,
            strides=strides,
        )


def is_contiguous(sizes: Ints, strides: Ints, order: Ints) -> bool:
    """Whether a layout is packed in exactly this order, ignoring the strides of size-1 dims.

    As in PyTorch, empty layouts are always contiguous in row-major order, but in other orders only
    by their strides.
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
    """Whether elements have distinct addresses without gaps, in any order and direction."""
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
    """Whether two different indexes have the same address. Exact for every input.

    Two such indexes differ by a vector d with sum(d[k] * stride[k]) == 0 and |d[k]| < size[k], not
    all zero. First each dim is bounded by what the others can cancel, which decides all cases with
    two dims and all views of packed memory. The rest is searched by meet-in-the-middle: it takes
    half as many additions as the product of (2 * size - 1) over either half of the dims, and
    stores the sums of one half. At rank 8 and 2**32 elements that is at most 10**6 of each, and
    0.5 s. The worst case of any rank, 32 dims of size 2 with unrelated strides, takes 2 * 10**7.
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
        return True  # d = (1, -1), or more indexes than addresses
    small, large = _halves(dims)
    if _meets(small) or _meets(large):
        return True
    return not set(_differences(small)).isdisjoint(_differences(large))


def _tightened(dims: Steps) -> Steps:
    """Shrink each dim to the differences d that the other dims can cancel."""
    # One pass more than there are dims is enough in practice, while a fixed point could take as
    # many passes as a dim is long. Stopping early only leaves more to search.
    for _ in range(len(dims) + 1):
        before = dims
        for k, (stride, size) in enumerate(dims):
            others = dims[:k] + dims[k + 1 :]
            common = math.gcd(*[s for s, _ in others])
            if not common:
                return []
            step = common // math.gcd(common, stride)  # d must be a multiple of this
            bound = sum(s * (n - 1) for s, n in others) // stride  # and no larger than this
            most = min(size - 1, bound) // step
            if most == 0:
                dims = others
                break
            dims = [*dims[:k], (stride * step, most + 1), *dims[k + 1 :]]
        if dims == before:
            break
    return dims


def _halves(dims: Steps) -> tuple[Steps, Steps]:
    """Split dims into two groups with about equally many differences, the smaller one first."""
    groups: list[Steps] = [[], []]
    counts = [1, 1]
    for stride, size in sorted(dims, key=lambda dim: -dim[1]):
        smaller = counts.index(min(counts))
        groups[smaller].append((stride, size))
        counts[smaller] *= 2 * size - 1
    first = counts.index(min(counts))
    return groups[first], groups[1 - first]


def _differences(dims: Steps) -> Iterator[int]:
    """|sum(d[k] * stride[k])| for every nonzero d with |d[k]| < size[k], of d and -d only one."""
    if not dims:
        return
    (stride, size), *rest = dims
    yield from range(stride, stride * size, stride)
    steps = range(stride * (1 - size), stride * size, stride)
    for total in set(_differences(rest)):
        for step in steps:
            yield abs(total + step)
