"""NumPy's functions of shapes and positions without a direct equivalent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dml_vk.arguments import is_axis_of_none, several, to_axis, to_bool, to_int
from dml_vk.array.host_operands import beside_tensor
from dml_vk.errors import LayoutError
from dml_vk.layout import contiguous_format, preserve_format
from dml_vk.numpy_protocols.calls import ours
from dml_vk.promotion import check_weak
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import plain, to_tensor

_BROADCAST = "broadcast_arrays"


def broadcast_arrays(*args: Any) -> tuple[Tensor, ...]:
    near = next(one for one in args if isinstance(one, Tensor))
    given = [
        one if isinstance(one, Tensor) else beside_tensor(_BROADCAST, one, near) for one in args
    ]
    return tuple(ours.broadcast_arrays(*given))


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


def like(name: str) -> Callable[..., Any]:
    """Adapt a function such as `zeros_like` to NumPy's names of memory orders."""

    def adapter(a: Any, *value: Any, order: Any = "K", **named: Any) -> Any:
        given = to_tensor(name, "a", a)
        shape = named.get("shape")
        rank = given.ndim if shape is None else len(tuple(several(shape)))
        form = memory_format(name, order, rank, given)
        return getattr(ours, name)(given, *value, memory_format=form, **named)

    return adapter


def memory_format(what: str, order: Any, rank: int, x: Tensor | None = None) -> Any:
    """Return what NumPy's name of an order means for a result of this rank, like x or new."""
    if order is not None and not (isinstance(order, str) and order.upper() in ("K", "A", "C", "F")):
        rule = "order must be 'K', 'A', 'C' or 'F'"
        raise LayoutError(what, rule, order=order)
    word = "K" if order is None else order.upper()
    columns = tuple(range(rank))[::-1]
    if word == "A" and x is not None:
        word = "F" if x.layout.order == columns else "C"
    if word == "F":
        return columns
    return contiguous_format if word == "C" or x is None else preserve_format


def copy(a: Any, order: Any = "K") -> Tensor:
    given = to_tensor("copy", "a", a)
    return given.clone(memory_format("copy", order, given.ndim, given))


def meshgrid(*xi: Any, copy: Any = True, **named: Any) -> tuple[Tensor, ...]:
    """The grids, which are views of the vectors if `copy` is false."""
    found: tuple[Tensor, ...] = ours.meshgrid(*xi, **named)
    return tuple([one.clone() for one in found]) if to_bool("meshgrid", "copy", copy) else found


def reshape(a: Any, shape: Any = None, newshape: Any = None, **named: Any) -> Any:
    return ours.reshape(a, newshape if shape is None else shape, **named)


def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    given = to_tensor("rollaxis", "a", a)
    source = to_axis("rollaxis", "axis", axis, given.ndim)
    before = to_int("rollaxis", "start", start)
    target = to_axis("rollaxis", "start", before, given.ndim + (before >= 0))
    return given.movedim(source, target - (source < target))


def squeeze(a: Tensor, axis: Any = None) -> Any:
    if axis is None or is_axis_of_none(axis, a.ndim):
        return a.squeeze()
    return ours.squeeze(a, axis)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    return ours.where(condition, x, y)
