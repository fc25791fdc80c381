"""NumPy's functions of shapes and positions without a direct equivalent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dml_vk.array.host_operands import beside_tensor
from dml_vk.errors import LayoutError
from dml_vk.layout import contiguous_format, preserve_format
from dml_vk.numpy_protocols.calls import ours
from dml_vk.promotion import check_weak
from dml_vk.strides.order import to_bool, to_index, to_int
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
        if order is not None and not (isinstance(order, str) and order in ("K", "C")):
            rule = "order must be 'K' or 'C': dml_vk's own function takes memory_format"
            raise LayoutError(name, rule, order=order)
        form = contiguous_format if order == "C" else preserve_format
        return getattr(ours, name)(a, *value, memory_format=form, **named)

    return adapter


def meshgrid(*xi: Any, copy: Any = True, **named: Any) -> list[Tensor]:
    """The grids, which are views of the vectors if `copy` is false."""
    found = ours.meshgrid(*xi, **named)
    return [one.clone() for one in found] if to_bool("meshgrid", "copy", copy) else list(found)


def reshape(a: Any, shape: Any = None, newshape: Any = None, **named: Any) -> Any:
    return ours.reshape(a, newshape if shape is None else shape, **named)


def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    given = to_tensor("rollaxis", "a", a)
    source = to_index("rollaxis", "axis", axis, given.ndim)
    before = to_int("rollaxis", "start", start)
    target = to_index("rollaxis", "start", before, given.ndim + (before >= 0))
    return given.movedim(source, target - (source < target))


def squeeze(a: Tensor, axis: Any = None) -> Any:
    return a.squeeze() if axis is None else ours.squeeze(a, axis)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    return ours.where(condition, x, y)
