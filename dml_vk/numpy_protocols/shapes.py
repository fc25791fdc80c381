"""NumPy's functions of shapes and places that have none of ours: views and joins of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_vk.errors import LayoutError, explain
from dml_vk.layout import contiguous_format, preserve_format
from dml_vk.numpy_protocols.calls import ours
from dml_vk.operands import is_numpys, plain, to_tensor
from dml_vk.strides.order import is_one, several, to_index, to_int, to_ints
from dml_vk.tensor import Tensor


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Numbers and lists of them come in the tensor's dtype."""
    given = to_tensor("append", "arr", arr)
    if isinstance(values, (bool, int, float, list, tuple)) or is_numpys(values):
        values = ours.asarray(plain(values), given.dtype, device=given.device)
    if axis is None:
        given, values, axis = ravel(given), ravel(values), 0
    return ours.concat([given, values], axis=axis)


def argwhere(a: Tensor) -> Any:
    return ours.stack(ours.nonzero(a), axis=1)


def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    return _split("array_split", ary, indices_or_sections, axis, True)


def broadcast_arrays(*args: Any) -> tuple[Tensor, ...]:
    return tuple(ours.broadcast_arrays(*args))


def copyto(dst: Any, src: Any, where: Any = True) -> None:
    target = to_tensor("copyto", "dst", dst)
    target[...] = src if where is True else ours.where(where, src, target)


def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """Without some indexes, which are numbers of the host."""
    given = to_tensor("delete", "arr", arr)
    if axis is None:
        given, axis = ravel(given), 0
    size = given.shape[to_index("delete", "axis", axis, given.ndim)]
    if isinstance(obj, slice):
        kept = np.delete(np.arange(size), obj)
    else:
        named = to_ints("delete", "obj", several(obj))
        kept = np.delete(np.arange(size), [to_index("delete", "obj", k, size) for k in named])
    return ours.take(given, ours.asarray(kept, device=given.device), axis=axis)


def diag(v: Any, k: Any = 0) -> Any:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    given = to_tensor("diag", "v", v)
    which = to_int("diag", "k", k)
    if given.ndim == 2:
        return given.diagonal(which)
    if given.ndim != 1:
        raise LayoutError(explain("diag", "v must have one dim or two", shape=given.shape))
    size = given.size + abs(which)
    made = ours.zeros((size, size), given.dtype, device=given.device)
    made.diagonal(which)[...] = given
    return made


def diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return a.diagonal(offset, axis1, axis2)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    return _split("dsplit", ary, indices_or_sections, 2)


def extract(condition: Any, arr: Any) -> Any:
    return ravel(to_tensor("extract", "arr", arr))[ravel(condition)]


def flatnonzero(a: Tensor) -> Any:
    return ours.nonzero(ravel(a))[0]


def fliplr(m: Tensor) -> Any:
    return ours.flip(m, axis=1)


def flipud(m: Tensor) -> Any:
    return ours.flip(m, axis=0)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    given = to_tensor("hsplit", "ary", ary)
    return _split("hsplit", given, indices_or_sections, 1 if given.ndim > 1 else 0)


def like(name: str) -> Callable[..., Any]:
    """`zeros_like` and its kin, with NumPy's words for the order in memory."""

    def made(a: Any, *value: Any, order: Any = "K", **named: Any) -> Any:
        if order not in (None, "K", "C"):
            must = "order must be 'K' or 'C': memory_format of our function says more"
            raise LayoutError(explain(name, must, order=order))
        form = contiguous_format if order == "C" else preserve_format
        return getattr(ours, name)(a, *value, memory_format=form, **named)

    return made


def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    """NumPy's names of the modes, and constants apart for each dim and end."""
    if mode != "constant" or is_one(constant_values):
        named = "circular" if isinstance(mode, str) and mode == "wrap" else mode
        return ours.pad(array, pad_width, mode=named, value=constant_values)
    made = ours.pad(array, pad_width)
    try:
        values = np.broadcast_to(constant_values, (made.ndim, 2)).tolist()
    except ValueError:
        must = "constant_values must be a number, a pair, or a pair for each dim"
        raise LayoutError(explain("pad", must, constant_values=constant_values)) from None
    widths = np.broadcast_to(pad_width, (made.ndim, 2)).tolist()
    for dim, ((before, after), (first, last)) in enumerate(zip(widths, values)):
        made.narrow(dim, 0, before)[...] = first
        made.narrow(dim, made.shape[dim] - after, after)[...] = last
    return made


def ravel(a: Any) -> Any:
    return ours.reshape(a, -1)


def reshape(a: Any, shape: Any = None, newshape: Any = None, **named: Any) -> Any:
    return ours.reshape(a, newshape if shape is None else shape, **named)


def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    given = to_tensor("rollaxis", "a", a)
    source = to_index("rollaxis", "axis", axis, given.ndim)
    before = to_int("rollaxis", "start", start)
    target = to_index("rollaxis", "start", before, given.ndim + (before >= 0))
    return given.movedim(source, target - (source < target))


def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    given = to_tensor("rot90", "m", m)
    first, second = axes = [
        to_index("rot90", "axes", one, given.ndim) for one in to_ints("rot90", "axes", axes)
    ]
    turns = to_int("rot90", "k", k) % 4
    if turns == 2:
        return ours.flip(given, axis=axes)
    if turns == 1:
        return ours.flip(given, axis=second).transpose(first, second)
    return ours.flip(given.transpose(first, second), axis=second) if turns else given


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    return _split("split", ary, indices_or_sections, axis)


def squeeze(a: Tensor, axis: Any = None) -> Any:
    return a.squeeze() if axis is None else ours.squeeze(a, axis)


def swapaxes(a: Tensor, axis1: int, axis2: int) -> Any:
    return a.transpose(axis1, axis2)


def transpose(a: Tensor, axes: Any = None) -> Any:
    return ours.permute_dims(a, tuple(range(a.ndim))[::-1] if axes is None else axes)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    return _split("vsplit", ary, indices_or_sections, 0)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return ours.nonzero(condition)
    return ours.where(condition, x, y)


def _split(what: str, ary: Any, into: Any, axis: Any, uneven: bool = False) -> list[Any]:
    """Views of what lies between these indexes of a dim, or of so many parts of it."""
    given = to_tensor(what, "ary", ary)
    dim = to_index(what, "axis", axis, given.ndim)
    size = given.shape[dim]
    if is_one(into):
        parts = to_int(what, "indices_or_sections", into)
        if parts < 1 or (size % parts and not uneven):
            must = "indices_or_sections must be a number of equal parts, or where to cut"
            raise LayoutError(explain(what, must, indices_or_sections=into, size=size))
        each, more = divmod(size, parts)
        cuts = [each * k + min(k, more) for k in range(1, parts)]
    else:
        cuts = list(to_ints(what, "indices_or_sections", into))
    pieces = []
    for start, stop in zip([0, *cuts], [*cuts, size]):
        start, stop, _ = slice(start, stop).indices(size)
        pieces.append(given.narrow(dim, start, max(0, stop - start)))
    return pieces
