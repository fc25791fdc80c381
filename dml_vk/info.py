"""What the array namespace can do, as the array API standard asks for it."""

from __future__ import annotations

from typing import Any

from dml_vk.dtype_functions import isdtype
from dml_vk.dtypes import DTYPES, DType, complex64, float16, float32, int64
from dml_vk.probe import devices
from dml_vk.runtime.device import Device, default_device
from dml_vk.runtime.device import device as open_device

MOST_DIMS = 64  # NumPy's, through which values come and go; layouts and kernels have no limit


class NamespaceInfo:
    """The answers of `__array_namespace_info__()`. Devices are opened when they are asked for."""

    def capabilities(self) -> dict[str, bool | int]:
        """Masks index, shapes may depend on data, and how many dims there may be."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MOST_DIMS,
        }

    def default_device(self) -> Device:
        """The device of the innermost `with device(...)`, else `DML_VK_DEVICE`'s, else the best."""
        return default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """What creation makes where no dtype is given, on every device."""
        open_device(device)
        return {
            "real floating": float32,
            "complex floating": complex64,
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The standard's dtypes that tensors have, or those of a kind. It has no float16."""
        open_device(device)
        return {
            dtype.numpy_name: dtype
            for dtype in DTYPES.values()
            if dtype is not float16
            if kind is None or isdtype(dtype, kind)
        }

    def devices(self) -> list[Device]:
        """All devices that there are."""
        return [open_device(found) for found in devices()]

    def __repr__(self) -> str:
        return "<dml_vk's __array_namespace_info__>"


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 the standard's name
    """What this array namespace can do.

    >>> import dml_vk
    >>> dml_vk.__array_namespace_info__().default_dtypes()["integral"]
    dml_vk.int64
    """
    return NamespaceInfo()
