"""Arrays of Dask whose chunks are tensors: results do not depend on the chunk boundaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from dml_vk.dask import products, statistics
from dml_vk.dask.chunks import asarray, has_tensors, meta_of, on_host
from dml_vk.dask.functions import FUNCTIONS

_FUNCTIONS: dict[object, Callable[..., object]] = {
    getattr(np, name): ours for name, ours in FUNCTIONS.items()
}


class TensorArray(da.Array):  # type: ignore[misc]  # Dask has no types
    """An array of Dask with the reductions and products of tensors.

    Dask converts each of its arrays with tensors as chunks to one: see `with_our_methods`.
    """

    __slots__ = ()

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """NumPy's dtype, which Dask and other libraries expect; chunks have `_meta.dtype`."""
        dtype: np.dtype[np.generic] = np.dtype(self._meta.dtype.numpy_name)
        return dtype

    sum = statistics.sum
    prod = statistics.prod
    mean = statistics.mean
    var = statistics.var
    std = statistics.std

    def __getitem__(self, index: object) -> da.Array:
        selected = super().__getitem__(index)
        if not has_tensors(selected):  # Dask loses the meta when it indexes by a mask
            selected._meta = meta_of(selected.ndim, self.dtype)
            with_our_methods(selected)
        return selected

    def store(self, target: object, **kwargs: object) -> Any:
        """Write to a target that takes arrays of NumPy."""
        return on_host(self).store(target, **kwargs)

    def to_zarr(self, *args: object, **kwargs: object) -> Any:
        """Dask's function. `dml_vk.dask.to_zarr` also writes the memory format."""
        return on_host(self).to_zarr(*args, **kwargs)

    def nonzero(self) -> tuple[da.Array, ...]:
        """The indexes of the elements that are not 0, in row-major order."""
        indexes = da.indices(self.shape, dtype=np.int64, chunks=self.chunks)
        mask: da.Array = self != 0
        return tuple([asarray(index.ravel())[mask.ravel()] for index in indexes])

    dot = products.dot

    def __matmul__(self, other: object) -> da.Array:
        return products.matmul(self, other)

    def __rmatmul__(self, other: object) -> da.Array:
        return products.matmul(other, self)

    def __array_function__(
        self, func: object, types: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        function = _FUNCTIONS.get(func)
        if function is None:
            return super().__array_function__(func, types, args, kwargs)
        return function(*args, **kwargs)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object
    ) -> object:
        if ufunc is np.matmul and method == "__call__" and not kwargs:
            return products.matmul(*inputs)
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)


def with_our_methods(array: object) -> None:
    """Make an array a TensorArray if its chunks are tensors. Dask calls this for each array."""
    if type(array) is da.Array and has_tensors(array):
        array.__class__ = TensorArray
