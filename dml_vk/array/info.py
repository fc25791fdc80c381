"""The array API standard's inspection of the namespace."""

from __future__ import annotations

from dml_vk.array.data_types import isdtype
from dml_vk.driver.probe import devices
from dml_vk.dtypes import DTYPES, DType, DTypeLike, complex64, float16, float32, int64
from dml_vk.runtime.device import Device, default_device
from dml_vk.runtime.device import device as open_device
from dml_vk.tensor.core import DeviceLike

MOST_DIMS = 64  # NumPy's limit, which applies to transfers; layouts and kernels have none


class NamespaceInfo:
    """The result of `__array_namespace_info__()`. Devices are opened on request."""

    def capabilities(self) -> dict[str, bool | int]:
        """Return what is supported: boolean indexing, data-dependent shapes, the maximum rank."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MOST_DIMS,
        }

    def default_device(self) -> Device:
        """Return the device that a new tensor is created on by default."""
        return default_device()

    def default_dtypes(self, *, device: DeviceLike = None) -> dict[str, DType]:
        """Return the default dtypes, which are the same on every device."""
        open_device(device)
        return {
            "real floating": float32,
            "complex floating": complex64,
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(
        self, *, device: DeviceLike = None, kind: DTypeLike | tuple[DTypeLike, ...] | None = None
    ) -> dict[str, DType]:
        """Return the supported dtypes of the standard, which lacks float16, or those of a kind."""
        open_device(device)
        return {
            dtype.numpy_name: dtype
            for dtype in DTYPES.values()
            if dtype is not float16
            if kind is None or isdtype(dtype, kind)
        }

    def devices(self) -> tuple[Device, ...]:
        """Return all devices."""
        return tuple([open_device(name) for name in devices()])

    def __repr__(self) -> str:
        return "<dml_vk's __array_namespace_info__>"


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 the standard's name
    """Return information about this array namespace.

    >>> import dml_vk
    >>> dml_vk.__array_namespace_info__().default_dtypes()["integral"]
    dml_vk.int64
    """
    return NamespaceInfo()
