"""The array backend "dml_vk" of Dask, whose creation functions make tensors as chunks.

`dask.config.set({"array.backend": "dml_vk"})` chooses it, and so does `x.to_backend("dml_vk")`.
"""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
from dask.array.backends import ArrayBackendEntrypoint
from dask.utils import Dispatch

from dml_vk.dask.chunks import has_tensors, meta_of
from dml_vk.errors import DmlVkError

to_tensors = Dispatch("to_dml_vk_dispatch")
_NOT_HERE = "random numbers are not drawn by Dask: use dml_vk.dask.random.Generator"


class Backend(ArrayBackendEntrypoint):  # type: ignore[misc]  # Dask has no types
    """What Dask asks of a backend; its names."""

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        return to_tensors

    @classmethod
    def to_backend(cls, data: Any, **named: Any) -> Any:
        if has_tensors(data):
            return data
        meta = meta_of(data.ndim, data.dtype)
        return data.map_blocks(to_tensors, meta=meta, dtype=data.dtype, **named)

    @property
    def RandomState(self) -> Any:  # noqa: N802
        raise DmlVkError("dask", _NOT_HERE, backend="dml_vk")

    @property
    def default_bit_generator(self) -> Any:
        raise DmlVkError("dask", _NOT_HERE, backend="dml_vk")

    @staticmethod
    def ones(*args: Any, **named: Any) -> Any:
        return _created("ones", args, named)

    @staticmethod
    def zeros(*args: Any, **named: Any) -> Any:
        return _created("zeros", args, named)

    @staticmethod
    def empty(*args: Any, **named: Any) -> Any:
        return _created("empty", args, named)

    @staticmethod
    def full(*args: Any, **named: Any) -> Any:
        return _created("full", args, named)

    @staticmethod
    def arange(*args: Any, **named: Any) -> Any:
        return _created("arange", args, {"like": meta_of(0), **named})


def _created(name: str, args: Any, named: Any) -> Any:
    """Let Dask create an array by NumPy's functions, with tensors in place of NumPy's arrays."""
    if name != "arange":
        named = {"meta": meta_of(0), **named}
    with dask.config.set({"array.backend": "numpy"}):
        return getattr(da, name)(*args, **named)
