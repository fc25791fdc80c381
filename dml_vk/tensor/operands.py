"""Common first steps of functions of tensors: check operands, allocate the result."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.dtypes import (
    DTYPES,
    DType,
    DTypeLike,
    complex128,
    float32,
    float64,
    int64,
    to_dtype,
    uint64,
)
from dml_vk.errors import ONE_DEVICE, DeviceError, DTypeError, LayoutError
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import converted
from dml_vk.ops.view import check_devices, check_target
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.host import Array

Operand = Tensor | complex
_NUMBERS = (numbers.Real, complex)


def is_numpys(number: object) -> TypeGuard[np.generic | Array]:
    """Whether this is a NumPy scalar, or a 0-D array, to which NumPy may convert one."""
    return isinstance(number, np.generic) or (isinstance(number, np.ndarray) and not number.ndim)


def plain(number: object) -> Any:
    """Convert NumPy scalars to Python numbers, those with more bits to the nearest ones."""
    if not is_numpys(number):
        return number
    number = number.item()
    if isinstance(number, (np.longdouble, np.clongdouble)):  # They have no Python number.
        return complex(number) if isinstance(number, np.complexfloating) else float(number)
    return number


def is_scalar(number: object) -> TypeGuard[np.generic | Array]:
    """Whether this is a number of NumPy's, which has a dtype."""
    return is_numpys(number) and number.dtype.kind in "biufc"


def scalar_dtype(number: np.generic | Array) -> DType:
    """The dtype of a NumPy scalar; float64 or complex128 if it has more bits than these."""
    most = {"f": float64, "c": complex128}.get(number.dtype.kind)
    is_wide = most is not None and number.dtype.itemsize > most.itemsize
    return most if most is not None and is_wide else to_dtype("operands", number.dtype)


def to_number(what: str, name: str, value: object) -> int | float:
    """Convert to a real number. A tensor with no dims is accepted, and waited for."""
    value = value.item() if isinstance(value, Tensor) and not value.shape else plain(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        try:
            return float(value)
        except (OverflowError, TypeError):
            pass
    raise DTypeError(what, f"{name} must be a real number", **{name: value})


def to_complex(what: str, name: str, value: object) -> complex:
    """Convert to a number, real or complex. A tensor with no dims is accepted, and waited for."""
    number = value.item() if isinstance(value, Tensor) and not value.shape else plain(value)
    return number if isinstance(number, complex) else to_number(what, name, number)


def to_tensor(what: str, name: str, value: object) -> Tensor:
    """Check that this is a tensor."""
    if not isinstance(value, Tensor):
        rule = f"{name} must be a Tensor: convert arrays with asarray"
        raise DTypeError(what, rule, **{name: type(value).__name__})
    return value


def to_tensors(what: str, operands: Sequence[object]) -> list[Tensor]:
    """Return the tensors among operands, which may also be numbers; all must be on one device."""
    for operand in operands:
        if not (isinstance(operand, Tensor) or isinstance(plain(operand), _NUMBERS)):
            rule = "operands must be tensors or numbers: convert arrays with asarray"
            raise DTypeError(what, rule, operand=type(operand).__name__)
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    if not tensors:
        raise DTypeError(what, "at least one operand must be a Tensor", operands=tuple(operands))
    for tensor in tensors:
        if tensor.device is not tensors[0].device:
            devices = tuple([each.device for each in tensors])
            raise DeviceError(what, ONE_DEVICE, devices=devices)
    return tensors


def of_kind(what: str, x: Tensor, dtype: DType) -> Tensor:
    """Convert x to floats if `dtype` is a float or complex dtype, since kernels need that.

    They take floats of all sizes, also where they compute complex numbers.
    """
    if dtype.kind not in "fc" or x.dtype.kind in "fc":
        return x
    return Tensor(converted(what, x, dtype.part))


def check_dtype(what: str, dtype: DType, allowed: Iterable[DType], name: str = "x") -> None:
    """Check that a function supports a dtype."""
    allowed = tuple(allowed)
    if dtype not in allowed:
        offer = f"; convert with astype({name}, float32)" if float32 in allowed else ""
        rule = f"dtype must be one of {', '.join(kind.name for kind in allowed)}{offer}"
        raise DTypeError(what, rule, dtype=dtype)


def of_kinds(kinds: str) -> tuple[DType, ...]:
    """Return the dtypes of these kinds, in NumPy's letters: b, i, u, f, c."""
    return tuple([dtype for dtype in DTYPES.values() if dtype.kind in kinds])


def check_ordered(what: str, *tensors: Tensor) -> None:
    """Check that elements have an order, which complex ones lack."""
    for tensor in tensors:
        if tensor.dtype.kind == "c":
            rule = "dtype must be real: complex numbers have no order"
            raise DTypeError(what, rule, dtype=tensor.dtype)


def sum_dtype(what: str, own: DType, asked: DTypeLike | None) -> DType:
    """Return the dtype of a sum: by default integers get 64 bits, to avoid overflow."""
    if asked is None:
        return own if own.kind in "fc" else uint64 if own.kind == "u" else int64
    dtype = to_dtype(what, asked)
    check_dtype(what, dtype, of_kinds("iufc"))
    return dtype


def check_out(what: str, out: object, sizes: Ints, dtype: DType, near: Tensor) -> Tensor:
    """Check that a result of these sizes and this dtype can be written to `out`."""
    out = to_tensor(what, "out", out)
    if out.shape != sizes:
        raise LayoutError(what, f"out must have the shape {sizes}", out=out.shape)
    if out.dtype is not dtype:
        raise DTypeError(what, f"out must have the dtype {dtype.name}", out=out.dtype)
    check_devices(what, out=out, operands=near)
    check_target(what, out, "out")
    return out


def result_over(
    what: str, layout: Layout, dtype: DType, near: Tensor, out: Tensor | None = None
) -> Tensor:
    """Allocate a result with this layout, preferably close to `near`, unless `out` is given."""
    if out is not None:
        return check_out(what, out, layout.sizes, dtype, near)
    return tensor_over(what, layout, dtype, near.device, near.allocation)
