"""Derivatives and integrals of sampled functions, and differences of flat elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dml_vk.arguments import Axes, to_int
from dml_vk.array.creation.arrays import full
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.shapes import moveaxis, reshape, to_axes
from dml_vk.array.math.cumulative import diff
from dml_vk.array.math.elementwise import add, astype, divide, multiply, negative, subtract
from dml_vk.array.statistics.reductions import computed_in, sum
from dml_vk.dtypes import DType, complex128, float64
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.promotion import common_dtype, float_dtype
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    check_out,
    of_kinds,
    plain,
    result_over,
    to_complex,
    to_tensor,
    to_tensors,
)


def gradient(
    f: Tensor,
    /,
    *varargs: Operand,
    axis: Axes | None = None,
    edge_order: int = 1,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Return the derivatives along these axes, by default all: several in a tuple.

    Inside they are central differences, which are exact for polynomials of degree 2, and at both
    ends one-sided ones, of `edge_order` 1 or 2. `varargs` is the distance of samples, or one for
    each axis; a 1-D tensor has their coordinates. Both may be complex. Results have the format of f
    and the dtype of floats or complex numbers; float16 is computed in float32, and integers in
    float64. `out` has as many tensors as there are axes.

    >>> import dml_vk
    >>> dml_vk.gradient(dml_vk.asarray([0.0, 1.0, 4.0, 9.0])).tolist()
    [1.0, 2.0, 4.0, 5.0]
    >>> dml_vk.gradient(dml_vk.asarray([0.0, 1.0, 9.0]), dml_vk.asarray([0.0, 1.0, 3.0])).tolist()
    [1.0, 2.0, 4.0]
    """
    what = "gradient"
    f, *spacing = upload_operands(what, f, *varargs)
    x = to_tensor(what, "f", f)
    check_dtype(what, x.dtype, of_kinds("iufc"))
    axes = row_major(x.ndim) if axis is None else to_axes(what, axis, x.ndim)
    order = to_int(what, "edge_order", edge_order)
    if order not in (1, 2):
        raise RangeError(what, "edge_order must be 1 or 2", edge_order=edge_order)
    if len(spacing) not in (0, 1, len(axes)):
        rule = "there must be one distance, or one for each axis"
        raise LayoutError(what, rule, distances=len(spacing), axes=axes)
    steps = spacing or [1.0]
    steps = steps * len(axes) if len(steps) == 1 else steps
    targets = _targets(what, out, len(axes))
    work = []
    for dim, step, target in zip(axes, steps, targets):
        if x.shape[dim] <= order:
            rule = f"f must have at least {order + 1} elements along axis {dim}"
            raise LayoutError(what, rule, shape=x.shape)
        distances, dtype = _distances(what, x, dim, step)
        if target is not None:
            check_out(what, target, x.shape, dtype, x)
        work.append((dim, distances, dtype, target))
    with ErrorsAs(what):
        # All are computed before the first is written, which may be where f or distances are.
        results = [_derivative(what, x, dim, step, dtype, order) for dim, step, dtype, _ in work]
        for k, (*_, dtype, target) in enumerate(work):
            results[k] = astype(results[k], dtype, copy=target is not None, out=target)
    return results[0] if len(results) == 1 else tuple(results)


def ediff1d(
    x: Tensor,
    /,
    to_end: ArrayLike | None = None,
    to_begin: ArrayLike | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the differences of neighbours in row-major order, after `to_begin`, before `to_end`.

    >>> import dml_vk
    >>> dml_vk.ediff1d(dml_vk.asarray([[1, 4], [9, 16]]), to_begin=[0]).tolist()
    [0, 3, 5, 7]
    """
    what = "ediff1d"
    x, end, begin = upload_operands(what, x, to_end, to_begin)
    with ErrorsAs(what):
        flat = reshape(x, -1)
        check_dtype(what, x.dtype, of_kinds("iufc"))
        ends = [_flat_like(edge, flat) for edge in (begin, end)]
        first, last = [0 if edge is None else edge.size for edge in ends]
        inside = max(0, flat.size - 1)
        target = result_over(what, Layout((first + inside + last,)), x.dtype, x, out)
        differences = diff(flat) if inside else None
        places = ((0, first), (first, inside), (first + inside, last))
        for part, (at, length) in zip((ends[0], differences, ends[1]), places):
            if part is not None:
                target[at : at + length] = part
        return target


@hinted
def trapezoid(
    y: Tensor,
    /,
    x: Tensor | None = None,
    dx: Operand = 1.0,
    axis: int = -1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Integrate along an axis by the trapezoidal rule, at the points x, or at distances of dx.

    The areas are added as by `sum`, in floats; integers are computed in float64.

    >>> import dml_vk
    >>> dml_vk.trapezoid(dml_vk.asarray([1.0, 2.0, 4.0])).item()
    4.5
    """
    what = "trapezoid"
    y, x, dx = upload_operands(what, y, x, dx)
    with ErrorsAs(what, source="axis"):
        values = moveaxis(to_tensor(what, "y", y), axis, -1)
        if x is not None:
            at = to_tensor(what, "x", x)
            dx = _spacings(at if at.ndim == 1 else moveaxis(at, axis, -1))
        elif not isinstance(dx, Tensor):
            dx = to_complex(what, "dx", dx)
        kinds = [operand.dtype for operand in to_tensors(what, [values, dx if x is None else at])]
        numbers = [] if isinstance(dx, Tensor) else [dx]
        dtype = float_dtype(common_dtype(what, kinds, numbers))
        if all(kind.kind in "fc" for kind in kinds):
            ends = add(values[..., 1:], values[..., :-1])
            return sum(divide(multiply(ends, dx), 2.0), axis=-1, out=out)
        wide = computed_in(dtype, *kinds)
        values = astype(values, wide, copy=False)
        ends = add(values[..., 1:], values[..., :-1])
        dx = astype(dx, wide, copy=False) if isinstance(dx, Tensor) else dx
        result = sum(divide(multiply(ends, dx), 2.0), axis=-1)
        if out is None and result.dtype is dtype:
            return result
        return astype(result, dtype, out=out)


def _spacings(x: Tensor) -> Tensor:
    """Return the distances of neighbours along the last axis.

    Those of 64-bit integers, such as times, are exact, like those of smaller ones in float64.
    """
    if x.dtype.kind in "fc" or (x.dtype.itemsize == 8 and x.dtype.kind in "iu"):
        return diff(x)
    return diff(astype(x, float64))


def _flat_like(value: Operand | None, near: Tensor) -> Tensor | None:
    """Convert `to_begin` or `to_end` to a vector, numbers to the dtype of x."""
    if value is None:
        return None
    if isinstance(value, Tensor):
        if not np.can_cast(value.dtype.numpy_name, near.dtype.numpy_name, "same_kind"):
            rule = f"to_begin and to_end must be castable to {near.dtype.name}: use astype"
            raise DTypeError("ediff1d", rule, dtype=value.dtype)
        return reshape(value, -1)
    new = result_over("ediff1d", Layout((1,)), near.dtype, near)
    new[...] = plain(value)
    return new


def _distances(what: str, x: Tensor, dim: int, step: Operand) -> tuple[Tensor, DType]:
    """Return the distance of neighbours, and the dtype of the result.

    It has no dims, or one for each two neighbours, and the dtype of the computation.
    """
    if not isinstance(step, Tensor):
        number = to_complex(what, "distance", step)
        dtype = common_dtype(what, [float_dtype(x.dtype)], [number])
        wide = complex128 if dtype.kind == "c" else float64
        # Floats are weak: they are rounded as they are beside x elsewhere.
        weak = dtype if x.dtype.kind in "fc" else wide
        return astype(full((), number, wide, device=x.device), weak), dtype
    to_tensors(what, [x, step])
    if step.shape and step.shape != (x.shape[dim],):
        rule = "coordinates must be 1-D, one for each index of the axis"
        raise LayoutError(what, rule, coordinates=step.shape, axis=dim, shape=x.shape)
    dtype = common_dtype(what, [float_dtype(operand.dtype) for operand in (x, step)])
    return _spacings(step) if step.shape else step, dtype


def _targets(
    what: str, out: Tensor | tuple[Tensor, ...] | None, count: int
) -> Sequence[Tensor | None]:
    """Return a tensor for each axis, or None for each."""
    if out is None:
        return [None] * count
    targets: Sequence[Tensor] = out if isinstance(out, tuple) else (out,)
    if len(targets) != count:
        rule = "out must have one tensor for each axis"
        raise LayoutError(what, rule, out=len(targets), axes=count)
    return targets


def _derivative(what: str, x: Tensor, dim: int, step: Tensor, dtype: DType, order: int) -> Tensor:
    count = x.shape[dim]
    kinds = [computed_in(dtype, x.dtype, step.dtype), float_dtype(step.dtype)]
    wide = common_dtype(what, kinds)
    f, step = (astype(operand, wide, copy=False) for operand in (x, step))
    target = result_over(what, f.layout.like(), wide, f)

    def at(source: Tensor, start: int, length: int = 1) -> Tensor:
        return source.over(source.layout.narrow(dim, start, length))

    def distances(start: int, length: int = 1) -> Tensor:
        if not step.shape:
            return step
        part = step.over(step.layout.narrow(0, start, length))
        return reshape(part, (length, *[1] * (x.ndim - dim - 1)))

    def weighted_sum(start: int, length: int, weights: Weights, to: Tensor) -> None:
        """Add three neighbours, weighed by the distances between them."""
        near, far = distances(start, length), distances(start + 1, length)
        terms = [
            multiply(at(f, start + k, length), weight)
            for k, weight in enumerate(weights(near, far))
        ]
        add(add(terms[0], terms[1]), terms[2], out=to)

    inside, last = count - 2, count - 1
    if inside and step.shape:
        weighted_sum(0, inside, _central, at(target, 1, inside))
    elif inside:
        off = subtract(at(f, 2, inside), at(f, 0, inside))
        divide(off, multiply(step, 2.0), out=at(target, 1, inside))
    if order == 2:
        weighted_sum(0, 1, _first, at(target, 0))
        weighted_sum(count - 3, 1, _last, at(target, last))
    else:
        for index, start in ((0, 0), (last, last - 1)):
            off = subtract(at(f, start + 1), at(f, start))
            divide(off, distances(start), out=at(target, index))
    return target


Weights = Callable[[Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]


def _central(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the weights of three points at distances a and b, for the slope at the second."""
    both = add(a, b)
    return (
        divide(negative(b), multiply(a, both)),
        divide(subtract(b, a), multiply(a, b)),
        divide(a, multiply(b, both)),
    )


def _first(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the weights for the slope at the first of the three."""
    both = add(a, b)
    return (
        divide(negative(add(a, both)), multiply(a, both)),
        divide(both, multiply(a, b)),
        divide(negative(a), multiply(b, both)),
    )


def _last(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the weights for the slope at the last of the three."""
    third, second, first = _first(b, a)
    return negative(first), negative(second), negative(third)
