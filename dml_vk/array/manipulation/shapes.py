"""Functions that change shapes, as views where possible, and functions that join tensors.

Named and called as in the array API standard. Views take no memory and run nothing on the device,
and writes to them go to the original tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dml_vk.arguments import (
    Axes,
    Ints,
    several,
    to_axis,
    to_bool_or_none,
    to_ints,
    to_sizes,
    to_tuple,
)
from dml_vk.array.calls import composed
from dml_vk.array.host_operands import upload_operands
from dml_vk.dtypes import DType, DTypeLike, to_dtype
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout, broadcast_sizes, concatenate, elementwise
from dml_vk.observe.copies import ASKED, record
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements
from dml_vk.promotion import check_casting, check_casts, common_dtype
from dml_vk.strides.order import order_format, row_major
from dml_vk.strides.views import check_pieces
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import result_over, to_tensor, to_tensors
from dml_vk.tracing.formats import operation

Arrays = Sequence[Tensor]


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Return views of all tensors in the shape to which they broadcast.

    >>> import dml_vk
    >>> row, column = dml_vk.asarray([1, 2]), dml_vk.asarray([[3], [4]])
    >>> [x.tolist() for x in dml_vk.broadcast_arrays(row, column)]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    what = "broadcast_arrays"
    tensors = [to_tensor(what, "array", x) for x in upload_operands(what, *arrays)]
    with ErrorsAs(what):
        sizes = broadcast_sizes(*[x.shape for x in tensors])
    return tuple([x.over(x.layout.expand(sizes)) for x in tensors])


def broadcast_shapes(*shapes: int | Sequence[int]) -> Ints:
    """Return the shape to which these shapes broadcast.

    >>> import dml_vk
    >>> dml_vk.broadcast_shapes((3, 1), (4,), ())
    (3, 4)
    """
    what = "broadcast_shapes"
    with ErrorsAs(what, sizes="shapes"):
        return broadcast_sizes(*[to_sizes(what, several(shape)) for shape in shapes])


def broadcast_to(x: Tensor, /, shape: int | Sequence[int]) -> Tensor:
    """Return a view broadcast to this shape.

    >>> import dml_vk
    >>> dml_vk.broadcast_to(dml_vk.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    what = "broadcast_to"
    x = to_tensor(what, "x", x)
    with ErrorsAs(what, sizes="shape"):
        return x.over(x.layout.expand(to_sizes(what, several(shape))))


@hinted
def expand_dims(x: Tensor, /, axis: Axes = 0) -> Tensor:
    """Return a view with a new dim of size 1 at the position `axis` of the result, or several.

    >>> import dml_vk
    >>> dml_vk.expand_dims(dml_vk.asarray([1, 2]), axis=-1).tolist()
    [[1], [2]]
    """
    x = to_tensor("expand_dims", "x", x)
    axes = to_tuple("expand_dims", "axis", several(axis))
    layout = x.layout
    for dim in sorted(to_axes("expand_dims", axes, x.ndim + len(axes))):
        layout = layout.unsqueeze(dim)
    return x.over(layout)


@hinted
def flip(x: Tensor, /, axis: Axes | None = None) -> Tensor:
    """Return a view with these dims reversed, by default all.

    >>> import dml_vk
    >>> dml_vk.flip(dml_vk.asarray([[1, 2], [3, 4]]), axis=1).tolist()
    [[2, 1], [4, 3]]
    """
    x = to_tensor("flip", "x", x)
    axes = row_major(x.ndim) if axis is None else to_axes("flip", axis, x.ndim)
    return x.over(x.layout.flip(axes))


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """Return a view with dims moved to other positions; the others keep their order.

    >>> import dml_vk
    >>> dml_vk.moveaxis(dml_vk.empty((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = to_tensor("moveaxis", "x", x)
    sources = to_axes("moveaxis", source, x.ndim, "source")
    targets = to_axes("moveaxis", destination, x.ndim, "destination")
    with ErrorsAs("moveaxis", src="source", dst="destination"):
        return x.over(x.layout.movedim(sources, targets))


@hinted
def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """Return a view whose dim i is dim axes[i] of x.

    >>> import dml_vk
    >>> dml_vk.permute_dims(dml_vk.empty((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    x = to_tensor("permute_dims", "x", x)
    dims = to_axes("permute_dims", axes, x.ndim, "axes")
    with ErrorsAs("permute_dims", dims="axes"):
        return x.over(x.layout.permute(dims))


@hinted
def transpose(x: Tensor, /, axes: Sequence[int] | None = None) -> Tensor:
    """Return a view with dims in reverse order, or in this one, as `permute_dims` does.

    >>> import dml_vk
    >>> dml_vk.transpose(dml_vk.empty((2, 3, 4))).shape
    (4, 3, 2)
    """
    x = to_tensor("transpose", "x", x)
    dims = range(x.ndim)[::-1] if axes is None else to_axes("transpose", axes, x.ndim, "axes")
    with ErrorsAs("transpose", dims="axes"):
        return x.over(x.layout.permute(tuple(dims)))


def reshape(
    x: Tensor,
    /,
    shape: int | Iterable[int],
    *,
    copy: bool | None = None,
    order: str = "C",
) -> Tensor:
    """Return the same elements in the same logical order in another shape; one size may be -1.

    With the order "F" elements are counted column by column, as if x and the result were
    transposed; with "A" they are if the memory of x is in that order. The result is a view if the
    strides allow it, else a row-major copy, which `copy=False` turns into an error. With
    `copy=True` it is always a copy.

    >>> import dml_vk
    >>> dml_vk.reshape(dml_vk.asarray([1, 2, 3, 4]), (2, -1)).tolist()
    [[1, 2], [3, 4]]
    """
    x, copy = to_tensor("reshape", "x", x), to_bool_or_none("reshape", "copy", copy)
    sizes = to_ints("reshape", "shape", several(shape))
    if by_columns("reshape", order, x):
        turned = reshape(x.permute(*reversed(range(x.ndim))), sizes[::-1], copy=copy)
        return turned.permute(*reversed(range(turned.ndim)))
    with ErrorsAs("reshape", sizes="shape"):
        layout = x.layout.view(sizes)
        if layout is not None and not copy:
            return x.over(layout)
        packed = Layout(x.shape).view(sizes)
    assert packed is not None  # A packed layout can be viewed in any shape.
    if layout is None and copy is False:
        rule = "copy=False needs strides that allow a view"
        raise LayoutError("reshape", rule, shape=sizes, layout=x.layout)
    source, result = x, packed
    if layout is not None:
        source, result = x.over(layout), layout.like()
    new = tensor_over("reshape", result, x.dtype, x.device, x.allocation)
    record("reshape", ASKED if copy else "layout", x.layout, result, x.nbytes)
    target = new if layout is not None else new.over(Layout(x.shape))
    copy_elements("reshape", source, target)
    return new


@hinted
def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """Return a view without these dims, whose size must be 1.

    >>> import dml_vk
    >>> dml_vk.squeeze(dml_vk.empty((1, 3, 1)), 0).shape
    (3, 1)
    """
    x = to_tensor("squeeze", "x", x)
    axes = to_axes("squeeze", axis, x.ndim)
    if any(x.shape[dim] != 1 for dim in axes):
        rule = "only dims of size 1 can be squeezed"
        raise LayoutError("squeeze", rule, axis=axis, shape=x.shape)
    return x.over(x.layout.squeeze(axes))


@hinted
def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Return a tuple of views, one for each index of a dim.

    >>> import dml_vk
    >>> [row.tolist() for row in dml_vk.unstack(dml_vk.asarray([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    x = to_tensor("unstack", "x", x)
    dim = to_axis("unstack", "axis", axis, x.ndim)
    layout, count = x.layout, x.shape[dim]
    check_pieces("unstack", count)
    return tuple([x.over(layout.select(dim, k)) for k in range(count)])


def by_columns(what: str, order: str, x: Tensor | None = None) -> bool:
    """Whether an order of NumPy's counts elements column by column."""
    known = ("C", "F") if x is None else ("C", "F", "A")
    if not isinstance(order, str) or order.upper() not in known:
        names = ", ".join([f"'{letter}'" for letter in known])
        raise RangeError(what, f"order must be one of {names}", order=order)
    if order.upper() == "A" and x is not None:
        turned = Layout.packed(x.shape, tuple(reversed(range(x.ndim))))
        return x.ndim > 1 and x.strides == turned.strides and not x.layout.is_contiguous()
    return order.upper() == "F"


@hinted
def concat(
    arrays: Arrays,
    /,
    axis: int | None = 0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """Join tensors along a dim; if `axis` is None, flatten them first.

    Each operand is written directly to its part of the result, in the dtype to which all promote,
    or in `dtype`, to which all must convert by NumPy's rule `casting`.
    The result has the format of the operands; if they differ, channels_last takes precedence over
    others, and any format over row-major.

    >>> import dml_vk
    >>> dml_vk.concat([dml_vk.asarray([[1, 2]]), dml_vk.asarray([[3, 4]])], axis=1).tolist()
    [[1, 2, 3, 4]]
    """
    operands = _operands("concat", arrays)
    wanted = _dtype_of("concat", operands, out, dtype, casting)
    return composed(_concat, operands, out, axis, wanted)


@operation(flexible="all")
def _concat(operands: list[Tensor], out: Tensor | None, axis: int | None, dtype: DType) -> Tensor:
    if axis is None:
        dim, layout = 0, Layout((sum([x.size for x in operands]),))
    else:
        dim = to_axis("concat", "axis", axis, operands[0].ndim)
        with ErrorsAs("concat"):
            layout = concatenate([x.layout for x in operands], dim)

    def places(whole: Layout) -> Iterator[Layout | None]:
        at = 0
        for x in operands:
            length = x.size if axis is None else x.shape[dim]
            part = whole.narrow(dim, at, length)
            yield part.view(x.shape) if axis is None else part
            at += length

    return _write_parts("concat", operands, layout, places, dtype, out)


@hinted
def stack(
    arrays: Arrays,
    /,
    axis: int = 0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """Join tensors along a new dim, which is dim `axis` of the result, with dtypes as in `concat`.

    The operands' order is kept. The new dim is outermost in memory, or where `expand_dims` puts it
    if only that gives a format with a name. So images from a channels_last batch are stacked to a
    channels_last batch, and row-major stays row-major.

    >>> import dml_vk
    >>> batch = dml_vk.empty((2, 3, 4, 5), memory_format=dml_vk.channels_last)
    >>> dml_vk.stack(dml_vk.unstack(batch)).memory_format
    channels_last
    """
    operands = _operands("stack", arrays)
    kind = _dtype_of("stack", operands, out, dtype, casting)
    dim = to_axis("stack", "axis", axis, operands[0].ndim + 1)
    shapes = [common.shape for common in operands]
    if shapes.count(shapes[0]) != len(shapes):
        rule = "arrays must have the same shape"
        raise LayoutError("stack", rule, shapes=tuple(shapes))
    common = elementwise(*[common.layout for common in operands])
    order = _stacked_order(common, dim)
    sizes = (*common.sizes[:dim], len(operands), *common.sizes[dim:])

    def places(whole: Layout) -> Iterator[Layout | None]:
        return (whole.select(dim, k) for k in range(len(operands)))

    return _write_parts("stack", operands, Layout.packed(sizes, order), places, kind, out)


def _stacked_order(layout: Layout, dim: int) -> Ints:
    outermost = (dim, *[at + (at >= dim) for at in layout.order])
    inside = layout.unsqueeze(dim).order
    return inside if order_format(outermost) is None and order_format(inside) else outermost


def _operands(what: str, arrays: Arrays) -> list[Tensor]:
    """Check the operands: at least one, all of them tensors on one device."""
    operands = list(arrays) if isinstance(arrays, (list, tuple)) else None
    if not operands:
        got = type(arrays).__name__ if operands is None else arrays
        rule = "arrays must be a non-empty list or tuple of tensors"
        raise DTypeError(what, rule, arrays=got)
    operands = list(upload_operands(what, *operands))
    for x in operands:
        to_tensor(what, "array", x)
    return to_tensors(what, operands)


def _dtype_of(
    what: str, operands: list[Tensor], out: Tensor | None, dtype: DTypeLike | None, casting: str
) -> DType:
    """Return the dtype of the result."""
    if dtype is None:
        check_casting(what, casting)
        return common_dtype(what, [x.dtype for x in operands])
    if out is not None:
        rule = "out and dtype must not both be given"
        raise DTypeError(what, rule, out=type(out).__name__, dtype=dtype)
    kind = to_dtype(what, dtype)
    check_casts(what, [x.dtype for x in operands], kind, casting)
    return kind


def _write_parts(
    what: str,
    operands: list[Tensor],
    layout: Layout,
    places: Callable[[Layout], Iterator[Layout | None]],
    dtype: DType,
    out: Tensor | None,
) -> Tensor:
    """Write each operand to its place, a layout that `places` derives from the result's."""
    result = result_over(what, layout, dtype, operands[0], out)
    parts = [copy_if_overlapping(what, source, result) for source in operands]
    for part, source in zip(places(result.layout), parts):
        assert part is not None  # A dim can be cut into any dims.
        target = result.over(part)
        if source.dtype is dtype:
            copy_elements(what, source, target)
        else:
            cast_elements(what, source, target)
    return result


def to_axes(what: str, axes: Axes, rank: int, name: str = "axis") -> Ints:
    """Convert one or several axes to distinct dims counted from the front."""
    # The elements of a tensor, of which there may be millions, come one by one.
    listed = to_tuple(what, name, several(axes), max(1, rank))
    dims = tuple([to_axis(what, name, axis, rank) for axis in listed])
    if len(set(dims)) != len(dims):
        raise LayoutError(what, f"{name} must not repeat", **{name: axes})
    return dims
