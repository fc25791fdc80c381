"""Operands and results of functions for networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.array.host_operands import is_on_host, upload_array, with_arrays
from dml_vk.dtypes import DType, float16, float32, float64
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.ops.view import check_devices
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import check_dtype, to_number, to_tensor, to_tensors

FLOATS = (float16, float32, float64)


def arrays_beside(what: str, *operands: object) -> Sequence[Any]:
    """Return NumPy's arrays and lists as tensors if there is a tensor among the operands."""
    for operand in operands:
        if type(operand) is not Tensor and is_on_host(operand):
            near = next((other for other in operands if isinstance(other, Tensor)), None)
            return operands if near is None else with_arrays(what, operands, near)
    return operands


def floats(what: str, x: object, name: str = "x") -> Tensor:
    """Return a tensor of floats."""
    tensor = to_tensor(what, name, x)
    check_dtype(what, tensor.dtype, FLOATS, name)
    return tensor


def floats_beside(what: str, name: str, value: object, near: Tensor) -> Tensor:
    """Return a tensor of floats that is float64 only if `near`, which is x, is."""
    tensor = floats(what, value, name)
    if tensor.dtype is float64 and near.dtype is not float64:
        cast = f"astype({name}, float32), or x with astype(x, float64)"
        rule = f"{name} may be float64 only where x is; convert it with {cast}"
        raise DTypeError(what, rule, **{"x": near.dtype, name: tensor.dtype})
    return tensor


def with_channels(what: str, x: object, least: int = 2) -> Tensor:
    """Return a tensor of at least this rank, with channels as dim 1."""
    tensor = floats(what, x)
    if tensor.ndim < least:
        dims = "(N, C, ...)" if least == 2 else "(N, C, spatial...)"
        raise LayoutError(what, f"x must have the dims {dims}", shape=tensor.shape)
    return tensor


def of_shape(what: str, name: str, value: object, shape: Ints, near: Tensor) -> Tensor:
    """Return a weight, a bias or a statistic of this shape, on the device of x."""
    if is_on_host(value):
        value = upload_array(what, value, near)
    tensor = floats_beside(what, name, value, near)
    if tensor.shape != shape:
        raise LayoutError(what, f"{name} must have the shape {shape}", **{name: tensor.shape})
    check_devices(what, **{"x": near, name: tensor})
    return tensor


def to_eps(what: str, eps: object) -> float:
    """Return a number of at least 0."""
    number = float(to_number(what, "eps", eps))
    if not number >= 0:
        raise RangeError(what, "eps must be at least 0", eps=eps)
    return number


def to_power(what: str, name: str, value: object, *, infinite: bool = False) -> float:
    """Return the power of a norm. Its reciprocal is a float32 too, unless it may be infinite."""
    power = float(to_number(what, name, value))
    if not (2.0**-100 <= power <= 2.0**100 or (infinite and power == math.inf)):
        rule = f"{name} must be from 2**-100 to 2**100{', or infinity' * infinite}"
        raise RangeError(what, rule, **{name: value})
    return power


def network_dtype(what: str, operands: Sequence[Tensor]) -> DType:
    """Return the dtype of the result of operands of floats on one device."""
    tensors = to_tensors(what, operands)
    for tensor in tensors:
        check_dtype(what, tensor.dtype, FLOATS)
    return common_dtype(what, [tensor.dtype for tensor in tensors])


def sums_for(what: str, target: Tensor) -> Tensor:
    """Return where sums are computed: the target, or memory of float32 like it."""
    if target.dtype is not float16:
        return target
    layout = target.layout
    packed = Layout.packed(layout.sizes, layout.order)
    return tensor_over(what, packed, float32, target.device, target.allocation)
