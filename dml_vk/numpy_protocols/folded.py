"""Reductions and scans of binary ufuncs without a kernel, such as `np.subtract.reduce`.

They take a launch for each element of the axis, or for each doubling of it if the order is free.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dml_vk.arguments import to_axis
from dml_vk.array.manipulation.shapes import to_axes
from dml_vk.dtypes import DType, DTypeLike, bool_, to_dtype
from dml_vk.errors import LayoutError, RangeError
from dml_vk.numpy_protocols.calls import Options, check_names, no_such, ours
from dml_vk.promotion import check_casts
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor

# The order of operands does not change the results of these.
_FREE: tuple[np.ufunc, ...] = (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor)
_FREE += (np.fmax, np.fmin, np.gcd, np.lcm)
# The results of no elements.
_IDENTITIES: dict[np.ufunc, float] = {
    np.bitwise_or: 0,
    np.bitwise_xor: 0,
    np.bitwise_and: -1,
    np.logical_xor: False,
    np.gcd: 0,
    np.hypot: 0.0,
    np.logaddexp: -np.inf,
}
Binary = Callable[[Tensor, Tensor], Tensor]


def reduce(what: str, function: np.ufunc, operator: Binary, x: Tensor, options: Options) -> Tensor:
    """Reduce along an axis, or along several if the order is free, as `function.reduce`."""
    check_names(what, ("axis", "dtype", "initial", "keepdims", "out", "where"), options)
    x = _operand(what, function, operator, x, options.get("dtype"))
    axis = options.get("axis", 0)
    axes = tuple(range(x.ndim)) if axis is None else to_axes(what, axis, x.ndim)
    if len(axes) > 1 and function not in _FREE:
        raise RangeError(what, "axis must be one, as the order of operands matters", axis=axis)
    identity = _identity(function, x.dtype)
    initial = options.get("initial", identity)
    if "where" in options:
        unseen = initial if function in (np.fmax, np.fmin) else identity
        if unseen is None:
            rule = "where needs an initial value, and an order of operands that does not matter"
            raise RangeError(what, rule, initial=initial)
        x = ours.where(options["where"], x, ours.full((), unseen, x.dtype, device=x.device))
    rows = ours.moveaxis(x, axes, tuple(range(len(axes))))
    others = rows.shape[len(axes) :]
    rows = ours.reshape(rows, (-1, *others)) if x.size else rows.reshape((0, *others))
    parts = [] if initial is None else [ours.full(others, initial, x.dtype, device=x.device)]
    if rows.shape[0]:
        if function in _FREE:
            parts.append(_reduce_by_halves(operator, rows))
        else:
            parts += ours.unstack(rows)
    if not parts:
        raise RangeError(what, "an axis without elements needs an initial value", shape=x.shape)
    result = parts[0]
    for part in parts[1:]:
        result = operator(result, part)
    if options.get("keepdims"):
        result = ours.reshape(result, [1 if k in axes else n for k, n in enumerate(x.shape)])
    return _write_out(what, result, options.get("out"))


def accumulate(
    what: str, function: np.ufunc, operator: Binary, x: Tensor, options: Options
) -> Tensor:
    """Return the running results along an axis, as `function.accumulate`."""
    check_names(what, ("axis", "dtype", "out"), options)
    x = _operand(what, function, operator, x, options.get("dtype"))
    axis = to_axis(what, "axis", options.get("axis", 0), x.ndim)
    rows = ours.moveaxis(x, axis, 0)
    if function in _FREE:
        step = 1
        while step < rows.shape[0]:
            rows = ours.concat([rows[:step], operator(rows[:-step], rows[step:])])
            step *= 2
    elif rows.size:
        parts = list(ours.unstack(rows))
        for k in range(1, len(parts)):
            parts[k] = operator(parts[k - 1], parts[k])
        rows = ours.stack(parts)
    return _write_out(what, ours.moveaxis(rows, 0, axis), options.get("out"))


def _operand(
    what: str, function: np.ufunc, operator: Binary, x: Tensor, dtype: DTypeLike | None
) -> Tensor:
    """Return x in the dtype of the results, which the operator must keep."""
    x = to_tensor(what, "x", x)
    if function is np.logical_xor:
        truth: Tensor = ours.astype(x, "bool", copy=False)
        return truth
    if dtype is not None:
        x = ours.astype(x, to_dtype(what, dtype), copy=False)
    few = ours.empty((0,), dtype=x.dtype, device=x.device)
    result = operator(few, few).dtype
    if result is bool_ and x.dtype is not bool_:
        raise no_such(what)
    converted: Tensor = ours.astype(x, result, copy=False)
    return converted


def _identity(function: np.ufunc, dtype: DType) -> float | None:
    identity = _IDENTITIES.get(function)
    if identity == -1 and dtype.kind != "i":  # all bits
        return True if dtype is bool_ else int(np.iinfo(dtype.numpy_name).max)
    return identity


def _reduce_by_halves(operator: Binary, rows: Tensor) -> Tensor:
    while (count := rows.shape[0]) > 1:
        half = count // 2
        joined = operator(rows[:half], rows[half : 2 * half])
        rows = ours.concat([joined, rows[2 * half :]]) if count % 2 else joined
    result: Tensor = rows[0]
    return result


def _write_out(what: str, result: Tensor, out: Tensor | None) -> Tensor:
    if out is None:
        return result
    if not isinstance(out, Tensor) or out.shape != result.shape:
        rule = f"out must have the shape {result.shape}"
        raise LayoutError(what, rule, out=getattr(out, "shape", type(out).__name__))
    check_casts(what, [result.dtype], out.dtype, "same_kind")
    out[...] = ours.astype(result, out.dtype, copy=False)
    return out
