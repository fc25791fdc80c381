"""Buffer: bytes on a device, which operators' tensors are bound to."""

from __future__ import annotations

from typing import Any

import numpy as np

from dml_vk.creation import Wanted
from dml_vk.directml.descriptors import DataType
from dml_vk.dtypes import to_dtype
from dml_vk.errors import DTypeError, LayoutError, explain
from dml_vk.runtime import transfer
from dml_vk.runtime.arenas import Bytes
from dml_vk.runtime.device import device as open_device
from dml_vk.strides.order import to_int
from dml_vk.tracing import record_bytes


class Buffer:
    """Bytes on a device, at least one. Until they are written they are whatever the memory holds.

    >>> import numpy as np
    >>> from dml_vk.directml import Buffer
    >>> buffer = Buffer(8)
    >>> buffer.write(b"ABCDEFGH")
    >>> buffer.write(np.arange(4, dtype=np.uint8)[::-1], offset=4)
    >>> buffer.read().tolist()
    [65, 66, 67, 68, 3, 2, 1, 0]
    """

    def __init__(self, nbytes: int, device: Wanted = None) -> None:
        self.nbytes = to_int("Buffer", "nbytes", nbytes)
        if self.nbytes < 1:
            raise LayoutError(explain("Buffer", "nbytes must be at least 1", nbytes=self.nbytes))
        self.device = open_device(device)
        self.allocation = self.device.allocate("Buffer", self.nbytes)

    def write(self, data: Any, offset: int = 0) -> None:
        """Upload the bytes of an array, in its logical order, or of anything bytes-like."""
        source, start = _bytes_of(data), to_int("Buffer.write", "offset", offset)
        if not 0 <= start <= self.nbytes - source.size:
            must = f"offset and data must lie within {self.nbytes} bytes"
            got = {"offset": start, "data.nbytes": source.size}
            raise LayoutError(explain("Buffer.write", must, **got))
        record_bytes("Buffer.write", source.size)
        transfer.upload(self.device, source, self.allocation, start)

    def read(self, dtype: Any = None) -> np.ndarray[Any, np.dtype[Any]]:
        """Download all bytes as a new array, of uint8 or of a type that divides them evenly."""
        if isinstance(dtype, DataType):
            dtype = dtype.name.lower()
        kind = to_dtype("Buffer.read", "uint8" if dtype is None else dtype)
        if self.nbytes % kind.itemsize:
            must = f"dtype must divide the {self.nbytes} bytes evenly"
            raise LayoutError(explain("Buffer.read", must, dtype=kind))
        data = np.empty(self.nbytes, np.uint8)
        record_bytes("Buffer.read", self.nbytes)
        transfer.download(self.device, self.allocation, 0, data)
        return data.view(kind.numpy_name)

    def __repr__(self) -> str:
        return f"Buffer({self.nbytes}, device={self.device.name!r})"


def _bytes_of(data: Any) -> Bytes:
    try:
        if not isinstance(data, np.ndarray):
            view = memoryview(data)
            return np.frombuffer(view if view.c_contiguous else view.tobytes(), np.uint8)
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    except TypeError:
        must = "data must be bytes or an array of numbers"
        raise DTypeError(explain("Buffer.write", must, data=type(data).__name__)) from None
