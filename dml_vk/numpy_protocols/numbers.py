"""NumPy's numeric functions without a direct equivalent, composed of our functions."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from dml_vk.arguments import to_bool, to_int
from dml_vk.array.host_operands import upload_operands
from dml_vk.dtypes import DTypeLike, float32, to_dtype
from dml_vk.errors import RangeError
from dml_vk.numpy_protocols.calls import Adapter, ours
from dml_vk.promotion import check_casting, common_dtype, float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import Operand, to_number, to_tensor

_TOLERANCES = {"rtol", "atol"}


def along(name: str, *, of_one: bool = True) -> Callable[..., Tensor]:
    """Adapt a function so that axis None, the default, flattens: `cumsum(x)`.

    `of_one`: one number is taken for a vector, whose axis may be named.
    """

    def adapter(a: Tensor, *, axis: int | None = None, **named: object) -> Tensor:
        a = to_tensor(name, "a", a)
        if axis is None or (of_one and not a.ndim and axis in (0, -1)):
            a, axis = ours.ravel(a), 0
        result: Tensor = getattr(ours, name)(a, axis=axis, **named)
        return result

    return adapter


def along_last(name: str, *, of_one: bool = True) -> Callable[..., Tensor]:
    """Adapt a function so that axis None flattens, and the default is the last axis."""
    function = along(name, of_one=of_one)

    def adapter(a: Tensor, *, axis: int | None = -1, **named: object) -> Tensor:
        return function(a, axis=axis, **named)

    return adapter


def can_cast(from_: DTypeLike | Tensor, to: DTypeLike, casting: Any = None) -> bool:
    """Apply our rules, or NumPy's if `casting` names one."""
    if casting is None:
        return bool(ours.can_cast(from_, to))
    source = from_.dtype if isinstance(from_, Tensor) else to_dtype("can_cast", from_)
    check_casting("can_cast", casting)
    wanted = to_dtype("can_cast", to).numpy_name
    return bool(np.can_cast(source.numpy_name, wanted, casting))


def close(name: str) -> Adapter:
    """Adapt a comparison: with NumPy's arrays, a tolerance may be a 0-D tensor."""

    def adapter(a: Tensor, b: Operand, **named: object) -> Any:
        if not all(isinstance(operand, (np.ndarray, Number)) for operand in (a, b)):
            return getattr(ours, name)(a, b, **named)
        tolerances = {
            key: to_number(name, key, named.pop(key)) for key in _TOLERANCES & named.keys()
        }
        return getattr(np, name)(a, b, **tolerances, **named)

    return adapter


def einsum(
    subscripts: str, *operands: ArrayLike, dtype: DTypeLike | None = None, **named: Any
) -> Tensor:
    converted = tuple(upload_operands("einsum", *operands))
    return ours.einsum(subscripts, *_in_dtype(dtype, converted), **named)


def einsum_path(subscripts: str, *operands: ArrayLike, **named: Any) -> tuple[list[Any], str]:
    """The order in which NumPy would contract operands of these shapes; no element is read."""
    shapes = [shape.shape if isinstance(shape, Tensor) else np.shape(shape) for shape in operands]
    return np.einsum_path(subscripts, *[np.broadcast_to(0.0, shape) for shape in shapes], **named)


def in_dtype(name: str) -> Callable[..., Tensor]:
    """Adapt a function such as `mean`, so that `dtype` is that of the computation.

    Results of integers are float32 in any case, and are computed without rounding them first.
    """

    def adapter(a: Tensor, dtype: DTypeLike | None = None, **named: object) -> Tensor:
        own = a.dtype.kind in "biu" if isinstance(a, Tensor) else False
        if own and dtype is not None and to_dtype(name, dtype) is float32:
            dtype = None
        result: Tensor = getattr(ours, name)(*_in_dtype(dtype, (a,)), **named)
        return result

    return adapter


def _in_dtype(dtype: DTypeLike | None, operands: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if dtype is None:
        return operands
    return tuple([ours.astype(operand, dtype, copy=False) for operand in operands])


def trace(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, **named: Any) -> Tensor:
    a = to_tensor("trace", "a", a)
    return ours.sum(ours.diagonal(a, offset, axis1, axis2), axis=-1, **named)


def iscomplex(x: Tensor) -> Tensor:
    """Whether each element has an imaginary part that is not 0."""
    return ours.not_equal(_imaginary(x), 0)


def isreal(x: Tensor) -> Tensor:
    return ours.equal(_imaginary(x), 0)


def _imaginary(x: Tensor) -> Tensor:
    x = to_tensor("imag", "x", x)
    return ours.imag(x) if iscomplexobj(x) else ours.zeros_like(x, dtype="bool")


def iscomplexobj(x: Tensor) -> bool:
    return x.dtype.kind == "c"


def isrealobj(x: Tensor) -> bool:
    return x.dtype.kind != "c"


def imag(val: Tensor) -> Tensor:
    """The imaginary parts, which are zeros for real numbers."""
    return to_tensor("imag", "val", val).imag


def nan_to_num(x: Tensor, copy: bool = True, **numbers: float) -> Tensor:
    """Replace what is not finite, in place unless a copy is asked for."""
    x = to_tensor("nan_to_num", "x", x)
    target = None if to_bool("nan_to_num", "copy", copy) else x
    return ours.nan_to_num(x, out=target, **numbers)


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor | tuple[Tensor, Tensor]:
    """Equal steps between the elements of tensors, each as NumPy computes it: start + k * step."""
    what = "linspace"
    ends = upload_operands(what, start, stop)
    count = to_int(what, "num", num)
    steps = count - bool(endpoint)
    if count < 0:
        raise RangeError(what, "num must not be negative", num=num)
    kind = common_dtype(what, [end.dtype for end in ends if isinstance(end, Tensor)])
    first, last = (ours.multiply(end, ours.ones((), float_dtype(kind))) for end in ends)
    step = ours.divide(ours.subtract(last, first), steps or ours.nan)
    places = ours.arange(count, dtype=step.dtype)
    result = ours.add(ours.multiply(ours.reshape(places, (count, *[1] * step.ndim)), step), first)
    if endpoint and count > 1:
        result[-1] = last
    elif count == 1:
        result[0] = first
    if dtype is not None:
        kind = to_dtype(what, dtype)
        result = ours.astype(ours.floor(result) if kind.kind in "iu" else result, kind)
    result = ours.moveaxis(result, 0, axis)
    return (result, step) if retstep else result
