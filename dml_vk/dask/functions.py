"""The functions of Dask and NumPy that compute something else for arrays with tensors as chunks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import dask.array as da

from dml_vk.dask import nan_statistics, products, statistics
from dml_vk.tensor.core import Tensor

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": statistics.sum,
    "prod": statistics.prod,
    "mean": statistics.mean,
    "var": statistics.var,
    "std": statistics.std,
    "matmul": products.matmul,
    "dot": products.dot,
    "nansum": nan_statistics.nansum,
    "nanprod": nan_statistics.nanprod,
    "nanmean": nan_statistics.nanmean,
    "nanvar": nan_statistics.nanvar,
    "nanstd": nan_statistics.nanstd,
}


def replace() -> None:
    """Let `dask.array.sum` and the others be ours where an operand has tensors as chunks.

    Dask looks up what computes a chunk, but not what adds chunks. Its own functions stay what they
    are in the modules that define them.
    """
    for name, ours in FUNCTIONS.items():
        setattr(da, name, _choosing(ours, getattr(da, name)))


def _choosing(ours: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs, assigned=("__name__", "__qualname__", "__doc__"))
    def function(*args: Any, **kwargs: Any) -> Any:
        return (ours if any(map(_has_tensors, args)) else theirs)(*args, **kwargs)

    return function


def _has_tensors(x: Any) -> bool:
    return isinstance(x, da.Array) and isinstance(x._meta, Tensor)
