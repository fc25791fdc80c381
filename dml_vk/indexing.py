"""Indexing: what a key reads of a tensor and writes to it, `take` and `take_along_axis`.

Plain keys are views. Others launch: masks wait to learn how many elements they select, and indexes
that are on the device wait until they are known to be indexes.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_vk.creation import asarray, full
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError, LayoutError, explain
from dml_vk.host import convert
from dml_vk.index_keys import Key, index_array, parse
from dml_vk.index_places import (
    Part,
    between,
    checked,
    part_of,
    parts_of,
    shape_of,
    to_read,
    to_write,
)
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout, elementwise
from dml_vk.operands import apart, is_numpys, plain, result_over, to_tensor, typed
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import (
    Typed,
    cast_elements,
    compute,
    converted,
    element_words,
    room_like,
)
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.gather import gather, gather_elements
from dml_vk.ops.scatter import scatter
from dml_vk.ops.strided import check_devices
from dml_vk.promotion import check_weak
from dml_vk.strides.order import Ints, to_index
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.tensor import Tensor, tensor_over
from dml_vk.tracing import ASKED, record

GET, SET = "getitem", "setitem"


def read(tensor: Tensor, key: Any) -> Tensor:
    """`tensor[key]`: a view, or elements of its own where the key has masks or indexes.

    >>> from dml_vk.indexing import read
    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> read(x, (slice(None), [2, 0])).tolist()
    [[3, 1], [6, 4]]
    """
    parsed = parse(GET, tensor, key)
    if not parsed.leads:
        return _view(tensor, parsed.layout)
    parts = parts_of(GET, parsed.layout, parsed.leads)
    return _gathered(GET, tensor, parsed, parts)


def write(tensor: Tensor, key: Any, value: Any) -> None:
    """`tensor[key] = value`, which is repeated as NumPy broadcasts it, and cast as `astype` casts.

    Numbers must be of a kind that the dtype holds. Of several elements for one place the last one
    in row-major order is written.

    >>> from dml_vk.indexing import write
    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 2, 3])
    >>> write(x, [0, 2], 9)
    >>> x.tolist()
    [9, 2, 9]
    """
    parsed = parse(SET, tensor, key)
    given = _value(tensor, value)
    if not parsed.leads:
        _assign(_view(tensor, parsed.layout), given)
    elif not _choose(tensor, parsed, given):
        _scatter(tensor, parsed, given)


def take(
    x: Tensor, indices: Any, /, *, axis: int | None = None, out: Tensor | None = None
) -> Tensor:
    """What the indexes name along an axis, or of all elements in row-major order.

    Negative ones count from the end. The memory format stays.

    >>> import dml_vk
    >>> dml_vk.take(dml_vk.asarray([[1, 2, 3], [4, 5, 6]]), [2, 0], axis=1).tolist()
    [[3, 1], [6, 4]]
    """
    index = _integers("take", to_tensor("take", "x", x), indices)
    if out is not None:
        x, index = _apart("take", x, out), _apart("take", index, out)
    layout = x.layout
    dims = range(layout.rank)
    if axis is not None or layout.rank == 1:
        axis = to_index("take", "axis", 0 if axis is None else axis, layout.rank)
        dims = range(axis, axis + 1)
    given = typed(index) if isinstance(index, Tensor) else index
    parts = checked("take", [part_of("take", layout, dims, given, axis)])
    key = Key(layout, led=tuple(dims), at=dims.start)
    return _gathered("take", x, key, parts, out)


def take_along_axis(
    x: Tensor, indices: Any, /, *, axis: int = -1, out: Tensor | None = None
) -> Tensor:
    """Elements of x at the indexes along an axis, which stand where the elements go.

    Along other axes both are repeated as NumPy broadcasts. Negative indexes count from the end. The
    memory format is that of x and of the indexes, as of elementwise operands.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[30, 10, 20], [5, 6, 4]])
    >>> dml_vk.take_along_axis(x, dml_vk.asarray([[1, 2, 0], [2, 0, 1]])).tolist()
    [[10, 20, 30], [4, 5, 6]]
    """
    what = "take_along_axis"
    index = _integers(what, to_tensor(what, "x", x), indices)
    tensor = index if isinstance(index, Tensor) else asarray(index, device=x.device)
    if tensor.ndim != x.ndim:
        must = "x and indices must have as many dims"
        raise LayoutError(explain(what, must, x=x.shape, indices=tensor.shape))
    dim = to_index(what, "axis", axis, x.ndim)
    length = (tensor.shape[dim],)
    like = Layout.packed((*x.shape[:dim], *length, *x.shape[dim + 1 :]), x.layout.order)
    if 0 in x.layout.strides:
        like = Layout(like.sizes, [0] * like.rank, order=like.order)
    broadcast_sizes(what, (like.sizes, tensor.shape))
    checked(what, [part_of(what, x.layout, (dim,), typed(tensor), dim)])
    result = result_over(what, elementwise(like, tensor.layout), x.dtype, x, out)
    gather_elements(what, x.strided, typed(tensor), result.strided, dim)
    return result


def elements_at(x: Tensor, index: Tensor) -> Tensor:
    """`take_along_axis` along the first axis, for indexes that are known to be inside."""
    layout = Layout.packed((index.shape[0], *x.shape[1:]), x.layout.order)
    found = tensor_over("take", layout, x.dtype, x.device, x.strided.allocation)
    gather_elements("take", x.strided, typed(index), found.strided, 0)
    return found


def _view(tensor: Tensor, layout: Layout) -> Tensor:
    """`tensor.over`, for what cannot but lie where the tensor does."""
    return Tensor(tensor.strided.over(layout), tensor.dtype)


def _integers(what: str, x: Tensor, indices: Any) -> Any:
    index = index_array(what, indices)
    if index.dtype.kind not in "iu":
        raise DTypeError(explain(what, "indices must be integers", dtype=index.dtype))
    if isinstance(index, Tensor):
        check_devices(what, x=x.strided, indices=index.strided)
    return index


def _apart(what: str, operand: Any, out: Any) -> Any:
    """An operand that shares no memory with `out`."""
    if not isinstance(operand, Tensor):
        return operand
    return apart(what, operand, to_tensor(what, "out", out))


class _Selected:
    """The dims of what a key selects: those of the indexes among those that nothing leads along."""

    def __init__(self, key: Key, shape: Ints) -> None:
        layout, led = key.layout, key.led
        rest = [dim for dim in range(layout.rank) if dim not in led]
        before, after = rest[: key.at], rest[key.at :]
        sizes, strides = layout.sizes, layout.strides
        self.led = tuple(range(key.at, key.at + len(shape)))
        self.behind = len(after)
        self.sizes: Ints = (
            *[sizes[dim] for dim in before],
            *shape,
            *[sizes[dim] for dim in after],
        )
        self.strides: Ints = (
            *[strides[dim] for dim in before],
            *[0 for _ in shape],
            *[strides[dim] for dim in after],
        )
        self._order, self._places = layout.order, {dim: k for k, dim in enumerate(before)}
        self._places.update({dim: k for k, dim in enumerate(after, key.at + len(shape))})
        self._same = len(self.sizes) == layout.rank and led == self.led

    @property
    def order(self) -> Ints:
        """That of the view; where the dims are others, the index's lie where the led ones did."""
        if self._same:
            return self._order
        order: list[int] = []
        left = self.led
        for dim in self._order:
            order += (self._places[dim],) if dim in self._places else left
            left = left if dim in self._places else ()
        return (*left, *order)


def _gathered(
    what: str, tensor: Tensor, key: Key, parts: Sequence[Part], out: Any = None
) -> Tensor:
    shape = shape_of(what, parts)
    selected = _Selected(key, shape)
    layout = Layout.packed(selected.sizes, selected.order)
    result = result_over(what, layout, tensor.dtype, tensor, out)
    if layout.numel:
        index, step = to_read(what, parts, shape, tensor.strided)
        index = index.over(between(index.strided.layout, key.at, selected.behind))
        source = tensor.strided.over(key.layout)
        gather(source, selected.strides, index, result.strided, step)
    return result


def _value(tensor: Tensor, value: Any) -> Any:
    """What is to be written: a number that fits, or a tensor."""
    dtype = tensor.dtype
    if is_numpys(value) and isinstance(plain(value), numbers.Real):
        made = np.empty((), dtype.numpy_name)  # It has a dtype, and is cast as arrays are.
        convert(np.asarray(value), made)
        return made.item()
    if isinstance(value, numbers.Real):
        check_weak(SET, value, dtype)
        return value
    if isinstance(value, (list, tuple)):
        given = asarray(value, device=tensor.device)
        check_weak(SET, {"b": True, "f": 0.0}.get(given.dtype.kind, 0), dtype)
        return given if given.dtype is dtype else asarray(value, dtype, tensor.device)
    given = asarray(value, device=tensor.device) if isinstance(value, np.ndarray) else value
    if not isinstance(given, Tensor):
        must = "value must be a number, a tensor, an array, or nested lists of numbers"
        raise DTypeError(explain(SET, must, value=type(value).__name__))
    check_devices(SET, value=given.strided, tensor=tensor.strided)
    return given


def _spread(value: Tensor, sizes: Ints) -> Tensor:
    """A value over all that it is written to."""
    if value.shape == sizes:
        return value
    layout = value.layout
    try:
        while layout.rank > len(sizes) and layout.sizes[0] == 1:
            layout = layout.select(0, 0)
        return value.over(layout.expand(sizes))
    except LayoutError:
        must = f"value must have the shape {sizes}, or one that broadcasts to it"
        raise LayoutError(explain(SET, must, value=value.shape)) from None


def _assign(view: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        fill_constant(SET, view.strided, view.dtype, value)
        return
    if value.size < view.size:
        value = _apart(SET, value, view)  # rather than all that it is repeated to
    value = _spread(value, view.shape)
    if value.dtype is view.dtype:
        copy_elements(SET, value.strided, view.strided, ASKED)
    else:
        record(SET, ASKED, value.layout, view.layout, view.nbytes)
        cast_elements(SET, typed(value), typed(view))


def _cast(value: Typed, dtype: DType) -> Typed:
    """A value as it is to be written."""
    if value.dtype is dtype:
        return value
    made = room_like(SET, value, dtype)
    nbytes = made.strided.layout.numel * dtype.itemsize
    record(SET, ASKED, value.strided.layout, made.strided.layout, nbytes)
    cast_elements(SET, value, made)
    return made


def _choose(tensor: Tensor, key: Key, value: Any) -> bool:
    """Write where the one mask is true, if the value needs no count of how many those are."""
    mask = key.leads[0].array
    if len(key.leads) > 1 or not key.leads[0].is_mask or not isinstance(mask, Tensor):
        return False
    view, first = _view(tensor, key.layout), key.leads[0].dim
    behind = view.ndim - first - mask.ndim
    source: Typed | None = None
    words: Ints = ()
    if isinstance(value, Tensor):
        layout = value.layout
        rank = view.ndim - mask.ndim + 1
        while layout.rank > rank and layout.sizes[0] == 1:
            layout = layout.select(0, 0)
        layout = between(layout, max(0, rank - layout.rank), 0)
        if layout.rank > rank or layout.sizes[key.at] != 1:
            return False
        # Its dim for what is selected goes, and the mask's dims come where they are in the view.
        layout = layout.select(key.at, 0)
        for _ in range(mask.ndim):
            layout = layout.unsqueeze(first)
        try:
            layout.expand(view.shape)
        except LayoutError:
            must = f"value must broadcast to what a mask selects of the shape {view.shape}"
            raise LayoutError(explain(SET, must, value=value.shape)) from None
        source = _cast(typed(value).over(layout), view.dtype)
        source = source.over(source.strided.layout.expand(view.shape))
    else:
        words = element_words(SET, "value", view.dtype, value)
    placed = mask.strided.over(between(mask.layout, first, behind))
    sources = [Typed(placed, mask.dtype), source, typed(view)]
    compute(SET, OPERATORS["where"], sources, typed(view), view.dtype, words)
    return True


def _scatter(tensor: Tensor, key: Key, value: Any) -> None:
    view = tensor.strided.over(key.layout)
    view.check_target(SET, "the tensor")
    parts = parts_of(SET, key.layout, key.leads)
    shape = shape_of(SET, parts)
    selected = _Selected(key, shape)
    if not isinstance(value, Tensor):
        value = full((), value, tensor.dtype, device=tensor.device)
    else:
        value = Tensor(*converted(SET, typed(value), tensor.dtype))
    spread = _spread(value, selected.sizes)
    if spread.size:
        words = to_write(SET, parts, shape, tensor.strided)
        scatter(
            *(SET, spread.strided, words.places, selected.led, view, selected.strides),
            *(words.stride, words.cells),
        )
