"""The arrays of Dask whose chunks are tensors: sums do not depend on where they are cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from dml_vk.dask import products, statistics
from dml_vk.tensor.core import Tensor

_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: statistics.sum,
    np.prod: statistics.prod,
    np.mean: statistics.mean,
    np.var: statistics.var,
    np.std: statistics.std,
    np.matmul: products.matmul,
}


class TensorArray(da.Array):  # type: ignore[misc]  # Dask has no types
    """An array of Dask with the sums and products of tensors.

    Dask makes them of its own arrays, wherever chunks are tensors: see `with_our_sums`.
    """

    __slots__ = ()

    sum = statistics.sum
    prod = statistics.prod
    mean = statistics.mean
    var = statistics.var
    std = statistics.std

    def dot(self, other: Any) -> Any:
        if self.ndim > 2 or getattr(other, "ndim", 0) not in (1, 2):
            return super().dot(other)
        return products.matmul(self, other)

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
    if type(array) is da.Array and isinstance(array._meta, Tensor):
        array.__class__ = TensorArray
