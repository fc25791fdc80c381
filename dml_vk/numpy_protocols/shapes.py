"""NumPy's functions of shapes and positions without a direct equivalent."""

from __future__ import annotations

from typing import Any

from dml_vk.arguments import Axes, is_axis_of_none, several, to_axis, to_bool, to_int
from dml_vk.array.host_operands import upload_array
from dml_vk.errors import LayoutError
from dml_vk.layout import contiguous_format, preserve_format
from dml_vk.numpy_protocols.calls import Adapter, ours
from dml_vk.promotion import check_weak
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import plain, to_tensor

_BROADCAST = "broadcast_arrays"


def broadcast_arrays(*args: ArrayLike) -> tuple[Tensor, ...]:
    near = next(arg for arg in args if isinstance(arg, Tensor))
    tensors = [
        arg if isinstance(arg, Tensor) else upload_array(_BROADCAST, arg, near) for arg in args
    ]
    return tuple(ours.broadcast_arrays(*tensors))


def copyto(dst: Tensor, src: ArrayLike, where: Any = True) -> None:
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


def like(name: str) -> Adapter:
    """Adapt a function such as `zeros_like` to NumPy's names of memory orders."""

    def adapter(a: Tensor, *value: float, order: str | None = "K", **named: object) -> Tensor:
        a = to_tensor(name, "a", a)
        shape = named.get("shape")
        rank = a.ndim if shape is None else len(tuple(several(shape)))
        form = memory_format(name, order, rank, a)
        result: Tensor = getattr(ours, name)(a, *value, memory_format=form, **named)
        return result

    return adapter


def memory_format(what: str, order: str | None, rank: int, x: Tensor | None = None) -> Any:
    """Return the memory format that NumPy's order means for a result of this rank."""
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


def copy(a: Tensor, order: str | None = "K") -> Tensor:
    a = to_tensor("copy", "a", a)
    return a.clone(memory_format("copy", order, a.ndim, a))


def meshgrid(*xi: Tensor, copy: bool = True, **named: Any) -> tuple[Tensor, ...]:
    """The grids, which are views of the vectors if `copy` is false."""
    grids: tuple[Tensor, ...] = ours.meshgrid(*xi, **named)
    return tuple([grid.clone() for grid in grids]) if to_bool("meshgrid", "copy", copy) else grids


def reshape(a: Tensor, shape: Any = None, newshape: Any = None, **named: Any) -> Tensor:
    return ours.reshape(a, newshape if shape is None else shape, **named)


def rollaxis(a: Tensor, axis: int, start: int = 0) -> Tensor:
    a = to_tensor("rollaxis", "a", a)
    source = to_axis("rollaxis", "axis", axis, a.ndim)
    before = to_int("rollaxis", "start", start)
    target = to_axis("rollaxis", "start", before, a.ndim + (before >= 0))
    return a.movedim(source, target - (source < target))


def squeeze(a: Tensor, axis: Axes | None = None) -> Tensor:
    if axis is None or is_axis_of_none(axis, a.ndim):
        return a.squeeze()
    return ours.squeeze(a, axis)


def where(condition: Tensor, x: Any = None, y: Any = None) -> Any:
    return ours.where(condition, x, y)
