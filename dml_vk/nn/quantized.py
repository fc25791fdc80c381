"""Quantized numbers: integers that stand for (integer - zero_point) * scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.array.data_types import iinfo
from dml_vk.array.math.clipping import clip
from dml_vk.array.math.elementwise import (
    add,
    astype,
    divide,
    multiply,
    negative,
    round,
    subtract,
)
from dml_vk.array.products.einsum import Factor, contracted
from dml_vk.array.statistics.reductions import sum
from dml_vk.dtypes import (
    DType,
    DTypeLike,
    float16,
    float32,
    int8,
    int16,
    int32,
    to_dtype,
    uint8,
    uint16,
)
from dml_vk.errors import LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.operands import arrays_beside
from dml_vk.ops.elementwise import cast_elements, compute
from dml_vk.ops.numbers import element_words, scalar_words
from dml_vk.ops.view import View, temporary_like, with_dtype
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    plain,
    result_over,
    to_number,
    to_tensor,
    to_tensors,
)
from dml_vk.tracing.formats import operation

SMALL = (int8, uint8, int16, uint16)


@hinted
def quantize(
    x: Tensor,
    scale: Operand,
    zero_point: int | Tensor,
    *,
    dtype: DTypeLike | None,
    out: Tensor | None = None,
) -> Tensor:
    """Return round(x / scale) + zero_point as int8, uint8, int16 or uint16, in the format of x.

    Halves are rounded to even, what is out of range becomes the nearest limit, and NaN becomes 0.
    Everything is computed in float32. Scale and zero point are numbers, or tensors that broadcast
    to the shape of x, such as (C, 1, 1) for one of each channel.

    >>> import dml_vk
    >>> x = dml_vk.asarray([-1.0, 0.25, 0.75, 99.0])
    >>> dml_vk.nn.quantize(x, 0.5, 3, dtype=dml_vk.int8).tolist()
    [1, 3, 5, 127]
    """
    what, kind = "quantize", to_dtype("quantize", dtype)
    x, scale, zero_point = arrays_beside(what, x, scale, zero_point)
    check_dtype(what, to_tensor(what, "x", x).dtype, (float16, float32))
    check_dtype(what, kind, SMALL)
    operands = _checked(what, x, scale, zero_point, kind)
    return call(_quantized, operands, out, kind)


@operation(flexible="first")
def _quantized(operands: Sequence[Tensor], out: Tensor | None, kind: DType) -> Tensor:
    what, (x, scale, zero_point) = "quantize", operands
    result = result_over(what, x.layout.like(), kind, x, out)
    wide = temporary_like(what, result, float32)
    _with(what, "divide", x, ("scale", scale), wide, float32)
    compute(what, OPERATORS["round"], (wide,), wide, float32)
    if isinstance(zero_point, Tensor):
        shift = temporary_like(what, zero_point, float32)
        cast_elements(what, zero_point, shift)
        compute(what, OPERATORS["add"], (wide, shift), wide, float32)
    else:
        _with(what, "add", wide, ("zero_point", zero_point), wide, float32)
    cast_elements(what, wide, result)
    return result


@hinted
def dequantize(
    x: Tensor,
    scale: Operand,
    zero_point: int | Tensor,
    *,
    dtype: DTypeLike = float32,
    out: Tensor | None = None,
) -> Tensor:
    """Return (x - zero_point) * scale as float32 or float16, in the format of x.

    The difference is an int32, and the product is rounded once. Scale and zero point are as for
    `quantize`; x may also be int32.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 3, 127], dtype=dml_vk.int8)
    >>> dml_vk.nn.dequantize(x, 0.5, 3).tolist()
    [-1.0, 0.0, 62.0]
    """
    what, kind = "dequantize", to_dtype("dequantize", dtype)
    x, scale, zero_point = arrays_beside(what, x, scale, zero_point)
    check_dtype(what, to_tensor(what, "x", x).dtype, (*SMALL, int32))
    check_dtype(what, kind, (float16, float32))
    return call(_dequantized, _checked(what, x, scale, zero_point, x.dtype), out, kind)


@operation(flexible="first")
def _dequantized(operands: Sequence[Tensor], out: Tensor | None, kind: DType) -> Tensor:
    what, (x, scale, zero_point) = "dequantize", operands
    result = result_over(what, x.layout.like(), kind, x, out)
    steps = temporary_like(what, result, int32)
    _with(what, "subtract", x, ("zero_point", zero_point), steps, int32)
    wide = with_dtype(steps, float32)
    cast_elements(what, steps, wide)
    _with(what, "multiply", wide, ("scale", scale), result, kind)
    return result


def saturated(x: Tensor, points: Tensor | int, kind: DType) -> Tensor:
    """Return whole numbers of float32 plus a zero point, clamped to the limits of a dtype."""
    if isinstance(points, Tensor):
        points = astype(points, x.dtype)
    limits = iinfo(kind)
    return astype(clip(add(x, points), float(limits.min), float(limits.max)), kind)


def range_of(low: Tensor, high: Tensor, kind: DType) -> tuple[Tensor, Tensor]:
    """Return the scale and the zero point by which a dtype covers a range that includes 0."""
    limits = iinfo(kind)
    scale = divide(subtract(high, low), float(limits.max - limits.min))
    point = round(divide(negative(low), scale))
    point = add(point, float(limits.min)) if limits.min else point
    return scale, astype(clip(point, float(limits.min), float(limits.max)), kind)


def _with(
    what: str, operator: str, x: View, named: tuple[str, object], target: View, common: DType
) -> None:
    """Apply an operator to x and a number or tensor, given with its name in the signature."""
    name, other = named
    if isinstance(other, Tensor):
        compute(what, OPERATORS[operator], (x, other), target, common)
        return
    words = scalar_words(what, name, float32 if common.kind == "f" else common, other)
    compute(what, OPERATORS[operator], (x, None), target, common, words)


def _checked(
    what: str, x: Tensor, scale: object, zero_point: object, kind: DType
) -> tuple[object, ...]:
    """Return (x, scale, zero point) after checking the last two."""
    tensors = [x]
    if isinstance(scale, Tensor):
        check_dtype(what, scale.dtype, (float16, float32))
        tensors.append(scale)
    else:
        scale = float(to_number(what, "scale", scale))
        if not 0 < scale < math.inf:
            raise RangeError(what, "scale must be positive and finite", scale=scale)
    zero_point = to_zero_point(what, "zero_point", zero_point, kind)
    if isinstance(zero_point, Tensor):
        tensors.append(zero_point)
    shapes = tuple([tensor.shape for tensor in to_tensors(what, tensors)])
    if broadcast_sizes(what, shapes) != x.shape:
        rule = "scale and zero_point must broadcast to the shape of x"
        raise LayoutError(what, rule, shapes=shapes)
    return x, scale, zero_point


def to_zero_point(what: str, name: str, value: object, kind: DType) -> Any:
    """Check that a zero point is an integer that the dtype can hold, or a tensor of integers."""
    if isinstance(value, Tensor):
        check_dtype(what, value.dtype, (*SMALL, int32))
        return value
    element_words(what, name, kind, plain(value))
    return int(plain(value))


@hinted
def matmul_integer(
    a: Tensor,
    b: Tensor,
    a_zero_point: int | Tensor = 0,
    b_zero_point: int | Tensor = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Multiply matrices of int8 or uint8 less their zero points; the sums are int32, row-major.

    Matrices are the last two dims; the other dims broadcast. A zero point is a number, or a tensor
    with one for each row of a, (..., M, 1), or each column of b, (..., 1, N). Sums wrap.

    >>> import dml_vk
    >>> a = dml_vk.asarray([[1, 2], [3, 4]], dtype=dml_vk.uint8)
    >>> dml_vk.nn.matmul_integer(a, a, 1, 2).tolist()
    [[1, 2], [1, 6]]
    """
    what = "matmul_integer"
    a, b, a_zero_point, b_zero_point = arrays_beside(what, a, b, a_zero_point, b_zero_point)
    for name, matrix in (("a", a), ("b", b)):
        check_dtype(what, to_tensor(what, name, matrix).dtype, (int8, uint8))
        if matrix.ndim < 2:
            raise LayoutError(what, f"{name} must have at least two dims", shape=matrix.shape)
    if a.shape[-1] != b.shape[-2]:
        raise LayoutError(what, "a.shape[-1] must equal b.shape[-2]", a=a.shape, b=b.shape)
    sizes = (
        *broadcast_sizes(what, (a.shape[:-2], b.shape[:-2])),
        a.shape[-2],
        b.shape[-1],
    )
    numbers, operands = [], [a, b]
    zero_points = ("a_zero_point", a_zero_point, a, -1), ("b_zero_point", b_zero_point, b, -2)
    for name, value, near, dim in zero_points:
        point = to_zero_point(what, name, value, near.dtype)
        numbers.append(None if isinstance(point, Tensor) else point)
        if isinstance(point, Tensor):
            operands.append(point)
            _check_of_lines(what, name, point, sizes, dim)
    to_tensors(what, operands)
    return call(_products, tuple(operands), out, sizes, *numbers)


def _check_of_lines(what: str, name: str, point: Tensor, sizes: Ints, dim: int) -> None:
    """Check that there is one zero point for each row or column, along the other of the dims."""
    alike = point.ndim < -dim or point.shape[dim] == 1
    if not alike or broadcast_sizes(what, (point.shape, sizes)) != sizes:
        rule = f"{name} must have size 1 in dim {dim}, and broadcast to the result"
        raise LayoutError(what, rule, shape=point.shape, result=sizes)


@operation(flexible="first")
def _products(
    operands: Sequence[Tensor],
    out: Tensor | None,
    sizes: Ints,
    first: int | None,
    second: int | None,
) -> Tensor:
    """Return (a - p)(b - q) as ab - (rows of a) q - p (columns of b - depth q)."""
    what, (a, b, *points) = "matmul_integer", operands
    p: Any = points.pop(0) if first is None else first
    q: Any = points.pop(0) if second is None else second
    depth, terms = a.shape[-1], []
    if second != 0:
        rows = sum(a, axis=-1, dtype=int32, keepdims=True)
        terms.append(multiply(rows, q))
    if first != 0:
        columns = sum(b, axis=-2, dtype=int32, keepdims=True)
        whole = q if second is not None else astype(q, int32)
        columns = subtract(columns, _times(whole, depth))
        terms.append(multiply(columns, p))
    lacks = [[None] * (len(sizes) - matrix.ndim) for matrix in (a, b)]
    kept_a = (*lacks[0], *range(a.ndim - 1), None)
    kept_b = (*lacks[1], *range(b.ndim - 2), None, b.ndim - 1)
    factors = Factor(a, kept_a, (a.ndim - 1,)), Factor(b, kept_b, (b.ndim - 2,))
    result = contracted(what, *factors, Layout(sizes), (depth,), int32, out)
    for term in terms:
        subtract(result, term, out=result)
    return result


def _times(point: Any, depth: int) -> Any:
    """Return the product as an int32, or as a number that wraps like one."""
    if isinstance(point, Tensor):
        return multiply(point, depth)
    return (point * depth + 2**31) % 2**32 - 2**31
