"""The functions that work element by element, under the names of the array API standard and NumPy.

`dml_vk.kernels.operators` says which dtypes each takes and how exact it is. Operands are tensors of any
layouts, repeated as NumPy broadcasts them, and numbers; the result keeps the memory format of the
operands, or goes to `out`, which may be an operand.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dml_vk.dtypes import DTYPES, DType, bool_, to_dtype
from dml_vk.errors import DeviceError, DTypeError, LayoutError, explain
from dml_vk.kernels.operators import OPERATORS, Operator
from dml_vk.layout import broadcast_sizes, elementwise
from dml_vk.ops.elementwise import Typed, compute, float_words, scalar_words
from dml_vk.promotion import check_weak, common_dtype
from dml_vk.strides.order import Ints
from dml_vk.tensor import Tensor, tensor_over

Operand = Tensor | float


def _typed(tensor: Tensor) -> Typed:
    return Typed(tensor.strided, tensor.dtype)


def _tensors(what: str, operands: Sequence[Any]) -> list[Tensor]:
    """The tensors among the operands, all on one device."""
    for operand in operands:
        if not isinstance(operand, (Tensor, numbers.Real, np.bool_)):
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


def _common(what: str, operator: Operator, operands: Sequence[Any], tensors: list[Tensor]) -> DType:
    common = common_dtype(what, [tensor.dtype for tensor in tensors])
    for operand in operands:
        if not isinstance(operand, Tensor):
            check_weak(what, _plain(operand), common)
    if not operator.takes(common):
        others = [dtype for dtype in DTYPES.values() if operator.takes(dtype)]
        offer = "; convert with astype(x, float32)" if common.kind == "f" else ""
        must = f"dtype must be one of {', '.join(d.name for d in others)}{offer}"
        raise DTypeError(explain(what, must, dtype=common))
    return common


def _plain(number: Any) -> Any:
    """NumPy's scalars as Python's."""
    return number.item() if isinstance(number, np.generic) else number


def _target(what: str, tensors: list[Tensor], dtype: DType, out: Any) -> Tensor:
    """Where the result goes: `out`, if it fits, or a new tensor."""
    layouts = [tensor.layout for tensor in tensors]
    if out is None:
        near = tensors[0].strided.allocation
        return tensor_over(what, elementwise(*layouts), dtype, tensors[0].device, near)
    sizes = broadcast_sizes(*[layout.sizes for layout in layouts])
    if not isinstance(out, Tensor):
        raise DTypeError(explain(what, "out must be a Tensor", out=type(out).__name__))
    if out.shape != sizes:
        raise LayoutError(explain(what, f"out must have the shape {sizes}", out=out.shape))
    if out.dtype is not dtype:
        raise DTypeError(explain(what, f"out must have the dtype {dtype.name}", out=out.dtype))
    if out.device is not tensors[0].device:
        must = "out must be on the operands' device"
        raise DeviceError(explain(what, must, out=out.device, operands=tensors[0].device))
    return out


def _apply(operator: Operator, operands: Sequence[Any], out: Any, scalars: Ints = ()) -> Tensor:
    what = operator.name
    tensors = _tensors(what, operands)
    common = _common(what, operator, operands, tensors)
    dtype = DTYPES[operator.result] if operator.result else common
    sources: list[Typed | None] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            sources.append(_typed(operand))
        else:
            sources.append(None)
            scalars = scalar_words(what, "number", common, _plain(operand))
    target = _target(what, tensors, dtype, out)
    compute(what, operator, sources, _typed(target), common, scalars)
    return target


def _named(function: Callable[..., Tensor], operator: Operator) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = operator.name
    function.__doc__ = f"Element by element; see the table of operators for `{operator.name}`."
    return function


def _unary(name: str) -> Callable[..., Tensor]:
    operator = OPERATORS[name]

    def function(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
        return _apply(operator, (x,), out)

    return _named(function, operator)


def _binary(name: str) -> Callable[..., Tensor]:
    operator = OPERATORS[name]

    def function(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
        return _apply(operator, (x1, x2), out)

    return _named(function, operator)


def _told(name: str) -> Callable[..., Tensor]:
    """With parameters, which are numbers."""
    operator = OPERATORS[name]
    names = [parameter for parameter, _ in operator.parameters]

    def function(x: Tensor, /, *values: float, out: Tensor | None = None, **more: float) -> Tensor:
        told = dict(operator.parameters) | dict(zip(names, values))
        unknown = [name for name in more if name not in names or name in names[: len(values)]]
        if unknown or len(values) > len(names):
            must = f"parameters must be among {', '.join(names)}, each once"
            raise DTypeError(explain(operator.name, must, values=values, more=tuple(more)))
        told |= more
        for parameter, value in told.items():
            if not isinstance(value, (numbers.Real, np.bool_)):
                must = f"{parameter} must be a real number"
                raise DTypeError(explain(operator.name, must, **{parameter: value}))
        return _apply(operator, (x,), out, float_words(*map(float, told.values())))

    return _named(function, operator)


add = _binary("add")
exp = _unary("exp")
sin = _unary("sin")
less = _binary("less")
floor_divide = _binary("floor_divide")
sqrt = _unary("sqrt")
bitwise_invert = _unary("bitwise_invert")
