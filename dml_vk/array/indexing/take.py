"""Elements along an axis by their indexes: `take` and `take_along_axis`."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import is_axis_of_none, to_axis
from dml_vk.array.calls import call
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.indexing.api import copy_if_shared
from dml_vk.array.indexing.keys import Key, index_array
from dml_vk.array.indexing.modes import check_mode, in_range
from dml_vk.array.indexing.positions import being_checked, part_of
from dml_vk.array.indexing.reads import gathered, gathered_checking
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout, elementwise
from dml_vk.ops.gather import gather_elements, read_beside
from dml_vk.ops.view import check_devices
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike
from dml_vk.tensor.operands import result_over, to_tensor


@hinted
def take(
    x: Tensor,
    indices: ArrayLike,
    /,
    axis: int | None = None,
    *,
    out: Tensor | None = None,
    mode: str = "raise",
) -> Tensor:
    """Select indexes along an axis, or elements of the flattened tensor.

    Negative indexes count from the end. The mode "wrap" takes indexes modulo the size, and "clip"
    the nearest one, which is 0 for negative ones. The memory format is kept.

    >>> import dml_vk
    >>> dml_vk.take(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), [2, 0], axis=1).tolist()
    [[3, 1], [6, 4]]
    """
    index = _integers("take", to_tensor("take", "x", x), indices)
    if out is not None:
        x, index = copy_if_shared("take", x, out), copy_if_shared("take", index, out)
    layout = x.layout
    dims = range(layout.rank)
    if is_axis_of_none(axis, layout.rank):
        axis = None
    if axis is not None or layout.rank == 1:
        axis = to_axis("take", "axis", 0 if axis is None else axis, layout.rank)
        dims = range(axis, axis + 1)
    check_mode("take", mode)
    size = layout.numel if axis is None else layout.sizes[axis]
    is_in_range = mode != "raise" and index.size > 0 and size > 0
    if mode != "raise" and index.size:
        near = index if isinstance(index, Tensor) else asarray(index, device=x.device)
        index = in_range(mode, near, size)
    key = Key(layout, indexed=tuple(dims), at=dims.start)
    part = part_of("take", layout, dims, index, axis, is_mask=is_in_range)
    return gathered_checking("take", x, key, [part], out)


def take_known(what: str, x: Tensor, index: Tensor, axis: int, out: Tensor | None = None) -> Tensor:
    """`take` along an axis, for indexes that are known to be inside and not negative."""
    if out is not None:
        x, index = copy_if_shared(what, x, out), copy_if_shared(what, index, out)
    part = part_of(what, x.layout, (axis,), index, axis, is_mask=True)
    return gathered(what, x, Key(x.layout, indexed=(axis,), at=axis), [part], out)


@hinted
def take_along_axis(
    x: Tensor, indices: ArrayLike, /, axis: int = -1, *, out: Tensor | None = None
) -> Tensor:
    """Select elements of x by an index tensor of the result's shape, along an axis.

    Along the other axes both broadcast as in NumPy. Negative indexes count from the end. The memory
    format is that of x and the indexes, as for elementwise operands.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[30, 10, 20], [5, 6, 4]])
    >>> dml_vk.take_along_axis(x, dml_vk.asarray([[1, 2, 0], [2, 0, 1]])).tolist()
    [[10, 20, 30], [4, 5, 6]]
    """
    what = "take_along_axis"
    index = _integers(what, to_tensor(what, "x", x), indices)
    tensor = index if isinstance(index, Tensor) else asarray(index, device=x.device)
    if tensor.ndim != x.ndim:
        rule = "x and indices must have the same number of dims"
        raise LayoutError(what, rule, x=x.shape, indices=tensor.shape)
    dim = to_axis(what, "axis", axis, x.ndim)
    length = (tensor.shape[dim],)
    like = Layout.packed((*x.shape[:dim], *length, *x.shape[dim + 1 :]), x.layout.order)
    if 0 in x.layout.strides:
        like = Layout(like.sizes, [0] * like.rank, order=like.order)
    broadcast_sizes(what, (like.sizes, tensor.shape))
    _, wait = being_checked(what, [part_of(what, x.layout, (dim,), tensor, dim)])
    layout = elementwise(like, tensor.layout)
    return read_beside(wait, lambda: call(_along, (x, tensor), out, what, dim, layout), out)


def _along(
    operands: Sequence[Tensor], out: Tensor | None, what: str, dim: int, layout: Layout
) -> Tensor:
    x, index = operands
    result = result_over(what, layout, x.dtype, x, out)
    gather_elements(what, x, index, result, dim)
    return result


def along_axis(x: Tensor, index: Tensor, axis: int) -> Tensor:
    """`take_along_axis` for indexes that are known to be in bounds, and of the result's shape."""
    like = Layout.packed(index.shape, x.layout.order)
    return call(_along, (x, index), None, "take_along_axis", axis, elementwise(like, index.layout))


def elements_at(x: Tensor, index: Tensor) -> Tensor:
    """`take_along_axis` along the first axis, for indexes that are known to be in bounds."""
    layout = Layout.packed((index.shape[0], *x.shape[1:]), x.layout.order)
    return call(_along, (x, index), None, "take", 0, layout)


def _integers(what: str, x: Tensor, indices: ArrayLike) -> Tensor | Array:
    index = index_array(what, indices)
    if index.dtype.kind not in "iu":
        raise DTypeError(what, "indices must be integers", dtype=index.dtype)
    if isinstance(index, Tensor):
        check_devices(what, x=x, indices=index)
    return index
