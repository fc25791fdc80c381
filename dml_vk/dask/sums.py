"""Sums and products of elements over chunks, by the tree of a single tensor: the same bits.

Node j of level k of the tree has the elements from j * 2**k to (j + 1) * 2**k - 1, counted along
the reduced axes in row-major order. A chunk with a run of these elements reduces the largest nodes
that lie in its run, and nodes of several chunks are joined two by two, as the tree has them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import dask.array as da
import numpy as np

from dml_vk.arguments import Ints
from dml_vk.array.manipulation.shapes import permute_dims, reshape
from dml_vk.array.math import elementwise
from dml_vk.array.statistics import reductions
from dml_vk.dask.chunks import asarray, meta_of
from dml_vk.dtypes import DType
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.tensor.core import Tensor

# The functions that reduce a chunk, and that join two results.
_OPERATIONS: dict[str, tuple[Callable[..., Tensor], Callable[..., Tensor]]] = {
    row.name: (reductions.FUNCTIONS[row.name], elementwise.FUNCTIONS[row.join])
    for row in REDUCTIONS.values()
    if row.accumulates
}


class Tree(NamedTuple):
    """The reduction, the number of elements of each result, and the results' order of dims."""

    name: str
    total: int
    order: Ints


class Node(NamedTuple):
    """A node of the tree, and the sum or product of its elements."""

    level: int
    number: int
    value: Tensor


class Placed(NamedTuple):
    """A chunk, and the position of its first element among those of a result."""

    chunk: Tensor
    start: int


def reduced(name: str, x: da.Array, axes: Ints, dtype: DType, *, keepdims: bool) -> da.Array:
    """Reduce an array of Dask, whose chunks are tensors of this dtype, by a sum or product."""
    x = in_runs(x, axes)
    sizes = tuple([int(size) for size in x.shape])
    total = math.prod([sizes[axis] for axis in axes])
    left = reductions.reduced_layout(x._meta.layout, axes, keepdims)
    tree = Tree(name, total, left.order)
    return da.reduction(
        x.map_blocks(partial(_placed, axes=axes, sizes=sizes), meta=x._meta),
        chunk=partial(_nodes_of, tree=tree),
        combine=partial(_joined, tree=tree),
        aggregate=partial(_root, tree=tree),
        axis=axes,
        keepdims=keepdims,
        concatenate=False,
        dtype=np.dtype(dtype.numpy_name),
        meta=meta_of(left.rank, dtype, left.order),
    )


def in_runs(x: da.Array, axes: Ints) -> da.Array:
    """Rechunk, if necessary, so that each chunk has a run of the elements of each result.

    One of the reduced axes may be split. Those after it must be in one chunk, and those before it
    in chunks of one element.
    """
    if 0 in x.shape:
        return asarray(x.rechunk(dict.fromkeys(axes, -1)))  # of nothing, Dask makes NumPy's array
    splits = [axis for axis in axes if len(x.chunks[axis]) > 1]
    before = [axis for axis in axes if splits and axis < splits[-1]]
    if all(max(x.chunks[axis]) <= 1 for axis in before):
        return x
    # Chunks keep about their size: they take whole axes, innermost first, while those fit. The last
    # one does not fit, since some axis is split now.
    room = math.prod([x.chunksize[axis] for axis in axes])
    wanted, left = dict.fromkeys(axes, 1), list(axes)
    while x.shape[left[-1]] <= room:
        wanted[left[-1]] = -1
        room //= x.shape[left.pop()]
    wanted[left[-1]] = 2 ** (room.bit_length() - 1)  # even runs have large nodes
    return x.rechunk(wanted)


def nodes_in(start: int, stop: int, total: int) -> Iterator[tuple[int, int, int, int]]:
    """The largest nodes of a tree within a run: level, number, and their own start and stop."""
    at = start
    if not total:
        yield 0, 0, 0, 0
    while at < stop:
        level = (at & -at).bit_length() - 1 if at else (total - 1).bit_length()
        while min(at + 2**level, total) > stop:
            level -= 1
        yield level, at >> level, at, min(at + 2**level, total)
        at += 2**level


def _placed(chunk: Tensor, *, axes: Ints, sizes: Ints, block_info: Any = None) -> Placed:
    places = block_info[0]["array-location"]
    start = 0
    for axis in axes:
        start = start * sizes[axis] + places[axis][0]
    return Placed(chunk, start)


def _nodes_of(
    placed: Placed, *, axis: Ints, keepdims: bool, tree: Tree, computing_meta: bool = False
) -> Placed | list[Node]:
    """Reduce the nodes of the tree that lie in a chunk."""
    if computing_meta:
        return placed
    chunk, start = placed
    left_dims = [dim for dim in range(chunk.ndim) if dim not in axis]
    length = math.prod([chunk.shape[dim] for dim in axis])
    rows = permute_dims(chunk, (*left_dims, *axis))
    rows = reshape(rows, (*[chunk.shape[dim] for dim in left_dims], length))
    reduce, _ = _OPERATIONS[tree.name]
    return [
        Node(level, number, reduce(rows[..., low - start : high - start], -1, dtype=chunk.dtype))
        for level, number, low, high in nodes_in(start, start + length, tree.total)
    ]


def _flat(parts: Any) -> list[Node]:
    """Nodes in nested lists."""
    if isinstance(parts, Node):
        return [parts]
    return [node for part in parts for node in _flat(part)]


def _joined(parts: object, *, axis: Ints, keepdims: bool, tree: Tree) -> list[Node]:
    """Join nodes whose left and right halves are both known.

    A left half without a right one is the node itself.
    """
    _, join = _OPERATIONS[tree.name]
    joined: list[Node] = []
    for node in sorted(_flat(parts), key=lambda node: node.number << node.level):
        level, number, value = node
        while number:
            if number % 2 == 0 and (number + 1) << level >= tree.total:
                level, number = level + 1, number // 2
            elif number % 2 and joined and joined[-1][:2] == (level, number - 1):
                level, number, value = level + 1, number // 2, join(joined.pop().value, value)
            else:
                break
        joined.append(Node(level, number, value))
    return joined


def _root(
    parts: object, *, axis: Ints, keepdims: bool, tree: Tree, computing_meta: bool = False
) -> Tensor:
    """The sum or product of all elements."""
    ((_, _, value),) = _joined(parts, axis=axis, keepdims=keepdims, tree=tree)
    if keepdims:
        sizes = list(value.shape)
        for dim in axis:
            sizes.insert(dim, 1)
        value = reshape(value, tuple(sizes))
    return value._in_format(tree.name, tree.order)
