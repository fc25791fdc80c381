"""The arrays of Dask whose chunks are tensors: sums do not depend on where they are cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from dml_vk.dask import products, statistics
from dml_vk.dask.chunks import asarray, has_tensors, meta_of, on_host
from dml_vk.dask.functions import FUNCTIONS

_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    getattr(np, name): ours for name, ours in FUNCTIONS.items()
}


class TensorArray(da.Array):  # type: ignore[misc]  # Dask has no types
    """An array of Dask with the sums and products of tensors.

    Dask makes them of its own arrays, wherever chunks are tensors: see `with_our_sums`.
    """

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """NumPy's, as Dask and what is built on it expect; that of a chunk is `_meta.dtype`."""
        return np.dtype(self._meta.dtype.numpy_name)

    sum = statistics.sum
    prod = statistics.prod
    mean = statistics.mean
    var = statistics.var
    std = statistics.std

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if not has_tensors(found):  # Dask forgets it where a mask chooses
            found._meta = meta_of(found.ndim, self.dtype)
            with_our_sums(found)
        return found

    def store(self, target: Any, **kwargs: Any) -> Any:
        """Write to what takes arrays of NumPy."""
        return on_host(self).store(target, **kwargs)

    def to_zarr(self, *args: Any, **kwargs: Any) -> Any:
        """Dask's function. `dml_vk.dask.to_zarr` also writes the memory format."""
        return on_host(self).to_zarr(*args, **kwargs)

    def nonzero(self) -> tuple[Any, ...]:
        """The indexes of the elements that are not 0, in row-major order."""
        places = da.indices(self.shape, dtype=np.int64, chunks=self.chunks)
        there: Any = self != 0
        return tuple([asarray(one.ravel())[there.ravel()] for one in places])

    dot = products.dot

    def __matmul__(self, other: Any) -> Any:
        return products.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return products.matmul(other, self)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        ours = _FUNCTIONS.get(func)
        if ours is None:
            return super().__array_function__(func, types, args, kwargs)
        return ours(*args, **kwargs)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc is np.matmul and method == "__call__" and not kwargs:
            return products.matmul(*inputs)
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)


def with_our_sums(array: Any) -> None:
    """Let an array be of this class, if its chunks are tensors. Dask calls it with each array."""
    if type(array) is da.Array and has_tensors(array):
        array.__class__ = TensorArray
