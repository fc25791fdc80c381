"""Arrays of Dask with tensors as chunks: larger than memory, on several devices and machines.

It needs the package dask, and dask.distributed for `DeviceCluster`: pip install dml-vk[dask].
Importing it registers tensors with Dask, whichever is imported first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dml_vk.dask import lookups, package, random, tokens
from dml_vk.dask.chunks import asarray, from_array
from dml_vk.dask.gradients import value_and_grad
from dml_vk.dask.nan_statistics import nanmean, nanprod, nanstd, nansum, nanvar
from dml_vk.dask.products import matmul
from dml_vk.dask.statistics import mean, prod, std, sum, var
from dml_vk.dask.zarr_files import from_zarr, to_zarr

if TYPE_CHECKING:
    from dml_vk.dask.cluster import DeviceCluster

__all__ = [
    "DeviceCluster",
    "asarray",
    "from_array",
    "from_zarr",
    "matmul",
    "mean",
    "nanmean",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "prod",
    "random",
    "std",
    "sum",
    "to_zarr",
    "value_and_grad",
    "var",
]


def __getattr__(name: str) -> Any:
    """Import distributed only when `DeviceCluster` is used."""
    if name == "DeviceCluster":
        return package.imported("dml_vk.dask.cluster", "distributed").DeviceCluster
    raise AttributeError(f"module 'dml_vk.dask' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


lookups.register()
tokens.register()
