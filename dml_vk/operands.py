"""What every function of tensors does first: check its operands, and find room for its result."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dml_vk.dtypes import DTYPES, DType, float32, int64, to_dtype, uint64
from dml_vk.errors import DeviceError, DTypeError, LayoutError, explain
from dml_vk.layout import Layout
from dml_vk.ops.copy import apart as strided_apart
from dml_vk.ops.elementwise import Typed
from dml_vk.ops.strided import check_devices
from dml_vk.strides.order import Ints
from dml_vk.tensor import Tensor, tensor_over

Operand = Tensor | float


def typed(tensor: Tensor) -> Typed:
    return Typed(tensor.strided, tensor.dtype)


def is_numpys(number: Any) -> bool:
    """NumPy's scalar, or an array of no dims, which NumPy makes of one to compare it."""
    return isinstance(number, np.generic) or (isinstance(number, np.ndarray) and not number.ndim)


def plain(number: Any) -> Any:
    """NumPy's scalars as Python's."""
    return number.item() if is_numpys(number) else number


def to_number(what: str, name: str, value: Any) -> int | float:
    """What must be a real number. A tensor of no dims is one, and is waited for."""
    value = value.item() if isinstance(value, Tensor) and not value.shape else plain(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        try:
            return float(value)
        except (OverflowError, TypeError):
            pass
    raise DTypeError(explain(what, f"{name} must be a real number", **{name: value}))


def to_tensor(what: str, name: str, given: Any) -> Tensor:
    """What must be a tensor."""
    if not isinstance(given, Tensor):
        must = f"{name} must be a Tensor: asarray makes tensors of arrays"
        raise DTypeError(explain(what, must, **{name: type(given).__name__}))
    return given


def to_tensors(what: str, operands: Sequence[Any]) -> list[Tensor]:
    """The tensors among operands that may also be numbers, all on one device."""
    for operand in operands:
        if not (isinstance(operand, Tensor) or isinstance(plain(operand), numbers.Real)):
            must = "operands must be tensors and real numbers: asarray makes tensors of arrays"
            raise DTypeError(explain(what, must, operand=type(operand).__name__))
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    if not tensors:
        raise DTypeError(explain(what, "one operand must be a Tensor", operands=tuple(operands)))
    for tensor in tensors:
        if tensor.device is not tensors[0].device:
            devices = tuple([each.device for each in tensors])
            raise DeviceError(explain(what, "operands must be on one device", devices=devices))
    return tensors


def apart(what: str, source: Tensor, target: Tensor) -> Tensor:
    """The source, as it is before the target is written."""
    return Tensor(strided_apart(what, source.strided, target.strided), source.dtype)


def check_dtype(what: str, dtype: DType, allowed: Iterable[DType]) -> None:
    """A function takes some dtypes only."""
    allowed = tuple(allowed)
    if dtype not in allowed:
        offer = "; convert with astype(x, float32)" if float32 in allowed else ""
        must = f"dtype must be one of {', '.join(one.name for one in allowed)}{offer}"
        raise DTypeError(explain(what, must, dtype=dtype))


def of_kinds(kinds: str) -> tuple[DType, ...]:
    """The dtypes of these kinds, NumPy's letters: b, i, u, f."""
    return tuple([dtype for dtype in DTYPES.values() if dtype.kind in kinds])


def sum_dtype(what: str, own: DType, asked: Any) -> DType:
    """What is added up in: unless it is asked for, integers have 64 bits, which are soon needed."""
    if asked is None:
        return own if own.kind == "f" else uint64 if own.kind == "u" else int64
    found = to_dtype(what, asked)
    check_dtype(what, found, of_kinds("iuf"))
    return found


def check_out(what: str, out: Any, sizes: Ints, dtype: DType, near: Tensor) -> Tensor:
    """`out`, if a result of these sizes and this dtype may go there."""
    given = to_tensor(what, "out", out)
    if given.shape != sizes:
        raise LayoutError(explain(what, f"out must have the shape {sizes}", out=given.shape))
    if given.dtype is not dtype:
        raise DTypeError(explain(what, f"out must have the dtype {dtype.name}", out=given.dtype))
    check_devices(what, out=given.strided, operands=near.strided)
    given.strided.check_target(what, "out")
    return given


def result_over(what: str, layout: Layout, dtype: DType, near: Tensor, out: Any = None) -> Tensor:
    """Where a result goes: `out`, if given, else new memory in this layout, best beside `near`."""
    if out is not None:
        return check_out(what, out, layout.sizes, dtype, near)
    return tensor_over(what, layout, dtype, near.device, near.strided.allocation)
