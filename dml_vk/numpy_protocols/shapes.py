"""NumPy's functions of shapes and positions without a direct equivalent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_vk.errors import LayoutError
from dml_vk.layout import contiguous_format, preserve_format
from dml_vk.numpy_protocols.calls import ours
from dml_vk.promotion import check_weak
from dml_vk.strides.order import is_one, several, to_index, to_int, to_ints
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import is_numpys, plain, to_tensor


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Numbers and lists of numbers are promoted like a Python number beside the tensor."""
    given = to_tensor("append", "arr", arr)
    if isinstance(values, (bool, int, float, list, tuple)) or is_numpys(values):
        kind = np.asarray(plain(values)).dtype.kind
        dtype = ours.result_type(given, {"b": True, "f": 0.0}.get(kind, 0))
        values = ours.asarray(plain(values), dtype, device=given.device)
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
    if where is True:
        target[...] = src
        return
    if not isinstance(src, Tensor):
        src = plain(src)
        if isinstance(src, (bool, int, float)):
            check_weak("copyto", src, target.dtype)
        else:
            src = ours.asarray(src, device=target.device)
    target[...] = ours.where(where, src, target)


def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """Take all indexes except those of `obj`, which is on the host."""
    given = to_tensor("delete", "arr", arr)
    if axis is None:
        given, axis = ravel(given), 0
    size = given.shape[to_index("delete", "axis", axis, given.ndim)]
    if isinstance(obj, slice):
        kept = np.delete(np.arange(size), obj)
    else:
        dropped = to_ints("delete", "obj", several(obj))
        kept = np.delete(np.arange(size), [to_index("delete", "obj", k, size) for k in dropped])
    return ours.take(given, ours.asarray(kept, device=given.device), axis=axis)


def diag(v: Any, k: Any = 0) -> Any:
    """Extract the diagonal of a matrix, or make a matrix with this diagonal."""
    given = to_tensor("diag", "v", v)
    offset = to_int("diag", "k", k)
    if given.ndim == 2:
        return given.diagonal(offset)
    if given.ndim != 1:
        raise LayoutError("diag", "v must be 1-D or 2-D", shape=given.shape)
    size = given.size + abs(offset)
    matrix = ours.zeros((size, size), given.dtype, device=given.device)
    matrix.diagonal(offset)[...] = given
    return matrix


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
    """Adapt a function such as `zeros_like` to NumPy's names of memory orders."""

    def adapter(a: Any, *value: Any, order: Any = "K", **named: Any) -> Any:
        if order is not None and not (isinstance(order, str) and order in ("K", "C")):
            rule = "order must be 'K' or 'C': dml_vk's own function takes memory_format"
            raise LayoutError(name, rule, order=order)
        form = contiguous_format if order == "C" else preserve_format
        return getattr(ours, name)(a, *value, memory_format=form, **named)

    return adapter


def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    """Write separate constants for each dim and end."""
    if mode != "constant" or is_one(constant_values):
        return ours.pad(array, pad_width, mode=mode, value=constant_values)
    padded = ours.pad(array, pad_width)
    try:
        values = np.broadcast_to(constant_values, (padded.ndim, 2)).tolist()
    except ValueError:
        rule = "constant_values must be a number, a pair, or one pair per dim"
        raise LayoutError("pad", rule, constant_values=constant_values) from None
    widths = np.broadcast_to(pad_width, (padded.ndim, 2)).tolist()
    for dim, ((before, after), (first, last)) in enumerate(zip(widths, values)):
        padded.narrow(dim, 0, before)[...] = first
        padded.narrow(dim, padded.shape[dim] - after, after)[...] = last
    return padded


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


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    return _split("vsplit", ary, indices_or_sections, 0)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    return ours.where(condition, x, y)


def _split(what: str, ary: Any, into: Any, axis: Any, uneven: bool = False) -> list[Any]:
    """Split a dim at these indexes, or into this many parts, as views."""
    given = to_tensor(what, "ary", ary)
    dim = to_index(what, "axis", axis, given.ndim)
    size = given.shape[dim]
    if is_one(into):
        parts = to_int(what, "indices_or_sections", into)
        if parts < 1 or (size % parts and not uneven):
            rule = "indices_or_sections must be a number of equal parts or a list of split points"
            raise LayoutError(what, rule, indices_or_sections=into, size=size)
        each, extra = divmod(size, parts)
        cuts = [each * k + min(k, extra) for k in range(1, parts)]
    else:
        cuts = list(to_ints(what, "indices_or_sections", into))
    pieces = []
    for start, stop in zip([0, *cuts], [*cuts, size]):
        start, stop, _ = slice(start, stop).indices(size)
        pieces.append(given.narrow(dim, start, max(0, stop - start)))
    return pieces
