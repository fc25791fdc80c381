"""Functions of Dask and NumPy that have our implementation for arrays of tensors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from dask.array import core, ma, routines, ufunc

from dml_vk.dask import nan_statistics, products, statistics
from dml_vk.dask.chunks import has_tensors, on_host
from dml_vk.dtypes import DTypeLike
from dml_vk.tensor.core import Tensor

FUNCTIONS: dict[str, Callable[..., object]] = {
    "sum": statistics.sum,
    "prod": statistics.prod,
    "mean": statistics.mean,
    "var": statistics.var,
    "std": statistics.std,
    "matmul": products.matmul,
    "dot": products.dot,
    "nonzero": lambda x: x.nonzero(),
    "nansum": nan_statistics.nansum,
    "nanprod": nan_statistics.nanprod,
    "nanmean": nan_statistics.nanmean,
    "nanvar": nan_statistics.nanvar,
    "nanstd": nan_statistics.nanstd,
}

_NAMES = ("__name__", "__qualname__", "__doc__")


def replace() -> None:
    """Replace functions in `dask.array`, such as `sum`, by wrappers that dispatch on the chunks.

    Dask dispatches the functions on a chunk, but not those that combine chunks, nor the dtypes of
    elementwise results. Only `elemwise`, which all elementwise functions call, is also replaced in
    the modules that define and import it.
    """
    for name, ours in FUNCTIONS.items():
        setattr(da, name, _dispatching(ours, getattr(da, name)))
    for name in ("store", "to_zarr"):
        theirs = getattr(da, name)
        setattr(da, name, _dispatching(functools.partial(_from_host, theirs), theirs))
    elementwise = _inferring(core.elemwise)
    for module in (da, core, ma, routines, ufunc):
        module.elemwise = elementwise


def _dispatching(
    ours: Callable[..., object], theirs: Callable[..., object]
) -> Callable[..., object]:
    """Call `ours` if an argument has tensors as chunks, else `theirs`."""
    signature = inspect.signature(theirs)

    @functools.wraps(theirs, assigned=_NAMES)
    def function(*args: object, **kwargs: object) -> object:
        if not any(map(has_tensors, (*args, *kwargs.values()))):
            return theirs(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)  # by position: our x is Dask's a
        return ours(*bound.args, **bound.kwargs)

    return function


def _inferring(theirs: Callable[..., object]) -> Callable[..., object]:
    """Infer dtypes of results from tensors, where Dask would from arrays of NumPy."""

    @functools.wraps(theirs, assigned=_NAMES)
    def elemwise(
        op: Callable[..., object], *args: object, dtype: DTypeLike | None = None, **kwargs: object
    ) -> object:
        if dtype is None and any(map(has_tensors, args)):
            dtype = _computed_dtype(op, args)
        return theirs(op, *args, dtype=dtype, **kwargs)

    return elemwise


def _computed_dtype(
    op: Callable[..., object], args: tuple[object, ...]
) -> np.dtype[np.generic] | None:
    operands = [_without_elements(operand) for operand in args]
    try:
        result = op(*operands)
    except (TypeError, ValueError):
        return None  # Dask raises the error
    return np.dtype(result.dtype.numpy_name) if isinstance(result, Tensor) else None


def _without_elements(x: Any) -> Any:
    if isinstance(x, da.Array):
        return x._meta
    if isinstance(x, (list, tuple)):
        x = np.asarray(x)
    return x if np.ndim(x) == 0 else np.empty((0,) * np.ndim(x), x.dtype)


def _from_host(
    function: Callable[..., object], x: da.Array, *args: object, **kwargs: object
) -> object:
    return function(on_host(x), *args, **kwargs)
