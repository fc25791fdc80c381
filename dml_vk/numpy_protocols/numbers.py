"""NumPy's numeric functions without a direct equivalent, composed of our functions."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from dml_vk.arguments import to_bool, to_int
from dml_vk.array.host_operands import beside
from dml_vk.dtypes import float32, to_dtype
from dml_vk.errors import RangeError
from dml_vk.numpy_protocols.calls import ours
from dml_vk.promotion import check_casting, common_dtype, float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_number, to_tensor

_TOLERANCES = {"rtol", "atol"}


def along(name: str, *, of_one: bool = True) -> Callable[..., Any]:
    """Adapt a function so that axis None, the default, flattens: `cumsum(x)`.

    `of_one`: one number is taken for a vector, whose axis may be named.
    """

    def adapter(a: Any, *, axis: Any = None, **named: Any) -> Any:
        given = to_tensor(name, "a", a)
        if axis is None or (of_one and not given.ndim and axis in (0, -1)):
            given, axis = ours.ravel(given), 0
        return getattr(ours, name)(given, axis=axis, **named)

    return adapter


def along_last(name: str, *, of_one: bool = True) -> Callable[..., Any]:
    """Adapt a function so that axis None flattens, and the default is the last axis."""
    function = along(name, of_one=of_one)

    def adapter(a: Any, *, axis: Any = -1, **named: Any) -> Any:
        return function(a, axis=axis, **named)

    return adapter


def can_cast(from_: Any, to: Any, casting: Any = None) -> bool:
    """Apply our rules, or NumPy's if `casting` names one."""
    if casting is None:
        return bool(ours.can_cast(from_, to))
    given = from_.dtype if isinstance(from_, Tensor) else to_dtype("can_cast", from_)
    check_casting("can_cast", casting)
    wanted = to_dtype("can_cast", to).numpy_name
    return bool(np.can_cast(given.numpy_name, wanted, casting))


def close(name: str) -> Callable[..., Any]:
    """Adapt a comparison: beside NumPy's arrays, a tolerance may be a tensor without dims."""

    def adapter(a: Any, b: Any, **named: Any) -> Any:
        if not all(isinstance(one, (np.ndarray, Number)) for one in (a, b)):
            return getattr(ours, name)(a, b, **named)
        given = {key: to_number(name, key, named.pop(key)) for key in _TOLERANCES & named.keys()}
        return getattr(np, name)(a, b, **given, **named)

    return adapter


def einsum(subscripts: Any, *operands: Any, dtype: Any = None, **named: Any) -> Any:
    given = tuple(beside("einsum", *operands))
    return ours.einsum(subscripts, *_in_dtype(dtype, given), **named)


def einsum_path(subscripts: Any, *operands: Any, **named: Any) -> Any:
    """The order in which NumPy would contract operands of these shapes; no element is read."""
    shapes = [one.shape if isinstance(one, Tensor) else np.shape(one) for one in operands]
    return np.einsum_path(subscripts, *[np.broadcast_to(0.0, one) for one in shapes], **named)


def in_dtype(name: str) -> Callable[..., Any]:
    """Adapt a function such as `mean`, so that `dtype` is that of the computation.

    Results of integers are float32 in any case, and are computed without rounding them first.
    """

    def adapter(a: Any, dtype: Any = None, **named: Any) -> Any:
        own = a.dtype.kind in "biu" if isinstance(a, Tensor) else False
        if own and dtype is not None and to_dtype(name, dtype) is float32:
            dtype = None
        return getattr(ours, name)(*_in_dtype(dtype, (a,)), **named)

    return adapter


def _in_dtype(dtype: Any, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    if dtype is None:
        return operands
    return tuple([ours.astype(one, dtype, copy=False) for one in operands])


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, **named: Any) -> Any:
    given = to_tensor("trace", "a", a)
    return ours.sum(ours.diagonal(given, offset, axis1, axis2), axis=-1, **named)


def iscomplex(x: Tensor) -> Any:
    """Whether each element has an imaginary part that is not 0."""
    return ours.not_equal(_imaginary(x), 0)


def isreal(x: Tensor) -> Any:
    return ours.equal(_imaginary(x), 0)


def _imaginary(x: Tensor) -> Any:
    given = to_tensor("imag", "x", x)
    return ours.imag(given) if iscomplexobj(given) else ours.zeros_like(given, dtype="bool")


def iscomplexobj(x: Tensor) -> bool:
    return x.dtype.kind == "c"


def isrealobj(x: Tensor) -> bool:
    return x.dtype.kind != "c"


def imag(val: Any) -> Any:
    """The imaginary parts, which are zeros for real numbers."""
    return to_tensor("imag", "val", val).imag


def nan_to_num(x: Any, copy: bool = True, **numbers: Any) -> Any:
    """Replace what is not finite, in place unless a copy is asked for."""
    given = to_tensor("nan_to_num", "x", x)
    target = None if to_bool("nan_to_num", "copy", copy) else given
    return ours.nan_to_num(given, out=target, **numbers)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Equal steps between the elements of tensors, each as NumPy computes it: start + k * step."""
    what = "linspace"
    given = beside(what, start, stop)
    count = to_int(what, "num", num)
    steps = count - bool(endpoint)
    if count < 0:
        raise RangeError(what, "num must not be negative", num=num)
    kind = common_dtype(what, [one.dtype for one in given if isinstance(one, Tensor)])
    first, last = (ours.multiply(one, ours.ones((), float_dtype(kind))) for one in given)
    step = ours.divide(ours.subtract(last, first), steps or ours.nan)
    places = ours.arange(count, dtype=step.dtype)
    found = ours.add(ours.multiply(ours.reshape(places, (count, *[1] * step.ndim)), step), first)
    if endpoint and count > 1:
        found[-1] = last
    elif count == 1:
        found[0] = first
    if dtype is not None:
        kind = to_dtype(what, dtype)
        found = ours.astype(ours.floor(found) if kind.kind in "iu" else found, kind)
    found = ours.moveaxis(found, 0, axis)
    return (found, step) if retstep else found
