"""NumPy's options of reductions: `where`, a mask of elements, and `initial`, the start value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dml_vk.arguments import Axes
from dml_vk.array.host_operands import upload_operands
from dml_vk.dtypes import DTypeLike, bool_, float64, int64
from dml_vk.errors import ErrorsAs, RangeError
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.numpy_protocols.calls import NOT_GIVEN, Options, ours
from dml_vk.numpy_protocols.numbers import in_dtype
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import to_tensor


def reduction(name: str) -> Callable[..., Tensor]:
    """Adapt a reduction to NumPy's options."""

    def adapter(
        a: Tensor,
        axis: Axes | None = None,
        *,
        initial: Any = NOT_GIVEN,
        where: ArrayLike = True,
        out: Tensor | None = None,
        **named: Any,
    ) -> Tensor:
        starts = initial is not NOT_GIVEN and initial is not None
        if where is True and not starts:
            result: Tensor = getattr(ours, name)(a, axis=axis, out=out, **named)
            return result
        x, mask = upload_operands(name, to_tensor(name, "a", a), where)
        with ErrorsAs(name):
            row = REDUCTIONS[name]
            if row.extreme:
                result = _extreme(name, x, mask, axis, initial if starts else NOT_GIVEN, named)
            else:
                operand = x if mask is True else _masked(x, mask, row.nothing)
                result = getattr(ours, name)(operand, axis=axis, **named)
            if starts and result.dtype.kind == "c" and row.extreme:
                both = ours.full((), initial, result.dtype, device=result.device), result
                result = getattr(ours, name)(ours.stack(ours.broadcast_arrays(*both)), axis=0)
            elif starts:
                result = getattr(ours, row.join)(result, initial)
            return result if out is None else ours.astype(result, result.dtype, out=out)

    return adapter


def nan_reduction(name: str) -> Callable[..., Tensor]:
    """Adapt `nansum`, `nanprod`, `nanmax` or `nanmin`."""

    def plain(a: Tensor, **named: object) -> Tensor:
        result: Tensor = getattr(ours, name)(a, **named)
        return result

    return _without_nan(name, plain, reduction(name.removeprefix("nan")))


def nan_moment(name: str) -> Callable[..., Tensor]:
    """Adapt `nanmean`, `nanvar` or `nanstd`."""
    return _without_nan(name, in_dtype(name), moment(name.removeprefix("nan")))


def _without_nan(
    name: str, plain: Callable[..., Tensor], other: Callable[..., Tensor]
) -> Callable[..., Tensor]:
    """Adapt a function such as `nansum`: with the options, `other` with NaN masked out."""

    def adapter(
        a: Tensor, *, initial: object = NOT_GIVEN, where: ArrayLike = True, **named: object
    ) -> Tensor:
        starts = initial is not NOT_GIVEN and initial is not None
        if where is True and not starts:
            return plain(a, **named)
        x, mask = upload_operands(name, to_tensor(name, "a", a), where)
        with ErrorsAs(name):
            counted = ours.equal(x, x)
            mask = counted if mask is True else ours.logical_and(mask, counted)
            result: Tensor = other(
                x, where=mask, **({"initial": initial} if starts else {}), **named
            )
            return result

    return adapter


def _masked(x: Tensor, mask: Any, neutral: complex) -> Tensor:
    """Return the elements where the mask is true, and the identity elsewhere."""
    x, mask = ours.broadcast_arrays(x, ours.asarray(mask, device=x.device))
    if x.dtype is bool_ or isinstance(neutral, bool):
        truth = ours.astype(x, bool_, copy=False)
        mask = ours.astype(mask, bool_, copy=False)
        if neutral:
            return ours.logical_or(truth, ours.logical_not(mask))
        return ours.logical_and(truth, mask)
    return ours.where(mask, x, neutral)


def _extreme(
    name: str, x: Tensor, mask: ArrayLike, axis: Axes | None, initial: Any, named: Options
) -> Tensor:
    if initial is NOT_GIVEN:
        rule = "a mask needs initial, since no elements have no extreme"
        raise RangeError(name, rule, initial=None)
    operand = x if mask is True else _masked(x, mask, initial)
    if not operand.size:
        shape = ours.any(operand, axis=axis, keepdims=named.get("keepdims", False)).shape
        return ours.full(shape, initial, x.dtype, device=x.device)
    result: Tensor = getattr(ours, name)(operand, axis=axis, **named)
    return result


def moment(name: str) -> Callable[..., Tensor]:
    """Adapt `mean`, `var` or `std`, which divide by the number of elements that count."""
    plain = in_dtype(name)

    def adapter(
        a: Tensor,
        axis: Axes | None = None,
        *,
        where: ArrayLike = True,
        out: Tensor | None = None,
        dtype: DTypeLike | None = None,
        correction: float = 0,
        keepdims: bool = False,
        **named: object,
    ) -> Tensor:
        if where is True:
            if name != "mean":
                named["correction"] = correction
            return plain(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **named)
        x, mask = upload_operands(name, to_tensor(name, "a", a), where)
        with ErrorsAs(name):
            x = x if dtype is None else ours.astype(x, dtype)
            kind = float_dtype(x.dtype) if name == "mean" else float_dtype(x.dtype).part
            x = x if x.dtype.kind in "fc" else ours.astype(x, float64)
            x, mask = ours.broadcast_arrays(x, ours.asarray(mask, device=x.device))
            count = ours.sum(mask, axis=axis, keepdims=True, dtype=int64)

            def mean(of: Tensor, less: float) -> Tensor:
                total = ours.sum(ours.where(mask, of, 0), axis=axis, keepdims=True)
                divisor = ours.maximum(ours.subtract(count, less), 0)
                return ours.divide(total, ours.astype(divisor, total.dtype.part))

            result = mean(x, 0)
            if name != "mean":
                result = mean(ours.square(ours.abs(ours.subtract(x, result))), correction)
                result = ours.sqrt(result) if name == "std" else result
            if not keepdims:
                dims = range(x.ndim) if axis is None else axis
                result = ours.squeeze(result, dims if isinstance(dims, int) else tuple(dims))
            return ours.astype(result, kind, copy=False, out=out)

    return adapter
