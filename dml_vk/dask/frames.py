"""dask.distributed: tensors on their way to other processes and to disk.

The bytes of elements go without a copy where the host sees the device's memory. They arrive on the
default device of the process that gets them, in the same format.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed.protocol import dask_deserialize, dask_serialize

from dml_vk.dtypes import DTYPES
from dml_vk.layout import Layout
from dml_vk.runtime.device import device
from dml_vk.tensor import host
from dml_vk.tensor.core import Tensor, tensor_over


def _to_frames(x: Tensor) -> tuple[dict[str, Any], list[Any]]:
    layout = x.layout.like()
    header = {"sizes": layout.sizes, "order": layout.order, "dtype": x.dtype.name}
    if x.layout.strides != layout.strides:
        x = x.clone()
    array = host.own_memory("serialize", x)
    if array is None:
        array = x.numpy()
    return header, [memoryview(array.transpose(layout.order).reshape(-1).view(np.uint8))]


def _from_frames(header: dict[str, Any], frames: list[Any]) -> Tensor:
    sizes, order = tuple(header["sizes"]), tuple(header["order"])
    dtype, layout = DTYPES[header["dtype"]], Layout.packed(sizes, order)
    array = np.frombuffer(frames[0], dtype.numpy_name).reshape([sizes[dim] for dim in order])
    new = tensor_over("deserialize", layout, dtype, device())
    host.write("deserialize", new, array.transpose(np.argsort(order)), layout)
    return new


def register() -> None:
    """Let tensors travel as their bytes."""
    dask_serialize.register(Tensor, _to_frames)
    dask_deserialize.register(Tensor, _from_frames)
