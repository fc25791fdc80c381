"""NumPy's options `where` and `initial` of reductions: what counts, and what is there before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dml_vk.array.host_operands import beside
from dml_vk.dtypes import bool_, float64, int64
from dml_vk.errors import ErrorsAs, RangeError
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.numpy_protocols.calls import NOT_GIVEN, ours
from dml_vk.numpy_protocols.numbers import in_dtype
from dml_vk.promotion import float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor


def reduction(name: str) -> Callable[..., Any]:
    """Adapt a reduction; without the options it is ours."""

    def adapter(
        a: Any,
        axis: Any = None,
        *,
        initial: Any = NOT_GIVEN,
        where: Any = True,
        out: Any = None,
        **named: Any,
    ) -> Any:
        starts = initial is not NOT_GIVEN and initial is not None
        if where is True and not starts:
            return getattr(ours, name)(a, axis=axis, out=out, **named)
        x, mask = beside(name, to_tensor(name, "a", a), where)
        with ErrorsAs(name):
            row = REDUCTIONS[name]
            if row.extreme:
                found = _extreme(name, x, mask, axis, initial if starts else NOT_GIVEN, named)
            else:
                kept = x if mask is True else _kept(x, mask, row.nothing)
                found = getattr(ours, name)(kept, axis=axis, **named)
            if starts and found.dtype.kind == "c" and row.extreme:
                both = ours.full((), initial, found.dtype, device=found.device), found
                found = getattr(ours, name)(ours.stack(ours.broadcast_arrays(*both)), axis=0)
            elif starts:
                found = getattr(ours, row.join)(found, initial)
            return found if out is None else ours.astype(found, found.dtype, out=out)

    return adapter


def nan_reduction(name: str) -> Callable[..., Any]:
    """Adapt `nansum`, `nanprod`, `nanmax` or `nanmin`."""

    def plain(a: Any, **named: Any) -> Any:
        return getattr(ours, name)(a, **named)

    return _without_nan(name, plain, reduction(name.removeprefix("nan")))


def nan_moment(name: str) -> Callable[..., Any]:
    """Adapt `nanmean`, `nanvar` or `nanstd`."""
    return _without_nan(name, in_dtype(name), moment(name.removeprefix("nan")))


def _without_nan(
    name: str, plain: Callable[..., Any], other: Callable[..., Any]
) -> Callable[..., Any]:
    """Adapt a function such as `nansum`: with the options, it is `other` of what is not NaN."""

    def adapter(a: Any, *, initial: Any = NOT_GIVEN, where: Any = True, **named: Any) -> Any:
        starts = initial is not NOT_GIVEN and initial is not None
        if where is True and not starts:
            return plain(a, **named)
        x, mask = beside(name, to_tensor(name, "a", a), where)
        with ErrorsAs(name):
            counted = ours.equal(x, x)
            mask = counted if mask is True else ours.logical_and(mask, counted)
            return other(x, where=mask, **({"initial": initial} if starts else {}), **named)

    return adapter


def _kept(x: Tensor, mask: Any, neutral: Any) -> Any:
    """The elements where the mask is true, and the neutral one elsewhere."""
    x, mask = ours.broadcast_arrays(x, ours.asarray(mask, device=x.device))
    if x.dtype is bool_ or isinstance(neutral, bool):
        truth = ours.astype(x, bool_, copy=False)
        mask = ours.astype(mask, bool_, copy=False)
        if neutral:
            return ours.logical_or(truth, ours.logical_not(mask))
        return ours.logical_and(truth, mask)
    return ours.where(mask, x, neutral)


def _extreme(name: str, x: Tensor, mask: Any, axis: Any, initial: Any, named: Any) -> Any:
    if initial is NOT_GIVEN:
        rule = "a mask needs initial, since no elements have no extreme"
        raise RangeError(name, rule, initial=None)
    kept = x if mask is True else _kept(x, mask, initial)
    if not kept.size:
        shape = ours.any(kept, axis=axis, keepdims=named.get("keepdims", False)).shape
        return ours.full(shape, initial, x.dtype, device=x.device)
    return getattr(ours, name)(kept, axis=axis, **named)


def moment(name: str) -> Callable[..., Any]:
    """Adapt `mean`, `var` or `std`, which divide by the number of elements that count."""
    plain = in_dtype(name)

    def adapter(
        a: Any,
        axis: Any = None,
        *,
        where: Any = True,
        out: Any = None,
        dtype: Any = None,
        correction: Any = 0,
        keepdims: bool = False,
        **named: Any,
    ) -> Any:
        if where is True:
            if name != "mean":
                named["correction"] = correction
            return plain(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **named)
        x, mask = beside(name, to_tensor(name, "a", a), where)
        with ErrorsAs(name):
            x = x if dtype is None else ours.astype(x, dtype)
            kind = float_dtype(x.dtype) if name == "mean" else float_dtype(x.dtype).part
            x = x if x.dtype.kind in "fc" else ours.astype(x, float64)
            x, mask = ours.broadcast_arrays(x, ours.asarray(mask, device=x.device))
            count = ours.sum(mask, axis=axis, keepdims=True, dtype=int64)

            def mean(of: Any, less: Any) -> Any:
                total = ours.sum(ours.where(mask, of, 0), axis=axis, keepdims=True)
                divisor = ours.maximum(ours.subtract(count, less), 0)
                return ours.divide(total, ours.astype(divisor, total.dtype.part))

            found = mean(x, 0)
            if name != "mean":
                found = mean(ours.square(ours.abs(ours.subtract(x, found))), correction)
                found = ours.sqrt(found) if name == "std" else found
            if not keepdims:
                dims = range(x.ndim) if axis is None else axis
                found = ours.squeeze(found, dims if isinstance(dims, int) else tuple(dims))
            return ours.astype(found, kind, copy=False, out=out)

    return adapter
