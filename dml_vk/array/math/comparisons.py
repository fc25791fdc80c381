"""Equality and closeness of tensors, named as in NumPy."""

from __future__ import annotations

import builtins

from dml_vk.arguments import to_bool
from dml_vk.array.creation.arrays import full
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    equal,
    isfinite,
    isnan,
    less_equal,
    logical_and,
    logical_or,
    multiply,
    subtract,
)
from dml_vk.array.statistics.reductions import all
from dml_vk.dtypes import DType, complex64, float16, float32, float64
from dml_vk.errors import ErrorsAs
from dml_vk.promotion import complex_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand, plain, to_number, to_tensor, to_tensors


def isclose(
    a: Operand,
    b: Operand,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return where `abs(a - b) <= atol + rtol * abs(b)`, or a == b, such as equal infinities.

    Floats are compared in their own dtype, float16 in float32. With integers or bools they are
    compared in float64, and so are integers with each other, as in NumPy: no difference overflows.
    With `equal_nan`, NaN is close to NaN.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, 2.0, 3.0])
    >>> dml_vk.isclose(x, dml_vk.asarray([1.000001, 2.1, 3.0])).tolist()
    [True, False, True]
    >>> dml_vk.isclose(dml_vk.asarray([10, 20]), 21, rtol=0, atol=1).tolist()
    [False, True]
    """
    return _close("isclose", a, b, rtol, atol, equal_nan, out)


def allclose(
    a: Operand, b: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Return whether all elements of a and b are close, by `isclose`. Returns a bool, so it waits.

    >>> import dml_vk
    >>> x = dml_vk.asarray([0.1, 0.2, 0.3])
    >>> dml_vk.allclose(x * 3 / 3, x), dml_vk.allclose(x, x + 0.001)
    (True, False)
    """
    return bool(all(_close("allclose", a, b, rtol, atol, equal_nan)))


def array_equal(a1: Tensor, a2: Tensor, equal_nan: bool = False) -> bool:
    """Return whether two tensors have the same shape and elements. Returns a bool, so it waits.

    With `equal_nan`, NaN equals NaN. The dtypes that can be compared are those of `equal`.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1.0, float("nan")])
    >>> dml_vk.array_equal(x, x), dml_vk.array_equal(x, x, equal_nan=True)
    (False, True)
    """
    what = "array_equal"
    a1, a2 = upload_operands(what, a1, a2)
    x1, x2 = to_tensor(what, "a1", a1), to_tensor(what, "a2", a2)
    equal_nan = to_bool(what, "equal_nan", equal_nan)
    if x1.shape != x2.shape:
        return False
    with ErrorsAs(what):
        same = equal(x1, x2)
        if equal_nan and x1.dtype.kind in "fc":
            logical_or(same, logical_and(isnan(x1), isnan(x2)), out=same)
        return bool(all(same))


def _close(
    what: str,
    a: Operand,
    b: Operand,
    rtol: float,
    atol: float,
    equal_nan: bool,
    out: Tensor | None = None,
) -> Tensor:
    a, b = upload_operands(what, a, b)
    tensors = to_tensors(what, (a, b))
    rtol, atol = to_number(what, "rtol", rtol), to_number(what, "atol", atol)
    equal_nan = to_bool(what, "equal_nan", equal_nan)
    narrow = builtins.all(operand.dtype in (float16, float32, complex64) for operand in tensors)
    dtype = float32 if narrow else float64
    if builtins.any(_is_complex(operand) for operand in (a, b)):
        dtype = complex_dtype(dtype)
    with ErrorsAs(what):
        x, y = (_in_floats(operand, dtype, tensors[0]) for operand in (a, b))
        off = abs(subtract(x, y))
        allowed = add(multiply(abs(y), rtol), atol)
        # Beside an infinity any difference is allowed, but only the same infinity is close to it.
        close = logical_and(less_equal(off, allowed), isfinite(y))
        same = equal(x, y)
        if equal_nan:
            logical_or(same, logical_and(isnan(x), isnan(y)), out=same)
        return logical_or(close, same, out=out)


def _is_complex(x: Operand) -> bool:
    return x.dtype.kind == "c" if isinstance(x, Tensor) else isinstance(plain(x), complex)


def _in_floats(x: Operand, dtype: DType, near: Tensor) -> Tensor:
    if isinstance(x, Tensor):
        return astype(x, dtype, copy=False)
    return full((), plain(x), dtype, device=near.device)
