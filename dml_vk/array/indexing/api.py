"""Indexing: reading and writing `x[key]`.

Basic keys select views. Other keys run on the device: masks wait for the number of elements that
they select, and indexes on the device for the result of their check.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from dml_vk import context
from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.array.creation.arrays import asarray, full
from dml_vk.array.indexing.keys import Key, basic, parse
from dml_vk.array.indexing.positions import (
    Part,
    Refusal,
    being_checked,
    part_of,
    refuse_index,
    shape_of,
    to_write,
    unchecked,
    with_outer_dims,
)
from dml_vk.array.indexing.reads import Selected, gathered_checking
from dml_vk.dtypes import to_dtype
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.kernels.kernel import SCALAR_WORDS
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.observe.copies import ASKED, record
from dml_vk.ops.copy import copy_elements, copy_if_overlapping
from dml_vk.ops.elementwise import cast_elements, check_cast, compute, converted
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.nonzero import select_elements
from dml_vk.ops.numbers import element_words
from dml_vk.ops.scatter import scatter, scatter_checking
from dml_vk.ops.view import View, check_devices, check_target, with_layout
from dml_vk.promotion import check_weak
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike, convert
from dml_vk.tensor.operands import Operand, is_numpys, plain, to_tensor

GET, SET = "getitem", "setitem"
_NUMBERS = (numbers.Real, complex)


def read(tensor: Tensor, key: object) -> Tensor:
    """`tensor[key]`: a view, or a copy if the key has masks or index tensors.

    >>> from dml_vk.array.indexing.api import read
    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> read(x, (slice(None), [2, 0])).tolist()
    [[3, 1], [6, 4]]
    """
    plain = basic(key)
    view = None if plain is None else tensor._view_by(plain)
    if view is not None:
        return view
    parsed = parse(GET, tensor, key)
    if not parsed.advanced:
        return _view_of(tensor, plain, parsed.layout)
    selected = _read_where(tensor, parsed)
    if selected is not None:
        return Tensor(selected)
    parts = unchecked(GET, parsed.layout, parsed.advanced)
    return gathered_checking(GET, tensor, parsed, parts)


def _read_where(tensor: Tensor, key: Key) -> View | None:
    """Read by a mask of all dims without indexes, unless something must be told of the gather."""
    (index, *others), recorder = key.advanced, context.recorder()
    mask = index.array
    if others or not index.is_mask or not isinstance(mask, Tensor) or recorder is not None:
        return None
    if mask.ndim != key.layout.rank:
        return None
    return select_elements(GET, mask, with_layout(tensor, key.layout))


def write(tensor: Tensor, key: object, value: ArrayLike) -> None:
    """`tensor[key] = value`, where the value broadcasts as in NumPy and is cast as by `astype`.

    Numbers must be of a kind that the dtype can hold. Of several values for one element, the last
    one in row-major order is stored.

    >>> from dml_vk.array.indexing.api import write
    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 2, 3])
    >>> write(x, [0, 2], 9)
    >>> x.tolist()
    [9, 2, 9]
    """
    plain = basic(key)
    view = None if plain is None else tensor._view_by(plain)
    if view is None:
        parsed = parse(SET, tensor, key)
        if parsed.advanced:
            content = _value(tensor, value)
            if not _write_where(tensor, parsed, content):
                _write_indexes(tensor, parsed, content)
            return
        view = _view_of(tensor, plain, parsed.layout)
    if not _is_view_itself(view, value):
        call(_write_view, (_value(tensor, value),), view)


def _view_of(tensor: Tensor, plain: Hashable, layout: Layout) -> Tensor:
    """Return the view that a key selects. `plain` is its hashable form, or None."""
    return tensor._over(layout) if plain is None else tensor._keep_view(plain, layout)


def _is_view_itself(view: Tensor, value: ArrayLike) -> bool:
    """Whether the value is the view it is assigned to, as Python assigns after `x[key] += y`.

    A view that may not be written to is not, since assigning to it is an error.
    """
    if type(value) is not Tensor or value._spec is not view._spec:
        return False
    memory = view._allocation
    if value._allocation is not memory or view._spec is None:  # Without one, nothing is known.
        return False
    return not (memory.is_fixed or view._layout.overlaps)


def copy_if_shared(what: str, operand: object, out: Tensor | None) -> Any:
    """Return the operand, or a copy of it if it shares memory with `out`."""
    if not isinstance(operand, Tensor):
        return operand
    return Tensor(copy_if_overlapping(what, operand, to_tensor(what, "out", out)))


def _value(tensor: Tensor, value: ArrayLike) -> Operand:
    """Convert the value to write to a number that fits, or a tensor."""
    if isinstance(value, Tensor):  # First, since what numbers are takes longer to ask.
        check_devices(SET, value=value, tensor=tensor)
        return value
    dtype = tensor.dtype
    if is_numpys(value) and isinstance(plain(value), _NUMBERS):
        check_cast(SET, to_dtype(SET, value.dtype), dtype)
        scalar = np.empty((), dtype.numpy_name)  # NumPy scalars are cast like arrays.
        convert(np.asarray(value), scalar)
        number: complex = scalar.item()
        return number
    if isinstance(value, _NUMBERS):
        check_weak(SET, value, dtype)
        return value
    if isinstance(value, (list, tuple)):
        content = asarray(value, device=tensor.device)
        check_weak(SET, {"b": True, "f": 0.0, "c": 0j}.get(content.dtype.kind, 0), dtype)
        return content if content.dtype is dtype else asarray(value, dtype, tensor.device)
    if isinstance(value, np.ndarray):
        return asarray(value, device=tensor.device)
    rule = "value must be a number, a tensor, an array, or nested lists of numbers"
    raise DTypeError(SET, rule, value=type(value).__name__)


def _broadcast_value(value: Tensor, sizes: Ints) -> Tensor:
    """Broadcast a value to the elements that it is written to."""
    if value.shape == sizes:
        return value
    layout = value.layout
    try:
        while layout.rank > len(sizes) and layout.sizes[0] == 1:
            layout = layout.select(0, 0)
        return value.over(layout.expand(sizes))
    except LayoutError:
        rule = f"value must broadcast to shape {sizes}"
        raise LayoutError(SET, rule, value=value.shape) from None


def _write_view(operands: Sequence[Operand], view: Tensor) -> Tensor:
    (value,) = operands
    if not isinstance(value, Tensor):
        fill_constant(SET, view, view.dtype, value)
        return view
    if value.size < view.size:
        value = copy_if_shared(SET, value, view)  # copied before it is broadcast, not after
    value = _broadcast_value(value, view.shape)
    if value.dtype is view.dtype:
        copy_elements(SET, value, view, ASKED)
    else:
        record(SET, ASKED, value.layout, view.layout, view.nbytes)
        cast_elements(SET, value, view)
    return view


def _write_where(tensor: Tensor, key: Key, value: Operand) -> bool:
    """Write with `where`, if the key has only a mask and the value broadcasts along its dim."""
    mask = key.advanced[0].array
    if len(key.advanced) > 1 or not key.advanced[0].is_mask or not isinstance(mask, Tensor):
        return False
    view, first = tensor._over(key.layout), key.advanced[0].dim
    behind = view.ndim - first - mask.ndim
    spread = None
    if not isinstance(value, Tensor) and tensor.dtype.itemsize > 4 * SCALAR_WORDS[3]:
        value = full((), value, tensor.dtype, device=tensor.device)  # too long for the params
    if isinstance(value, Tensor):
        layout = value.layout
        rank = view.ndim - mask.ndim + 1
        while layout.rank > rank and layout.sizes[0] == 1:
            layout = layout.select(0, 0)
        layout = with_outer_dims(layout, max(0, rank - layout.rank), 0)
        if layout.rank > rank or layout.sizes[key.at] != 1:
            return False
        # Replace its dim for the selected elements with the dims of the mask, in the view's order.
        layout = layout.select(key.at, 0)
        for _ in range(mask.ndim):
            layout = layout.unsqueeze(first)
        try:
            layout.expand(view.shape)
        except LayoutError:
            rule = f"value must broadcast to what the mask selects from shape {view.shape}"
            raise LayoutError(SET, rule, value=value.shape) from None
        spread = layout
    placed = with_outer_dims(mask.layout, first, behind)
    call(_select_by_mask, (mask, value, view), view, placed, spread)
    return True


def _select_by_mask(
    operands: tuple[Tensor, Operand, Tensor], view: Tensor, placed: Layout, spread: Layout | None
) -> Tensor:
    mask, value, old = operands
    source: View | None = None
    words: Ints = ()
    if spread is None or not isinstance(value, Tensor):
        words = element_words(SET, "value", view.dtype, value)
    else:
        source = converted(SET, with_layout(value, spread), view.dtype, ASKED)
        source = with_layout(source, source.layout.expand(view.shape))
    sources = [with_layout(mask, placed), source, old]
    compute(SET, OPERATORS["where"], sources, view, view.dtype, words)
    return view


def write_known(tensor: Tensor, index: Tensor, values: Operand, *, is_distinct: bool) -> None:
    """Write values to elements by their row-major indexes, which are known to be inside."""
    layout = tensor.layout
    check_target(SET, tensor, "the tensor")
    dims = row_major(layout.rank)
    part = part_of(SET, layout, dims, index, None, is_mask=is_distinct)
    _write_parts(tensor, Key(layout, indexed=dims), [part], _value(tensor, values))


def write_checked(tensor: Tensor, index: Tensor, values: Operand, refusal: Refusal) -> None:
    """Do what `write_known` does if no index is outside; for those `refusal` raises."""
    layout = tensor.layout
    check_target(SET, tensor, "the tensor")
    dims = row_major(layout.rank)
    parts = [part_of(SET, layout, dims, index, None)]
    _write_unchecked(tensor, Key(layout, indexed=dims), parts, _value(tensor, values), refusal)


def _write_indexes(tensor: Tensor, key: Key, value: Operand) -> None:
    check_target(SET, with_layout(tensor, key.layout), "the tensor")
    parts = unchecked(SET, key.layout, key.advanced)
    _write_unchecked(tensor, key, parts, value, refuse_index)


def _write_unchecked(
    tensor: Tensor, key: Key, parts: Sequence[Part], value: Operand, refusal: Refusal
) -> None:
    index = _index_of_all(tensor, key, parts)
    if index is not None:  # It is checked on the way, and elements are written without places.
        value = _source(tensor, value, index.layout.sizes)
        (part,) = parts

        def fail(_: int, outside: View) -> None:
            refusal(SET, part, Tensor(outside).numpy())

        target = with_layout(tensor, key.layout)
        if scatter_checking(SET, value, index, target, part.size, fail):
            return
    parts, wait = being_checked(SET, parts, refusal)
    _write_parts(tensor, key, parts, value, wait)


def _index_of_all(tensor: Tensor, key: Key, parts: Sequence[Part]) -> View | None:
    """The index, if it is a single one to check on the device, over elements that are adjacent.

    None if a recorder or the device is better served step by step.
    """
    (part, *others), index = parts, parts[0].array
    if others or not isinstance(index, View) or not part.is_asked:
        return None
    is_apart = context.recorder() is not None or not tensor.device.profile.coalesces
    if is_apart or len(key.indexed) < key.layout.rank or [d.stride for d in part.dims] != [1]:
        return None
    return index


def _write_parts(
    tensor: Tensor,
    key: Key,
    parts: Sequence[Part],
    value: Operand,
    wait: Callable[[], None] = lambda: None,
) -> None:
    """Write a value once `wait` has said that all indexes are right."""
    shape = shape_of(SET, parts)
    selected = Selected(key, shape)
    spread = _source(tensor, value, selected.sizes)
    if not spread.size:
        wait()
    else:
        words = to_write(SET, parts, shape, tensor)
        operands = spread, Tensor(words.places)
        params = selected.indexed, selected.strides, words.stride, words.cells
        wait()
        call(_write_scattered, operands, tensor._over(key.layout), *params)


def _source(tensor: Tensor, value: Operand, sizes: Ints) -> Tensor:
    """Return a value as elements of the tensor's dtype, which broadcast to these sizes."""
    if not isinstance(value, Tensor):
        value = full((), value, tensor.dtype, device=tensor.device)
    return _broadcast_value(Tensor(converted(SET, value, tensor.dtype)), sizes)


def _write_scattered(
    operands: Sequence[Tensor],
    view: Tensor,
    indexed: Ints,
    strides: Ints,
    stride: int,
    cells: int | None,
) -> Tensor:
    source, places = operands
    scatter(SET, source, places, indexed, view, strides, stride, cells)
    return view
