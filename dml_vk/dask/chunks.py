"""Arrays of Dask whose chunks are tensors, from any array that can be read in pieces."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import dask.array as da
import numpy as np

from dml_vk.array.creation.arrays import asarray as to_tensor
from dml_vk.dtypes import DTypeLike, float32, to_dtype
from dml_vk.layout import Layout, MemoryFormat
from dml_vk.runtime.device import default_device
from dml_vk.strides.order import OrderLike
from dml_vk.tensor.core import DeviceLike, Tensor, tensor_over

# As Dask takes them: sizes of all dims, of each dim, or of each chunk along it, or "auto".
Chunks: TypeAlias = int | str | tuple[int | str | tuple[int, ...] | None, ...] | dict[int, int]
ATTRIBUTE, FORMAT = "dml_vk", "memory_format"  # of arrays of zarr


def from_array(
    x: Any,
    chunks: Chunks = "auto",
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat | None = None,
    name: str | bool | None = None,
    lock: object = False,
) -> da.Array:
    """Make an array of Dask from anything that can be sliced: NumPy's arrays, files, tensors.

    The first task that needs a chunk reads and uploads it, to `device` or the default device of its
    process. Chunks get the `memory_format`, if one is passed, and keep that of x otherwise.
    `chunks`, `name` and `lock` are those of `dask.array.from_array`.

    >>> import numpy as np
    >>> import dml_vk.dask
    >>> x = dml_vk.dask.from_array(np.arange(6.0), chunks=2)
    >>> (x + 1).sum().compute().item()
    21.0
    """
    is_tensor = isinstance(x, Tensor)
    if memory_format is None:
        memory_format = x.memory_format if is_tensor else _stored_format(x)
    source = da.from_array(x, chunks, name=name, lock=lock, asarray=not is_tensor)
    return uploaded(source, dtype, device, memory_format)


def asarray(
    x: object,
    *,
    chunks: Chunks = "auto",
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat | None = None,
) -> da.Array:
    """Make an array of Dask with tensors as chunks from any array, also from one of Dask.

    An array of Dask keeps its chunks, and `from_array` splits others, such as files in memory maps
    and arrays of zarr.

    >>> import dask.array
    >>> import dml_vk.dask
    >>> x = dml_vk.dask.asarray(dask.array.ones((4, 6), chunks=3))
    >>> type(x.compute()).__name__, x.chunks
    ('Tensor', ((3, 1), (3, 3)))
    """
    if isinstance(x, da.Array):
        return uploaded(x, dtype, device, memory_format)
    if not hasattr(x, "dtype"):
        x = np.asarray(x)
    chunks = getattr(x, "chunks", chunks)
    return from_array(x, chunks, dtype=dtype, device=device, memory_format=memory_format)


def uploaded(
    source: da.Array,
    dtype: DTypeLike | None,
    device: DeviceLike,
    memory_format: MemoryFormat | None,
) -> da.Array:
    """Convert the chunks of an array of Dask to tensors."""
    kind = source.dtype if dtype is None else to_dtype("from_array", dtype)
    make = partial(to_tensor, dtype=dtype, device=device, memory_format=memory_format)
    return source.map_blocks(make, meta=meta_of(source.ndim, kind, memory_format))


def has_tensors(x: object) -> bool:
    """Whether it is an array of Dask whose chunks are tensors, as far as Dask knows."""
    return isinstance(x, da.Array) and isinstance(x._meta, Tensor)


def on_host(x: da.Array) -> da.Array:
    """Convert chunks to arrays of NumPy."""
    kind = to_dtype("dask", x.dtype).numpy_name
    return x.map_blocks(np.asarray, dtype=kind, meta=np.empty((0,) * x.ndim, kind))


def meta_of(ndim: int, dtype: DTypeLike | None = None, order: OrderLike | None = None) -> Tensor:
    """An empty tensor, from which Dask takes the type, dtype and dim order of chunks."""
    kind = float32 if dtype is None else to_dtype("dask", dtype)
    return tensor_over("dask", Layout.packed((0,) * ndim, order), kind, default_device())


def meta_like(x: da.Array, dtype: DTypeLike) -> Tensor:
    """The `_meta` of an array like x whose chunks have this dtype."""
    return meta_of(x.ndim, dtype, x._meta.layout.order)


def _stored_format(x: object) -> MemoryFormat | None:
    """The memory format that `to_zarr` stored in the attributes of an array."""
    stored = dict(getattr(x, "attrs", {})).get(ATTRIBUTE)
    return MemoryFormat.__members__.get(stored[FORMAT]) if stored else None
