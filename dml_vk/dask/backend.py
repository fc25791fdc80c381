"""The array backend "dml_vk" of Dask: its creation functions make arrays of tensors.

`dask.config.set({"array.backend": "dml_vk"})` chooses it, and so does `x.to_backend("dml_vk")`.
"""

from __future__ import annotations

from typing import NoReturn

import dask
import dask.array as da
from dask.array.backends import ArrayBackendEntrypoint
from dask.utils import Dispatch

from dml_vk.dask.chunks import has_tensors, meta_of
from dml_vk.errors import DmlVkError

to_tensors = Dispatch("to_dml_vk_dispatch")
_NOT_HERE = "random numbers are not drawn by Dask: use dml_vk.dask.random.Generator"


class Backend(ArrayBackendEntrypoint):  # type: ignore[misc]  # Dask has no types
    """The interface that Dask asks of a backend."""

    @classmethod
    def to_backend_dispatch(cls) -> Dispatch:
        return to_tensors

    @classmethod
    def to_backend(cls, data: da.Array, **named: object) -> da.Array:
        if has_tensors(data):
            return data
        meta = meta_of(data.ndim, data.dtype)
        return data.map_blocks(to_tensors, meta=meta, dtype=data.dtype, **named)

    @property
    def RandomState(self) -> NoReturn:  # noqa: N802
        raise DmlVkError("dask", _NOT_HERE, backend="dml_vk")

    @property
    def default_bit_generator(self) -> NoReturn:
        raise DmlVkError("dask", _NOT_HERE, backend="dml_vk")

    @staticmethod
    def ones(*args: object, **named: object) -> da.Array:
        return _created("ones", args, named)

    @staticmethod
    def zeros(*args: object, **named: object) -> da.Array:
        return _created("zeros", args, named)

    @staticmethod
    def empty(*args: object, **named: object) -> da.Array:
        return _created("empty", args, named)

    @staticmethod
    def full(*args: object, **named: object) -> da.Array:
        return _created("full", args, named)

    @staticmethod
    def arange(*args: object, **named: object) -> da.Array:
        return _created("arange", args, {"like": meta_of(0), **named})


def _created(name: str, args: tuple[object, ...], named: dict[str, object]) -> da.Array:
    """Let Dask's own functions for NumPy create an array, with tensors as chunks."""
    if name != "arange":
        named = {"meta": meta_of(0), **named}
    with dask.config.set({"array.backend": "numpy"}):
        return getattr(da, name)(*args, **named)
