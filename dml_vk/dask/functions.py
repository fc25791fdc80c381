"""The functions of Dask and NumPy that compute something else for arrays with tensors as chunks."""

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
from dml_vk.tensor.core import Tensor

FUNCTIONS: dict[str, Callable[..., Any]] = {
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
    """Let `dask.array.sum` and the others be ours where an operand has tensors as chunks.

    Dask looks up what computes a chunk, but not what adds chunks, nor which dtype elementwise
    functions have. Except for `elemwise`, which everything elementwise goes through, its functions
    stay what they are in the modules that define them.
    """
    for name, ours in FUNCTIONS.items():
        setattr(da, name, _choosing(ours, getattr(da, name)))
    for name in ("store", "to_zarr"):
        theirs = getattr(da, name)
        setattr(da, name, _choosing(functools.partial(_from_host, theirs), theirs))
    elementwise = _inferring(core.elemwise)
    for module in (da, core, ma, routines, ufunc):
        module.elemwise = elementwise


def _choosing(ours: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(theirs)

    @functools.wraps(theirs, assigned=_NAMES)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not any(map(has_tensors, (*args, *kwargs.values()))):
            return theirs(*args, **kwargs)
        given = signature.bind(*args, **kwargs)  # parameters go by their place: ours is x, Dask's a
        return ours(*given.args, **given.kwargs)

    return function


def _inferring(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """Dask asks NumPy for the dtype of a result; here it is that of what tensors give."""

    @functools.wraps(theirs, assigned=_NAMES)
    def elemwise(op: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if dtype is None and any(map(has_tensors, args)):
            dtype = _computed_dtype(op, args)
        return theirs(op, *args, dtype=dtype, **kwargs)

    return elemwise


def _computed_dtype(op: Any, args: Any) -> Any:
    given = [_without_elements(one) for one in args]
    try:
        found = op(*given)
    except (TypeError, ValueError):
        return None  # Dask says what is wrong
    return np.dtype(found.dtype.numpy_name) if isinstance(found, Tensor) else None


def _without_elements(x: Any) -> Any:
    if isinstance(x, da.Array):
        return x._meta
    if isinstance(x, (list, tuple)):
        x = np.asarray(x)
    return x if np.ndim(x) == 0 else np.empty((0,) * np.ndim(x), x.dtype)


def _from_host(function: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Any:
    return function(on_host(x), *args, **kwargs)
