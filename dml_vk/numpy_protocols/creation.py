"""NumPy's functions that create arrays, with `like=` a tensor: results are on its device.

Default dtypes are those of this package.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.arguments import several
from dml_vk.array.creation.arrays import Shape
from dml_vk.layout import contiguous_format
from dml_vk.numpy_protocols.calls import Adapter, Call, ours
from dml_vk.numpy_protocols.shapes import memory_format
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike


def _arange(
    start: Any = None, stop: float | None = None, step: float | None = None, **named: Any
) -> Tensor:
    if start is None:
        start, stop = stop, None
    return ours.arange(start, stop, 1 if step is None else step, **named)


def _shaped(name: str) -> Adapter:
    """Adapt a function of a shape to NumPy's names of memory orders."""

    def adapter(shape: Shape, *value: float, order: str | None = "C", **named: object) -> Tensor:
        form = memory_format(name, order, len(tuple(several(shape))))
        result: Tensor = getattr(ours, name)(shape, *value, memory_format=form, **named)
        return result

    return adapter


def _asarray(a: ArrayLike, order: str | None = None, **named: Any) -> Tensor:
    """As `asarray`; NumPy's order applies to the tensor that an array becomes."""
    if order is None or (isinstance(order, str) and order.upper() == "K"):
        return ours.asarray(a, **named)
    x = ours.asarray(a, **named)
    form = memory_format("asarray", order, x.ndim, x)
    return ours.asarray(x, memory_format=form)


def _array(object: ArrayLike, copy: bool | None = True, ndmin: int = 0, **named: Any) -> Tensor:
    x = _asarray(object, copy=copy, **named)
    return ours.reshape(x, (1,) * (ndmin - x.ndim) + x.shape)


def _ascontiguousarray(a: ArrayLike, **named: Any) -> Tensor:
    return ours.asarray(a, memory_format=contiguous_format, **named)


def _eye(N: int, M: int | None = None, order: str | None = "C", **named: Any) -> Tensor:  # noqa: N803 - NumPy's
    return ours.eye(N, M, memory_format=memory_format("eye", order, 2), **named)


def _tri(N: int, m: int | None = None, **named: Any) -> Tensor:  # noqa: N803 - NumPy's names
    return ours.tri(N, m, **named)


_CALLS = {
    "arange": Call("arange", "/ start stop step dtype * device", _arange),
    "array": Call("array", "object / dtype * copy order -subok ndmin device", _array),
    "asanyarray": Call("asanyarray", "a / dtype order * device copy", _asarray),
    "asarray": Call("asarray", "a / dtype order * device copy", _asarray),
    "ascontiguousarray": Call("ascontiguousarray", "a / dtype * device", _ascontiguousarray),
    "empty": Call("empty", "shape / dtype order * device", _shaped("empty")),
    "eye": Call("eye", "N / M k dtype order * device", _eye),
    "full": Call("full", "shape fill_value / dtype order * device", _shaped("full")),
    "identity": Call("identity", "n / dtype * device", "eye"),
    "ones": Call("ones", "shape / dtype order * device", _shaped("ones")),
    "tri": Call("tri", "N / M=m k dtype * device", _tri),
    "zeros": Call("zeros", "shape / dtype order * device", _shaped("zeros")),
}
FUNCTIONS = {getattr(np, name): call for name, call in _CALLS.items()}
