"""Arrays of Dask whose chunks are tensors, from any array that can be read in pieces."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from dml_vk.array.creation import asarray as to_tensor
from dml_vk.dtypes import float32, to_dtype
from dml_vk.layout import Layout, MemoryFormat
from dml_vk.runtime.device import default_device
from dml_vk.strides.order import OrderLike
from dml_vk.tensor.core import Tensor, tensor_over

ATTRIBUTE, FORMAT = "dml_vk", "memory_format"  # of arrays of zarr


def from_array(
    x: Any,
    chunks: Any = "auto",
    *,
    dtype: Any = None,
    device: Any = None,
    memory_format: MemoryFormat | None = None,
    name: Any = None,
    lock: Any = False,
) -> Any:
    """Make an array of Dask from anything that can be sliced: NumPy's arrays, files, tensors.

    Each chunk is read and uploaded by the task that first needs it, to the default device of its
    process unless one is given. They get the `memory_format`, if one is given, and else keep that
    of x. `chunks`, `name` and `lock` are those of `dask.array.from_array`.

    >>> import numpy as np
    >>> import dml_vk.dask
    >>> x = dml_vk.dask.from_array(np.arange(6.0), chunks=2)
    >>> (x + 1).sum().compute().item()
    21.0
    """
    is_tensor = isinstance(x, Tensor)
    if memory_format is None:
        memory_format = x.memory_format if is_tensor else _noted_format(x)
    source = da.from_array(x, chunks, name=name, lock=lock, asarray=not is_tensor)
    return uploaded(source, dtype, device, memory_format)


def asarray(
    x: Any,
    *,
    chunks: Any = "auto",
    dtype: Any = None,
    device: Any = None,
    memory_format: MemoryFormat | None = None,
) -> Any:
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
    given = {"dtype": dtype, "device": device, "memory_format": memory_format}
    return from_array(x, getattr(x, "chunks", chunks), **given)


def uploaded(source: Any, dtype: Any, device: Any, memory_format: MemoryFormat | None) -> Any:
    """Let the chunks of an array of Dask be tensors."""
    kind = source.dtype if dtype is None else to_dtype("from_array", dtype)
    make = partial(to_tensor, dtype=dtype, device=device, memory_format=memory_format)
    return source.map_blocks(make, meta=meta_of(source.ndim, kind, memory_format))


def has_tensors(x: Any) -> bool:
    """Whether it is an array of Dask whose chunks are tensors, as far as Dask knows."""
    return isinstance(x, da.Array) and isinstance(x._meta, Tensor)


def on_host(x: Any) -> Any:
    """Let the chunks be arrays of NumPy."""
    kind = to_dtype("dask", x.dtype).numpy_name
    return x.map_blocks(np.asarray, dtype=kind, meta=np.empty((0,) * x.ndim, kind))


def meta_of(ndim: int, dtype: Any = None, order: OrderLike | None = None) -> Tensor:
    """An empty tensor, by which Dask knows what chunks are, and the order of their dims."""
    kind = float32 if dtype is None else to_dtype("dask", dtype)
    return tensor_over("dask", Layout.packed((0,) * ndim, order), kind, default_device())


def meta_like(x: Any, dtype: Any) -> Tensor:
    """What an array of Dask has as `_meta` if its chunks have this dtype."""
    return meta_of(x.ndim, dtype, x._meta.layout.order)


def _noted_format(x: Any) -> MemoryFormat | None:
    """The memory format that `to_zarr` noted in the attributes of an array."""
    noted = dict(getattr(x, "attrs", {})).get(ATTRIBUTE)
    return MemoryFormat.__members__.get(noted[FORMAT]) if noted else None
