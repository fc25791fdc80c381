"""Arrays in zarr, whose attributes keep the memory format of tensors."""

from __future__ import annotations

from typing import Any

import dask.array as da

from dml_vk.dask.chunks import ATTRIBUTE, FORMAT, Chunks, from_array, on_host
from dml_vk.dask.package import imported
from dml_vk.dtypes import to_dtype
from dml_vk.errors import LayoutError


def to_zarr(
    x: da.Array,
    store: object,
    *,
    component: str | None = None,
    overwrite: bool = False,
    compute: bool = True,
) -> Any:
    """Write an array of Dask to a new array of zarr, chunk by chunk, with its memory format.

    `store` is a path or a store of zarr, `component` the path of the array in it. Files have the
    elements in row-major order, so that other programs can read them. Without `compute`, it
    returns a task that writes the elements.

    >>> import tempfile
    >>> import dml_vk.dask
    >>> generator = dml_vk.dask.random.Generator(seed=1)
    >>> x = generator.normal((4, 3, 8, 8), chunks=2, memory_format=dml_vk.channels_last)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dml_vk.dask.to_zarr(x, folder, component="noise")
    ...     y = dml_vk.dask.from_zarr(folder, component="noise").compute()
    >>> y.memory_format, bool(dml_vk.all(y == x.compute()))
    (channels_last, True)
    """
    zarr = imported("zarr", "zarr")
    for sizes in x.chunks:
        if len({*sizes[:-1]}) > 1 or sizes[-1] > sizes[0]:
            rule = "chunks must be of one size, but for smaller last ones: call rechunk"
            raise LayoutError("to_zarr", rule, chunks=x.chunks)
    kind = to_dtype("to_zarr", x.dtype).numpy_name
    target = zarr.open_array(
        store,
        mode="w" if overwrite else "w-",
        path=component,
        shape=x.shape,
        chunks=x.chunksize,
        dtype=kind,
    )
    memory_format = getattr(x._meta, "memory_format", None)
    if memory_format is not None:
        target.attrs[ATTRIBUTE] = {FORMAT: memory_format.name}
    return da.store(on_host(x), target, lock=False, compute=compute)


def from_zarr(
    store: object, *, component: str | None = None, chunks: Chunks | None = None, **named: Any
) -> da.Array:
    """Read an array of zarr in pieces, as tensors in the memory format that its attributes name.

    `chunks` are those of the files by default. Other arguments are those of `from_array`.

    >>> import tempfile
    >>> import dml_vk.dask
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dml_vk.dask.to_zarr(dml_vk.dask.asarray([[1, 2], [3, 4]], chunks=1), folder)
    ...     dml_vk.dask.from_zarr(folder, chunks=(2, 1)).sum(axis=0).compute().tolist()
    [4, 6]
    """
    source = imported("zarr", "zarr").open_array(store, mode="r", path=component)
    return from_array(source, source.chunks if chunks is None else chunks, **named)
