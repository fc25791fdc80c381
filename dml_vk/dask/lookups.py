"""Registration of tensors as chunks of dask.array."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np
from dask.array.backends import array_creation_dispatch
from dask.array.chunk_types import register_chunk_type
from dask.array.dispatch import (
    concatenate_lookup,
    divide_lookup,
    einsum_lookup,
    empty_lookup,
    nannumel_lookup,
    numel_lookup,
    percentile_lookup,
    take_lookup,
    tensordot_lookup,
    to_numpy_dispatch,
)

import dml_vk
from dml_vk.arguments import Axes
from dml_vk.dask import functions
from dml_vk.dask.arrays import with_our_methods
from dml_vk.dask.backend import Backend, to_tensors
from dml_vk.dtypes import DTypeLike
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def _einsum(*operands: Any, **options: object) -> Tensor:
    """The function of NumPy's name; its options for memory and casts have no effect."""
    del options
    return dml_vk.einsum(*operands)


def _divide(x1: Any, x2: Any, dtype: DTypeLike | None = None) -> Any:
    quotient = np.divide(x1, x2)
    return quotient if dtype is None else quotient.astype(dtype)


def _numel(
    x: Tensor, axis: Axes | None = None, keepdims: bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The number of elements that each result of a reduction is made of."""
    sums = dml_vk.sum(x, axis=axis, keepdims=keepdims)
    return dml_vk.full_like(sums, x.size // (sums.size or 1), dtype=dtype or "float32")


def _nannumel(
    x: Tensor, axis: Axes | None = None, keepdims: bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    is_number = dml_vk.logical_not(dml_vk.isnan(x))
    return dml_vk.astype(dml_vk.sum(is_number, axis=axis, keepdims=keepdims), dtype or "int64")


def _percentile(
    x: Tensor, q: Tensor | Array | float, method: str = "linear"
) -> tuple[Tensor | None, int]:
    """Percentiles of a chunk, and how many elements it has."""
    return (dml_vk.percentile(x, q, method=method) if len(x) else None), len(x)


def _to_numpy(x: Tensor, **_: object) -> Array:
    return x.numpy()


def register() -> None:
    """Allow tensors as chunks, and register the functions that Dask looks up for them."""
    register_chunk_type(Tensor)
    array_creation_dispatch.register_backend("dml_vk", Backend())
    concatenate_lookup.register(Tensor, np.concatenate)
    divide_lookup.register(Tensor, _divide)
    einsum_lookup.register(Tensor, _einsum)
    empty_lookup.register(Tensor, dml_vk.empty)
    nannumel_lookup.register(Tensor, _nannumel)
    numel_lookup.register(Tensor, _numel)
    percentile_lookup.register(Tensor, _percentile)
    take_lookup.register(Tensor, np.take)
    tensordot_lookup.register(Tensor, np.tensordot)
    to_numpy_dispatch.register(Tensor, _to_numpy)
    to_tensors.register((object, np.ndarray), dml_vk.asarray)
    # It is a default, so plugins that a program sets replace it.
    dask.config.update_defaults({"array_plugins": [with_our_methods]})
    functions.replace()
